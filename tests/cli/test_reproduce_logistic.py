"""`tacit reproduce logistic`: its table, what is kept of a run that was stopped, and refusals."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit.cli.main import app
from tacit.experiments import logistic
from tacit.experiments.kept import Kept
from tacit.experiments.logistic import BUDGETS, METHODS, Curves, Size

SMALL = ["--people", "100", "--dim", "6", "--repetitions", "2", "--signal", "2"]
SETTING = Size(100, 6, 2.0, 2, 0)


def run(*words: str):
    return CliRunner().invoke(app, ["reproduce", "logistic", *words])


@pytest.fixture
def played(monkeypatch) -> list[str]:
    """What was played, by who stands in for the experiment."""
    found: list[str] = []

    def curves(setting, method, epsilon, told=lambda done: None) -> Curves:
        found.append(f"{method.name} {epsilon:g}")
        if len(found) == 4 and stopped:
            raise OSError("the disk is full")
        told(setting.people)
        ends = np.full((setting.repetitions, logistic.POINTS), 1 / epsilon)
        return Curves(method.name, epsilon, 1.5, None, ends, ends[:, -1])

    stopped = [True]
    monkeypatch.setattr("tacit.experiments.logistic.curves", curves)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    yield found
    stopped.clear()


def test_a_run_that_was_cut_off_goes_on_with_the_same_command(tmp_path, played):
    """What was finished is not played again; the table is of all."""
    words = *SMALL, "--out", str(tmp_path)
    first = run(*words)
    assert first.exit_code == 2 and "the disk is full" in first.stderr
    kept = Kept.opened(tmp_path / "logistic.json", SETTING).parts
    assert len(kept) == 4 and "likelihood" in kept

    again = run(*words, "--json")
    assert again.exit_code == 0, again.output
    shown = json.loads(again.stdout)
    table = shown["table"]
    assert shown["private"] is False
    assert len(played) == 4 + 11 and len(set(played)) == len(BUDGETS) * len(METHODS)
    assert [row["method"] for row in table] == ["published"] * 7 + ["ours"] * 7 + ["likelihood"]
    assert {path.name for path in tmp_path.iterdir()} == {"logistic.json", "logistic.svg"}


def finished(folder) -> None:
    """Every part, kept there."""
    kept = Kept.opened(folder / "logistic.json", SETTING)
    ends = np.full((2, logistic.POINTS), 0.25)
    for method in METHODS:
        for epsilon in BUDGETS:
            part = Curves(method.name, epsilon, 1.5, 0.125, ends, ends[:, -1])
            kept.add(f"{method.name} {epsilon:g}", part)
    kept.add("likelihood", Curves("likelihood", float("inf"), 0.25, 0.125, ends[:, :1], ends[:, 0]))


def test_a_finished_run_is_printed_again_and_not_played(tmp_path, played):
    """At 80 columns."""
    finished(tmp_path)
    found = run(*SMALL, "--out", str(tmp_path))

    assert found.exit_code == 0, found.output
    assert played == [] and "0.25000" in found.stdout and "0.12500" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--people", "7"], "people must be a multiple of 50, got 7"),
        (["--repetitions", "0"], "a repetition"),
        (["--signal", "nan"], "a positive signal"),
        (["--seed", "9223372036854775808"], "seed must be a whole number from 0 and below 2^32"),
        (["--epsilon", "1", "--epsilon", "-2"], "--epsilon must be positive, got -2"),
        (["--epsilon", "nan"], "--epsilon must be positive, got nan"),
        (["--epsilon", "5", "--epsilon", "nan"], "--epsilon must be positive, got nan"),
    ],
)
def test_what_is_no_experiment_is_refused(tmp_path, words, said):
    """In one sentence, with status 2, and nothing is left."""
    out = tmp_path / "out"
    found = run(*words, "--out", str(out))

    assert found.exit_code == 2 and said in found.stderr
    assert found.stderr.count("\n") == 1 and not out.exists()


def test_chosen_budgets_are_played_alone_and_others_added_later(tmp_path, played):
    """What is kept of one is there for the next command."""
    words = *SMALL, "--out", str(tmp_path)
    found = run(*words, "--epsilon", "1", "--json")
    assert found.exit_code == 0, found.output
    assert played == ["published 1", "ours 1"]
    assert run(*words, "--epsilon", "1").exit_code == 0 and len(played) == 2


def test_a_folder_of_another_setting_is_refused(tmp_path, played):
    """By the name of what differs, and its file is kept."""
    Kept.opened(tmp_path / "logistic.json", SETTING).add("x", SETTING)
    before = (tmp_path / "logistic.json").read_text()
    found = run(*SMALL, "--seed", "1", "--out", str(tmp_path))

    assert found.exit_code == 2 and "results for seed = 0, not 1" in found.stderr
    assert (tmp_path / "logistic.json").read_text() == before and played == []


@pytest.mark.parametrize(
    "changed",
    [
        {"gaps": 3},
        {"gaps": [[]]},
        {"gaps": [[None] * logistic.POINTS] * 2},
        {"distances": [0.25]},
        {"moment": None},
        {"predicted": "little"},
        {"epsilon": 500},
        {"epsilon": [7.8]},
        {"method": "x"},
        {"colour": "red"},
    ],
)
def test_a_part_that_somebody_changed_is_refused(tmp_path, played, changed):
    """In one sentence, and never shown as another's."""
    finished(tmp_path)
    path = tmp_path / "logistic.json"
    kept = json.loads(path.read_text())
    kept["parts"]["ours 7.8"] |= changed
    path.write_text(json.dumps(kept))
    found = run(*SMALL, "--out", str(tmp_path), "--json")

    assert found.exit_code == 2 and found.stdout == "" and played == []
    assert "is no file of results; choose another folder" in found.stderr


def test_budgets_that_are_near_are_told_apart(tmp_path, played):
    """To the last digit."""
    played.extend([""] * 4)
    words = *SMALL, "--out", str(tmp_path), "--json"
    found = run(*words, "--epsilon", "7.8000001", "--epsilon", "7.8000002")

    assert found.exit_code == 0, found.output
    epsilons = [row["epsilon"] for row in json.loads(found.stdout)["table"]]
    assert epsilons == [7.8000001, 7.8000002] * 2 + [None]
    table = run(*words[:-1], "--epsilon", "7.8000001", "--epsilon", "7.8000002").stdout
    assert table.count("7.8000001") == table.count("7.8000002") == 2


def test_too_few_people_are_refused_before_anything_is_played(tmp_path, played, monkeypatch):
    """Of whom there is no maximum likelihood."""

    def none(size):
        raise ValueError("100 people are too few for a maximum likelihood of 6 numbers")

    monkeypatch.setattr("tacit.experiments.logistic.most_likely", none)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    found = run(*SMALL, "--out", str(tmp_path))

    assert found.exit_code == 2 and "too few" in found.stderr and played == []
