"""Answers of a table: exact without noise, honest with it, and charged once."""

import re
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tacit
from tables.records import everything, some, table, visits
from tacit import tables
from tacit.ledger.ledger import LedgerError
from tacit.ledger.over_budget import OverBudget
from tacit.tables import ask as ask_module
from tacit.tables.spread import deviation

NOTHING = tacit.NonPrivate()


def test_without_noise_answers_are_those_of_the_rows(tmp_path):
    """Of rows with a person, in each declared group; missing numbers are in no mean."""
    frame = visits(500, 400, seed=4).assign(long=lambda x: x.days > 2)
    ask = (
        table(frame, tmp_path).by(ward=["A", "B", "Z", None]).ask(rows_per_person=9, **everything())
    )
    found = ask.run(NOTHING).frame
    own = frame[frame.patient.notna()]
    for place, ward in enumerate(["A", "B", "Z", None]):
        rows = own[own.ward.isna() if ward is None else own.ward == ward]
        got, days = found.iloc[place], rows.days.dropna()
        if ward == "Z":
            assert 0 == got["n"] == got["who"]
            continue
        assert len(rows) == got["n"] and rows.patient.nunique() == got["who"]
        assert got["stay"] == pytest.approx(days.clip(0, 30).mean(), abs=1e-3)
        assert len(days) == got["stay_rows"]
        assert got["sum"] == pytest.approx(days.clip(-10, 20).sum(), rel=1e-3)
        assert got["spread"] == pytest.approx(days.clip(0, 10).var(ddof=0), abs=0.02)
        assert got["share"] == pytest.approx(rows.long.mean(), abs=1e-12)
        assert rows.sex.isna().sum() == got["sexes[None]"]
        assert ((days >= 2) & (days < 10)).sum() == got["bins[2 to 10]"]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_hold_as_often_as_they_say(tmp_path, delta):
    """Of a thousand groups with the same rows, by exact binomial limits, below; where the interval
    is not cut, also not much more often."""
    groups, each = 1000, 40
    days = np.tile(np.linspace(0, 30, each), groups)
    frame = pd.DataFrame(
        {"patient": np.arange(groups * each), "ward": np.repeat(range(groups), each)}
    )
    frame["days"] = days
    made = {
        "n": tables.count(),
        "stay": tables.mean("days", 0, 30),
        "sum": tables.total("days", 0, 30),
    }
    made["spread"] = tables.variance("days", 0, 30)
    ask = table(frame, tmp_path).by(ward=list(range(groups))).ask(**made, rows_per_person=1)
    ask.table.budget(epsilon=20, delta=1e-3)
    found = ask.run(tacit.Central(8.0, delta), seed=5).frame
    true = {
        "n": each,
        "stay": days[:each].mean(),
        "sum": days[:each].sum(),
        "spread": days[:each].var(),
    }
    for name, value in true.items():
        held = ((found[name + "_low"] <= value) & (value <= found[name + "_high"])).sum()
        assert binom.ppf(1e-6, groups, 0.95) <= held
        if name in ("stay", "sum"):
            assert held <= binom.isf(1e-6, groups, 0.972)


def test_a_second_opening_of_a_grant_is_the_same_noise_or_refused(tmp_path):
    """Charged once; with another table, or asked something else, it is refused."""
    frame = visits(60, 20, seed=6)
    ask, trust = (
        table(frame, tmp_path).ask(n=tables.count(), rows_per_person=2),
        tacit.Central(1.0, 0.0),
    )
    ask.table.budget(epsilon=1.0, delta=1e-9)
    ask.grant(trust, grant_id="once")
    more = pd.concat([frame, frame.iloc[[0]]])
    other = table(more, tmp_path).ask(n=tables.count(), rows_per_person=2)
    with pytest.raises(LedgerError, match="data"):
        other.grant(trust, grant_id="once")
    with pytest.raises(LedgerError):
        ask.table.ask(n=tables.people(), rows_per_person=2).grant(trust, grant_id="once")
    one, two = [ask.grant(trust, grant_id="once") for _ in range(2)]
    one, two = ask.read(one.run()), ask.read(two.run())
    assert one.frame.equals(two.frame)
    with pytest.raises(OverBudget):
        ask.run(trust)
    assert one.receipt()["private"] is True and 1 == len(one.frame)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize(
    "made", [some("n", "spread", "share", "middle"), everything()], ids=["some", "all"]
)
def test_an_empty_table_and_one_person_are_answered_like_any_other(tmp_path, rows, made):
    """With noise, and without an error that would tell."""
    frame = visits(30, 3, seed=9).assign(long=True)
    own = table(frame[frame.patient == "p0"].head(rows), tmp_path)
    own.budget(epsilon=9, delta=1e-3)
    found = own.by(ward=["A", "B"]).ask(rows_per_person=1, **made).run(tacit.Central(1.0, 1e-6))
    numbers = found.frame.select_dtypes("number")

    assert 2 == len(found.frame) and np.isfinite(numbers).all().all()


@pytest.mark.parametrize(
    "column, keys, asked",
    [
        ("stay_rows", [], {"stay": tables.mean("days", 0, 9), "stay_rows": tables.people()}),
        ("w", ["w"], {"w": tables.count()}),
        ("n_low", ["n_low"], {"n": tables.count()}),
        ("v_std_high", ["v_std_high"], {"v": tables.variance("days", 0, 9)}),
        ("h[f]", ["h[f]"], {"h": tables.histogram("sex", categories=["f", "m"])}),
        ("c[2]_low", ["c[2]_low"], {"c": tables.cdf("days", bins=[1, 2])}),
        ("f_1", ["f_1"], {"f": tables.top("sex", categories=["f", "m"], k=1)}),
        ("q_90", [], {"q": tables.quantiles("days", [0.9], 0, 9), "q_90": tables.count()}),
    ],
)
def test_a_number_that_would_overwrite_another_is_refused(tmp_path, column, keys, asked):
    """When it is asked, by its column: all that is paid for is answered."""
    frame = visits(9, 3, seed=1)
    own = table(frame.assign(**dict.fromkeys(keys, "A")), tmp_path)
    with pytest.raises(ValueError, match=f"2 columns .* called '{re.escape(column)}'"):
        own.by(**{key: ["A", "B"] for key in keys}).ask(**asked, rows_per_person=1)


@pytest.mark.parametrize(
    "made",
    [
        {**some("n", "who", "stay", "sum"), "some": tables.count_if("long")},
        {**some("spread", "share", "sexes", "bins"), "square": deviation("days", 0, 9)},
        some("stays", "middle", "first", "both", "upto"),
        {**everything(), "square": deviation("days", 0, 9), "some": tables.count_if("long")},
    ],
    ids=["sums", "shares", "places", "all"],
)
def test_every_column_of_an_answer_is_known_before(tmp_path, made):
    """Of each aggregate, in any order: what is checked is what is answered."""
    own = table(visits(9, 3, seed=1).assign(long=True), tmp_path)
    columns = own.ask(**made, rows_per_person=1).run(NOTHING).frame.columns

    assert sorted(columns) == sorted(name + end for name in made for end in made[name].behind)


def test_a_plan_reads_nothing_and_says_how_wide_intervals_will_be(tmp_path):
    """A page with every promise, and a line for each number."""
    ask = table(visits(9, 3, seed=1).assign(long=True), tmp_path).by(ward=["A", "B"])
    page = str(ask.ask(rows_per_person=5, **everything()).plan(tacit.Central(1.0, 1e-6)))

    assert "counted   at most 5 rows of one patient, in at most 2 groups" in page
    assert (
        all(f"  {name}" in page for name in everything()) and max(map(len, page.split("\n"))) <= 80
    )


@pytest.mark.parametrize(
    "trust",
    [
        tacit.Local(1.0),
        tacit.Shuffled(1.0, 1e-6),
        tacit.Federated(4.0, tacit.Central(1.0, 1e-6)),
    ],
)
def test_who_sees_a_table_is_a_curator(tmp_path, trust):
    """A plan and an answer under another trust model are refused with the reason, before any row
    is read or anything is charged."""
    own = table(visits(20, 9, seed=1), tmp_path)
    own.budget(epsilon=9.0, delta=1e-5)
    ask: Any = own.ask(n=tables.count(), rows_per_person=1)
    with mock.patch.object(ask_module, "sums_of") as read:
        for door in (ask.plan, ask.run, ask.grant):
            with pytest.raises(ValueError, match=r"held by a curator, who sees it.*Simulated"):
                door(trust)

    assert not read.called and [] == own.ledger.history("patients")
