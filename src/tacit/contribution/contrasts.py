"""What a record of several categories adds to marginal tables, free of what smaller tables tell.

A record is a category x_i of each attribute i, one of n_i. The table of a set A of attributes
counts records by their categories of A. Its *contrasts* are its sums with (x)_(i in A) B_i, where
the n_i - 1 rows of B_i are nearly orthogonal to one another and to the vector of ones: what the
table tells beyond the tables of smaller sets. With the ones as row zero above it, B_i becomes an
invertible F_i, and

    (x)_(i in B) F_i h_B = the contrasts of all A in B, side by side,

so that the contrasts of all subsets give the table of B back, without bias whatever B_i is. Adding
noise to contrasts, and not to tables, is optimal for squared errors where the rows are orthogonal
and alike in length (Xiao et al. 2023): each is paid for once, whatever tables it is a part of.

**Whole numbers.** Row k of B_i is 2^10 cos(pi k (x + 1/2) / n_i), rounded: the cosine transform,
whose rows are orthogonal and of length 2^10 sqrt(n_i / 2), but for rounding. Whatever weight w_A, a
whole number, a set has: sums are whole.

**How far one record moves them.**

1. Adding x moves the contrasts of A by w_A times the product of its columns, of squared length
   w_A² prod_(i in A) |B_i e_(x_i)|².
2. The sum over A is largest where each |B_i e_(x_i)| is, which one record can have in all
   attributes: that is the sensitivity, exactly.
3. Two records are at most twice the longest one apart, but for the number of records, which has the
   set of no attributes and stays; unless one of the two is in no table, as is who is in no declared
   category of some attribute.

References:
    Xiao, He, Zhang and Kifer 2023, "An optimal and scalable matrix mechanism for noisy marginals
        under convex loss functions" (ResidualPlanner).
    Ahmed, Natarajan and Rao 1974, "Discrete cosine transform".
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Int64, Num

from tacit.accounting.relation import Relation
from tacit.argument import got, is_whole, listed
from tacit.noise.fixed import FixedPoint

# Of an entry, which is then within a 2,000th of the cosine.
BITS = 10
# Of an attribute: its matrix has so many squared numbers, 8 MiB.
MOST_CATEGORIES = 2**10
# Of all contrasts together: 128 MiB of 32 bits.
MOST_NUMBERS = 2**25
# Of one record: sums of those of so many stay below 2^63.
MOST_ATTRIBUTES, MOST_IN_ONE, MOST_RECORDS = 3, 2**38, 2**24
NOWHERE = -1


@lru_cache(maxsize=256)
def contrasts(categories: int) -> Int64[np.ndarray, "rows categories"]:
    """B, for an attribute of so many categories."""
    rows, places = np.arange(1, categories)[:, None], np.arange(categories) + 0.5
    return np.rint(2**BITS * np.cos(np.pi / categories * rows * places)).astype(np.int64)


def length_of(categories: int) -> float:
    """Of a row of B, but for rounding."""
    return 2**BITS * math.sqrt(categories / 2)


@final
class Contrasts(eqx.Module):
    """One record of several categories: what it adds to the contrasts of marginal tables.

    **Guarantee**: the sums move by at most `sensitivity` in L2, `l1_sensitivity` in L1.

    Args:
      sizes: how many categories each attribute has.
      sets: of attributes, by number, rising; none twice.
      weights: how loudly each is heard: positive whole numbers, times 2^10 for each attribute of
        the set at most 2^38.
    """

    sizes: tuple[int, ...] = eqx.field(static=True)
    sets: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    weights: tuple[int, ...] = eqx.field(static=True)

    def __check_init__(self):
        _refuse_no_sizes(self.sizes)
        _refuse_no_sets(self.sets, len(self.sizes))
        weights = listed(self.weights) or []
        if not (len(weights) == len(self.sets) and all(map(_heard, weights, self.sets))):
            raise ValueError("weights must be positive whole numbers of a size that sums bear")
        if not math.prod(self.answer_shape) <= MOST_NUMBERS:
            raise ValueError(
                f"tables have at most {MOST_NUMBERS:,} contrasts together, and these have "
                f"{math.prod(self.answer_shape):,}: ask for fewer tables, or coarser categories"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.sizes),)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        # Not by `rows`: a module's own methods cost more than the products.
        lengths = [size - 1 for size in self.sizes]
        return (sum(math.prod([lengths[i] for i in each]) for each in self.sets),)

    @property
    def bound(self) -> float:
        return self.sensitivity(Relation.ADD_REMOVE)

    @property
    def unit(self) -> float:
        return 1.0

    def rows(self, attributes: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a set's contrasts."""
        return tuple(self.sizes[i] - 1 for i in attributes)

    def project(self, terms: Num[Array, "people attributes"]) -> Int32[Array, "people attributes"]:
        whole = jnp.where(terms == jnp.floor(terms), terms, NOWHERE).astype(jnp.int32)
        known = (whole >= 0) & (whole < jnp.array(self.sizes))
        return jnp.where(known.all(axis=1, keepdims=True), whole, NOWHERE)

    def empty(self, grid: Any) -> FixedPoint:
        return FixedPoint.zero(self.answer_shape, grid)

    def add(self, total: FixedPoint, terms: Array, present: Bool[Array, " people"]) -> FixedPoint:
        raise ValueError(
            "contrasts are summed from tables of counts, by tacit.queries.marginals: a person's "
            "own would be as many numbers as all tables have"
        )

    def sums(self, cells: Int32[np.ndarray, "people attributes"]) -> Int64[np.ndarray, " numbers"]:
        """Of these records, exactly; those with a category that is none of an attribute's add
        nothing.

        Raises:
          ValueError: if there are more records than sums have room for.
        """
        if not len(cells) <= MOST_RECORDS:
            raise ValueError(f"contrasts are summed over at most {MOST_RECORDS:,} records")
        known = ((cells >= 0) & (cells < np.array(self.sizes))).all(axis=1)
        kept = cells[known].astype(np.int64)
        parts = zip(self.sets, self.weights, strict=True)
        return np.concatenate([w * self._contrasts(kept, each).ravel() for each, w in parts])

    def sensitivity(self, relation: Relation) -> float:
        most = [int((contrasts(size) ** 2).sum(0).max()) for size in self.sizes]

        def squares(weight: int, attributes: tuple[int, ...]) -> int:
            return weight**2 * math.prod([most[i] for i in attributes])

        one, moving = self._longest(squares)
        squared = max(one, 4 * moving) if relation.people_moved == 2 else one
        return math.nextafter(math.sqrt(squared), math.inf)

    def l1_sensitivity(self, relation: Relation) -> float:
        most = [int(np.abs(contrasts(size)).sum(0).max()) for size in self.sizes]

        def sizes(weight: int, attributes: tuple[int, ...]) -> int:
            return weight * math.prod([most[i] for i in attributes])

        one, moving = self._longest(sizes)
        return float(max(one, 2 * moving) if relation.people_moved == 2 else one)

    def _longest(self, length: Callable[[int, tuple[int, ...]], int]) -> tuple[int, int]:
        """Of one record's sums, at most: of all sets; and of those that are of some attribute."""
        parts = zip(self.weights, self.sets, strict=True)
        each = {attributes: length(weight, attributes) for weight, attributes in parts}
        return sum(each.values()), sum(own for attributes, own in each.items() if attributes)

    def _contrasts(
        self, kept: Int64[np.ndarray, "people attributes"], attributes: tuple[int, ...]
    ) -> Int64[np.ndarray, "*rows"]:
        sizes = tuple(self.sizes[i] for i in attributes)
        if not attributes:
            return np.array([len(kept)], np.int64)
        flat = np.ravel_multi_index(tuple(kept[:, i] for i in attributes), sizes)
        table = np.bincount(flat, minlength=math.prod(sizes)).reshape(sizes)
        for axis, size in enumerate(sizes):
            table = np.moveaxis(np.tensordot(contrasts(size), table, (1, axis)), 0, axis)
        return table


def most_weight(attributes: tuple[int, ...]) -> int:
    """Of a set of attributes."""
    return MOST_IN_ONE >> BITS * len(attributes)


def _heard(weight: Any, attributes: tuple[int, ...]) -> bool:
    return is_whole(weight) and 1 <= weight <= most_weight(attributes)


def _refuse_no_sizes(sizes: Any) -> None:
    each = [is_whole(size) and 1 <= size <= MOST_CATEGORIES for size in listed(sizes) or []]
    if not (each and all(each)):
        raise ValueError(
            f"attributes have 1 to {MOST_CATEGORIES:,} categories each, got {got(sizes)}"
        )


def _are_known(each: Any, attributes: int) -> bool:
    """Whether it is a tuple of numbers of so many attributes, rising."""
    whole = isinstance(each, tuple) and all(is_whole(i) and 0 <= i < attributes for i in each)
    return whole and list(each) == sorted(set(each))


def _refuse_no_sets(sets: Any, attributes: int) -> None:
    known = bool(listed(sets)) and all(_are_known(each, attributes) for each in sets)
    if not (known and len(set(sets)) == len(sets)):
        raise ValueError("sets must be of the attributes' numbers, rising, each set once")
    if not max(map(len, sets)) <= MOST_ATTRIBUTES:
        raise ValueError(f"a table is of at most {MOST_ATTRIBUTES} attributes, got {sets}")
