"""A server that is killed, as processes are, and begun again over Flower, with the same devices."""

import importlib.util
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

import tacit
from live.dying import POINTS
from live.phones import NAME, phones
from processes import free_port
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.keys import certified, own_key, public_of

pytestmark = pytest.mark.timing
TESTS = Path(__file__).parents[2]


@contextmanager
def device(client, folder: Path, name: str, port: int):
    """A device that runs until this is left."""
    authority = folder / "server" / "authority.pem"
    ending = threading.Event()
    key = own_key(folder / f"{name}.key")
    own = FlowerDevice(client, f"127.0.0.1:{port}", authority, key)
    beside = threading.Thread(target=own.run, args=(ending,), daemon=True)
    beside.start()
    try:
        yield
    finally:
        ending.set()
        beside.join()


def served(folder: Path, port: int, *point: str) -> int:
    """How a server ended."""
    words = [sys.executable, "-m", "live.flower.serving", folder, str(port), *point]
    return subprocess.run(words, cwd=TESTS, timeout=300, check=False).returncode


@pytest.mark.parametrize("point", [point.__name__ for point in POINTS])
def test_a_server_that_was_killed_goes_on(tmp_path: Path, point: str) -> None:
    """Charged once; each device has drawn one report a round, and what is released is whole."""
    port, clients = free_port(), phones(tmp_path)
    (tmp_path / "server").mkdir()
    certified(tmp_path / "server", "127.0.0.1")
    for name in clients:
        key = own_key(tmp_path / f"{name}.key")
        (tmp_path / f"{name}.pub").write_bytes(public_of(key))
    with ExitStack() as there:
        for name, client in clients.items():
            there.enter_context(device(client, tmp_path, name, port))
        assert -signal.SIGKILL == served(tmp_path, port, point)
        assert 0 == served(tmp_path, port)

    assert 1 == len(tacit.Ledger(tmp_path / "people.db").history(NAME))
    assert {(3 * 8.0, 3)} == {
        (c.ledger.spent()[0], len(c.ledger.lines())) for c in clients.values()
    }
    assert np.isfinite(np.load(tmp_path / "released.npy")).all()
