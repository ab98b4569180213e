"""What `train` and `plan` are of: options of both, and those that say nothing of the data."""

import math
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import idx_files
from tacit.cli import work
from tacit.cli.main import app

BUDGET = {
    "epsilon": 2.0,
    "delta": 1e-5,
    "local_epsilon": 8.0,
    "direction": 56.0,
    "magnitude": 9.0,
    "radius": None,
    "upload": None,
}


def run(*args: str):
    return CliRunner().invoke(app, [str(a) for a in args])


def said(done) -> str:
    return " ".join(done.stderr.split())


def row(name: str, reports: bool) -> SimpleNamespace:
    return SimpleNamespace(name=name, reports=reports)


ROWS = (row("none", False), row("central", False), row("local", True))


@pytest.mark.parametrize("command", ["train", "plan"])
@pytest.mark.parametrize(
    "args, sentence",
    [
        (["--upload", "0"], "--upload must be a positive whole number of bytes, got 0"),
        (["--upload", "-5"], "--upload must be a positive whole number of bytes, got -5"),
        (["--upload", "1"], "upload must be at least the 2 bytes of a report, got 1"),
        (
            ["--upload", "99", "--setting", "none", "--setting", "central"],
            "--upload bounds the reports of shuffled, local, federated, and --setting asks for "
            "none, central alone",
        ),
    ],
)
def test_an_upload_that_nobody_can_keep_is_refused(command, args, sentence, tmp_path, monkeypatch):
    """Also by a plan of several settings, which shows none of them."""
    monkeypatch.chdir(tmp_path)
    done = run(command, *args)

    assert 2 == done.exit_code and said(done) == f"tacit: {sentence}"
    assert "" == done.stdout and [] == list(tmp_path.iterdir())


def test_writers_who_are_not_there_are_refused(tmp_path, monkeypatch):
    """The images are, and the sentence names the table that is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mnist").mkdir()
    idx_files.make_mnist(tmp_path / "mnist")
    options = ["--data", "mnist", "--data-dir", "mnist", "--people", "writers"]
    done = run("train", *options, "--writers-dir", "nowhere")

    assert 2 == done.exit_code and "nowhere must hold a file qmnist-train" in said(done)
    assert ["mnist"] == [path.name for path in tmp_path.iterdir()]


def test_budgets_are_what_the_options_say():
    """Each under its own name; a report that is not projected has an endless radius."""
    found = work.budgets(BUDGET | {"upload": 64})

    assert (found.epsilon, found.delta, found.local_epsilon) == (2.0, 1e-5, 8.0)
    assert (found.direction, found.magnitude, found.radius) == (56.0, 9.0, math.inf)
    assert found.upload == 64 and work.budgets(BUDGET | {"radius": 0.5}).radius == 0.5


@pytest.mark.parametrize("asked", [None, [], ["local"], ["local", "none"]])
def test_settings_are_those_that_were_asked_for(asked):
    """In their own order, and all where none was."""
    found = work.chosen(ROWS, {"setting": asked, "upload": None})

    assert found == tuple(each for each in ROWS if not asked or each.name in asked)


def test_a_setting_that_is_none_is_refused():
    """With the names of those there are."""
    with pytest.raises(ValueError, match="one of none, central, local, got quantum"):
        work.chosen(ROWS, {"setting": ["none", "quantum"], "upload": None})


def test_mnist_lies_in_a_folder():
    """Which is asked for before anything is read."""
    with pytest.raises(ValueError, match="MNIST needs --data-dir"):
        work.mnist_of({"data_dir": None})
