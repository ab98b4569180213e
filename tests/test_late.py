"""SciPy's large parts are imported when something of them is called, and are then what they are."""

import subprocess
import sys

import pytest
from scipy import optimize, signal, stats

from tacit import late
from tacit.late import Late, LatePart, standing_in

FIRST = """
import sys, numpy as np, tacit
from tacit import tables
import pandas as pd
visits = tacit.Table(pd.DataFrame({"patient": [1, 2], "days": [3.0, 4.0]}), "patient", "p", "p.db")
visits.budget(epsilon=1, delta=1e-6)
ask = visits.ask(n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5)
ask.run(tacit.Central(1.0, 0.0))
"""
LOOK = """
print([name for name in ("scipy.optimize", "scipy.signal", "scipy.stats") if name in sys.modules])
"""
HOLDERS = """
import sys
import tacit.borrowed
from tacit.late import Late, LatePart
late = lambda module: any(isinstance(own, Late | LatePart) for own in vars(module).values())
held = {name.split(".")[0] for name, module in list(sys.modules.items()) if late(module)}
print(sorted(held - {"tacit"}))
"""
EARLIER = """
import sys
import scipy.stats
before = scipy.stats
import tacit.borrowed
from dp_accounting.pld import privacy_loss_mechanism
print(sys.modules["scipy.stats"] is before, privacy_loss_mechanism.stats is before)
"""


def _said(program: str, folder) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.timing
def test_a_first_answer_waits_for_none_of_them(tmp_path):
    """They take a fifth of its processor time to import, and it calls nothing of theirs."""
    assert "[]" == _said(FIRST + LOOK, tmp_path)


@pytest.mark.timing
def test_nobody_but_their_accountant_is_given_a_late_name(tmp_path):
    """While dp_accounting is imported, SciPy's own files import what they mean."""
    assert "['dp_accounting']" == _said(HOLDERS, tmp_path)


@pytest.mark.timing
def test_what_was_imported_before_is_left_as_it_is(tmp_path):
    """Whoever had SciPy's statistics has them still, and dp_accounting has the same."""
    assert "True True" == _said(EARLIER, tmp_path)


@pytest.mark.parametrize(
    "name, own",
    [
        ("brentq", optimize.brentq),
        ("fminbound", optimize.fminbound),
        ("minimize", optimize.minimize),
        ("fftconvolve", signal.fftconvolve),
        ("lfilter", signal.lfilter),
        ("binom", stats.binom),
        ("norm", stats.norm),
    ],
)
def test_each_name_is_what_it_is_in_scipy(name, own):
    assert own is vars(late)[name]._found()


def test_a_late_name_is_called_and_has_what_its_own_has():
    assert 0.5 == late.norm.cdf(0.0)
    assert 0.0 == late.brentq(lambda x: x, -1.0, 2.0)
    with pytest.raises(AttributeError):
        _ = Late("scipy.stats", "norm").nothing_of_this_name


def test_parts_are_themselves_again_after_an_import_that_failed(monkeypatch):
    """A part that was there stays there all the while."""
    monkeypatch.delitem(sys.modules, "scipy.signal")
    with pytest.raises(ImportError), standing_in():
        assert isinstance(sys.modules["scipy.signal"], LatePart)
        assert stats is sys.modules["scipy.stats"]
        raise ImportError("half-way")
    assert "scipy.signal" not in sys.modules


def test_a_part_that_stands_in_says_it_has_no_inner_names():
    with pytest.raises(AttributeError):
        _ = LatePart("scipy.stats").__wrapped__
