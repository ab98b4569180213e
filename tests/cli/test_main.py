"""The command line as a stranger uses it: tables, files, refusals, going on after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import idx_files
from tacit.accounting.ledger import Ledger
from tacit.cli.main import app

QUICK = ["--no-sweep", "--setting", "central", "--setting", "local", "--seed", "3"]


def run(*args: str):
    return CliRunner().invoke(app, [str(a) for a in args])


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A finished run of two settings."""
    out = tmp_path_factory.mktemp("trained") / "demo"
    done = run("train", *QUICK, "--out", out)
    assert 0 == done.exit_code, done.output
    return out


def test_training_leaves_a_report_a_receipt_the_models_and_the_ledger(trained):
    """Everything promised is there, and the report needs nothing outside itself."""
    page = (trained / "report.html").read_text()
    models = {path.name for path in (trained / "models").iterdir()}

    assert {f"{t}-{s}.eqx" for t in ("tuned", "shared") for s in ("central", "local")} == models
    assert page.count("<svg") == 2 and 'src="' not in page
    assert "nothing in" in page and "private" in page
    assert (trained / "ledger.db").exists()


def test_json_prints_the_table(tmp_path):
    """Standard output is JSON and nothing else: one object a release, with its promises."""
    done = run("train", *QUICK, "--json", "--out", tmp_path / "demo")
    rows = json.loads(done.stdout)

    assert ["central", "local", "central", "local"] == [row["name"] for row in rows]
    assert all(0 <= row["accuracy"] <= 1 and row["receipt"]["guarantees"] for row in rows)
    assert rows[0]["accuracy"] > 0.85


def test_a_whole_receipt_verifies(trained):
    """Two accountants agree with every claim."""
    done = run("verify", trained / "receipt.json")

    assert 0 == done.exit_code
    assert "every promise holds" in done.output


@pytest.mark.parametrize("field", ["epsilon", "delta"])
def test_an_altered_promise_is_refused(trained, tmp_path, field):
    """One altered number: exit status 1."""
    saved = json.loads((trained / "receipt.json").read_text())
    saved["receipts"][0]["guarantees"][0][field] *= 0.9
    (tmp_path / "altered.json").write_text(json.dumps(saved))
    done = run("verify", tmp_path / "altered.json")

    assert 1 == done.exit_code
    assert "REFUSED" in done.output


def test_plan_prints_and_spends_nothing(tmp_path, monkeypatch):
    """Noise, promises, error and upload for every setting; no file appears."""
    monkeypatch.chdir(tmp_path)
    done = run("plan", "--setting", "central", "--setting", "federated")

    assert 0 == done.exit_code
    for words in ("noise on each coordinate", "predicted squared error", "2,600 bytes", "ε(δ)"):
        assert words in done.output
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["--epsilon", "0"], "epsilon must be positive and finite, got 0.0"),
        (["--epsilon", "nan"], "epsilon must be positive and finite, got nan"),
        (["--delta", "1.5"], "delta must be at least 0 and below 1"),
        (["--local-epsilon", "-1"], "epsilon must be positive and finite"),
        (["--direction", "inf"], "must be positive and finite, got direction inf"),
        (["--setting", "quantum"], "--setting must be one of none, central"),
        (["--data", "mnist"], "--data mnist needs --data-dir"),
        (["--data", "mnist", "--data-dir", "nowhere"], "nowhere"),
        (["--resume", "nowhere"], "must be the checkpoint folder of an earlier"),
        (["--ledger", "notes.txt"], "notes.txt"),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, args, sentence):
    """Exit status 2, the value allowed is named, nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("This is not a ledger. " * 100)
    done = run("train", *args)
    said = " ".join(done.stderr.split())

    assert 2 == done.exit_code, done.output
    assert said.startswith("tacit: ") and sentence in said
    assert ["notes.txt"] == [path.name for path in tmp_path.iterdir()]


def test_a_limit_stops_the_second_release(tmp_path):
    """The account has room for one release of epsilon 2; the next is refused, uncharged."""
    out = tmp_path / "demo"
    args = ["--no-sweep", "--setting", "central", "--out", out, "--limit", "3"]
    first = run("train", *args)
    again = run("train", *args)
    spent = {a.relation.value: a.epsilon for a in Ledger(out / "ledger.db").spent("digits")}

    assert 0 == first.exit_code
    assert 2 == again.exit_code
    assert spent["add/remove"] <= 2.0 and spent["replace-one"] <= 2.0


@pytest.mark.parametrize("broken", [b"", b"PK not a zip"])
def test_a_corrupt_checkpoint_is_refused(trained, tmp_path, broken):
    """One sentence, status 2, and the ledger stays as it was."""
    (tmp_path / "session.json").write_bytes(broken)
    done = run("train", "--resume", tmp_path)

    assert 2 == done.exit_code
    assert "whole session.json" in " ".join(done.stderr.split())


def test_a_killed_run_resumes_to_the_same_models_charged_once(trained, tmp_path):
    """Killed three times at different moments, it ends where the uninterrupted run ended."""
    out = tmp_path / "demo"
    command = [sys.executable, "-m", "tacit.cli.main", "train"]
    start = [*command, *QUICK, "--out", str(out)]
    resume = [*command, "--resume", str(out / "checkpoint")]
    for wait in (1.0, 2.5, 4.0):
        began = (out / "checkpoint" / "session.json").exists()
        child = subprocess.Popen(
            resume if began else start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not (out / "checkpoint" / "session.json").exists() and child.poll() is None:
            time.sleep(0.02)
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.wait()
    done = run("train", "--resume", out / "checkpoint")

    assert 0 == done.exit_code, done.output
    for model in (trained / "models").iterdir():
        assert model.read_bytes() == (out / "models" / model.name).read_bytes()
    whole, killed = (Ledger(f / "ledger.db").spent("digits") for f in (trained, out))
    assert [a.epsilon for a in whole] == [a.epsilon for a in killed]


def test_mnist_trains_and_plans_from_idx_files(tmp_path):
    """The four files, whole images as people and a linear model: better than guessing."""
    (tmp_path / "mnist").mkdir()
    data = idx_files.make_mnist(tmp_path / "mnist").directory
    options = ["--data", "mnist", "--data-dir", data, "--people", "images", "--model", "linear"]
    options += ["--setting", "none", "--rounds", "10"]
    done = run("train", *options, "--no-sweep", "--json", "--out", tmp_path / "demo")

    assert 0 == done.exit_code, done.output
    assert json.loads(done.stdout)[0]["accuracy"] > 0.3
    assert 0 == run("plan", *options).exit_code


def test_a_truncated_data_file_is_refused(tmp_path):
    """The sentence names the file; status 2; nothing is written beside the data."""
    (tmp_path / "mnist").mkdir()
    data = idx_files.make_mnist(tmp_path / "mnist").directory
    victim = next(p for p in data.iterdir() if p.name.startswith("train-images"))
    os.truncate(victim, victim.stat().st_size // 2)
    done = run("train", "--data", "mnist", "--data-dir", data, "--out", tmp_path / "demo")

    assert 2 == done.exit_code
    assert "train-images" in " ".join(done.stderr.split())
    assert not (tmp_path / "demo").exists()
