"""One table of marginals: estimates and limits of each cell, as arrays, a DataFrame, and lines."""

import math
from collections.abc import Container
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Real

from tacit.page import WIDTH
from tacit.queries.closure import Set
from tacit.queries.domain import Domain

# So many tables are printed, and cells of each.
SHOWN, _CELLS = 4, 4
# Around a cell's words, and before its limits.
_BLANKS = 7


class MarginalTable(NamedTuple):
    """One table: estimates in people, whole numbers where they are made so; limits of each cell."""

    estimates: Real[np.ndarray, "*sizes"]
    low: Float[np.ndarray, "*sizes"]
    high: Float[np.ndarray, "*sizes"]


def frame_of(domain: Domain, places: Set, table: MarginalTable) -> Any:
    """A DataFrame with a row for each cell, of the columns of these numbers."""
    import pandas as pd

    labels = [domain.attributes[i][1].labels for i in places]
    index = pd.MultiIndex.from_product(labels, names=[domain.names[i] for i in places])
    found = {name: each.ravel() for name, each in table._asdict().items()}
    named = found | {"people": found.pop("estimates")}
    return pd.DataFrame(named, index)[["people", "low", "high"]].reset_index()


def first_cells(domain: Domain, places: Set, table: MarginalTable) -> list[str]:
    """The columns of a table and its first cells, in lines of at most 80 columns.

    Limits are rounded outwards.
    """
    names = " x ".join(domain.names[i] for i in places)
    words = product(*(domain.attributes[i][1].labels for i in places))
    cells = [", ".join(map(_said, own)) for own in islice(words, _CELLS)]
    more = table.estimates.size - len(cells)
    rest = [f"  ... and {more:,} more"] if more else []
    return [_cut(names, WIDTH), *_aligned(cells, table), *rest]


def _aligned(cells: list[str], table: MarginalTable) -> list[str]:
    """Words, estimates and limits of the first cells below one another."""
    found, low, high = (each.ravel()[: len(cells)].tolist() for each in table)
    digits = 0 if np.issubdtype(table.estimates.dtype, np.integer) else 1
    numbers = [f"{each:,.{digits}f}" for each in found]
    limits = [
        f"{math.floor(10 * least) / 10:,.1f} to {math.ceil(10 * most) / 10:,.1f}"
        for least, most in zip(low, high, strict=True)
    ]
    wide = max(map(len, numbers))
    room = WIDTH - wide - max(map(len, limits)) - _BLANKS
    left = min(room, max(map(len, cells)))
    rows = zip(cells, numbers, limits, strict=True)
    return [
        f"  {_cut(word, left):<{left}}  {number:>{wide}}   {limit}" for word, number, limit in rows
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _said(label: Any) -> str:
    """A label in one line."""
    return "none" if label is None else " ".join(str(label).split())


def places_of(domain: Domain, columns: tuple[str, ...], asked: Container[Set]) -> Set:
    """The numbers of the columns of a table, rising.

    Args:
      asked: the tables there are.

    Raises:
      ValueError: if they are part of no table that was asked for.
    """
    places = domain.places(columns)
    if places not in asked:
        raise ValueError(
            f"no table that was asked for has the columns {', '.join(columns)} together"
        )
    return places
