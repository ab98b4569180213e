"""One person more, fewer or replaced moves the engine's sums by what the plan charges, or less."""

import itertools
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import tacit
from tables.asked_often import one_statement
from tables.records import everything, table, visits
from tacit import tables
from tacit.accounting.relation import Relation
from tacit.tables.engine import rows_of, sums_of
from tacit.tables.statement import Statement

CAPS = [
    {"rows_per_person": 1},
    {"rows_per_person": 3},
    {"groups_per_person": 1, "rows_per_group": 2},
    {"groups_per_person": 2, "rows_per_group": 2, "rows_per_person": 3},
]
ASKED = {"people": everything(), "rows": {"n": tables.count(), "stay": everything()["stay"]}}


def _crowded() -> pd.DataFrame:
    """One in every group, one with the same row many times, one alone, one that is nobody's."""
    rows = [("a", ward, days) for ward in "ABC" for days in (1.5, 30.0, 30.0, 0.0)]
    rows += [("b", "A", 30.0)] * 6 + [("c", "B", np.nan), ("d", None, 3.0), (None, "A", 30.0)]
    frame = pd.DataFrame(rows, columns=["patient", "ward", "days"])
    frame["sex"] = ["f", "m", None] * 7
    return frame


@pytest.mark.parametrize("caps", CAPS, ids=str)
@pytest.mark.parametrize("keys", [{}, {"ward": ["A", "B", None]}], ids=["all", "wards"])
def test_sums_move_by_what_is_charged_at_most(tmp_path, caps, keys):
    """Every person of every table, gone or replaced by any other, in L1 and in L2; where everybody
    is ranked, and where only who has more rows than a cap."""
    frames = [frame.assign(long=frame.days > 2) for frame in (_crowded(), visits(30, 5, seed=1))]
    for made in ASKED.values():
        ask = table(frames[0], tmp_path).by(**keys).ask(**caps, **made)
        with one_statement(ask.statement, rows_of(frames[0])):
            for frame in frames:
                _moves_as_charged(ask, frame)


def _moves_as_charged(ask: tacit.tables.Ask, frame: pd.DataFrame) -> None:
    less = [frame[frame.patient != who] for who in frame.patient.dropna().unique()]
    whole, *without = (_sums(ask, each) for each in (frame, *less))
    for i, shape in enumerate(ask._shapes):
        gone = [whole[i] - rest[i] for rest in without]
        replaced = [a[i] - b[i] for a, b in itertools.combinations(without, 2)]
        _within(shape, gone, Relation.ADD_REMOVE)
        _within(shape, replaced, Relation.REPLACE_ONE)


def test_the_charge_is_reached(tmp_path):
    """Somebody with rows enough moves a count and a mean by all that is charged for them."""
    frame = _crowded().assign(long=True)
    ask = table(frame, tmp_path).by(ward=["A", "B", "C"]).ask(rows_per_person=3, **everything())
    moved = [
        a - b
        for a, b in zip(_sums(ask, frame), _sums(ask, frame[frame.patient != "a"]), strict=True)
    ]
    reached = [np.abs(own).sum() for own in moved]
    charged = [shape.l1_sensitivity(Relation.ADD_REMOVE) for shape in ask._shapes]

    assert charged[:6] == reached[:6]


@pytest.mark.parametrize("caps", [*CAPS, {"rows_per_person": 6}], ids=str)
@pytest.mark.parametrize("asked", ASKED)
def test_people_within_every_cap_need_no_ranks(tmp_path, caps, asked):
    """Sums are those of a statement that ranks everybody, with people at, below and above caps."""
    frame = pd.concat([_crowded(), visits(80, 30, seed=4)], ignore_index=True)
    frame["long"] = frame.days > 2
    ask = table(frame, tmp_path).by(ward=["A", "B", "C"]).ask(**caps, **ASKED[asked])
    one = sums_of(ask.statement, rows_of(frame), ask._cells)
    with mock.patch.object(Statement, "_asks_for_firsts", True):
        other = sums_of(ask.statement, rows_of(frame), ask._cells)

    assert all(map(np.array_equal, one[0], other[0])) and one[1] == other[1]


def test_the_order_of_rows_changes_nothing(tmp_path):
    """Neither which rows of a person count, nor the fingerprint of the table."""
    frame = visits(200, 9, seed=2).assign(long=True)
    ask = table(frame, tmp_path).by(ward=["A", "B"]).ask(rows_per_person=2, **ASKED["rows"])
    mixed = frame.sample(frac=1.0, random_state=3)
    one, other = (sums_of(ask.statement, rows_of(x), ask._cells) for x in (frame, mixed))

    assert all(map(np.array_equal, one[0], other[0])) and one[1] == other[1]
    other_rows = frame.assign(days=frame.days.where(frame.index != 7, 2.0), patient=frame.patient)
    assert one[1] != sums_of(ask.statement, rows_of(other_rows), ask._cells)[1]


def _sums(ask: tacit.tables.Ask, frame: pd.DataFrame) -> list[np.ndarray]:
    return sums_of(ask.statement, rows_of(frame), ask._cells)[0]


def _within(shape, apart: list[np.ndarray], relation: Relation) -> None:
    for each in apart:
        assert np.abs(each).sum() <= shape.l1_sensitivity(relation)
        assert np.sqrt((each.astype(float) ** 2).sum()) <= shape.sensitivity(relation) * (1 + 1e-12)


def test_no_hash_is_too_large_for_the_fingerprint(tmp_path):
    """Whose row has which hash can be found out: DuckDB's of this row is 2^63 - 512 or more, for
    which the upper half was too large by one, in double precision."""
    frame = pd.DataFrame({"person": [2472408573408, 1], "group": [5, 5]})
    table = tacit.Table(frame, "person", "people", tmp_path / "people.db")
    ask = table.by(group=list(range(16))).ask(n=tables.count(), rows_per_person=1)
    assert 2 == ask.run(tacit.NonPrivate()).frame.n[5]
