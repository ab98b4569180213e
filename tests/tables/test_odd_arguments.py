"""Whatever is given to what makes questions of tables, it is answered or refused in a sentence.

Never with what Ibis or DuckDB says, never with a warning, and no sentence holds anybody's value.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tables.odd import ODD, ROW, SECRETS, or_odd, visits
from tacit import Table, tables

NUMBER = or_odd("days", ROW.days / 2)
ENDS = or_odd(0), or_odd(30)
COLUMN, VALUES, EDGES = or_odd("ward"), or_odd(["A", "B"]), or_odd([0, 10, 30])
HOLDS = or_odd("long", ROW.days > 1)
WHOLE = or_odd(2, 3)
QUIET = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def made(of: Callable[..., Any], *each: Any, **named: Any) -> st.SearchStrategy[Any]:
    """Calls that are made when they are asked for."""
    drawn = st.tuples(st.tuples(*each), st.fixed_dictionaries({}, optional=named))
    return drawn.map(lambda both: lambda: of(*both[0], **both[1]))


AGGREGATES = st.one_of(
    made(tables.count_if, HOLDS),
    made(tables.share, HOLDS),
    *(made(each, NUMBER, *ENDS) for each in (tables.mean, tables.total, tables.variance)),
    made(tables.median, NUMBER, *ENDS, steps=WHOLE),
    made(tables.quantiles, NUMBER, or_odd([0.25, 0.5]), *ENDS, steps=WHOLE),
    made(lambda *own: tables.covariance({"days": own, "age": (0, 9)}), *ENDS),
    made(tables.covariance, ODD),
    made(tables.histogram, or_odd("ward", "days"), categories=VALUES, bins=EDGES),
    made(lambda own, given, k: tables.top(own, categories=given, k=k), COLUMN, VALUES, WHOLE),
    made(lambda own, given: tables.cdf(own, bins=given), NUMBER, EDGES),
    made(lambda given: given, ODD),
)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of some people, one of whom has a secret."""
    folder = tmp_path_factory.mktemp("odd")
    return Table(visits(), "patient", "people", folder / "people.db", people=1000)


def answered_or_refused(asked: Callable[[], Any]) -> None:
    """In a sentence of this library's."""
    try:
        asked()
    except (ValueError, TypeError) as refusal:
        said = str(refusal)
        assert said and "\n" not in said and len(said) < 600
        assert not any(each in said for each in SECRETS)
        assert "/tacit/" in last_file(refusal), repr(refusal)


def last_file(refusal: BaseException) -> str:
    """Where it was raised."""
    at = refusal.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "" if at is None else at.tb_frame.f_code.co_filename


@QUIET
@given(
    aggregate=AGGREGATES,
    rows=or_odd(3),
    more=st.fixed_dictionaries(
        {},
        optional={"groups_per_person": WHOLE, "rows_per_group": WHOLE, "confidence": or_odd(0.9)},
    ),
)
def test_aggregates(own, aggregate, rows, more):
    """Of all rows, from what is asked to its answer."""
    answered_or_refused(
        lambda: own.ask(n=aggregate(), rows_per_person=rows, **more).run(tacit.NonPrivate())
    )


GROUPS = {
    "a column": lambda own, column, values: own.by(column),
    "declared": lambda own, column, values: own.by(ward=values),
    "derived": lambda own, column, values: own.by(kind=(column, values)),
    "in bins": lambda own, column, values: own.by(d=tables.binned(column, values)),
    "a share": lambda own, column, values: own.by(tables.undeclared("ward", share=column)),
    "at least": lambda own, column, values: own.by(tables.undeclared("ward", at_least=column)),
    "found": lambda own, column, values: own.by(tables.undeclared("ward", kind=column)),
}


@pytest.mark.parametrize("by", GROUPS.values(), ids=GROUPS)
@QUIET
@given(column=ODD, values=st.one_of(VALUES, ODD))
def test_groups(own, by, column, values):
    """Declared, derived, found and in bins."""
    count = {"n": tables.count(), "rows_per_person": 2}
    answered_or_refused(lambda: by(own, column, values).ask(**count).run(tacit.NonPrivate()))


@QUIET
@given(odd=ODD, other=ODD)
def test_tables_and_their_rows(own, tmp_path_factory, odd, other):
    """What is a table, whose its rows are, which of them count, and what they are joined with."""
    folder = tmp_path_factory.mktemp("book")
    for asked in (
        lambda: Table(odd, "patient", "people", folder / "a.db"),
        lambda: Table(visits(), odd, "people", folder / "a.db", unit=other),
        lambda: Table(visits(), "patient", odd, folder / "a.db", people=other),
        lambda: own.where(odd).ask(n=tables.count(), rows_per_person=1).run(tacit.NonPrivate()),
        lambda: own.join(odd, on=other),
        lambda: own.sql(odd, rows_per_person=1),
        lambda: own.sql("SELECT AVG(days) FROM v", bounds=odd, keys=other, rows_per_person=1),
        lambda: own.ask(n=tables.count(), rows_per_person=1).plan(odd),
    ):
        answered_or_refused(asked)


@QUIET
@given(odd=ODD, ends=st.tuples(*ENDS), values=VALUES, many=or_odd(2))
def test_arrays(own, odd, ends, values, many):
    """Of numbers and categories that are none."""
    days = tables.number("days", 0, 30)
    for asked in (
        lambda: own.arrays([tables.number(odd, *ends)], at_most=many),
        lambda: own.arrays([days], tables.category(odd, values), at_most=1),
        lambda: own.arrays(odd, at_most=1),
        lambda: own.arrays([days], odd, at_most=1),
        lambda: own.arrays([odd], at_most=1),
    ):
        answered_or_refused(asked)
