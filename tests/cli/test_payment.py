"""An answer under a name: killed between charge and answer it is made again, and charged once."""

import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from cli.at_a_moment import stopped
from tables.records import visits
from tacit.accounting.relation import Relation
from tacit.cli.main import app
from tacit.ledger.ledger import Ledger

COUNTS = "--person", "patient", "--by", "ward=A,B", "--count", "--json"
ADD_REMOVE = Relation.ADD_REMOVE
NAMED = "--once", "wards"


@pytest.fixture
def asked(tmp_path) -> list[str]:
    """A question of a file of visits, whose account has room for one answer."""
    visits(300, 90, seed=1).to_parquet(tmp_path / "visits.parquet")
    book = tmp_path / "people.db"
    Ledger(book).limit("visits", "public", ADD_REMOVE, 1.0, 1e-6)
    own = str(tmp_path / "visits.parquet"), *COUNTS, "--epsilon", "1", "--ledger", str(book)
    return ["ask", *own]


@pytest.fixture
def book(tmp_path) -> Ledger:
    return Ledger(tmp_path / "people.db")


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)], env={"COLUMNS": "80"})


@pytest.mark.parametrize("moment", ["answer", "close"])
def test_what_was_killed_after_its_charge_is_answered_and_charged_once(asked, book, moment):
    """Before anything was printed, and after: numbers are the same, whoever saw them."""
    killed = stopped(moment, 1, signal.SIGKILL, *asked, *NAMED)
    assert killed.returncode == -signal.SIGKILL
    assert [None] == [entry.closed for entry in book.history("visits")]
    again = stopped("close", 1, signal.SIGKILL, *asked, *NAMED)
    done = run(*asked, *NAMED)

    assert 0 == done.exit_code, done.output
    assert json.loads(again.stdout)["groups"] == json.loads(done.stdout)["groups"]
    assert (moment == "close") == (killed.stdout == done.stdout)
    assert [True] == [entry.closed is not None for entry in book.history("visits")]
    assert 1.0 == pytest.approx(book.spent("visits")[0].epsilon, rel=1e-4)


def test_without_a_name_it_is_charged_anew(asked, book):
    """So it is over the limit, of which there was enough for one."""
    assert stopped("answer", 1, signal.SIGKILL, *asked).returncode == -signal.SIGKILL
    again = run(*asked)

    assert 2 == again.exit_code and "left of epsilon" in again.stderr
    assert 1 == len(book.history("visits"))


@pytest.mark.parametrize(
    "other, says",
    [
        (["--where", "days > 2"], "grant 'wards' was opened with other question"),
        (["--epsilon", "0.5"], "grant 'wards' was opened with another plan"),
        (["--name", "town"], "grant 'wards' was opened with another population"),
        (["--once", ""], "--once must be text of at least one character, got ''"),
    ],
)
def test_another_question_under_a_name_is_refused(asked, book, other, says):
    """In one sentence; nothing is spent, and the first one still goes on."""
    book.limit("town", "public", ADD_REMOVE, 1.0, 1e-6)
    stopped("answer", 1, signal.SIGKILL, *asked, *NAMED)
    refused = run(*asked, *NAMED, *other)

    assert 2 == refused.exit_code and says in refused.stderr
    assert 1 == refused.stderr.count("\n") and "" == refused.stdout
    assert [] == book.history("town") and 1 == len(book.history("visits"))
    assert 0 == run(*asked, *NAMED).exit_code
    finished = run(*asked, *NAMED)
    assert 2 == finished.exit_code and "--once 'wards' is finished" in finished.stderr
    assert 1 == finished.stderr.count("\n") and 1 == len(book.history("visits"))


def test_a_limit_is_heeded_where_an_answer_is_paid_for(asked, book):
    """The account's own goes on; another is refused, and so are people without an account, to whom
    none is opened: the sentence says whose the answer is."""
    stopped("answer", 1, signal.SIGKILL, *asked, *NAMED)
    another = run(*asked, *NAMED, "--limit", 3)
    others = run(*asked, *NAMED, "--limit", 3, "--name", "town")

    assert 2 == another.exit_code and "the limit of" in another.stderr
    assert 2 == others.exit_code and "say --name visits to go on with it" in others.stderr
    assert ["visits"] == book.populations()
    same = run(*asked, *NAMED, "--limit", 1, "--limit-delta", 1e-6)
    assert 0 == same.exit_code and 1 == len(book.history("visits"))


def test_rows_that_were_killed_before_they_were_written_are_made(tmp_path):
    """Of the same release, charged once."""
    rng, book = np.random.default_rng(0), tmp_path / "people.db"
    file, domain = tmp_path / "people.csv", tmp_path / "domain.json"
    sides = {"sex": rng.choice(["F", "M"], 300), "hand": rng.choice(["left", "right"], 300)}
    pd.DataFrame(sides).to_csv(file, index=False)
    domain.write_text('{"sex": ["F", "M"], "hand": ["left", "right"]}')
    own = file, "--domain", domain, "--epsilon", 1, "--delta", 1e-9, "--people", 300
    paid = "--ledger", book, "--limit", 1, "--out", tmp_path / "made.csv", "--once", "rows"
    killed = stopped("rows", 1, signal.SIGKILL, "synthesize", *own, *paid)
    assert killed.returncode == -signal.SIGKILL and not Path(paid[5]).exists()
    done = run("synthesize", *own, *paid)

    assert 0 == done.exit_code and 300 == len(pd.read_csv(paid[5])), done.output
    (entry,) = Ledger(book).history("people")
    assert entry.closed and 1.0 == pytest.approx(Ledger(book).spent("people")[0].epsilon, rel=1e-4)


def test_a_signal_says_how_to_go_on(asked, book):
    """The first waits for the answer; the second does not."""
    killed = stopped("answer", 1, signal.SIGINT, *asked, *NAMED, times=2)

    assert 130 == killed.returncode
    assert "stopped; what was charged is in `tacit ledger history" in killed.stderr
    assert killed.stderr.endswith("`, and the same command goes on with it\n")
    assert 0 == run(*asked, *NAMED).exit_code and 1 == len(book.history("visits"))
