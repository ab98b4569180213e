"""Keys that nobody declared, from the rows of a table to its answer."""

import itertools
from collections import Counter

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.asked_often import one_statement
from tables.records import crowded, everything, table, visits
from tacit import tables
from tacit.accounting.relation import Relation
from tacit.ledger import receipt
from tacit.ledger.ledger import LedgerError
from tacit.tables.engine import rows_of
from tacit.tables.found import keys_of
from tacit.tables.open_keys import undeclared

NOTHING, TRUST = tacit.NonPrivate(), tacit.Central(1.0, 1e-6)
ODD = ["A", "a|b", "~n", "~", "|", "~b~t", "", "ü", None, "'; --", "a", "b|"]


def found(ask, frame):
    """How many people every key has, and the dense sums of every part."""
    data = keys_of(ask.statement, rows_of(frame))
    names = [data.text(place) for place in range(len(data.ends))]
    whole = np.arange(len(names))
    sums = [
        own.of(whole, len(names), cells) for own, cells in zip(data.sums, ask._cells, strict=True)
    ]
    return dict(zip(names, data.people.tolist(), strict=True)), dict(
        zip(names, zip(*sums, strict=True), strict=True)
    )


def test_every_key_that_turns_up_is_one_whatever_it_is_called(tmp_path):
    """Names with bars and tildes, empty ones, none at all; crossed with numbers, truth values,
    declared keys and expressions of one row; those of other declared values are left out."""
    ward = np.repeat(np.array(ODD, object), 6)
    frame = pd.DataFrame({"patient": range(len(ward)), "ward": ward})
    frame["no"], frame["flag"] = np.arange(len(ward)) % 3 - 1, np.arange(len(ward)) % 2 == 0
    own = table(frame, tmp_path)
    by = own.by(undeclared("ward", "flag", low=ibis._.ward.lower()), no=[0, 1])
    answer = by.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame

    expected = Counter(
        (w, bool(f), None if w is None else w.lower(), int(n))
        for w, f, n in zip(ward, frame.flag, frame.no, strict=True)
        if n >= 0
    )
    got = answer[["ward", "flag", "low", "no"]].astype(object).to_numpy().tolist()
    plain = [tuple(None if pd.isna(x) else x for x in row) for row in got]
    assert dict(zip(plain, answer.n, strict=True)) == expected


def test_large_whole_keys_stay_apart_beside_a_missing_one(tmp_path):
    """Exactly as the table has them, found or declared, and as the most frequent ones."""
    numbers = [2**53, 2**53 + 1, 2**53 + 1, None]
    frame = pd.DataFrame({"patient": range(4), "no": pd.Series(numbers, dtype="Int64")})
    own = table(frame, tmp_path)
    each = [2**53, 2**53 + 1, None]
    asked = {"n": tables.count(), "first": tables.top("no", categories=each, k=1)}
    for by in (own.by("no"), own.by(no=each)):
        answer = by.ask(**asked, rows_per_person=1).run(NOTHING).frame
        for keys in (answer.no, answer.first_1):
            plain = [None if pd.isna(key) else key for key in keys]
            assert {2**53: 1, 2**53 + 1: 2, None: 1} == dict(zip(plain, answer.n, strict=True))


@pytest.mark.parametrize(
    "by, expected",
    [
        (("no",), [(-3,), (1,), (2,), (10,), (None,)]),
        (("flag",), [(False,), (True,), (None,)]),
        (("ward",), [("A",), ("A b",), ("a",), (None,)]),
        (("ward", "no"), [("A", 10), ("A", None), ("A b", -3), ("A b", 2), ("a", 1), (None, 10)]),
    ],
)
def test_an_answer_has_keys_in_the_order_of_their_values(tmp_path, by, expected):
    """And not of their texts; a missing one is the last of its column, which stays whole, and each
    number is its own key's, whatever order rows are in."""
    rows = [(10, "A", 1), (-3, "A b", 2), (None, "A", 3), (2, "A b", 4), (1, "a", 5), (10, None, 6)]
    rows = [(*key, i % 3) for i, (*key, many) in enumerate(rows) for _ in range(many)]
    frame = pd.DataFrame(rows, columns=["no", "ward", "third"])
    frame["no"] = frame.no.astype("Int64")
    frame["flag"] = [{0: True, 1: False, 2: None}[each] for each in frame.third]
    true = Counter(tuple(None if pd.isna(x) else x for x in row) for row in _keys(frame, by))
    for own in (frame, frame[::-1]):
        asked = table(own.assign(patient=range(len(own))), tmp_path).by(*by)
        answer = asked.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame
        plain = [tuple(None if pd.isna(x) else x for x in row) for row in _keys(answer, by)]
        assert expected == plain and [true[each] for each in plain] == answer.n.tolist()
        assert "no" not in by or "Int64" == answer.no.dtype


def test_declared_values_stay_as_they_are_declared_beside_found_ones(tmp_path):
    """Those of a found key together, by its values, and within it the others in their order."""
    frame = pd.DataFrame({"patient": range(24), "no": [2, 10] * 12, "ward": list("BCA") * 8})
    each = {"ward": ["C", "A", "B"], "age": tables.binned("patient", [0, 10, 30])}
    answer = table(frame, tmp_path).by("no", **each).ask(n=tables.count(), rows_per_person=1)
    found = answer.run(NOTHING).frame
    expected = itertools.product([2, 10], each["ward"], ["0 to 10", "10 to 30"])
    assert list(expected) == list(_keys(found, ["no", "ward", "age"]))


@pytest.mark.parametrize(
    "caps", [{"rows_per_person": 2}, {"groups_per_person": 2, "rows_per_group": 2}], ids=str
)
def test_one_person_changes_few_keys_and_sums_by_what_is_charged(tmp_path, caps):
    """Every person of every table, gone or replaced by any other: how many people a key has moves
    by one in as many keys as are charged, and all sums, over all keys together, in L1 and L2."""
    for frame in (crowded(), visits(30, 5, seed=1).assign(long=True)):
        ask = table(frame, tmp_path).by("ward").ask(**caps, **everything())
        question, shapes = ask._question, ask._shapes
        fewer = [frame[frame.patient != who] for who in frame.patient.dropna().unique()]
        with one_statement(ask.statement, rows_of(frame)):
            whole, *less = (found(ask, each) for each in (frame, *fewer))
        for relation, pairs in (
            (Relation.ADD_REMOVE, [(whole, each) for each in less]),
            (Relation.REPLACE_ONE, itertools.combinations(less, 2)),
        ):
            for one, other in pairs:
                names = one[0].keys() | other[0].keys()
                moved = [abs(one[0].get(x, 0) - other[0].get(x, 0)) for x in names]
                assert sum(moved) <= question.keys * relation.people_moved
                _within(shapes, one[1], other[1], relation)


def test_one_person_in_more_keys_than_are_released_is_held_to_the_caps(tmp_path):
    """Whatever number of keys there are, and is room for: caps bound the rows of one person."""
    frame = pd.DataFrame({"patient": ["a"] * 40, "ward": [f"w{i}" for i in range(40)]})
    for caps in ({"rows_per_person": 3}, {"groups_per_person": 3, "rows_per_group": 2}):
        ask = table(frame, tmp_path).by(undeclared("ward", most=2)).ask(n=tables.count(), **caps)
        people, sums = found(ask, frame)
        assert 3 == sum(people.values()) == sum(own[0].sum() for own in sums.values())


def test_large_keys_are_released_and_the_receipt_holds(tmp_path):
    """With honest intervals; a key of one person is not, and two accountants agree."""
    wards = np.array(["A"] * 600 + ["B"] * 900 + ["alone"], object)
    frame = pd.DataFrame({"patient": range(1501), "ward": wards, "days": 3.0})
    own = table(frame, tmp_path)
    own.budget(epsilon=1, delta=1e-6)
    asked = {"n": tables.count(), "stay": tables.mean("days", 0, 30)}
    answer = own.by("ward").ask(**asked, rows_per_person=1, confidence=1 - 1e-8).run(TRUST)

    assert ["A", "B"] == answer.frame.ward.tolist()
    assert ((answer.frame.n_low <= [600, 900]) & (answer.frame.n_high >= [600, 900])).all()
    assert ((answer.frame.stay_low <= 3) & (answer.frame.stay_high >= 3)).all()
    receipt.write(tmp_path / "receipt.json", [answer.receipt()])
    assert receipt.verify(tmp_path / "receipt.json").ok


def test_a_second_opening_has_the_same_keys_and_noise_or_is_refused(tmp_path):
    """Charged once; a person more, in a key of their own, is another table."""
    frame = visits(4000, 1500, seed=6)
    ask = table(frame, tmp_path).by("ward").ask(n=tables.count(), rows_per_person=1)
    ask.table.budget(epsilon=1.0, delta=1e-6)
    ask.grant(TRUST, grant_id="once")
    both = [ask.grant(TRUST, grant_id="once") for _ in range(2)]
    one, two = (ask.read(grant.run()).frame for grant in both)

    assert one.equals(two) and len(one)


def test_another_table_under_the_same_grant_is_refused(tmp_path):
    """Though the key that is new would hardly be released."""
    frame = visits(60, 20, seed=6)
    ask = table(frame, tmp_path).by("ward").ask(n=tables.count(), rows_per_person=1)
    ask.table.budget(epsilon=1.0, delta=1e-6)
    ask.grant(TRUST, grant_id="once")
    more = pd.concat([frame, frame.iloc[[0]].assign(patient="new", ward="new")])
    other = table(more, tmp_path).by("ward").ask(n=tables.count(), rows_per_person=1)
    with pytest.raises(LedgerError, match="data"):
        other.grant(TRUST, grant_id="once")


_DAY = ibis.ifelse(ibis._.days > 1, ibis.date("2026-01-31"), None)


@pytest.mark.parametrize(
    "made",
    [
        lambda x: undeclared(),
        lambda x: undeclared("ward", "ward"),
        lambda x: undeclared(3),
        lambda x: undeclared("ward", at_least=0),
        lambda x: undeclared("ward", most=1),
        lambda x: undeclared("ward", most=2**15),
        lambda x: undeclared("ward", share=1),
        lambda x: x.by("ward", ward=["A"]),
        lambda x: x.by("nothing").ask(n=tables.count(), rows_per_person=1),
        lambda x: x.by(undeclared(day=_DAY)).ask(n=tables.count(), rows_per_person=1),
        lambda x: x.by(undeclared(low=ibis._.days.sum())).ask(n=tables.count(), rows_per_person=1),
        lambda x: (
            x.by("ward").ask(n=tables.count(), rows_per_person=1).plan(tacit.Central(1.0, 0.0))
        ),
    ],
)
def test_what_is_no_such_key_is_refused_before_anything_is_read(tmp_path, made):
    """In one sentence."""
    with pytest.raises(ValueError) as refused:
        made(table(visits(9, 3, seed=8), tmp_path))
    assert "\n" not in str(refused.value)


def _keys(frame, names):
    return frame[list(names)].astype(object).itertuples(index=False, name=None)


def _within(shapes, one, other, relation):
    for i, shape in enumerate(shapes):
        none = np.zeros(shape.answer_shape[0] // 4096, np.int64)
        each = [
            (one[name][i] if name in one else none) - (other[name][i] if name in other else none)
            for name in one.keys() | other.keys()
        ]
        moved = np.concatenate([np.ravel(own) for own in each]).astype(float)
        assert np.abs(moved).sum() <= shape.l1_sensitivity(relation)
        assert np.sqrt((moved**2).sum()) <= shape.sensitivity(relation) * (1 + 1e-12)
