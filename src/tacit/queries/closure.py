"""Which tables marginals are made of, how loudly each is asked for, and with what error.

The *closure* of some sets of attributes has all their subsets: their contrasts give all their
tables (`contribution.contrasts`). With noise of variance s_A on the contrasts of A, brought to the
length sqrt(p_A), p_A = prod_(i in A) (1 - 1/n_i), that one record has, the table of B has in each
cell the variance

    sum over A in B of s_A p_A / prod_(j in B - A) n_j².

What all records' sums move by is sum p_A / s_A, held at one. The sum of w_B times the variances of
all cells of B, over the tables asked for, is sum c_A s_A, and the best s_A is sqrt(p_A / c_A) times
C = sum sqrt(p_A c_A); the sum is then C². No Gaussian noise does better: it is the singular value
bound of these queries.

Weights are whole numbers, proportional nearly to what the noise's law asks (`weighting`).

References:
    Xiao, He, Zhang and Kifer 2023, "An optimal and scalable matrix mechanism for noisy marginals
        under convex loss functions" (ResidualPlanner), section 5.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.contribution.contrasts import Contrasts, contrasts, most_weight
from tacit.queries.weighting import ForGaussian, Weighting, lengths_of, moved_by

_LEAST = ForGaussian()

Set = tuple[int, ...]
Blocks = dict[Set, Float[np.ndarray, "*rows"]]


def subsets(attributes: Set) -> list[Set]:
    """All subsets, of no attributes first."""
    return list(
        chain.from_iterable(combinations(attributes, many) for many in range(len(attributes) + 1))
    )


@final
@dataclass(frozen=True)
class Tables:
    """Marginal tables asked for together.

    Args:
      sizes: how many categories each attribute has.
      sets: the attributes of each table, by number, rising.
      importance: of each table's squared error, summed over its cells.
      weighting: how loudly each set's contrasts are heard.
    """

    sizes: tuple[int, ...]
    sets: tuple[Set, ...]
    importance: tuple[float, ...]
    weighting: Weighting = _LEAST

    @cached_property
    def closure(self) -> tuple[Set, ...]:
        """All subsets of the sets, small ones first."""
        found = set(chain.from_iterable(map(subsets, self.sets)))
        return tuple(sorted(found, key=lambda each: (len(each), each)))

    @property
    def cells(self) -> int:
        """Of all tables."""
        return sum(cells_of(self.sizes, self.sets))

    def moved(self, attributes: Set) -> float:
        """p_A."""
        return moved_by(self._sizes(attributes))

    def _sizes(self, attributes: Set) -> tuple[int, ...]:
        return tuple(self.sizes[i] for i in attributes)

    @cached_property
    def _costs(self) -> dict[Set, float]:
        """c_A, of every set of the closure."""
        found = dict.fromkeys(self.closure, 0.0)
        for table, weight in zip(self.sets, self.importance, strict=True):
            cells = math.prod(self.sizes[i] for i in table)
            for own in subsets(table):
                found[own] += weight * cells * self.moved(own) / self._others(table, own)
        return found

    @cached_property
    def least(self) -> float:
        """The least weighted sum of variances, for sums that one record moves by one: C²."""
        return sum(math.sqrt(self.moved(a) * c) for a, c in self._costs.items()) ** 2

    def least_variances(self) -> Float[np.ndarray, " tables"]:
        """Of each table's cells, on average, with the weights of its rule, before these are made
        whole: for sums that one record moves by one in the norm of the rule's noise."""
        loud = np.array([self._loud[each] for each in self.closure])
        sizes = list(map(self._sizes, self.closure))
        whole = self.weighting.moved(sizes, loud)
        heard = loud * np.array(list(map(lengths_of, sizes)))
        each = np.divide(whole, heard, out=np.zeros_like(heard), where=heard > 0) ** 2
        noise = dict(zip(self.closure, each, strict=True))

        def variance(table: Set) -> float:
            return math.fsum(
                noise[own] * self.moved(own) / self._others(table, own) for own in subsets(table)
            )

        return np.array(list(map(variance, self.sets)))

    def _others(self, table: Set, own: Set) -> int:
        """The square of how many cells the rest of a table's attributes have."""
        return math.prod(self.sizes[j] ** 2 for j in table if j not in own)

    @cached_property
    def _loud(self) -> dict[Set, float]:
        """What weights are proportional to, of every set of the closure."""
        rule = self.weighting.loudness
        return {each: rule(self._sizes(each), self._costs[each]) for each in self.closure}

    @cached_property
    def shape(self) -> Contrasts:
        """The contrasts to ask for, with their weights."""
        loud = self._loud
        unit = min(most_weight(each) / own for each, own in loud.items() if own > 0)
        weights = [max(1, round(unit * loud[each])) for each in self.closure]
        return Contrasts(self.sizes, self.closure, tuple(weights))

    def split(self, sums: Float[np.ndarray, " numbers"]) -> Blocks:
        """The contrasts of each set, of weight one."""
        found, start = {}, 0
        for each, weight in zip(self.shape.sets, self.shape.weights, strict=True):
            rows = self.shape.rows(each)
            stop = start + math.prod(rows)
            found[each] = sums[start:stop].reshape(rows) / weight
            start = stop
        return found

    def table(self, attributes: Set, blocks: Blocks) -> Float[np.ndarray, "*sizes"]:
        """The table of a set of the closure, of the contrasts of its subsets."""
        whole = np.zeros(tuple(self.sizes[i] for i in attributes))
        for own in subsets(attributes):
            whole[tuple(slice(1, None) if i in own else 0 for i in attributes)] = blocks[own]
        for axis, i in enumerate(attributes):
            inverse = inverse_of(self.sizes[i])
            whole = np.moveaxis(np.tensordot(inverse, whole, (1, axis)), 0, axis)
        return whole

    def variances(self, attributes: Set, deviation: float) -> Float[np.ndarray, "*sizes"]:
        """Of the cells of a table, where each contrast has noise of this deviation."""
        weights = dict(zip(self.shape.sets, self.shape.weights, strict=True))
        found = np.zeros(tuple(self.sizes[i] for i in attributes))
        for own in subsets(attributes):
            share = np.array((deviation / weights[own]) ** 2)
            for i in attributes:
                squares = inverse_of(self.sizes[i]) ** 2
                each = squares[:, 1:].sum(1) if i in own else squares[:, 0]
                share = np.multiply.outer(share, each)
            found += share
        return found

    def largest_weights(self, attributes: Set) -> Float[np.ndarray, " numbers"]:
        """With which a table's cells are sums of noisy contrasts: one by one, in order of size, at
        least those of each of its cells."""
        weights = dict(zip(self.shape.sets, self.shape.weights, strict=True))
        found = []
        for own in subsets(attributes):
            share = np.array(1 / weights[own])
            for i in attributes:
                sizes = np.abs(inverse_of(self.sizes[i]))
                ordered = np.sort(sizes[:, 1:], axis=1) if i in own else sizes[:, :1]
                share = np.multiply.outer(share, ordered.max(0))
            found.append(share.ravel())
        return np.concatenate(found)


def cells_of(sizes: tuple[int, ...], sets: Iterable[Set]) -> list[int]:
    """How many each table has."""
    return [math.prod(sizes[i] for i in each) for each in sets]


@lru_cache(maxsize=256)
def inverse_of(categories: int) -> Float[np.ndarray, "categories categories"]:
    """F^-1 of an attribute of so many categories."""
    return np.linalg.inv(with_ones(categories))


@lru_cache(maxsize=256)
def with_ones(categories: int) -> Float[np.ndarray, "categories categories"]:
    """F of an attribute of so many categories: ones, above its contrasts."""
    return np.vstack([np.ones((1, categories)), contrasts(categories)])
