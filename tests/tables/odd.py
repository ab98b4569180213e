"""Arguments that somebody might give by mistake, beside some that are right."""

from datetime import date
from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tacit import tables

SECRET = "Zacharias-7319"
# What no message may hold: somebody's name, number, date or note.
SECRETS = "Zacharias", "7319", "1931"
ROW = ibis._
_PLAIN = [None, True, 0, 1, -1, 3, 0.5, float("nan"), float("inf"), 10**400, 2**63, 1e308, 1j]
_WORDS = ["", "days", "ward", "shoe", "long", "day", "note", b"days", "da\nys", "'; DROP TABLE v"]
_SEVERAL = [[], (), {}, [1, 2, 3], [3, 2, 1], [1, 1], ["A", "B"], ["A", None], [None], [1, "A"]]
_SEVERAL += [[0, 10, 30], [float("nan"), 1.0], {"days": (0, 30)}, {1: 2}, [0.5], [True, False]]
_THINGS = [np.array([1, 2, 3]), np.array(["A", "B"]), np.float64(0.5), np.datetime64("2026-01-01")]
_THINGS += [pd.NA, pd.NaT, pd.Series([1, 2]), pd.DataFrame({"a": [1]}), Decimal("1.5"), range(5)]
_THINGS += [date(2026, 1, 1), int, pd.DataFrame, tables.count, tables.count(), lambda x: x]
_THINGS += [
    tables.binned("days", [0, 1, 2]),
    tables.number("days", 0, 1),
    tables.undeclared("ward"),
]
_ROWS = [ROW, ROW.days, ROW.shoe, ROW["a b"], ROW.days > 1, ROW.days / 0, ROW.days / ROW.age]
_ROWS += [ROW.ward + 1, ROW.days.mean() > 1, ROW.days.cumsum(), ROW.count(), ibis.random()]
_ROWS += [ROW.note.cast("int64"), ROW.note.try_cast("float64"), ROW.days.log(), ROW.day.month()]
_ROWS += [ROW.age * 10**18 * 10**18, ROW.ward.isin(["A", 1]), ROW.ward.isin([]), ibis.null()]
_ROWS += [ibis.literal(3), ROW.note.substr(ROW.age, 2), ROW.ward.re_search("a"), ~ROW.long]

ODD: st.SearchStrategy[Any] = st.sampled_from([*_PLAIN, *_WORDS, *_SEVERAL, *_THINGS, *_ROWS])


def or_odd(*usual: Any) -> st.SearchStrategy[Any]:
    """One of these, more often than not."""
    return st.one_of(st.sampled_from(usual), st.sampled_from(usual), ODD)


def visits() -> pd.DataFrame:
    """Of somebody whose name, days, date and note nobody may read in a message."""
    return pd.DataFrame(
        {
            "patient": [SECRET, "b", "c"] * 3,
            "ward": ["A", "B", None] * 3,
            "days": [73190.25, 2.0, None] * 3,
            "age": [7319, 4, 5] * 3,
            "long": pd.array([True, False, None] * 3, "boolean"),
            "day": pd.to_datetime(["1931-07-19", "2026-01-02", None] * 3),
            "note": ["7319-x", "1", None] * 3,
        }
    )
