"""A table's ledger, conditions and public tables are some, or it is not made."""

import ibis
import pandas as pd
import pytest

import tacit
from tables.records import visits
from tacit import tables
from tacit.tables.engine import rows_of
from tacit.tables.public import PublicTable

FRAME = visits(9, 3, seed=1)
DAYS = "conditions must be a tuple of conditions on one row, such as .*, got "
JOIN = r"publics must be a tuple of public tables, which table.join\(rows, on=...\) makes, got "


@pytest.mark.parametrize(
    "given, why",
    [
        ({"ledger": 3}, "ledger must be a Ledger, or the path of one, got 3"),
        ({"ledger": None}, "ledger must be a Ledger, or the path of one, got None"),
        ({"ledger": tacit.Ledger}, "ledger must be a Ledger, or the path of one, got Ledger with"),
        ({"conditions": ("x",)}, "there is no column 'x'"),
        ({"conditions": ("days",)}, "'days' is of type .*, and a condition is true or false"),
        ({"conditions": (3,)}, "a column is its name, or an expression of one row, .* got 3"),
        ({"conditions": "sex"}, DAYS + "'sex'"),
        ({"conditions": ibis._.days > 0}, DAYS),
        ({"conditions": None}, DAYS + "None"),
        ({"publics": (3,)}, JOIN + "3"),
        ({"publics": (FRAME,)}, JOIN + "DataFrame"),
        ({"publics": FRAME}, JOIN + "DataFrame"),
        ({"publics": None}, JOIN + "None"),
    ],
    ids=str,
)
def test_what_is_none_is_refused_when_the_table_is_made(given, why, tmp_path):
    """In one sentence, which says what is allowed; no ledger is made."""
    with pytest.raises(ValueError, match=why) as refused:
        tacit.Table(FRAME, "patient", "p", **{"ledger": tmp_path / "p.db", **given})
    assert "\n" not in str(refused.value) and not any(tmp_path.iterdir())


def test_what_is_some_is_as_if_it_came_one_by_one(tmp_path):
    """Conditions and public tables that are given at once; and a condition on public columns."""
    wards = pd.DataFrame({"ward": ["A", "B", "C"], "floor": [1, 2, 3]})
    own = tacit.Table(FRAME, "patient", "p", tmp_path / "p.db")
    told = {"conditions": (ibis._.floor > 1,), "publics": (PublicTable.of(rows_of(wards), "ward"),)}
    at_once = tacit.Table(FRAME, "patient", "p", tmp_path / "p.db", **told)
    found = [
        each.ask(n=tables.count(), rows_per_person=9).run(tacit.NonPrivate()).frame.n.tolist()
        for each in (at_once, own.join(wards, on="ward").where(ibis._.floor > 1))
    ]
    assert found[0] == found[1] != [0]
