"""Where a table's account has no limit yet, its own call is said that sets one."""

import re

import ibis
import pandas as pd
import pytest

import tacit
from tacit import tables
from tacit.ledger.again import Finished
from tacit.ledger.ledger import LedgerError, OverBudget
from tacit.question import Prefix
from tacit.tables.engine import EngineError

FRAME = pd.DataFrame({"patient": range(9), "house": [1, 2, 3] * 3, "days": range(9)})


def _table(folder, **own):
    return tacit.Table(FRAME, "patient", "patients", folder / "people.db", **own)


def _count(table):
    return table.ask(n=tables.count(), rows_per_person=1)


@pytest.mark.parametrize(
    "made, trust, own",
    [
        (_count, tacit.Central(0.5, 1e-6), {}),
        (_count, tacit.Central(0.5, 0), {"unit": "visit"}),
        (_count, tacit.Central(0.5, 0, tacit.Relation.REPLACE_ONE), {"people": 9}),
        (lambda x: tables.linear(x, "days", Prefix(9), bins=range(10)), tacit.Central(1, 0), {}),
        (
            lambda x: x.by("house").ask(n=tables.count(), rows_per_person=1),
            tacit.Central(1, 1e-6),
            {},
        ),
    ],
)
def test_the_call_that_is_said_sets_the_limit(tmp_path, made, trust, own):
    """Beside the ledger's, which does the same; as it is written, and then the question is
    answered."""
    with pytest.raises(LedgerError, match=r"no limit yet.* nothing was charged") as refused:
        made(_table(tmp_path, **own)).run(trust)
    ledger, table = str(refused.value).split("\n")[1:]
    call = re.fullmatch(r"(visits\.budget\(.*\)), of the table, does the same", table)

    visits = _table(tmp_path, **own)
    eval(call[1], {"tacit": tacit, "visits": visits})
    eval(ledger, {"tacit": tacit, "ledger": tacit.Ledger(tmp_path / "people.db")})
    assert made(visits).run(trust).receipt()


def test_a_refusal_for_another_reason_is_as_it_was(tmp_path):
    """It has no such call, which would set no limit."""
    own = _table(tmp_path)
    own.budget(epsilon=0.1, delta=1e-9)
    with pytest.raises(OverBudget) as refused:
        _count(own).run(tacit.Central(0.5, 0))
    assert "visits.budget" not in str(refused.value)


def test_rows_are_read_for_what_can_be_paid_for_alone(tmp_path):
    """Or whether an engine stops could be asked for nothing: here its file is gone, and the account
    is what is told of. A grant that is paid for is read again."""
    rows = tmp_path / "visits.parquet"
    FRAME.to_parquet(rows)
    own = tacit.Table(rows, "patient", "patients", tmp_path / "people.db")
    asks = _count(own), tables.linear(own, "days", Prefix(9), bins=range(10))
    own.budget(epsilon=0.1, delta=1e-6)
    opened = asks[0].grant(tacit.Central(0.1, 1e-7), grant_id="count")
    rows.unlink()
    for ask in asks:
        with pytest.raises(OverBudget):
            ask.run(tacit.Central(0.1, 1e-7))
    with pytest.raises(EngineError):
        asks[0].grant(tacit.Central(0.1, 1e-7), grant_id="count")
    with pytest.raises(LedgerError, match="'count' was opened with another plan"):
        asks[0].grant(tacit.Central(0.05, 1e-7), grant_id="count")
    with pytest.raises(LedgerError, match="'count' was opened with other question"):
        _count(own.where(ibis._.days > 3)).grant(tacit.Central(0.1, 1e-7), grant_id="count")
    assert opened.run().receipt()
    with pytest.raises(Finished):
        asks[0].grant(tacit.Central(0.1, 1e-7), grant_id="count")


@pytest.mark.parametrize("none", [0, 0.0, -0.0])
def test_a_limit_that_no_question_fits_is_refused(tmp_path, none):
    """By what has room: a pure question states a delta for its sampler, and that fits."""
    own = _table(tmp_path)
    with pytest.raises(ValueError, match=r"delta must be above 0.*1e-18.*delta=1e-9 has room"):
        own.budget(epsilon=1.0, delta=none)
    own.budget(epsilon=1.0, delta=1e-9)
    stated = [_count(own).run(tacit.Central(0.2, 0)).plan.guarantees[0].delta for _ in range(5)]
    assert all(0 < each < 1e-18 for each in stated)


@pytest.mark.parametrize("delta", [-1.0, 2.0, float("nan"), "0", None])
def test_what_is_no_delta_is_refused_as_the_ledger_does(tmp_path, delta):
    """By what is allowed."""
    with pytest.raises(ValueError, match=r"delta must be in \[0, 1\]"):
        _table(tmp_path).budget(epsilon=1.0, delta=delta)
