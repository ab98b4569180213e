"""Conditions in SQL beside an engine that runs their text."""

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from tables.records import table, visits
from tacit import Table
from tacit.tables.rowwise import condition


def frame() -> pd.DataFrame:
    """Every row somebody's; some without days, sex, ward or a date."""
    own = visits(80, 1000, seed=3).assign(many=range(80), long=lambda x: x.days > 2)
    own["day"] = pd.Timestamp("2026-01-30 22:00") + pd.to_timedelta(own.many * 7, unit="h")
    own["code"] = ["7", "many", "-1", None] * 20
    own.loc[own.many % 9 == 0, "day"] = pd.NaT
    return own


def both(folder: Path) -> tuple[Table, Any]:
    """A table, and the same for an engine that is asked by text."""
    own = table(frame(), folder)
    return own, own.rows.to_pyarrow()


def kept(own: Table, text: str) -> list[int]:
    """The rows that a condition keeps here."""
    asked = own.sql(f"SELECT COUNT(*) FROM v WHERE {text}", rows_per_person=9).table
    rows = asked.rows.filter(condition(asked.rows, asked.conditions[0]))
    return sorted(rows.many.to_pyarrow().to_pylist())


def kept_by_engine(rows: Any, text: str) -> list[int]:
    """And there, where nothing stands between the text and the rows."""
    found = duckdb.sql(f"SELECT many FROM rows AS v WHERE {text}").fetchall()
    return sorted(many for (many,) in found)
