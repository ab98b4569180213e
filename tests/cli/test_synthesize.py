"""`tacit synthesize`, as a stranger uses it: what is written, what is charged, what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit.cli.main import app
from tacit.ledger.ledger import Ledger

OF = ["people.csv", "--domain", "domain.json", "--epsilon", "1", "--people", "2000"]
OF += ["--delta", "1e-9"]
SPENDING = ["--ledger", "people.db", "--limit", "1", "--out", "made.csv"]


def run(*args):
    return CliRunner().invoke(app, ["synthesize", *map(str, args)], env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """With a file of people, what its columns may hold, and nothing else."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    own = {"sex": rng.choice(["F", "M"], 2_000), "age": rng.integers(0, 100, 2_000), "name": "x"}
    pd.DataFrame(own).to_csv("people.csv", index=False)
    domain = {"sex": ["F", "M"], "age": {"ends": [0, 18, 65, 120], "whole": True}}
    Path("domain.json").write_text(json.dumps(domain))
    return tmp_path


def test_rows_are_written_and_charged_once(folder):
    """Declared columns alone; a receipt that holds; a second time is over the limit."""
    done = run(*OF, *SPENDING, "--rows", 50, "--receipt", "r.json")
    rows = pd.read_csv("made.csv")
    (account,) = Ledger("people.db").spent("people")

    assert 0 == done.exit_code and "50 rows in made.csv; public meets epsilon 1" in done.stdout
    counted = r"[\d,]+ people in the tables \(95%: [\d,]+ to [\d,]+\), of about 2,000"
    assert re.fullmatch(counted, done.stdout.splitlines()[-1])
    assert ["sex", "age"] == list(rows.columns) and 50 == len(rows)
    assert set(rows.sex) <= {"F", "M"} and rows.age.between(0, 119).all()
    assert account.epsilon == pytest.approx(1.0, rel=1e-4)
    assert 0 == CliRunner().invoke(app, ["verify", "r.json"]).exit_code
    before = Path("made.csv").read_text()
    again = run(*OF, *SPENDING)
    assert 2 == again.exit_code and "epsilon is too much" in again.stderr
    assert before == Path("made.csv").read_text()


def test_a_plan_spends_nothing(folder):
    """Neither a ledger nor a file of rows is asked for, nor the people's file read."""
    Path("people.csv").unlink()
    done = run(*OF, "--plan")

    assert 0 == done.exit_code and "kept from" in done.stdout
    assert ["domain.json"] == [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "--out is where the rows go"),
        (["--out", "made.csv"], "--ledger is the people's ledger"),
        (["--out", "nowhere/made.csv", "--ledger", "p.db"], "--out must be a file in a folder"),
        (["--out", "made.csv", "--ledger", "p.db"], "people has no limit yet in p.db"),
        (["--out", "made.csv", "--rows", "-1"], "--rows must be at least 1 and at most"),
        (["--out", "made.csv", "--rows", "0"], "--rows must be at least 1 and at most"),
        ([*SPENDING, "--rows", "1000000000000"], "--rows must be at least 1 and at most"),
        ([*SPENDING, "--out", "people.csv"], "--out must be a file of its own, and people.csv"),
        ([*SPENDING, "--out", "people.db"], "--out must be a file of its own, and people.db"),
        ([*SPENDING, "--out", "people.db-wal"], "--out must be a file of its own, and people.db-w"),
        ([*SPENDING, "--out", "people.db-shm"], "--out must be a file of its own, and people.db-s"),
        ([*SPENDING, "--receipt", "people.db-journal"], "--receipt must be a file of its own"),
        ([*SPENDING, "--out", "domain.json"], "--out must be a file of its own, and domain.json"),
        ([*SPENDING, "--receipt", "made.csv"], "--receipt must be a file of its own"),
        (["--domain", "people.csv", "--plan"], "must be a JSON file of columns"),
        (["--domain", "no.json", "--plan"], "there is no file no.json"),
        (["--people", "0", "--plan"], "at least one person"),
    ],
    ids=str,
)
def test_bad_input_is_one_sentence_and_leaves_nothing(args, message, folder):
    """Status 2, no ledger, no rows."""
    done = run(*OF, *args)

    assert 2 == done.exit_code and message in done.stderr and 1 == len(done.stderr.splitlines())
    assert {"people.csv", "domain.json"} == {path.name for path in folder.iterdir()}


def test_a_seed_that_is_none_spends_nothing(folder):
    """It is refused before the charge."""
    done = run(*OF, *SPENDING, "--seed", -1)
    (account,) = Ledger("people.db").spent("people")

    assert 2 == done.exit_code and 1 == len(done.stderr.splitlines())
    assert 0 == account.epsilon and not Path("made.csv").exists()


def test_a_column_that_is_not_there_is_named(folder):
    """Before anything is charged."""
    Path("domain.json").write_text('{"sex": ["F", "M"], "height": 3}')
    done = run(*OF, *SPENDING)

    assert 2 == done.exit_code and "no column 'height', which is declared" in done.stderr
    assert not Path("people.db").exists()


def test_rows_are_taught_in_rounds_where_that_is_asked(folder):
    """In as many as are given; the plan says what is asked."""
    planned = run(*OF, "--plan", "--method", "rounds", "--rounds", 5)
    done = run(*OF, *SPENDING, "--rows", 30, "--method", "rounds", "--rounds", 5, "--seed", 1)

    assert 0 == planned.exit_code and "taught in 5 rounds" in planned.stdout
    assert 0 == done.exit_code and 30 == len(pd.read_csv("made.csv"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--rounds", "5"), "--rounds is a number of --method rounds, got --method pairs"),
        (("--method", "rounds", "--small-rows", "5"), "--small-rows is a number of --method small"),
        (("--method", "small"), "--method small needs --small-rows, e.g. --small-rows 8, got none"),
    ],
    ids=str,
)
def test_a_number_of_another_method_is_refused(given, said, folder):
    """In one sentence; nothing is charged."""
    done = run(*OF, *SPENDING, *given)

    assert 2 == done.exit_code and said in " ".join(done.stderr.split())
    assert not Path("people.db").exists()
