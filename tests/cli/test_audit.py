"""`tacit audit`, as a stranger uses it: verdicts, statuses, and what is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit.cli.main import app

MINE = """
import numpy as np

def noisy(data, seed):
    return np.clip(data, 0, 1).sum() + np.random.default_rng(seed).laplace()

def plain(data, seed):
    return np.clip(data, 0, 1).sum(axis=0)

def pair():
    return np.zeros(9), np.zeros(9)

def three():
    return 1, 2, 3

def missing():
    return {}["people"]

def ends(data, seed):
    raise SystemExit(1)
"""


def run(*args):
    return CliRunner().invoke(app, ["audit", *map(str, args)], env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch) -> str:
    """Of a name of its own, for Python remembers what it has imported."""
    monkeypatch.chdir(tmp_path)
    name = f"of_{tmp_path.name}"
    Path(f"{name}.py").write_text(MINE)
    Path("broken.py").write_text("def f(:")
    Path("asking.py").write_text("import nowhere")
    Path("raising.py").write_text("{}['nothing']")
    return name


def test_a_broken_promise_is_status_one(module):
    """One line; as JSON, too. A kept one is status 0."""
    kept = run(f"{module}:noisy", "--epsilon", 1, "--runs", 200)
    broken = run(f"{module}:plain", "--epsilon", 1, "--runs", 200, "--json")

    assert 0 == kept.exit_code and 1 == len(kept.stdout.splitlines())
    assert 1 == broken.exit_code and json.loads(broken.stdout)["broken"] is True


def test_one_run_with_canaries(module):
    """Of a function that has no noise."""
    done = run(f"{module}:plain", "--epsilon", 1, "--canaries", 100)

    assert 1 == done.exit_code and "100 canaries in one run" in done.stdout


def test_neighbours_are_the_users_own(module):
    """Who differ in nothing are told apart by nobody."""
    done = run(f"{module}:plain", "--epsilon", 0, "--data", f"{module}:pair", "--runs", 50)

    assert 0 == done.exit_code and "nothing is shown" in done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{m}:none", "--epsilon", 1], ":none, as module:function"),
        (["nobody:none", "--epsilon", 1], "there must be a function nobody:none"),
        (["{m}:MINE", "--epsilon", 1], "there must be a function"),
        (["{m}:noisy", "--epsilon", 1, "--data", "{m}:three"], "must return two data sets"),
        (["{m}:noisy", "--epsilon", 1, "--data", "{m}:missing"], ":missing raised KeyError"),
        (["{m}:noisy", "--epsilon", 1, "--data", "{m}:noisy"], ":noisy raised TypeError"),
        (["{m}:ends", "--epsilon", 1, "--runs", 8], ":ends raised SystemExit: 1"),
        (["broken:f", "--epsilon", 1], "broken could not be imported: SyntaxError"),
        (["asking:f", "--epsilon", 1], "No module named 'nowhere'"),
        (["raising:f", "--epsilon", 1], "raising could not be imported: KeyError"),
        (["Ridge", "--epsilon", 1, "--canaries", 9], "--canaries is of one run of a function"),
        (["{m}:", "--epsilon", 1], "must be a module:function, got"),
        (["{m}:noisy", "--epsilon", 1, "--set", "a=1"], "--set is of an estimator"),
        (["{m}:noisy", "--epsilon", -1], "epsilon must be at least 0"),
        (["{m}:noisy", "--epsilon", 1, "--canaries", 9], "as many numbers as a row has, 9, got 1"),
        (["Nothing", "--epsilon", 1], "or one of CategoricalNB, DecisionTreeClassifier"),
        (["Ridge", "--epsilon", 1, "--set", "x"], "--set must be a name=value"),
        (["Ridge", "--epsilon", 1, "--set", "x=1"], "--set must name one of bounds, note, pena"),
        (["Ridge", "--epsilon", 1, "--set", "people=3"], "of Ridge, got people"),
        (["Ridge", "--epsilon", 1, "--set", "trust=1"], "of Ridge, got trust"),
        (["Ridge", "--epsilon", 1, "--columns", 0, "--set", "target_bounds=[0,1]"], "columns must"),
        (["SVC", "--epsilon", 1, "--set", 'classes=[0,"a"]'], "classes must be all text or all"),
        (["Ridge", "--epsilon", 1, "--bounds", 1, 0], "bounds must be two finite numbers, rising"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence(args, message, module):
    """Status 2."""
    done = run(*(str(each).replace("{m}", module) for each in args))

    assert 2 == done.exit_code and message in done.stderr and 1 == len(done.stderr.splitlines())
