"""`tacit verify`: a receipt holds, or what is wrong with it is said and it exits with status 1."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tacit
from tacit.cli.main import app
from tacit.ledger import receipt


def run(*args: str):
    return CliRunner().invoke(app, [str(a) for a in args])


@pytest.fixture
def released(tmp_path) -> Path:
    """A receipt of two releases under two trust models, without a seed."""
    mean = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 2, 100)
    plans = [tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE).plan(mean)]
    plans.append(tacit.Local(1.0).plan(mean))
    receipts = [tacit.Release("g", plan, None, private=True).receipt() for plan in plans]
    receipt.write(tmp_path / "receipt.json", receipts)
    return tmp_path / "receipt.json"


def forged(path: Path, change: Callable[[dict], None]) -> Path:
    """A copy whose first receipt was changed, and its digest recomputed."""
    saved = json.loads(path.read_text())
    change(saved["receipts"][0])
    saved["receipts"][0]["digest"] = receipt.digest(saved["receipts"][0])
    path.with_name("forged.json").write_text(json.dumps(saved))
    return path.with_name("forged.json")


def test_a_whole_receipt_verifies(released):
    """Two accountants agree with every claim; what is promised to whom is printed."""
    done = run("verify", released)
    said = " ".join(done.output.split())

    assert 0 == done.exit_code and "every promise holds" in said
    assert "0 yes public person replace-one 1e-06 1 1" in said
    assert "1 yes server person replace-one 0 1 1 1" in said
    assert "a receipt is no signature" in said
    assert "bound is a looser one, of another accountant's own steps" in said
    assert all(len(line) <= 80 for line in done.output.split("\n")[:-2])


def test_what_was_found_is_json_for_a_script(released):
    """The same promises, each with what is wrong with it, and the same status."""
    whole = run("verify", released, "--json")
    found = json.loads(whole.stdout)
    changed = forged(released, lambda one: one["guarantees"][0].update(relation="add/remove"))
    broken = run("verify", changed, "--json")

    assert 0 == whole.exit_code and found["holds"] and [] == found["refusals"]
    assert ["public", "server", "public"] == [p["observer"] for p in found["promises"]]
    assert {"person"} == {p["unit"] for p in found["promises"]}
    assert 1 == broken.exit_code and not json.loads(broken.stdout)["holds"]
    assert "does not make this promise" in json.loads(broken.stdout)["promises"][0]["wrong"]


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda one: one.update(guarantees=[]), "receipt 0 promises nothing to anybody"),
        (lambda one: one.update(private=False), "receipt 0 is of a seeded run"),
        (
            lambda one: one["guarantees"][0].update(relation="zero-out"),
            "receipt 0, kept from public: the plan beside it does not make this promise",
        ),
        (lambda one: one["guarantees"].pop(), "receipt 0 promises nothing to anybody"),
    ],
)
def test_what_holds_nothing_is_not_approved(released, change, sentence):
    """Whoever recomputed the digest: exit status 1, and the sentence says why."""
    done = run("verify", forged(released, change))

    assert 1 == done.exit_code and "REFUSED" in done.output
    assert sentence in done.output and "every promise holds" not in done.output


@pytest.mark.parametrize("value", [None, float("nan"), "x", [], True], ids=str)
@pytest.mark.parametrize("where", ["guarantees", "plan"])
def test_what_is_no_number_is_one_sentence(released, where, value):
    """Where a number stands in a promise, or in the plan's copy of it: no error of Python's."""
    saved = json.loads(released.read_text())
    one = saved["receipts"][0]
    promises = one["guarantees"] if where == "guarantees" else one["plan"]["guarantees"]
    promises[0]["epsilon"] = value
    released.write_text(json.dumps(saved))
    done = run("verify", released)
    refused = where == "guarantees" or value != value

    assert (2 if refused else 1) == done.exit_code and isinstance(done.exception, SystemExit)
    assert not refused or ("" == done.stdout and 1 == done.stderr.count("\n"))


def test_a_file_without_receipts_is_not_approved(tmp_path):
    """Nothing was released, so nothing holds."""
    receipt.write(tmp_path / "receipt.json", [])
    done = run("verify", tmp_path / "receipt.json")

    assert 1 == done.exit_code and "the file has no receipts" in done.output


@pytest.mark.parametrize("field", ["epsilon", "delta"])
def test_an_altered_promise_is_refused(released, field):
    """One altered number: exit status 1."""
    saved = json.loads(released.read_text())
    saved["receipts"][0]["guarantees"][0][field] *= 0.9
    released.write_text(json.dumps(saved))
    done = run("verify", released)

    assert 1 == done.exit_code
    assert "REFUSED" in done.output
