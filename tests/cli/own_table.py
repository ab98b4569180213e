"""A small table, for what is typed about one."""

from datetime import date
from pathlib import Path

import pandas as pd

from tables.records import table
from tacit.tables.table import Table

FRAME = pd.DataFrame(
    {"patient": ["a", "b"], "ward": ["A, new", None], "late": [True, False]}
).assign(days=1.5, room=pd.array([1, 2], "Int64"), day=[date(2026, 1, 31), None])
FRAME["time"] = pd.to_datetime(FRAME["day"])


def own_table(folder: Path) -> Table:
    """Of two rows."""
    return table(FRAME, folder)
