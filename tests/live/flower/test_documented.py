"""The two programs in docs/live.md, of a device and of a server, are a federation."""

import importlib.util
import re
import threading
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

import tacit
from processes import free_port
from tacit.live.flower import device as flower_device
from tacit.live.flower.keys import own_key, public_of

pytestmark = [pytest.mark.timing, pytest.mark.filterwarnings("default")]
TEXT = (Path(__file__).parents[3] / "docs" / "live.md").read_text()
# What runs without Flower as far as the first run, and the two programs.
FIRST = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[:4]
DEVICE, SERVER = re.findall(r"^```py\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_what_is_written_there_trains(tmp_path, monkeypatch, capsys):
    """One person's device, and one round, on this machine's own address."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "live"}
    exec("".join(FIRST[:3]), names)
    question = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), rounds=1, people=1)
    names["plan"] = tacit.Federated(8.0, tacit.Central(8.0, 1e-5)).plan(question)
    names["ledger"] = tacit.Ledger("people.db")
    names["ledger"].limit_for("phones", names["plan"])
    Path("keys").mkdir()
    Path("keys", "one.pub").write_bytes(public_of(own_key(Path("device.key"))))
    here = {"example.org": "127.0.0.1", "8000": f"{free_port()}", '"authority': '"server/authority'}

    def local(program: str) -> str:
        for there, own in here.items():
            program = program.replace(there, own)
        return program

    ending = threading.Event()
    monkeypatch.setattr(flower_device, "until_told", lambda device: device.run(ending))

    def begun() -> None:
        while not Path("server", "authority.pem").exists():
            assert not ending.wait(0.05)
        exec(local(DEVICE), dict(names))

    beside = threading.Thread(target=begun, daemon=True)
    beside.start()
    try:
        exec(local(SERVER), names)
    finally:
        ending.set()
        beside.join()
    said = capsys.readouterr().out
    assert "round 1: 1 of 1 devices reported" in said
    assert str(names["learner"].released(names["release"].state)) in said
    assert Path("device.pub").read_bytes() == Path("keys", "one.pub").read_bytes()
    assert np.linalg.norm(names["release"].state.parameters) > 0
