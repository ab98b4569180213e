"""What has to be the same in every engine, of the same rows: to the last digit, before noise."""

from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import jax
import numpy as np
import pyarrow as pa

from tables.records import some, table, visits
from tacit import Table, tables
from tacit.tables.engine import rows_of, sums_of, units_in
from tacit.tables.rowwise import number

CAPS = [
    {"rows_per_person": 4, "groups_per_person": 2},
    {"rows_per_person": 3},
    {"groups_per_person": 1, "rows_per_group": 2},
]


def stays(rows: int) -> pa.Table:
    """Visits of some people, as Arrow has them: a text that is missing is missing everywhere."""
    frame = visits(rows, 120, seed=11)
    return rows_of(frame.assign(long=frame.days > 2)).to_pyarrow()


def kinds(rows: int) -> pa.Table:
    """Columns of every type, of people who are numbers; some are missing."""
    rng, start = np.random.default_rng(0), datetime(2020, 1, 1)
    cents = [Decimal(int(x)).scaleb(-2) for x in rng.integers(-(10**6), 10**6, rows)]
    times = [start + timedelta(seconds=int(x)) for x in rng.integers(-(10**9), 10**8, rows)]
    words = rng.choice(np.array(["", " ä", "Straße", "it's", "a|b", "%x", None], object), rows)
    return pa.table(
        {
            "patient": pa.array(rng.integers(-(2**62), 2**62, 60)[rng.integers(0, 60, rows)]),
            "well": pa.array(rng.choice(np.array([True, False, None], object), rows).tolist()),
            "single": pa.array((rng.random(rows) * 100).astype(np.float32)),
            "price": pa.array(cents, pa.decimal128(12, 2)),
            "big": pa.array(rng.integers(-(2**62), 2**62, rows)),
            "small": pa.array(rng.integers(-100, 100, rows).astype(np.int8)),
            "day": pa.array([each.date() for each in times]),
            "at": pa.array(times, pa.timestamp("us")),
            "text": pa.array(words.tolist()),
        }
    )


def expressions() -> list[Any]:
    """Numbers of one row, of columns of every type, with fractions that binary has no end for."""
    row, third = ibis._, ibis.literal(1.0) / 3
    of_numbers = [row.single * 0.1 + 0.2, row.single / 7, row.single.clip(0.1, 7.7), row.price / 3]
    of_numbers += [row.price * row.price, row.big / 7, row.small * third, row.small * row.small]
    chosen = [ibis.cases((row.small > 0, 0.1), else_=1.0 / 3), ibis.greatest(row.single, 0.1)]
    chosen += [ibis.ifelse(row.well, row.price, 0.30000000000000004), row.single * 0.1 > 2.3]
    dates = [row.day.day_of_week.index(), row.day.week_of_year(), row["at"].hour()]
    return [*of_numbers, *chosen, *dates, row.text.length(), row.text.lower() == "straße"]


def numbers_are_alike(one: Any, other: Any) -> None:
    """Each expression's, of all rows of `kinds`."""
    named = {f"x{i}": number(one, each) for i, each in enumerate(expressions())}
    theirs = {f"x{i}": number(other, each) for i, each in enumerate(expressions())}
    found = [one.select(**named).to_pyarrow(), other.select(**theirs).to_pyarrow()]
    for each in named:
        first, second = (Counter(x[each].to_pandas().fillna(-77.0).tolist()) for x in found)
        assert first == second and len(first) > 1, each


def sums_are_alike(one: Any, other: Any, folder: Path, *names: str) -> None:
    """Of every aggregate, or these, of `stays`, under caps of every kind; none is empty."""
    for caps in CAPS:
        own = table(one, folder).where(ibis._.days / 2 < 400).by(ward=["A", "B", None])
        ask = own.ask(**caps, **some(*names))
        found = [sums_of(ask.statement, rows, ask._cells)[0] for rows in (one, other)]
        assert all(map(np.array_equal, *found)) and all(each.any() for each in found[0])


def arrays_are_alike(one: Any, other: Any, folder: Path) -> None:
    """People of `stays`, their records and their order."""
    features = [tables.number("days", 0, 30), tables.category("ward", ["A", "B", "C"])]
    sex = tables.category("sex", ["f", "m"])
    found = [table(x, folder).arrays(features, sex, at_most=3).data for x in (one, other)]

    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, *found)))


def units_are_alike(one: Any, other: Any, folder: Path) -> None:
    """Of `kinds`: as many, and the same rows of each that count."""
    own = [
        Table(x, ("patient", "day", "text"), "patients", folder / "people.db") for x in (one, other)
    ]
    asked = {"n": tables.count(), "sum": tables.total("small", -100, 100), "rows_per_person": 1}
    first, second = (each.ask(**asked) for each in own)

    assert units_in(one, own[0].whose) == units_in(other, own[1].whose)
    assert all(
        map(
            np.array_equal,
            sums_of(first.statement, one, first._cells)[0],
            sums_of(second.statement, other, second._cells)[0],
        )
    )
