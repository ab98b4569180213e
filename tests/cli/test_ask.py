"""`tacit ask`, as a stranger uses it: what is said, what is written, what is refused."""

import csv
import json
import os
import re
import shlex
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tacit
from tables.records import visits
from tacit import tables
from tacit.cli import room
from tacit.cli.main import app
from tacit.ledger.ledger import Ledger

OF = ["visits.parquet", "--person", "patient"]
WARDS = ["--by", "ward=A,B", "--count", "--mean", "days:0:30"]
SPENDING = ["--epsilon", "1", "--ledger", "people.db"]


def run(*args):
    return CliRunner().invoke(app, ["ask", *map(str, args)], env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """With a file of visits, and nothing else."""
    monkeypatch.chdir(tmp_path)
    visits(300, 90, seed=1).to_parquet("visits.parquet")
    return tmp_path


def test_a_plan_is_that_of_python_and_spends_nothing(folder):
    """The page, word for word; nothing is written, and no ledger is asked for."""
    done = run(*OF, *WARDS, "--epsilon", 1, "--plan")
    table = tacit.Table("visits.parquet", "patient", "visits", "people.db")
    own = {"count": tables.count(), "mean_days": tables.mean("days", 0, 30)}
    asked = table.by(ward=["A", "B"]).ask(**own, rows_per_person=5)

    assert f"{asked.plan(tacit.Central(1.0, 1e-6))}\n" == done.stdout
    assert [Path("visits.parquet")] == [path.relative_to(folder) for path in folder.iterdir()]
    said = json.loads(run(*OF, *WARDS, "--epsilon", 1, "--plan", "--json").stdout)
    assert {"count", "mean_days"} == said["widths"].keys() and "at most 5 rows" in said["counted"]


def test_an_answer_is_printed_written_and_charged_once(folder):
    """The same numbers everywhere; a receipt that holds; the limit is set on the way."""
    files = "--csv", "a.csv", "--picture", "a.svg", "--receipt", "a.json"
    done = run(*OF, *WARDS, *SPENDING, "--limit", 1, *files, "--json")
    said, rows = (
        json.loads(done.stdout),
        list(csv.DictReader(Path("a.csv").read_text().splitlines())),
    )
    (account,) = Ledger("people.db").spent("visits")

    assert 0 == done.exit_code and said["private"]
    assert ["A", "B"] == [each["group"]["ward"] for each in said["groups"]]
    for each, row in zip(said["groups"], rows, strict=True):
        for part, end in (("estimate", ""), ("low", "_low"), ("high", "_high")):
            assert float(row[f"mean_days{end}"]) == each["numbers"]["mean_days"][part]
    assert 1.0 == pytest.approx(account.epsilon) and 1.0 == account.limit_epsilon
    assert "mean_days" in Path("a.svg").read_text()
    verified = CliRunner().invoke(app, ["verify", "a.json"])
    assert 0 == verified.exit_code, verified.output
    again = run(*OF, *WARDS, *SPENDING)
    assert 2 == again.exit_code and "epsilon is too much" in again.stderr
    assert "`tacit ledger create`" in again.stderr and "limit_for" not in again.stderr


def test_without_a_limit_the_command_that_sets_it_is_named(folder):
    """It does what it says; of another unit and name, too; until then no ledger is made."""
    unit = "--person", "ward", "--unit", "patient's ward", "--name", "the town"
    refused = run(*OF, *unit, "--count", *SPENDING)
    assert 2 == refused.exit_code and not Path("people.db").exists()
    named = refused.stderr.partition("just fit: ")[2]

    assert "create people.db --population 'the town' --relation add/remove --epsilon 1 " in named
    words = shlex.split(named)
    assert 0 == CliRunner().invoke(app, words[1:]).exit_code
    assert 0 == run(*OF, *unit, "--count", *SPENDING).exit_code


def test_conditions_and_sql_are_of_the_rows_asked_about(folder):
    """A count with and without them, by a plan that names who is counted; then in SQL."""
    few = ["--where", "days > 2", "--where", "sex = 'f'", "--limit", 99, "--epsilon", 40, "--json"]
    own = [*OF, "--ledger", "people.db", "--rows-per-person", 60, *few]
    frame = visits(300, 90, seed=1)
    true = ((frame.days > 2) & (frame.sex == "f") & frame.patient.notna()).sum()
    said = json.loads(run(*own, "--count", "--seed", 1).stdout)["groups"][0]["numbers"]["count"]
    text = "SELECT COUNT(*) AS count FROM visits WHERE ward IS NOT NULL OR ward IS NULL"
    sql = json.loads(run(*own, "--sql", text, "--seed", 1).stdout)["groups"][0]["numbers"]["count"]

    assert said["low"] <= true <= said["high"] < len(frame) / 4
    assert said == sql


def test_a_signal_before_the_charge_spends_nothing(monkeypatch):
    """One sentence, and its own status."""
    monkeypatch.setattr(room, "refuse_unaffordable", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    done = run(*OF, *WARDS, *SPENDING, "--limit", 1)

    assert 130 == done.exit_code and "stopped before anything was charged" in done.stderr
    assert [] == Ledger("people.db").history("visits")


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["--count"], "--ledger is the people's ledger, e.g. --ledger people.db, got none"),
        ([], "say what to ask, e.g. --count or --mean days:0:30"),
        (["--mean", "days:0"], "--mean is COLUMN:LOW:HIGH, e.g. days:0:30, got 'days:0'"),
        (
            ["--mean", "days:30:0"],
            "--mean needs bounds with lower < upper, within 1e+100 of zero, got 'days:30:0'",
        ),
        (["--mean", "days:0:30"] * 2, "mean_days is asked twice"),
        (["--sql", "SELECT COUNT(*) FROM v", "--by", "ward"], "--by is of declared values beside"),
        (["--count", "--by", "shoe=1"], "there is no column 'shoe': names are as"),
        (
            ["--count", "--by", "days=A,2"],
            "column 'days' holds float64: its values must be whole numbers, such as 0,1",
        ),
        (["--count", "--by", 'ward="A'], "values are words with commas between, got '\"A'"),
        (["--count", "--where", "days"], "a condition is true or false"),
        (["--count", "--where", "days > (SELECT 1)"], "SQL is answered without a subquery"),
        (["--quantiles", "days:0:9"], "--quantiles is COLUMN:LOW:HIGH:SHARES"),
        (["--histogram", "days"], "--histogram is COLUMN=VALUES or COLUMN:EDGES"),
        (["--histogram", "days:0"], "bins need at least three rising edges"),
        (["--top", "1:shoe=A,B"], "there is no column 'shoe': names are as"),
        (["--top", "3:ward=A,B"], "from 1 to how many they are, got k=3 of 2 categories"),
        (["--cdf", "days:7,2"], "a cdf needs from 1 to 1,024 rising numbers"),
        (["--cdf", "days:nan"], "a cdf needs from 1 to 1,024 rising numbers"),
        (["--covariance", "days:0:30"], "--covariance is COLUMN:LOW:HIGH of several columns"),
        (
            ["--covariance", "days:nan:3,n:0:1"],
            "--covariance needs bounds with lower < upper, within 1e+100",
        ),
        (["--mean", "days:x:3"], "got 'days:x:3'"),
        (["--count", "--by", "days:7,2,1"], "bins need at least three rising edges"),
        (["--count", "--bounds", "days:0:30"], "--bounds are for --sql"),
        (["--count", "--sql", "SELECT COUNT(*) FROM v"], "--count is asked in the SELECT of --sql"),
        (["--sql", "SELECT COUNT(*) FROM v LIMIT 3"], "SQL is answered without LIMIT"),
        (["--sql", "SELECT AVG(days) FROM v"], "in a shell --bounds days:0:30"),
        (["--count", "--rows-per-person", "0"], "rows_per_person must be a whole number from 1"),
        (["--count", "--confidence", "1"], "confidence must be above 0 and below 1, got 1.0"),
        (["--count", "--epsilon", "nan"], "epsilon must be positive and finite, got nan"),
        (["--count", "--delta", "1"], "delta must be at least 0 and below 1|delta must"),
        (["--count", "--limit", "0"], "--limit must be positive, got 0.0"),
        (["--count", "--csv", "no/a.csv"], "--csv must be a file in a folder that can be written"),
        (["--count", "--receipt", "."], "--receipt must be a file in a folder that can be written"),
        (["--count", "--picture", "a.gif"], "--picture must end in .png or .svg, got a.gif"),
        (["--count", "--person", "shoe"], "there is no column 'shoe'"),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(folder, args, sentence):
    """Exit status 2, the value allowed is named, nothing is written or spent."""
    done = run(*OF, "--epsilon", "1", *args)

    assert 2 == done.exit_code, done.output
    assert done.stderr.startswith("tacit: ") and sentence.split("|")[-1] in done.stderr
    assert 1 == done.stderr.count("\n") and "" == done.stdout
    assert 1 == len(list(folder.iterdir()))


def test_a_person_is_a_column_of_the_file(folder):
    """Said in words of the command line: nobody there has a frame to assign to."""
    done = run("visits.parquet", "--person", "owner", "--count", "--epsilon", "1", "--plan")

    assert 2 == done.exit_code
    assert "--person is the column that says whose each row is, and there is no column 'owner'" in (
        done.stderr
    )
    assert "frame" not in done.stderr and "the file needs a column that numbers" in done.stderr


@pytest.mark.parametrize(
    "given, says",
    [
        (["--person", "patient"], "--epsilon is the promise, e.g. --epsilon 1, got none"),
        (["--epsilon", "1"], "--person is the column that says whose each row is, e.g. --person"),
    ],
)
def test_an_option_that_has_to_be_there_is_told_with_an_example(folder, given, says):
    """In one sentence, as a ledger is."""
    done = run("visits.parquet", *given, "--count", "--plan")

    assert 2 == done.exit_code and done.stderr.startswith(f"tacit: {says}")


@pytest.mark.parametrize("file, says", [("no.csv", "there is no file"), ("notes.txt", "ends in")])
def test_what_is_no_table_is_refused(file, says):
    """By what a table is."""
    Path("notes.txt").write_text("This is no table.")
    done = run(file, "--person", "patient", "--count", "--epsilon", 1, "--plan")

    assert 2 == done.exit_code and says in done.stderr


def test_an_answer_of_no_key_says_why_and_is_written():
    """In place of a table, before what is promised; files are there besides."""
    asked = [*OF, "--by", "sex", "--quantiles", "days:0:30:.5", "--epsilon", "0.01"]
    files = "--csv", "a.csv", "--receipt", "a.json", "--picture", "a.svg"
    done = run(*asked, "--ledger", "people.db", "--limit", 1, *files)

    assert 0 == done.exit_code, done.output
    assert done.stdout.startswith("no key had enough people to be released: one of ")
    assert "sex,quantiles_days_50" in Path("a.csv").read_text()
    assert Path("a.json").exists() and "no key had enough people" in Path("a.svg").read_text()


@pytest.mark.parametrize("delta, spent, left", [("1e-6", "1.2", 0.8), ("0", "0.7", 1.3)])
def test_over_budget_an_epsilon_that_fits_is_named(delta, spent, left):
    """It does, and is nearly all that is left; where delta is too much, a delta that does."""
    own = [*OF, "--count", "--ledger", "people.db", "--delta", delta]
    assert 0 == run(*own, "--epsilon", spent, "--limit", 2, "--limit-delta", "3e-6").exit_code
    refused = run(*own, "--epsilon", 1.9)
    fits = float(refused.stderr.partition("; --epsilon ")[2].partition(" would fit now")[0])

    assert 2 == refused.exit_code and 0.98 * left < fits <= left
    full = run(*own, "--epsilon", 0.1, "--delta", "1e-5")
    assert 2 == full.exit_code
    less = full.stderr.partition("; --delta ")[2].partition(" would fit now")[0]
    assert 1.9e-6 < float(less) <= 3e-6
    assert 0 == run(*own, "--epsilon", fits).exit_code


@pytest.mark.parametrize("document", ["README.md", "docs/tables.md"])
def test_the_commands_of_a_document_work_one_after_the_other(document, tmp_path):
    """As they stand there, with a file of visits."""
    text = (Path(__file__).parents[2] / document).read_text()
    found = re.findall(r"^\$ tacit ((?:ask|ledger create) .*)$", text, re.MULTILINE)
    own = [each for each in found if "visits.parquet" in each or "patients.db" in each]
    for each in own:
        done = CliRunner().invoke(app, shlex.split(each), env={"COLUMNS": "80"})
        assert 0 == done.exit_code, (each, done.output)

    assert 2 <= len(own) and Path("patients.db").exists()
