"""Counts of many rows, by an engine that sums in floats: in half precision, of which few rows are
enough to lose whole numbers.

From 2,048 on such numbers are two apart: one person's row makes 2,048 of 2,049 rows 2,050, twice as
far as it was charged for. In single precision it is the same from 2^24 on.
"""

from dataclasses import dataclass
from typing import Any, final

import ibis
import numpy as np

from audits.engines import DAYS, TRUST, Asking, row_of
from tacit.tables import counted
from tacit.tables.ask import Ask
from tacit.tables.open_keys import Keys
from tacit.tables.statement import Statement
from tacit.trust.central import Central


@final
@dataclass(frozen=True)
class InHalves:
    """A statement whose sums an engine holds in half precision."""

    statement: Statement

    @property
    def keys(self) -> Keys:
        return self.statement.keys

    @property
    def digest(self) -> str:
        return self.statement.digest

    def of(self, rows: Any) -> Any:
        """Read at once."""
        found = self.statement.of(rows).to_pyarrow().to_pandas()
        cells = [name for name in found if name.startswith("cell")]
        halves = found[cells].astype(np.float16).astype(np.int64)
        return ibis.memtable(found.assign(**halves))


def in_halves(ask: Ask, trust: Central) -> Central:
    """Sums in floats."""
    ask.__dict__["statement"] = InHalves(ask.statement)
    return trust


MANY = Asking(
    TRUST,
    counted.count(),
    {"groups_per_person": 1, "rows_per_group": 1},
    ((0, DAYS),),
    side=16,
    others=2**11 + 1,
)
ROWS = [row_of("count of many", MANY, {"sum in floats": in_halves}, draws=2**13, quick=2**11)]
