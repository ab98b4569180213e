"""Text in columns of any collation: bytes tell it apart, wherever it tells rows apart."""

import secrets

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.bytewise import digits_of, text_of
from tacit.tables.engine import units_in
from tacit.tables.found import keys_of

PEOPLE, WARDS = ("bob", "BOB", "Bób"), ("a", "A", "á")
COLLATIONS = ["nocase", "noaccent", "nocase.noaccent", "default"]
_TAKING_ONE_FOR_ANOTHER = "provider=icu, locale='und-u-ks-level1', deterministic=false"
NOTHING = tacit.NonPrivate()
# Everybody's stay in every ward, of as many days as the ward's place.
STAYS = [(who, ward, place) for who in PEOPLE for place, ward in enumerate(WARDS)]


@pytest.fixture(params=[*COLLATIONS, "postgresql"])
def rows(request):
    """The same stays where an engine takes texts of other bytes for one."""
    if request.param == "postgresql":
        yield from _in_postgresql(request.getfixturevalue("postgresql"))
        return
    own = ibis.duckdb.connect()
    if request.param == "default":
        own.raw_sql("set default_collation = 'nocase'")
    said = "" if request.param == "default" else f"collate {request.param}"
    yield _written(own, "visits", f"varchar {said}")


def _in_postgresql(server):
    name = f"own_{secrets.token_hex(8)}"
    _run(server, f"create collation {name} ({_TAKING_ONE_FOR_ANOTHER})")
    try:
        yield _written(server, f"{name}_visits", f'text collate "{name}"')
    finally:
        _run(server, f"drop table if exists {name}_visits")
        _run(server, f"drop collation {name}")


def _run(own, statement):
    done = own.raw_sql(statement)
    if own.name == "postgres":
        done.close()
        own.con.commit()


def _written(own, name, kind):
    _run(own, f"create table {name} (patient {kind}, ward {kind}, days double precision)")
    _run(own, f"insert into {name} values {', '.join(map(str, STAYS))}")
    return own.table(name)


def test_keys_that_nobody_declared_are_one_for_each_spelling(rows, tmp_path):
    """With their own people and sums, so that no spelling stands for another's rows."""
    own = table(rows, tmp_path).by("ward")
    asked = own.ask(n=tables.count(), days=tables.total("days", 0, 2), rows_per_person=3)
    found = keys_of(asked.statement, rows)
    answer = asked.run(NOTHING).frame.sort_values("days")

    assert [3, 3, 3] == found.people.tolist()
    assert list(WARDS) == answer.ward.tolist() and [3, 3, 3] == answer.n.tolist()


def test_declared_values_are_their_own_rows(rows, tmp_path):
    """As groups, in histograms, among the most frequent, and of a public table."""
    public = pd.DataFrame({"ward": WARDS, "floor": [1, 2, 3]})
    own = table(rows, tmp_path).join(public, on="ward")
    asked = {
        "n": tables.count(),
        "wards": tables.histogram("ward", categories=WARDS),
        "first": tables.top("ward", categories=WARDS, k=1),
        "floor": tables.mean("floor", 0, 4),
    }
    answer = own.by(ward=WARDS).ask(**asked, rows_per_person=9).run(NOTHING).frame

    assert [3, 3, 3] == answer.n.tolist() and list(WARDS) == answer.first_1.tolist()
    assert np.array_equal(3 * np.eye(3), answer[[f"wards[{each}]" for each in WARDS]])
    assert np.allclose([1, 2, 3], answer.floor, atol=1e-3)


def test_people_are_told_apart_by_their_bytes_in_every_count(rows, tmp_path):
    """Caps, how many there are, and how many have a place in arrays."""
    own = table(rows, tmp_path)
    asked = own.ask(n=tables.count(), people=tables.people(), rows_per_person=2)
    answer = asked.run(NOTHING).frame

    assert 3 == units_in(rows, own.whose) == answer.people[0] and 6 == answer.n[0]
    data = own.arrays([tables.number("days", 0, 2)], at_most=2).data
    assert (3, 2) == data.present.shape and data.present.all()


def test_a_persons_groups_are_capped_each_by_itself(rows, tmp_path):
    """One group of each person counts, though an engine took all for one."""
    own = table(rows, tmp_path).by("ward")
    found = keys_of(
        own.ask(n=tables.count(), groups_per_person=1, rows_per_group=1).statement, rows
    )
    assert len(PEOPLE) == found.people.sum() == found.sums[0].columns.sum()


def test_digits_tell_the_text():
    """Of every kind; what is no text stays."""
    for text in ("", "a|b~n", "ä\0", "𝄞"):
        assert text == text_of(digits_of(text))
    assert [3, True, None] == list(map(digits_of, (3, True, None)))
