"""A machine is told from another by what its floats depend on, and from itself by nothing."""

import os
import platform
import subprocess
import sys
from unittest import mock

import pytest

import small
import tacit
from tacit.population.machine import WISHES, _processor, machine
from tacit.solve.one_thread import kernels

TOLD = "from tacit.population.machine import machine; print(machine())"
INTEL = (
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\nflags\t\t: fpu avx512f\n\nmodel: 1"
)


def told(**wishes: str) -> str:
    """In a process of its own."""
    own = {**os.environ, **wishes}
    found = subprocess.run([sys.executable, "-c", TOLD], env=own, capture_output=True, check=True)
    return found.stdout.decode().strip()


def test_it_is_itself_in_another_process():
    """Whatever else the process has loaded."""
    assert told() == machine()


@pytest.mark.skipif(
    not (kernels().startswith("openblas") and platform.machine() in ("x86_64", "AMD64")),
    reason="OpenBLAS chooses among these kernels, of processors of their kind",
)
def test_other_kernels_are_another_machine():
    """As another processor has them; the wish is told, and so is what came of it."""
    one, other = (told(OPENBLAS_CORETYPE=name).split("; ") for name in ("Prescott", "Haswell"))
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]

    assert len(differing) == 2 and "openblas" in differing[0][0]


@pytest.mark.parametrize("wish", WISHES)
def test_a_wish_is_told(wish, monkeypatch):
    """Each may change how floats are added up."""
    before = machine()
    monkeypatch.setenv(wish, "7")

    assert f"{wish}=7" in machine() and machine() != before


def test_another_processor_is_another_machine():
    """By its model and its instructions; the first one speaks for all."""
    _processor.cache_clear()
    try:
        with mock.patch("tacit.population.machine._PROCESSOR") as file:
            file.read_text.return_value = INTEL
            found = machine().split("; ")[0]
    finally:
        _processor.cache_clear()

    assert found == "vendor_id: GenuineIntel, model: 85, flags: fpu avx512f"


def test_fewer_cores_are_another_machine(monkeypatch):
    """What is divided among threads is added up in another order."""
    before = machine()
    monkeypatch.setattr("tacit.population.machine.cores", lambda: 99)

    assert "99 cores" in machine() and machine() != before


def test_a_grant_is_not_gone_on_with_on_another_machine(monkeypatch, tmp_path):
    """Its noise would meet sums, or a basis, that were rounded otherwise."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")
    monkeypatch.setattr("tacit.population.staged.machine", lambda: "another")

    with pytest.raises(tacit.ledger.LedgerError, match="was opened with other platform"):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")
