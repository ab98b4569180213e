"""Histograms: how many rows have each of declared values, or lie in each of public bins.

Values and bins are declared: which values turn up is about people. A row that has none of them, or
no value at all, gives nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from tacit.argument import got, is_number
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.server.reach import noise_reach
from tacit.tables.asked import Found, Noisy, OneOf, limited
from tacit.tables.caps import Caps
from tacit.tables.counted import counts
from tacit.tables.keys import Key, refuse_alike, told
from tacit.tables.language import exactly, ibis
from tacit.tables.rowwise import Said, number, said
from tacit.tables.words import column_in_words

# Each is a case in the question to the engine.
MOST_BINS = 1024


@final
@dataclass(frozen=True)
class NumberBins:
    """The bins of a number: from each edge to below the next; the last edge is in the last bin."""

    number: Said
    edges: tuple[float, ...]

    def __post_init__(self):
        said(self.number)
        rising = all(map(is_number, self.edges)) and all(
            a < b for a, b in zip(self.edges, self.edges[1:], strict=False)
        )
        if not (3 <= len(self.edges) <= MOST_BINS + 1 and rising):
            raise ValueError("bins need at least three rising edges, e.g. bins=[0, 18, 65, 120]")

    @property
    def labels(self) -> list[str]:
        pairs = zip(self.edges, self.edges[1:], strict=False)
        return [f"{written(low)} to {written(high)}" for low, high in pairs]

    @property
    def words(self) -> str:
        """To be in one of them."""
        return f"lie in each of {len(self.labels):,} bins of {column_in_words(self.number)}"

    def place(self, rows: Any) -> Any:
        """The number of each row's bin; missing where it is in none."""
        own = number(rows, self.number)
        first, *inner, end = map(exactly, self.edges)
        within = (own >= first) & (own <= end) & ~own.isnan()
        return ibis().ifelse(within, _between(own, inner, 0), None).cast("int64")


def _between(own: Any, edges: list[Any], below: int) -> Any:
    """How many of these rising edges a number has reached, and so many more: by halves, so that a
    row is compared with few of them."""
    if not edges:
        return ibis().literal(below, "int64")
    half = len(edges) // 2
    left = _between(own, edges[:half], below)
    right = _between(own, edges[half + 1 :], below + half + 1)
    return ibis().ifelse(own < edges[half], left, right)


@final
@dataclass(frozen=True)
class ColumnHistogram:
    """How many rows there are of each kind."""

    kinds: NumberBins | Key

    def __post_init__(self):
        refuse_alike(self.kinds.labels)

    @property
    def columns(self) -> Mapping[str, Any]:
        return {"kind": self.kinds.place}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return [OneOf(row["kind"], len(self.kinds.labels))]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return caps.counts(len(self.kinds.labels) * groups)

    @property
    def words(self) -> str:
        return f"how many rows {self.kinds.words}"

    @property
    def behind(self) -> list[str]:
        return limited(*self._ending)

    def read(self, noisy: Noisy) -> dict[str, Found]:
        far = noisy.reach()
        each = zip(self._ending, noisy.cells.T, strict=True)
        return {ending: counts(cells, far) for ending, cells in each}

    def width(self, noise: Server, chance: float) -> str:
        return f"± {noise_reach(noise, chance):,.4g} rows"

    @property
    def _ending(self) -> list[str]:
        """Of each kind's number."""
        return [f"[{label}]" for label in self.kinds.labels]


def written(edge: float) -> str:
    """A number as short as tells it from all others."""
    return repr(float(edge)).removesuffix(".0")


def binned(column: Said, edges: Sequence[float]) -> NumberBins:
    """The bins of a number as a key, for `Table.by`.

    Args:
      column: its name, or an expression of one row.
      edges: at least three, rising; each bin is from its edge to below the next, and the last one
        has its upper edge, too. Rows beyond the edges are in no group.
    """
    return NumberBins(column, told(edges))


def histogram(
    column: Said,
    *,
    categories: Sequence[Any] | None = None,
    bins: Sequence[float] | None = None,
) -> ColumnHistogram:
    """How many rows have each declared value of a column, or lie in each bin.

    Args:
      column: its name; with bins, an expression of one row may stand for it.
      categories: the values, at least two.
      bins: the edges, at least three, rising; as of `binned`. Rows beyond them are in no bin.
    """
    if (categories is None) == (bins is None):
        raise ValueError("say either categories=[...] or bins=[...]")
    if bins is not None:
        return ColumnHistogram(NumberBins(column, told(bins)))
    key = Key.of(column, categories)
    if not len(key.values) >= 2:
        raise ValueError(f"a histogram needs at least two categories, got {got(categories)}")
    return ColumnHistogram(key)
