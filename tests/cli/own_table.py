"""A small table, for what is typed about one."""

from pathlib import Path

import pandas as pd

from tables.records import table
from tacit.tables.table import Table

FRAME = pd.DataFrame(
    {"patient": ["a", "b"], "ward": ["A, new", None], "room": [1, 2], "late": [True, False]}
).assign(days=1.5)


def own_table(folder: Path) -> Table:
    """Of two rows."""
    return table(FRAME, folder)
