"""The two programs in docs/live.md, of a device and of a server, are a federation."""

import importlib.util
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from processes import begun, free_port
from tacit.live.flower.keys import certified, own_key, public_of
from tacit.live.flower.server import superlink

pytestmark = [pytest.mark.timing, pytest.mark.filterwarnings("default")]
TEXT = (Path(__file__).parents[3] / "docs" / "live.md").read_text()
# What runs without Flower as far as the first run, and the two programs.
FIRST = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[:3]
DEVICE, SERVER = re.findall(r"^```py\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
ONE = """
question = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), rounds=1, people=1)
plan = tacit.Federated(8.0, tacit.Central(8.0, 1e-5)).plan(question)
"""
LEARNT = "assert np.linalg.norm(release.state.parameters) > 0\n"


class Machine:
    """A folder of its own, new, and a program in it."""

    def __init__(self, folder: Path, port: int, *program: str) -> None:
        self.folder = folder
        folder.mkdir()
        whole = "".join([*FIRST, *program])
        for there, here in {"example.org": "127.0.0.1", "8000": f"{port}"}.items():
            whole = whole.replace(there, here)
        (folder / "program.py").write_text(whole)

    def begun(self) -> subprocess.Popen:
        """The program, as a process of its own."""
        return begun(["program.py"], self.folder, 1)

    def ended(self, status: int) -> tuple[str, str]:
        """What the program prints, and its last words."""
        with self.begun() as process:
            said = process.communicate(timeout=120)
        assert process.returncode == status, said
        return said


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    """One person's device and a server."""
    port = free_port()
    return (
        Machine(tmp_path / "phone", port, DEVICE),
        Machine(tmp_path / "service", port, ONE, SERVER, LEARNT),
    )


@pytest.fixture
def leaving() -> Iterator[ExitStack]:
    """Processes that end with the test."""
    with ExitStack() as stack:
        yield stack


def test_what_is_written_there_trains(
    machines: tuple[Machine, Machine], leaving: ExitStack
) -> None:
    """In the order of the page, from nothing: either begins first and ends in a sentence, files
    change hands, and the device waits until the server asks it."""
    phone, service = machines
    assert service.ended(1)[1] == (
        "server/authority.pem is for devices; their public keys must be keys/NAME.pub\n"
    )
    assert phone.ended(1)[1] == (
        "device.pub is for the server's operator, who gives authority.pem\n"
    )
    key = public_of(own_key(phone.folder / "device.key"))
    assert (phone.folder / "device.pub").read_bytes() == key
    assert not (phone.folder / "ledger.db").exists()
    assert not (service.folder / "people.db").exists()
    shutil.copy(service.folder / "server" / "authority.pem", phone.folder)
    (service.folder / "keys").mkdir()
    shutil.copy(phone.folder / "device.pub", service.folder / "keys" / "one.pub")

    device = leaving.enter_context(phone.begun())
    leaving.callback(device.kill)
    assert device.stderr.readline().startswith("waiting for 127.0.0.1:")
    printed = service.ended(0)[0]
    assert "round 1: 1 of 1 devices reported" in printed
    assert len(np.fromstring(printed.splitlines()[-1].strip("[]"), sep=" ")) == 3
    device.send_signal(signal.SIGTERM)
    said = device.communicate(timeout=60)[1]
    assert device.returncode == 0 and "agreed to phones: round 1 of 1 of lines@1" in said


def test_a_refusal_ends_the_devices_program_in_one_sentence(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    """The authority is another server's, say: there is no traceback before it."""
    phone, _ = machines
    port = int(re.findall(r"127\.0\.0\.1:(\d+)", (phone.folder / "program.py").read_text())[0])
    shutil.copy(certified(tmp_path / "other", "127.0.0.1").authority, phone.folder)
    with superlink(tmp_path / "server", port):
        said = phone.ended(1)[1]
    assert said == (
        f"127.0.0.1:{port}: the server's certificate is not vouched for by the authority this "
        "device was given\n"
    )
