"""HAVING in SQL: how many people a group needs that is found."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables

TEXT = "SELECT ward, COUNT(*) AS n FROM v GROUP BY ward HAVING COUNT(DISTINCT patient) >= 20"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("COUNT(D", "count(d") + ".0", f"{TEXT};"])
def test_it_is_at_least_of_python(tmp_path, text):
    """The same digest, and the same plan."""
    own = table(visits(90, 30, seed=1), tmp_path)
    asked = own.sql(text, rows_per_person=5)
    like = own.by(tables.undeclared("ward", at_least=20)).ask(n=tables.count(), rows_per_person=5)

    assert asked.statement.digest == like.statement.digest
    trust = tacit.Central(1.0, 1e-6)
    assert str(asked.plan(trust)) == str(like.plan(trust))
    less = own.by("ward").ask(n=tables.count(), rows_per_person=5)
    assert less.statement.digest != asked.statement.digest


def test_groups_are_those_of_an_engine_that_runs_the_text(tmp_path):
    """Where all that is asked for is released."""
    frame = _uneven()
    found = table(frame, tmp_path).sql(TEXT, rows_per_person=9).run(tacit.NonPrivate()).frame
    true = duckdb.sql(f"{TEXT.replace('FROM v', 'FROM frame')} ORDER BY ward").fetchall()

    assert [("B", 40), ("C", 60)] == true == list(zip(found.ward, found.n, strict=True))


def test_postgresql_keeps_the_same_groups(postgresql, tmp_path):
    """Which fewer people are in stays there."""
    frame, name = _uneven(), "tacit_having"
    postgresql.create_table(name, frame, temp=True)
    own = table(postgresql.table(name), tmp_path).sql(TEXT, rows_per_person=9)
    found = own.run(tacit.NonPrivate()).frame

    assert [("B", 40), ("C", 60)] == list(zip(found.ward, found.n, strict=True))


def test_of_groups_with_people_enough_not_all_are_released(tmp_path):
    """With a budget, one of exactly so many people hardly ever is, and a large one is."""
    frame = pd.DataFrame({"patient": range(2020), "ward": ["A"] * 20 + ["B"] * 2000})
    own = table(frame, tmp_path)
    own.budget(1.0, 1e-6)
    found = own.sql(TEXT, rows_per_person=1).run(tacit.Central(1.0, 1e-6), seed=0).frame

    assert ["B"] == found.ward.tolist()


@pytest.mark.parametrize(
    "having, keys, says",
    [
        ("COUNT(*) >= 20", {}, "without this HAVING: .* at_least=20"),
        ("n >= 20", {}, "without this HAVING"),
        ("COUNT(DISTINCT patient) > 20", {}, "without this HAVING"),
        ("20 <= COUNT(DISTINCT patient)", {}, "without this HAVING"),
        ("NOT COUNT(DISTINCT patient) >= 20", {}, "without this HAVING"),
        ("COUNT(DISTINCT patient) >= 20 AND TRUE", {}, "without this HAVING"),
        ("COUNT(DISTINCT ward) >= 20", {}, "a person, 'patient', and of nothing else"),
        ("COUNT(DISTINCT patient) >= 2.5", {}, "a whole number of people, from 1 on, got 2.5"),
        ("COUNT(DISTINCT patient) >= 0", {}, "a whole number of people, from 1 on, got 0"),
        ("COUNT(DISTINCT patient) >= 1e12", {}, "at_least must be a whole number"),
        ("COUNT(DISTINCT patient) >= n", {}, "a number of people is a number that is written out"),
        ("COUNT(DISTINCT patient) >= 20", {"ward": ["A"]}, "declared ones are all answered"),
        ("COUNT(DISTINCT patient) >= 20 ORDER BY n DESC LIMIT 1", {}, "without HAVING"),
    ],
)
def test_any_other_having_is_refused(tmp_path, having, keys, says):
    """In a sentence, before anything is read."""
    text = TEXT.replace("COUNT(DISTINCT patient) >= 20", having)
    with pytest.raises(ValueError, match=says) as refusal:
        table(visits(9, 3, seed=7), tmp_path).sql(text, keys=keys, rows_per_person=5)
    assert "\n" not in str(refusal.value)


def _uneven():
    """In A 19 people with 38 rows, in B 20 with 40, in C 30 with 60."""
    people = [("A", i) for i in range(19)] + [("B", 100 + i) for i in range(20)]
    people += [("C", 200 + i) for i in range(30)]
    frame = pd.DataFrame(people * 2, columns=["ward", "patient"])
    return frame.iloc[np.random.default_rng(0).permutation(len(frame))].reset_index(drop=True)
