"""`tacit compare`: a picture, numbers and receipts of what privacy costs, or nothing at all."""

import json
import os
import signal
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit
from tacit.cli import cases
from tacit.cli.main import app
from tacit.learning.classifiers import InRounds, PerturbedMinimum, Problem, Steps
from tacit.learning.compare import Method

PEOPLE, DELTA = 200, 1e-5
QUICK = ["--epsilons", "20,0.01", "--repeats", "2"]
FILES = {"compare.svg", "compare.json", "receipt.json"}


def points(seed: int):
    """Numbers in [-1, 1], labelled by their sign."""
    rows = np.random.default_rng(seed).uniform(-1, 1, (PEOPLE, 1)).astype(np.float32)
    return rows, (rows[:, 0] > 0.2).astype(np.int32)


def small(delta: float) -> cases.Case:
    """Two methods and the line without privacy, on two hundred people."""
    central = tacit.Central(1.0, delta, tacit.Relation.REPLACE_ONE)
    steps = InRounds(Steps(clip=1.0, rate=4.0, average_from=5), tacit.Everyone(), 20)
    methods = (
        Method("gradient descent", tacit.NonPrivate(), steps),
        Method("objective perturbation", central, PerturbedMinimum(0.01)),
        Method("gradient descent", central, steps),
    )
    return cases.Case("points", Problem(PEOPLE, 1, 1.0, 2), methods, points(0), points(1))


@pytest.fixture(autouse=True, scope="module")
def _small_digits():
    with mock.patch.object(cases, "digits_case", small):
        yield


def run(*args: object):
    return CliRunner().invoke(app, ["compare", *map(str, args)])


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A seeded comparison: what it said, and its folder."""
    out = tmp_path_factory.mktemp("compared") / "new" / "price"
    done = run("--out", out, *QUICK, "--seed", 3)
    assert 0 == done.exit_code, done.output
    return done, out


def test_a_comparison_leaves_a_picture_numbers_and_receipts(compared):
    """The table and the file have the same numbers; the receipts hold."""
    done, out = compared
    found = json.loads((out / "compare.json").read_text())
    checked = CliRunner().invoke(app, ["verify", str(out / "receipt.json")])

    assert {path.name for path in out.iterdir()} == FILES
    assert [out] == list(out.parent.iterdir())
    assert [0.01, 20, 0.01, 20] == [point["epsilon"] for point in found["points"]]
    for point in found["points"]:
        accuracies = point["accuracies"]
        assert 2 == len(accuracies) == len(point["receipts"])
        assert np.mean(accuracies) == pytest.approx(point["accuracy"])
        assert f"{100 * point['accuracy']:.1f}" in done.stdout
        assert f"±{100 * point['spread']:.1f}" in done.stdout
    assert found["points"][1]["accuracy"] > 0.9 > found["points"][0]["accuracy"]
    assert 1 == checked.exit_code and "receipt 0 promises nothing" in checked.output
    assert "receipt 2 is of a seeded run" in checked.output
    said = done.stdout.split("\n")
    assert all(len(line) <= 80 for line in said)
    assert "ε 0.01" in done.stdout and "for one person replaced" in done.stdout
    (last,) = (at for at, line in enumerate(said) if "without privacy" in line)
    assert f"{100 * found['without_privacy']:.1f}" in said[last] and "" == said[last + 1].strip()
    assert "seeded" in done.stderr and found["private"] is False


def test_the_picture_names_its_lines(compared):
    """What is drawn, for whom, and what to lay it beside."""
    drawn = (compared[1] / "compare.svg").read_text()

    for words in ("objective perturbation, central", "gradient descent, central"):
        assert words in drawn
    for words in ("without privacy", "commonest label", "200 people", "test accuracy"):
        assert words in drawn


def test_a_seed_draws_the_same_picture(compared, tmp_path):
    """To the byte; and other noise without one, which is then private."""
    run("--out", tmp_path / "b", *QUICK, "--seed", 3)
    done = run("--out", tmp_path / "c", *QUICK, "--json")
    first, second = (
        (folder / "compare.svg").read_bytes() for folder in (compared[1], tmp_path / "b")
    )

    assert first == second
    assert json.loads(done.stdout) == json.loads((tmp_path / "c" / "compare.json").read_text())
    assert json.loads(done.stdout)["private"] and "seeded" not in done.stderr


def test_a_ledger_is_charged_and_stops_what_is_over_its_limit(tmp_path):
    """Four releases of 1 fit under 4.5, another is refused; the folder is as it was."""
    book, out = tacit.Ledger(tmp_path / "people.db"), tmp_path / "out"
    book.limit("points", "public", tacit.Relation.REPLACE_ONE, 4.5, 1.0)
    args = ["--out", out, "--epsilons", "1", "--repeats", "2", "--ledger", tmp_path / "people.db"]
    plain = run(*args)
    assert 2 == plain.exit_code and "promises nothing" in plain.stderr
    assert not out.exists() and 0 == book.spent("points")[0].epsilon

    first = run(*args, "--no-plain")
    before = (out / "compare.json").read_bytes()
    second = run(*args, "--no-plain")
    assert 0 == first.exit_code and 2 == second.exit_code
    assert "without privacy" not in first.stdout + (out / "compare.svg").read_text()
    assert 3.9 < book.spent("points")[0].epsilon <= 4.0
    assert before == (out / "compare.json").read_bytes()
    assert FILES == {path.name for path in out.iterdir()}


def test_a_comparison_that_does_not_fit_charges_nothing(tmp_path):
    """All releases are counted before the first, and no account is opened for those refused."""
    book, out = tacit.Ledger(tmp_path / "people.db"), tmp_path / "out"
    book.limit("points", "public", tacit.Relation.REPLACE_ONE, 3.5, 1.0)
    args = ["--epsilons", "1", "--repeats", "2", "--no-plain", "--ledger", tmp_path / "people.db"]
    done = run("--out", out, *args)

    assert 2 == done.exit_code and "the 4 grants together ask for epsilon =" in done.stderr
    assert [] == book.history("points") and not out.exists()
    absent = tmp_path / "absent.db"
    assert 2 == run("--out", out, *QUICK, "--ledger", absent, "--repeats", "0").exit_code
    assert not absent.exists()


def test_a_comparison_that_is_stopped_keeps_nothing_and_says_so(tmp_path, monkeypatch):
    """After the release in progress; the status is the signal's."""
    accuracy, calls = Problem.accuracy, []

    def stopping(*args):
        calls.append(None)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return accuracy(*args)

    monkeypatch.setattr(Problem, "accuracy", stopping)
    done = run("--out", tmp_path / "out", *QUICK)

    assert 143 == done.exit_code and "" == done.stdout and 2 == len(calls)
    assert (
        "tacit: stopped after 2 of 10 releases; a comparison keeps nothing, and no ledger was "
        in (done.stderr)
    )
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["--epsilons", "1,two"], "--epsilons must be numbers with commas between, got 1,two"),
        (["--epsilons", ""], "--epsilons must be numbers"),
        (["--epsilons", "1,1"], "epsilons must be different"),
        (["--epsilons", "0"], "epsilon must be positive and finite, got 0.0"),
        (["--epsilons", "nan"], "epsilon must be positive and finite, got nan"),
        (["--delta", "2"], "delta must be at least 0 and below 1"),
        (["--repeats", "0"], "repeats must be at least 1, got 0"),
        (["--seed", "-1"], "a seed must be a whole number and at least 0, got -1"),
        (["--data", "adult"], "--data adult needs --directory"),
        (["--data", "adult", "--directory", "nowhere"], "nowhere must hold a file adult"),
        (["--directory", "nowhere"], "--directory is for --data adult"),
        (["--ledger", "notes.txt"], "notes.txt"),
        (["--out", "notes.txt/price"], "notes.txt"),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, args, sentence):
    """Exit status 2, the value allowed is named, nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("This is not a ledger. " * 100)
    done = run("--out", "price", *args)
    said = " ".join(done.stderr.split())

    assert 2 == done.exit_code, done.output
    assert said.startswith("tacit: ") and sentence in said and "" == done.stdout
    assert 1 == len(done.stderr.strip().split("\n"))
    assert ["notes.txt"] == [path.name for path in tmp_path.iterdir()]
