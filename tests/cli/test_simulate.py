"""`tacit simulate`: plans of the declared people, played by few; refusals; never called private."""

import json
import signal
from contextlib import contextmanager
from itertools import count

import numpy as np
import pytest
from typer.testing import CliRunner

import idx_files
from tacit.cli.interruption import Interrupted
from tacit.cli.main import app
from tacit.population.rounds import SumRounds
from tacit.simulation import Simulated

FEW = ["--people", "images", "--model", "linear", "--population", "100000"]
FEW += ["--cohort", "500", "--played", "20", "--seed", "3"]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> list[str]:
    made = idx_files.make_mnist(tmp_path_factory.mktemp("mnist"))
    return ["--data-dir", str(made.directory)]


def run(*args: str):
    return CliRunner().invoke(app, ["simulate", *args])


@contextmanager
def stopped(monkeypatch, setting: int, after: int):
    """Within, Ctrl-C comes after so many rounds of this setting; after none, before they begin."""
    play, number = Simulated.run, count(1)

    def run(self, plan, learner, *, watch, **kept):
        here = next(number) == setting
        if here and not after:
            raise Interrupted(130, "stopped")

        def seen(done, state):
            if here and done == after:
                signal.raise_signal(signal.SIGINT)

        return play(self, plan, learner, watch=[seen, *watch], **kept)

    with monkeypatch.context() as patched:
        patched.setattr(Simulated, "run", run)
        yield


def test_a_plan_is_that_of_the_declared_people(data):
    """Their promises and bytes, and how well few of them did; JSON says it is not private."""
    done = run(*data, *FEW, "--rounds", "2", "--upload", "1024", "--setting", "federated", "--json")
    (row,) = json.loads(done.stdout)

    assert done.exit_code == 0 and row["private"] is False
    assert row["simulation"].startswith("simulation of 100,000 people in cohorts of 500, 20 of")
    assert row["planned"]["public"]["epsilon"] <= 2 and row["planned"]["server"]["epsilon"] == 128
    assert row["upload_bytes"] <= 1024
    assert row["played_error"] > row["error"] > 0
    assert 0 < row["accuracy"] < 1


def test_the_table_says_that_nothing_is_private(data):
    """Of all settings that were asked for, in no more than 80 columns."""
    done = run(*data, *FEW, "--rounds", "1", "--setting", "none", "--setting", "central")

    assert done.exit_code == 0
    assert "simulated: not private" in done.stdout and "not a private release" in done.output
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    "options, said",
    [
        (["--cohort", "0"], "--cohort must be from 1 to --population, got 0"),
        (["--cohort", "100001"], "--cohort must be from 1 to --population, got 100001"),
        (["--played", "0"], "played must be a whole number from 1 to that of the people"),
        (["--played", "501"], "played must be at most the declared cohort of 500, got 501"),
        (["--played", "99999999"], "played must be a whole number from 1 to that of the people"),
        (["--upload", "1"], "upload must be at least the 2 bytes of a report, got 1"),
        (["--upload", "0"], "upload must be a positive whole number of bytes"),
        (["--setting", "local"], "--setting must be one of none, central, federated, got local"),
        (["--rounds", "0"], "rounds"),
        (["--drop-outs", "1"], "--drop-outs must be at least 0 and below 1, got 1"),
        (["--drop-outs", "nan"], "--drop-outs must be at least 0 and below 1, got nan"),
        (["--drop-outs", "0.97"], "played must be at most the declared cohort of 15, got 20"),
        (["--held-out", "1400"], "--held-out must be from 0 to 1399 of the 1400 people there are"),
        (["--held-out", "1390"], "played must be a whole number from 1 to that of the people"),
        (["--every", "5"], "--every is for --held-out people, got none"),
        (["--server", "adam"], "--server adam needs --rate, as 0.01"),
        (["--epochs", "2"], "--epochs and --batch are for --update epochs, got --update"),
        (["--update", "epochs", "--batch", "0"], "batch must be a whole number of at least 1"),
        (["--rate", "-1"], "--rate must be positive and finite, got -1"),
        (["--warm-up", "-1"], "--warm-up must be at least 0 rounds, got -1"),
    ],
)
def test_what_cannot_be_simulated_is_refused(data, options, said):
    """One sentence, and exit status 2."""
    done = run(*data, *FEW, "--rounds", "1", *options)

    assert done.exit_code == 2 and said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 5 and not done.stdout


def test_what_is_kept_is_gone_on_with(data, tmp_path, monkeypatch):
    """One that was stopped in its second setting ends as one that was not."""
    asked = [*data, *FEW, "--rounds", "3", "--setting", "none", "--setting", "federated", "--json"]
    whole = run(*asked, "--out", str(tmp_path / "whole"))
    with stopped(monkeypatch, setting=2, after=2):
        cut = run(*asked, "--out", str(tmp_path / "cut"))
    begun = {path.name for path in (tmp_path / "cut" / "states").iterdir()}
    gone_on = run(*asked, "--out", str(tmp_path / "cut"))

    assert cut.exit_code == 130 and "the same command goes on" in cut.stderr and not cut.stdout
    assert begun == {"none.npz", "federated.npz"}
    assert gone_on.exit_code == whole.exit_code == 0 and gone_on.stdout == whole.stdout
    one, other = (tmp_path / name / "receipt.json" for name in ("whole", "cut"))
    assert one.read_bytes() == other.read_bytes()
    refused = CliRunner().invoke(app, ["verify", str(one)])
    assert refused.exit_code == 1 and "receipt 0 promises nothing to anybody" in refused.output


PRACTICE = ["--update", "epochs", "--epochs", "2", "--batch", "10", "--server", "yogi"]
PRACTICE += ["--rate", "0.02", "--schedule", "cosine", "--warm-up", "2", "--drop-outs", "0.25"]
PRACTICE += ["--held-out", "50", "--every", "2"]


def test_what_the_field_does_is_an_option(data):
    """Epochs on devices, a server's optimiser and its rates, devices that drop out, and looks at
    people who are not played; what is promised to the declared people stays."""
    asked = [*data, *FEW, "--rounds", "5", "--setting", "central", "--json"]
    (plain,), (row,) = (json.loads(run(*asked, *more).stdout) for more in ([], PRACTICE))

    assert row["simulation"].startswith("simulation of 100,000 people in cohorts of 375, 20 of")
    assert row["planned"] == plain["planned"] and row["error"] > plain["error"]
    assert row["accuracy"] != plain["accuracy"] and plain["looks"] == []
    assert [look["rounds"] for look in row["looks"]] == [2, 4, 5]
    assert all(0 < look["right"] < 1 and look["loss"] > 0 for look in row["looks"])


def test_looking_changes_nothing_but_who_is_there(data):
    """The same people held out and looked at less often come to the same end."""
    asked = [*data, *FEW, "--rounds", "3", "--setting", "central", "--json", "--held-out", "50"]
    (often,), (once,) = (json.loads(run(*asked, "--every", k).stdout) for k in ("1", "9"))

    assert often.pop("looks")[-1:] == once.pop("looks") and often == once


def test_looks_are_gone_on_with(data, tmp_path, monkeypatch):
    """Those before the state are kept, and those after it are made again: a run that was stopped
    shows what a whole one does, and one that is over is not looked at again."""
    asked = [*data, *FEW, "--rounds", "5", "--setting", "none", "--json", *PRACTICE]
    whole = run(*asked, "--out", str(tmp_path / "whole"))
    with stopped(monkeypatch, setting=1, after=4):
        cut = run(*asked, "--out", str(tmp_path / "cut"))
    gone_on, again = (run(*asked, "--out", str(tmp_path / "cut")) for _ in range(2))

    assert (cut.exit_code, gone_on.exit_code) == (130, 0), gone_on.output
    assert whole.stdout == gone_on.stdout == again.stdout


def test_a_table_of_looks_comes_first(data):
    """It says that it is not private, too."""
    done = run(*data, *FEW, "--rounds", "1", "--setting", "none", "--held-out", "50")

    assert done.exit_code == 0
    assert 0 <= done.stdout.find("held out: not private") < done.stdout.find("simulated: not")


def test_a_setting_that_is_over_is_not_played_again(data, tmp_path, monkeypatch):
    """The same command reads it, and prints the same."""
    asked = [*data, *FEW, "--rounds", "2", "--setting", "none", "--json", "--out", str(tmp_path)]
    first = run(*asked)
    monkeypatch.setattr(SumRounds, "ready", lambda *of: pytest.fail("played again"))

    assert run(*asked).stdout == first.stdout and first.exit_code == 0


@pytest.mark.parametrize(
    "options, said",
    [
        (["--seed", "4"], "holds a simulation with --seed 3, got 4: choose another --out"),
        (["--rounds", "3"], "holds a simulation with --rounds 2, got 3"),
        (["--played", "21"], "holds a simulation with --played 20, got 21"),
        (["--cohort", "0"], "--cohort must be from 1 to --population, got 0"),
        (["--server", "momentum"], "with --server descent, got momentum"),
        (["--rate", "0.5"], "with --rate None, got 0.5"),
        (["--schedule", "root"], "with --schedule constant, got root"),
        (["--warm-up", "1"], "with --warm-up 0, got 1"),
        (["--update", "epochs"], "with --update gradient, got epochs"),
        (["--update", "epochs", "--epochs", "2"], "with --update gradient, got epochs"),
        (["--drop-outs", "0.1"], "with --drop-outs 0.0, got 0.1"),
        (["--held-out", "9"], "with --held-out 0, got 9"),
    ],
)
def test_a_folder_of_other_options_is_refused(data, tmp_path, options, said):
    """And left as it was."""
    asked = [*data, *FEW, "--rounds", "2", "--setting", "none", "--out", str(tmp_path)]
    assert run(*asked).exit_code == 0
    there = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    done = run(*asked, *options)

    assert done.exit_code == 2 and said in done.stderr and not done.stdout
    assert there == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}


def test_what_was_refused_before_its_first_round_binds_nothing(data, tmp_path, monkeypatch):
    """A plan that cannot be played leaves nothing behind; a run that was stopped before any state
    leaves a folder to which other options may come."""
    asked = [*data, *FEW, "--rounds", "1", "--setting", "none", "--out", str(tmp_path / "kept")]
    refused = run(*asked, "--played", "501")
    there = (tmp_path / "kept").exists()
    with stopped(monkeypatch, setting=1, after=0):
        cut = run(*asked)
    other = run(*asked, "--seed", "4")

    assert refused.exit_code == 2 and "declared cohort of 500, got 501" in refused.stderr
    assert not there and cut.exit_code == 130 and other.exit_code == 0
    assert json.loads((tmp_path / "kept" / "options.json").read_text())["seed"] == 4
    assert run(*asked).exit_code == 2


def test_the_same_options_of_other_people_are_refused(data, tmp_path, tmp_path_factory):
    """A state knows whose records it was made from."""
    asked = [*FEW, "--rounds", "1", "--setting", "none", "--out", str(tmp_path)]
    other = idx_files.make_mnist(tmp_path_factory.mktemp("other"))
    idx_files.write(other.directory / "train-labels-idx1-ubyte", np.zeros(1400, np.uint8))
    assert run(*data, *asked).exit_code == 0
    done = run("--data-dir", str(other.directory), *asked)

    assert done.exit_code == 2 and "belongs to another simulation" in done.stderr


@pytest.mark.parametrize("written", ["", "[]", "{", "1"])
def test_a_folder_with_another_options_file_is_refused(data, tmp_path, written):
    """Whoever wrote it."""
    (tmp_path / "options.json").write_text(written)
    done = run(*data, *FEW, "--rounds", "1", "--out", str(tmp_path))

    assert done.exit_code == 2 and "options.json is not of a simulation" in done.stderr
    assert (tmp_path / "options.json").read_text() == written


def test_a_folder_needs_a_seed(data, tmp_path):
    """Without one nothing could be gone on with."""
    without = [option for option in FEW if option not in ("--seed", "3")]
    done = run(*data, *without, "--rounds", "1", "--out", str(tmp_path / "kept"))

    assert done.exit_code == 2 and "needs --seed" in done.stderr
    assert not (tmp_path / "kept").exists()
