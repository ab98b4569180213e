"""`tacit ledger`, as a stranger uses it: what is said, what is written, what is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tacit
from tacit.accounting.event_json import from_json
from tacit.accounting.events import gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.cli import room
from tacit.cli.main import app
from tacit.contribution import Interval
from tacit.ledger.filters import Renyi
from tacit.ledger.ledger import Charge, Ledger, OverBudget
from tacit.question.participation import Everyone
from tacit.question.sums import Mean

KEY = b"secret root key!" * 2
TOWN = ["--population", "town"]
CREATE = [*TOWN, "--relation", "add/remove", "--epsilon", "10", "--delta", "1e-5"]


def run(*args):
    return CliRunner().invoke(app, ["ledger", *map(str, args)], env={"COLUMNS": "100"})


def lines(text: str) -> list[str]:
    """Words with one space between them."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    """A ledger with a town in two streets, charged twice, and an empty village."""
    monkeypatch.chdir(tmp_path)
    assert 0 == run("create", "people.db", *CREATE, "--observer", "public").exit_code
    village = ["--population", "village", "--relation", "replace-one", "--epsilon", "3"]
    village += ["--delta", "0"]
    assert 0 == run("create", "people.db", *village, "--filter", "basic").exit_code
    book = Ledger("people.db")
    book.divide("town", "streets", ["north", "south"])
    whole = Charge(
        Guarantee(
            "public", "person", Relation.ADD_REMOVE, gaussian(3), 2.0, 1e-06, "plain sum", 1e-08
        )
    )
    north = Charge(
        Guarantee("public", "person", Relation.ADD_REMOVE, local(0.5), 0.5, 0.0, "plain sum"),
        "north",
    )
    said = {"asked": "the mean of a number", "note": "wages [pilot]"}
    book.charge("first", "town", [whole], KEY, {"data": "print"}, {"rounds": 3}, **said)
    book.close("first")
    book.charge("second", "town", [north], KEY, {"data": "print"}, {})
    return tmp_path / "people.db"


def test_creating_says_what_there_is_now(tmp_path):
    """One sentence on standard error; asked again, nothing changes; other limits are refused."""
    file = tmp_path / "people.db"
    first, again = run("create", file, *CREATE), run("create", file, *CREATE)
    other = run("create", file, *[a.replace("10", "11") for a in CREATE])

    assert (0, 0, 2) == (first.exit_code, again.exit_code, other.exit_code)
    assert f"tacit: town has an account in {file}\n" == first.stderr == again.stderr
    assert "" == first.stdout
    assert "under add/remove in 'town' has a limit of epsilon = 10, delta = 1e-05" in other.stderr
    assert "stays: leave --limit, or this `tacit ledger create`, out, and what" in other.stderr


def test_an_account_without_a_delta_is_asked_for_and_said_to_hold_little(tmp_path):
    """It stands for ever, and no release by a trusted server fits it: nobody gets one unasked."""
    unsaid = run("create", tmp_path / "p.db", *CREATE[:-2])
    assert 2 == unsaid.exit_code and "--delta" in unsaid.stderr
    assert [] == list(tmp_path.iterdir())
    said = run("create", tmp_path / "p.db", *CREATE[:-1], "0")

    assert 0 == said.exit_code
    assert "it has room only for what is exactly pure, as reports of the local model" in said.stderr
    assert "exactly pure" not in run("create", tmp_path / "q.db", *CREATE).stderr


def test_only_what_is_exactly_pure_fits_an_account_without_a_delta(tmp_path):
    """As the note says: local reports do, and a trusted server's pure mean does not."""
    book, reports = Ledger(tmp_path / "p.db"), Mean(Interval(0, 1), Everyone(), 1, 100)
    pure = tacit.Central(1.0, 0.0, tacit.Relation.ADD_REMOVE).plan(reports)
    local = tacit.Local(1.0).plan(reports)
    for charge in (*pure.charges(), *local.charges()):
        promise = charge.guarantee
        with room.said_otherwise():
            book.limit("town", promise.observer, promise.relation, 10.0, 0.0)

    book.charge("local", "town", local.charges(), KEY, {}, {})
    with pytest.raises(OverBudget, match="its delta is too much"):
        book.charge("pure", "town", pure.charges(), KEY, {}, {})


def test_the_word_renyi_is_a_filter_that_fits_the_limit(tmp_path):
    """Orders are chosen from the limit, and kept in the ledger."""
    assert 0 == run("create", tmp_path / "p.db", *CREATE, "--filter", "renyi").exit_code
    (account,) = Ledger(tmp_path / "p.db").spent("town")

    assert Renyi.fitting(10.0, 1e-5) == account.filter
    assert (10.0, 1e-5) == (account.limit_epsilon, account.limit_delta)


def test_show_is_a_table_of_every_account(people):
    """Spent beside the limit, each part beneath its account; then what was asked, and why."""
    shown = run("show", "people.db")
    today = Ledger("people.db").history("town")[0].opened[:10]

    assert 0 == shown.exit_code
    assert [
        "town",
        "kept from unit or part relation ε left ε spent ε limit δ spent δ limit",
        "public person add/remove 7.5 2.5 10 1e-06 1e-05",
        "north 7.5 2.5 10 1e-06 1e-05",
        "south 8 2 10 1e-06 1e-05",
        "opened asked public ε",
        f"{today} the mean of a number 2",
        "note: wages [pilot]",
        f"{today} not said 0.5",
        "village",
        "kept from unit or part relation ε left ε spent ε limit δ spent δ limit",
        "public person replace-one 3 0 3 0 0",
    ] == [line for line in lines(shown.stdout) if "─" not in line]


def test_show_lists_the_last_grants_and_says_how_many_more(people):
    """Ten of them, and the command that lists them all."""
    book = Ledger("people.db")
    tenth = Charge(
        Guarantee("public", "person", Relation.REPLACE_ONE, local(0.1), 0.1, 0.0, "plain sum")
    )
    for number in range(11):
        book.charge(f"g{number}", "village", [tenth], KEY, {}, {}, asked=f"question {number}")
    shown = run("show", "people.db", "--population", "village")

    assert [f"question {number} 0.1" for number in range(1, 11)] == [
        line.split(" ", 1)[1] for line in lines(shown.stdout) if "question" in line
    ]
    assert "tacit: 1 earlier grants are in `tacit ledger history`" in shown.stderr


def test_show_as_json_can_be_piped(people):
    """Numbers as they are; only the population asked for."""
    shown = run("show", "people.db", *TOWN, "--json")
    (account,) = json.loads(shown.stdout)["town"]

    assert (2.5, 1e-6, 10.0, 7.5) == (
        account["epsilon"],
        account["delta"],
        account["limit_epsilon"],
        account["room"],
    )
    assert {"north": 2.5, "south": 2.0} == {
        name: part["epsilon"] for name, part in account["parts"].items()
    }


def test_no_limit_is_null_in_json(tmp_path):
    """JSON has no infinity."""
    create = [*TOWN, "--relation", "zero-out", "--epsilon", "inf", "--delta", "1"]
    assert 0 == run("create", tmp_path / "p.db", *create).exit_code
    shown = run("show", tmp_path / "p.db", "--json").stdout

    assert "Infinity" not in shown
    assert json.loads(shown)["town"][0]["limit_epsilon"] is None
    assert "∞" in run("show", tmp_path / "p.db").stdout


def test_history_is_every_grant_oldest_first(people):
    """What was asked, when, by which name, whether it may still run, and what it promised."""
    said = "\n".join(lines(run("history", "people.db", *TOWN).stdout))
    times = [entry.opened[11:19] for entry in Ledger("people.db").history("town")]
    first, _, second = said.rpartition("\n" + times[1])

    assert "the mean of a number public person add/remove 2 1e-06" in first
    assert f"{times[0]} note: wages [pilot]\nclosed grant first" in first
    assert first.endswith("not said public person add/remove north 0.5 0")
    assert second.startswith(" grant second\nopen")
    entries = json.loads(run("history", "people.db", *TOWN, "--json").stdout)
    assert ["first", "second"] == [entry["grant_id"] for entry in entries]
    assert ["wages [pilot]", ""] == [entry["note"] for entry in entries]


def test_an_export_recomputes_the_account_and_tells_no_secret(people):
    """Events, numbers and times of every charge; no key, no fingerprint."""
    done = run("export", "people.db", *TOWN, "town.json")
    text = Path("town.json").read_text()
    whole = json.loads(text)
    charges = [charge for grant in whole["grants"] for charge in grant["charges"]]

    assert 0 == done.exit_code
    assert "tacit: 2 grants of town are in town.json\n" == done.stderr
    assert whole["accounts"][0]["epsilon"] == sum(charge["epsilon"] for charge in charges)
    assert [gaussian(3), local(0.5)] == [from_json(charge["event"]) for charge in charges]
    assert [1e-8, 0.0] == [charge["delta_reserved"] for charge in charges]
    assert {"name": "streets", "parts": ["north", "south"], "fixed_by": None} == whole["partition"]
    assert all(grant["opened"] for grant in whole["grants"])
    assert KEY.decode() not in text and KEY.hex() not in text
    assert "key" not in text and "print" not in text


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["create", "no/c.db", *CREATE, "--delta", "0.1"], "in a folder that is there, and"),
        (["show", "no/c.db"], "in a folder that is there, and"),
        (["show", "."], "is a folder: name a file in it"),
        (["show", "nowhere.db"], "there is no ledger at nowhere.db; make one with"),
        (["history", "nowhere.db", *TOWN], "there is no ledger at nowhere.db"),
        (["export", "people.db", *TOWN, "no/where.json"], "no/where.json"),
        (["show", "people.db", "--population", "city"], "must be one of town, village, got city"),
        (["show", "notes.txt"], "file is not a database"),
        (["show", "sqlite://"], "a ledger must be durable"),
        (
            ["create", "new.db", *CREATE[:-3], "0", "--delta", "0.1"],
            "epsilon must be positive, got 0.0",
        ),
        (["create", "new.db", *CREATE, "--delta", "2"], "delta must be in [0, 1], got 2.0"),
        (
            ["create", "new.db", *CREATE, "--filter", "renyi", "--delta", "0"],
            "delta must lie strictly between 0 and 1, got 0.0",
        ),
    ],
)
def test_a_refusal_is_one_sentence(people, args, sentence):
    """Exit status 2, nothing on standard output, and no ledger that was not there."""
    Path("notes.txt").write_text("This is not a ledger. " * 100)
    done = run(*args)

    assert 2 == done.exit_code
    assert "" == done.stdout
    assert done.stderr.startswith("tacit: ") and sentence in done.stderr
    assert 1 == done.stderr.count("\n")
    assert not Path("nowhere.db").exists()
    assert Path("notes.txt").read_text() == "This is not a ledger. " * 100
