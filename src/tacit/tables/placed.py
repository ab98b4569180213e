"""One row of each person, as the places of its values in a domain: for tables that noise is put on.

Which row that is, a digest decides, as wherever rows of a person are too many. A value that nobody
declared has no place; what becomes of such a row is for those to say who ask, as of any record.

Of a few declared values an engine tries one after the other; many are looked up (`looked_up`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from jaxtyping import Float32, Int32, Int64

from tacit.accounting.guarantee import PERSON
from tacit.contribution.contrasts import NOWHERE
from tacit.queries.attributes import Attribute, Cells
from tacit.queries.binned import Binned
from tacit.queries.domain import Domain
from tacit.tables.bins import NumberBins
from tacit.tables.keys import Key, Places
from tacit.tables.language import ibis
from tacit.tables.looked_up import LookedUp
from tacit.tables.rowwise import number

if TYPE_CHECKING:
    from tacit.tables.table import Table

# Values up to which trying each of them takes no longer than a table beside the rows.
FEW = 64


@final
@dataclass(frozen=True)
class PlaceColumn:
    """The number of a row's kind among declared ones; -1 for none, which lacks nothing."""

    kinds: Places
    numbers: int = 1

    def whole(self, rows: Any) -> Any:
        return self.kinds.place(rows).fill_null(NOWHERE)

    def features(self, whole: Int64[np.ndarray, " rows"]) -> Float32[np.ndarray, "rows numbers"]:
        return whole.astype(np.float32)[:, None]

    def targets(self, whole: Int64[np.ndarray, " rows"]) -> Int32[np.ndarray, " rows"]:
        return whole.astype(np.int32)


@final
@dataclass(frozen=True)
class BinsOrNone:
    """The bins of a number, and after them one of rows without a number."""

    bins: NumberBins

    @property
    def labels(self) -> list[str]:
        return [*self.bins.labels, str(None)]

    def place(self, rows: Any) -> Any:
        own = number(rows, self.bins.number)
        last = ibis().literal(len(self.bins.labels), "int64")
        return ibis().ifelse(own.isnull() | own.isnan(), last, self.bins.place(rows))


def placed(table: "Table", name: str, attribute: Attribute) -> tuple["Table", PlaceColumn]:
    """The places of a column's values in what a domain declares of it, and the table to read.

    Raises:
      ValueError: if it is declared as what an engine is not asked for, or the column is missing.
    """
    if isinstance(attribute, Binned):
        bins = NumberBins(name, attribute.ends)
        return table, PlaceColumn(BinsOrNone(bins) if attribute.missing else bins)
    key = Key.of(name, attribute.labels)
    if len(key.values) <= FEW:
        return table, PlaceColumn(key)
    table, kinds = LookedUp.beside(table, key)
    return table, PlaceColumn(kinds)


def cells_of(table: "Table", domain: Domain) -> Cells:
    """The cell of each person's row in each column.

    Raises:
      ValueError: if a row is not a person's, or a column is missing or of another type.
      EngineError: if the engine stops.
    """
    unit = table.whose.unit
    if unit != PERSON:
        raise ValueError(
            "marginal tables and synthetic rows are of one record a person, and a row of this "
            f"table is a {unit}'s"
        )
    columns = []
    for name, attribute in domain.attributes:
        table, column = placed(table, name, attribute)
        columns.append(column)
    return np.asarray(table.arrays(columns, at_most=1).data).astype(np.int32)
