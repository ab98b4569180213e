"""`tacit device`: what it refuses before it speaks to anybody."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit.cli.device import flower_here
from tacit.cli.main import app
from tacit.cli.own_functions import write
from tacit.live.flower.keys import certified, name_of, own_key, public_of
from tacit.live.masked.member import SigningKey

MASKED = "epsilon 4 and delta 1e-5 a week"
IMAGES, LABELS = np.zeros((3, 8, 8), np.float32), np.zeros(3, np.int32)


def run(folder: Path, **more: object):
    """The command, with what is wrong in it."""
    authority = certified(folder, "localhost").authority
    words = {"data": folder / "mine", "server": "localhost:1", "authority": authority}
    words |= {"allow": "digits@1", **more}
    told = [str(word) for name, value in words.items() for word in (f"--{name}", value)]
    return CliRunner().invoke(app, ["device", *told])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cap": "epsilon 50"}, "a cap is"),
        ({"cap": "epsilon -1 a week"}, "a cap is"),
        ({"allow": "digits@2"}, "--allow must name functions that are installed here"),
        ({"data": "elsewhere"}, "must hold images.npy and labels.npy"),
        ({"authority": "folder"}, "--authority must be a certificate's file"),
        (
            {"roster": "nowhere.json", "cap": MASKED},
            "nowhere.json must be a JSON file of members' names",
        ),
        ({"roster": "roster.json", "cap": MASKED}, "begin it once without --roster"),
        ({"roster": "roster.json"}, "sums under masks spend delta, so --cap must say how much"),
        ({"roster": "roster.json", "cap": "epsilon 4 and delta 1e-9 a week"}, "and delta 1e-09 in"),
        ({"authority": "junk"}, "--authority must be a certificate's file, in PEM"),
        ({"server": "127.0.0.1"}, "--server must be HOST:PORT"),
        ({"key": "folder"}, "--key must be a file that holds a private key, or a new one in a"),
        ({"key": "nowhere/k"}, "--key must be a file that holds a private key, or a new one"),
        ({"key": "own.pub"}, "--key must not end in .pub"),
        ({"colluding": "0.2"}, "give --roster as well"),
        ({"ledger": "folder"}, "--ledger must be a file that holds a device's ledger, or a new"),
        ({"ledger": "nowhere/l.db"}, "--ledger must be a file that holds a device's ledger, or"),
        ({"ledger": "junk"}, "the ledger junk cannot be written"),
        ({"ledger": "empty"}, "the ledger empty is empty"),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, str], said: str
) -> None:
    """One sentence, status 2, and no key or ledger is made."""
    write(tmp_path / "mine", IMAGES, LABELS)
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("empty").touch()
    Path("junk").write_text("this is no database, and no certificate of anybody's\n" * 40)
    Path("roster.json").write_text("{}")
    done = run(tmp_path, **wrong)
    assert done.exit_code == 2 and said in done.output
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "images.npy",
        "labels.npy",
    ]
    assert not list(Path("folder").iterdir()) and not Path("empty").stat().st_size


def test_keys_come_before_the_certificate(tmp_path: Path) -> None:
    """Without it they are made and said, for the server's operator to let them in; a second time
    they are the same, and no ledger is made."""
    mine = tmp_path / "mine"
    write(mine, IMAGES, LABELS)
    done = run(tmp_path, authority="nowhere.pem")
    assert done.exit_code == 2 and "nowhere.pem is not there: the server's operator" in done.output
    own = own_key(mine / "device.key")
    assert (mine / "device.pub").read_bytes() == public_of(own)
    assert name_of(public_of(own)) in done.output
    assert SigningKey.kept(mine / "signing.key").public.hex() in done.output
    before = {each.name: each.read_bytes() for each in mine.iterdir()}
    assert len(before) == 5 and run(tmp_path, authority="nowhere.pem").output == done.output
    assert before == {each.name: each.read_bytes() for each in mine.iterdir()}


@pytest.mark.skipif(importlib.util.find_spec("flwr") is not None, reason="Flower is here")
def test_no_flower(tmp_path: Path) -> None:
    """The sentence says how it is had."""
    write(tmp_path / "mine", IMAGES, LABELS)
    done = run(tmp_path)
    assert done.exit_code == 2 and 'pip install "tacit[flower]" brings it' in done.output
    assert len(list((tmp_path / "mine").iterdir())) == 2


def test_an_import_that_fails_is_a_refusal() -> None:
    """Whatever Flower says."""
    with pytest.raises(ValueError, match="another version"), flower_here():
        raise ImportError("another version")
