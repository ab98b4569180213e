"""A tree of pairs: rows whose columns depend on one another along a spanning tree, and no further.

Of all laws that factor along a tree of columns,

    p(x) = p_root(x_root) * product over its edges (i, j) of p_j|i(x_j | x_i),

the one nearest to a given law in divergence has that law's own pairs on the edges, and the best
tree is the one whose edges have the most mutual information in sum: a maximum spanning tree (Chow
and Liu). So nothing is searched, and the law is exact on the tree: that is what a general graphical
model is estimated for, by belief propagation, and a tree of pairs has in closed form.

Pairs that come of noise do not agree in the columns they share. Each edge's table is brought to the
single columns' shares by iterative proportional fitting (Deming and Stephan), which keeps what ties
the two; then all agree, or nearly, where noise left cells empty that columns need. Rows are drawn
down the tree by quota. A pair off the tree is what the path between the two makes of it.

References:
    Chow and Liu 1968, "Approximating discrete probability distributions with dependence trees".
    Deming and Stephan 1940, "On a least squares adjustment of a sampled frequency table when the
        expected marginal totals are known".
    McKenna, Sheldon and Miklau 2019, "Graphical-model based estimation and inference for
        differential privacy" (private-PGM).
    McKenna, Miklau and Sheldon 2021, "Winning the NIST contest: a scalable and general approach to
        differentially private synthetic data" (MST: the tree measured once it is chosen).
"""

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import final

import numpy as np
from jaxtyping import Float, Int64

from tacit.queries.closure import Set
from tacit.synthesis.mixture import quota
from tacit.synthesis.pairs import Pairs, Shares

Table = Float[np.ndarray, "first second"]
# Of each edge, parent first: parents are of an earlier edge's, or the root.
Edges = tuple[Set, ...]

# Turns of proportional fitting, which converges geometrically where no cell is empty.
_FITTINGS = 200
# Of independent columns, in every table: what noise left out may come back as the columns ask.
_INDEPENDENT = 1e-6


@final
@dataclass(frozen=True, eq=False)
class PairTree:
    """Shares of every column, and of the pairs along a tree.

    Args:
      shares: of each column.
      edges: from the root on, parents first; none for a single column.
      tables: of each edge, which agree with `shares`.
    """

    shares: tuple[Shares, ...]
    edges: Edges
    tables: tuple[Table, ...]

    def pair(self, columns: Set) -> Table:
        """The shares of a pair of columns: along the path between them."""
        first, second = columns
        path = self._path(first, second)
        steps = [self._given(*step) for step in pairwise(path)]
        return reduce(np.matmul, steps, np.diag(self.shares[first]))

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        """So many rows: the root's values in its shares, and of each value's rows the next
        column's in the shares that go with it."""
        found = np.zeros((many, len(self.shares)), np.int64)
        root = self.edges[0][0] if self.edges else 0
        found[:, root] = quota(self.shares[root], many, rng)
        for parent, child in self.edges:
            given = self._given(parent, child)
            for value in np.unique(found[:, parent]):
                those = found[:, parent] == value
                found[those, child] = quota(given[value], int(those.sum()), rng)
        return found

    def _given(self, parent: int, child: int) -> Table:
        """The shares of one column's values for each value of a neighbour's; those of all rows
        where nobody has that value."""
        table = self._table(parent, child)
        whole = table.sum(1, keepdims=True)
        own = np.broadcast_to(self.shares[child], table.shape)
        return np.divide(table, whole, out=own.copy(), where=whole > 0)

    def _table(self, first: int, second: int) -> Table:
        known = dict(zip(self.edges, self.tables, strict=True))
        return known[first, second] if (first, second) in known else known[second, first].T

    def _path(self, first: int, second: int) -> list[int]:
        one, other = self._upwards(first), self._upwards(second)
        joint = next(column for column in one if column in other)
        return one[: one.index(joint) + 1] + other[: other.index(joint)][::-1]

    def _upwards(self, column: int) -> list[int]:
        """To the root."""
        parents = {child: parent for parent, child in self.edges}
        found = [column]
        while found[-1] in parents:
            found.append(parents[found[-1]])
        return found


def tree_of(sizes: tuple[int, ...], pairs: Pairs, shares: list[Shares]) -> PairTree:
    """The tree of pairs that are tied most, brought to these shares of single columns.

    Args:
      sizes: how many categories each column has.
      pairs: all pairs' shares.
      shares: of each column.
    """
    edges = spanning(len(sizes), {pair: tied(table) for pair, table in pairs.items()})
    tables = [_along(pairs, *edge) for edge in edges]
    agreed = [
        proportional(table, shares[parent], shares[child])
        for table, (parent, child) in zip(tables, edges, strict=True)
    ]
    return PairTree(tuple(shares), edges, tuple(agreed))


def _along(pairs: Pairs, parent: int, child: int) -> Table:
    return pairs[parent, child] if parent < child else pairs[child, parent].T


def tied(table: Table) -> float:
    """The mutual information of a pair, in nats."""
    independent = np.outer(table.sum(1), table.sum(0))
    there = table > 0
    return float((table[there] * np.log(table[there] / independent[there])).sum())


def spanning(columns: int, ties: dict[Set, float]) -> Edges:
    """The spanning tree of most ties in sum, from the first column on (Prim)."""
    inside, edges = [0], []
    while len(inside) < columns:
        outside = [each for each in range(columns) if each not in inside]
        reached = [(parent, child) for parent in inside for child in outside]
        best = max(reached, key=lambda edge: ties[min(edge), max(edge)])
        edges.append(best)
        inside.append(best[1])
    return tuple(edges)


def proportional(table: Table, first: Shares, second: Shares) -> Table:
    """The table with these single columns that keeps most of what ties the two."""
    found = (1 - _INDEPENDENT) * table + _INDEPENDENT * np.outer(first, second)
    for _ in range(_FITTINGS):
        found = found * _over(second, found.sum(0))
        found = found * _over(first, found.sum(1))[:, None]
    return found


def _over(wanted: Shares, found: Shares) -> Shares:
    return np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
