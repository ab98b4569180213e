"""A mixture of products: rows of any number of columns that agree with given pairs of columns.

K components, each with its own shares p_k of every column; a row is of a component drawn evenly,
and its columns are independent within it. All pairs of columns are then averages of outer products:
with P the matrix of all components' shares side by side, P'P/K holds every pair's table as a block.
The shares are softmaxes of free numbers, fitted by gradient descent (Adam) to

    sum over pairs and cells of (P'P/K - T)² / sqrt(p p'),

T the pairs to meet and p, p' the columns' own shares: common cells may be off by more than rare
ones. A step is one product of matrices, and memory K times the number of categories, however many
columns there are.

Rows are drawn by quota: each component has its K-th of the rows, each category in it the whole part
of its share of these, the rest by chance, in an order of its own for every column.

References:
    Kingma and Ba 2015, "Adam: a method for stochastic optimization".
"""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import final

import numpy as np
from jaxtyping import Float, Int64

from tacit.queries.closure import Set
from tacit.synthesis.pairs import Pairs, Shares

# Unless stated: more of either meet pairs more closely, in as much more time.
COMPONENTS, STEPS = 300, 300
# Adam's, as published but for its rate, which is larger: gradients have no noise.
_RATE, _FIRST, _SECOND, _TINY = 0.1, 0.9, 0.999, 1e-8
# A share that weights do not grow beyond.
_LEAST = 1e-4

Numbers = Float[np.ndarray, "components categories"]


@final
@dataclass(frozen=True, eq=False)
class ProductMixture:
    """Shares of every column in each component.

    Args:
      sizes: how many categories each column has.
      shares: a row for each component, columns side by side.
    """

    sizes: tuple[int, ...]
    shares: Numbers

    def pair(self, columns: Set) -> Float[np.ndarray, "first second"]:
        """The shares of a pair of columns."""
        first, second = (self.shares[:, part] for part in self._parts(columns))
        return first.T @ second / len(self.shares)

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        """So many rows, in an order that says nothing of their components."""
        each = np.full(len(self.shares), many // len(self.shares))
        each[rng.permutation(len(each))[: many % len(each)]] += 1
        drawn = [
            self._component(own, count, rng) for own, count in zip(self.shares, each, strict=True)
        ]
        return rng.permutation(np.concatenate(drawn))

    def _component(
        self, shares: Float[np.ndarray, " categories"], many: int, rng: np.random.Generator
    ) -> Int64[np.ndarray, "rows columns"]:
        parts = self._parts(tuple(range(len(self.sizes))))
        columns = [quota(shares[part], many, rng) for part in parts]
        return np.stack(columns, axis=1)

    def _parts(self, columns: Set) -> list[slice]:
        ends = [0, *accumulate(self.sizes)]
        parts = [slice(*each) for each in pairwise(ends)]
        return [parts[i] for i in columns]


def quota(
    shares: Float[np.ndarray, " categories"], many: int, rng: np.random.Generator
) -> Int64[np.ndarray, " rows"]:
    """So many categories, as nearly in these shares as whole numbers can be, in any order."""
    places = (np.arange(many) + rng.random()) / max(many, 1)
    ends = np.cumsum(shares)
    drawn = np.searchsorted(ends / ends[-1], places, "right")
    return rng.permutation(np.minimum(drawn, len(shares) - 1))


def fitted(
    sizes: tuple[int, ...],
    pairs: Pairs,
    shares: list[Shares],
    rng: np.random.Generator,
    *,
    components: int = COMPONENTS,
    steps: int = STEPS,
) -> ProductMixture:
    """A mixture whose pairs are near to these: after so many steps of Adam."""
    target, weights = _side_by_side(sizes, pairs, shares)
    logs = np.log(np.maximum(np.concatenate(shares), _LEAST))
    free = logs + rng.normal(size=(components, len(logs)))
    first, second = np.zeros_like(free), np.zeros_like(free)
    for step in range(1, steps + 1):
        own = _softmaxes(free, sizes)
        off = weights * (own.T @ own / components - target)
        slope = _through(own, own @ off, sizes)
        first = _FIRST * first + (1 - _FIRST) * slope
        second = _SECOND * second + (1 - _SECOND) * slope**2
        move = first / (1 - _FIRST**step)
        free -= _RATE * move / (np.sqrt(second / (1 - _SECOND**step)) + _TINY)
    return ProductMixture(sizes, _softmaxes(free, sizes))


def _side_by_side(
    sizes: tuple[int, ...], pairs: Pairs, shares: list[Shares]
) -> tuple[Float[np.ndarray, "all all"], Float[np.ndarray, "all all"]]:
    """The pairs as blocks of one symmetric matrix, and what each cell's square counts."""
    ends = [0, *accumulate(sizes)]
    target, weights = (np.zeros((ends[-1], ends[-1])) for _ in range(2))
    for (i, j), table in pairs.items():
        rows, columns = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        own = np.outer(np.maximum(shares[i], _LEAST), np.maximum(shares[j], _LEAST)) ** -0.5
        target[rows, columns], target[columns, rows] = table, table.T
        weights[rows, columns], weights[columns, rows] = own, own.T
    return target, weights


def _softmaxes(free: Numbers, sizes: tuple[int, ...]) -> Numbers:
    """Column by column."""
    starts = np.array([0, *accumulate(sizes)][:-1])
    most = np.repeat(np.maximum.reduceat(free, starts, axis=1), sizes, axis=1)
    raised = np.exp(free - most)
    return raised / np.repeat(np.add.reduceat(raised, starts, axis=1), sizes, axis=1)


def _through(own: Numbers, slope: Numbers, sizes: tuple[int, ...]) -> Numbers:
    """A slope in the shares as one in the free numbers."""
    starts = np.array([0, *accumulate(sizes)][:-1])
    along = np.repeat(np.add.reduceat(own * slope, starts, axis=1), sizes, axis=1)
    return own * (slope - along)
