"""What an engine finds of keys that nobody declared."""

import secrets

import ibis
import numpy as np
import pytest

from tables.records import crowded, everything, some, table, visits
from tacit import tables
from tacit.tables.bytewise import text_of
from tacit.tables.engine import rows_of
from tacit.tables.found import keys_of
from tacit.tables.open_keys import undeclared


def test_keys_of_few_people_stay_in_the_engine(tmp_path):
    """Where a least number is asked for; their rows are in the fingerprint all the same."""
    frame = crowded()
    ask = (
        table(frame, tmp_path)
        .by(undeclared("ward", at_least=2))
        .ask(n=tables.count(), h=tables.histogram("days", bins=[0, 2, 10, 30]), rows_per_person=9)
    )
    few = keys_of(ask.statement, rows_of(frame))
    changed = frame.assign(days=frame.days.where(frame.ward != "own", 20.0))

    assert ["A", "B"] == [text_of(few.text(place)) for place in range(len(few.ends))]
    other = keys_of(ask.statement, rows_of(changed))
    assert np.array_equal(few.people, other.people)
    assert not np.array_equal(few.fingerprint, other.fingerprint)


@pytest.mark.parametrize("made", [some("n", "stay", "first"), everything()], ids=["some", "all"])
def test_both_engines_find_the_same(postgresql, tmp_path, made):
    """In the same order: keys with odd names, how many people have them, and all sums, with caps
    that cut."""
    frame = visits(900, 60, seed=11).assign(long=lambda x: x.days > 2)
    frame.loc[frame.index % 7 == 0, "ward"] = "~|'ü"
    name = f"visits_{secrets.token_hex(8)}"
    theirs = postgresql.create_table(name, rows_of(frame).to_pyarrow())
    try:
        own = table(frame, tmp_path).by(undeclared("ward", low=ibis._.sex.upper()), long=[True])
        ask = own.ask(rows_per_person=4, groups_per_person=2, **made)
        one, other = (keys_of(ask.statement, rows) for rows in (rows_of(frame), theirs))
    finally:
        postgresql.drop_table(name)

    assert len(one.ends) > 4 and all(map(np.array_equal, one[:3], other[:3]))
    for a, b in zip(one.sums, other.sums, strict=True):
        assert all(map(np.array_equal, a, b)) and (a.columns.any() or a.many.any())
