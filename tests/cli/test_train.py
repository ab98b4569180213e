"""Options of `tacit train` about steps: what they train, what goes on with them, and refusals."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import quick_keys
from cli.shortened import shorten
from tacit.cli.main import app
from tacit.cli.session import Session
from tacit.cli.steps import PLAIN
from tacit.cli.tasks import Task
from tacit.noise import chacha

QUICK = ["--no-sweep", "--setting", "local", "--seed", "3"]
STEPS = ["--update", "epochs", "--epochs", "2", "--batch", "1", "--server", "yogi"]
STEPS += ["--rate", "0.05", "--schedule", "cosine", "--warm-up", "3"]


def run(*args: object):
    return CliRunner().invoke(app, [str(word) for word in args])


def models(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "models").iterdir()}


@pytest.fixture(autouse=True, scope="module")
def _four_rounds() -> Iterator[None]:
    """Each release has no more, and it does not matter what its noise is drawn from."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chacha, "IMPL", quick_keys.IMPL)
        shorten(patched, 4)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run with all of these options."""
    out = tmp_path_factory.mktemp("whole") / "out"
    done = run("train", *QUICK, *STEPS, "--out", out)
    assert done.exit_code == 0, done.output
    return out


def cut(out: Path, monkeypatch, *args: str) -> None:
    """The same, stopped at a look at its second release."""
    accuracy, looks = Task.accuracy, []

    def seen(self, model):
        looks.append(None)
        if len(looks) == 6:
            signal.raise_signal(signal.SIGINT)
        return accuracy(self, model)

    with monkeypatch.context() as patched:
        patched.setattr(Task, "accuracy", seen)
        done = run("train", *QUICK, *args, "--out", out)
    assert done.exit_code == 130 and len(Session.resume(out / "checkpoint").results) == 1


def test_a_run_goes_on_with_the_steps_it_was_started_with(whole, tmp_path, monkeypatch):
    """They are part of the session: the same models as of a whole run, to the byte."""
    cut(tmp_path / "out", monkeypatch, *STEPS)
    done = run("train", "--resume", tmp_path / "out" / "checkpoint")

    assert done.exit_code == 0, done.output
    assert models(tmp_path / "out") == models(whole)


def test_a_run_of_a_version_without_these_options_is_gone_on_with(tmp_path, monkeypatch):
    """It took plain steps."""
    cut(tmp_path / "out", monkeypatch)
    kept = tmp_path / "out" / "checkpoint" / "session.json"
    session = json.loads(kept.read_text())
    earlier = {k: v for k, v in session["options"].items() if k not in PLAIN}
    kept.write_text(json.dumps({**session, "options": earlier}))
    done = run("train", "--resume", kept.parent)
    plain = run("train", *QUICK, "--out", tmp_path / "plain")

    assert len(session["options"]) == len(earlier) + len(PLAIN)
    assert (done.exit_code, plain.exit_code) == (0, 0), done.output
    assert models(tmp_path / "out") == models(tmp_path / "plain")


def test_steps_are_no_part_of_a_promise(whole):
    """The plans, their errors and what they charge are those without; an optimiser's memory is
    sent with the model."""
    plain, other = (run("plan", "--setting", "central", *more) for more in ([], STEPS))
    apart = [
        (one, two)
        for one, two in zip(plain.stdout.splitlines(), other.stdout.splitlines(), strict=True)
        if one != two
    ]
    (one, *_) = json.loads((whole / "receipt.json").read_text())["receipts"]

    assert plain.exit_code == 0 and apart
    assert all(line.lstrip().startswith("download") for pair in apart for line in pair)
    assert [own["epsilon"] for own in one["guarantees"]] == [8.0, 8.0]


@pytest.mark.parametrize("command", ["train", "plan"])
@pytest.mark.parametrize(
    "given, said",
    [
        (["--epochs", "2"], "--epochs and --batch are for --update epochs, got --update grad"),
        (["--update", "epochs", "--epochs", "0"], "epochs must be a whole number of at least 1"),
        (["--server", "adagrad"], "--server adagrad needs --rate, as 0.01"),
        (["--rate", "nan"], "--rate must be positive and finite, got nan"),
        (["--warm-up", "-3"], "--warm-up must be at least 0 rounds, got -3"),
    ],
)
def test_steps_that_cannot_be_taken_are_refused(command, given, said, tmp_path, monkeypatch):
    """One sentence, status 2, and nothing written."""
    monkeypatch.chdir(tmp_path)
    done = run(command, *given)

    assert done.exit_code == 2 and said in done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout
    assert list(tmp_path.iterdir()) == []
