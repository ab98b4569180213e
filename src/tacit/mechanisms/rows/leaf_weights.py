"""Sums of weights over rules that label leaves, and draws from them: what laws of trees share.

A leaf holds some people and gives one of k labels, so it weighs rate^-n_0 + ... + rate^-n_(k-1), of
n_y people in it with label y. A rule's weight is the product of its leaves', since the number of
people it labels right is their sum.

**Weights** are held as rate^-M F, with M a whole number, the most people any rule labels right, and
F a float between 1 and the number of rules. Products add M and multiply F; sums take the largest M
and add F rate^(M - M_i). All are positive, so nothing cancels: a sum of d terms is right within d
roundings, and one of k within k. Powers below 2^-1022 count as zero. With a rate of zero, F counts
the best rules.

**Counts** are sums of whole numbers, which floats add up exactly below 2^24 in 32 bits and 2^53 in
64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Float64, Int64

from tacit.argument import got, is_number
from tacit.mechanisms.rows.decays import powers
from tacit.noise.host_choice import chosen

# The least float with all its digits, and the whole numbers that are floats of 32 bits.
_LEAST, _EXACT_IN_32_BITS = 2.0**-1022, 2**24
# Those with label 0, those with label 1, and so on: a row of bits for each.
People = tuple[Float[np.ndarray, "people bits"], ...]


class TreeSums(NamedTuple):
    """Sums of weights: rate^-`most` times `share`."""

    most: Int64[np.ndarray, "*sums"]
    share: Float64[np.ndarray, "*sums"]


class PairCounts(NamedTuple):
    """How many people have each label, and how many of them have two bits (or one, twice)."""

    people: Int64[np.ndarray, " labels"]
    pairs: Int64[np.ndarray, "labels bits bits"]

    def less(self, other: PairCounts) -> PairCounts:
        """Those who are not among the others."""
        return PairCounts(self.people - other.people, self.pairs - other.pairs)


@final
@dataclass(frozen=True)
class LeafWeights:
    """Weights of leaves.

    Args:
      rate: from 0 to below 1; one more person who is right makes a rule 1/rate times as likely.
    """

    rate: float

    def __post_init__(self):
        if not (is_number(self.rate) and 0 <= self.rate < 1):
            raise ValueError(f"rate must be at least 0 and below 1, got {got(self.rate)}")

    def leaf(self, sizes: Int64[np.ndarray, "*sums"]) -> TreeSums:
        """Of people by label."""
        most = sizes.max(axis=0)
        return TreeSums(most, self.power(most - sizes).sum(axis=0))

    def tested(
        self, ones: Int64[np.ndarray, "*sums"], people: Int64[np.ndarray, "*sums"]
    ) -> TreeSums:
        """Two leaves, of those with a bit and those without, from how many have it."""
        return product(self.leaf(ones), self.leaf(people - ones))

    def summed(self, weights: TreeSums) -> TreeSums:
        """Over the last axis."""
        most = weights.most.max(axis=-1, keepdims=True)
        share = weights.share * self.power(most - weights.most)
        return TreeSums(most[..., 0], share.sum(axis=-1))

    def one_of(self, words: Iterator[int], weights: TreeSums) -> int:
        """Drawn in proportion."""
        most, share = weights
        return chosen(words, share * self.power(most.max() - most))

    def label(self, words: Iterator[int], people: People) -> int:
        """That of a leaf of these people, drawn in proportion."""
        sizes = sizes_of(people)
        return chosen(words, self.power(sizes.max() - sizes))

    def power(self, steps: Int64[np.ndarray, "*sums"]) -> Float64[np.ndarray, "*sums"]:
        """Of the rate."""
        return self._powers[np.minimum(steps, len(self._powers) - 1)]

    @cached_property
    def _powers(self) -> Float64[np.ndarray, " powers"]:
        """Until they are zero."""
        if self.rate == 0:
            return np.array([1.0, 0.0])
        size = math.ceil(math.log(_LEAST) / math.log(self.rate)) + 2
        found = powers(self.rate, size)
        return np.where(found < _LEAST, 0.0, found) * (np.arange(size) < size - 1)


def product(one: TreeSums, other: TreeSums) -> TreeSums:
    """Of both weights."""
    return TreeSums(one.most + other.most, one.share * other.share)


def joined(each: Iterable[TreeSums]) -> TreeSums:
    """One after the other."""
    most, share = zip(*each, strict=True)
    return TreeSums(np.array(most), np.array(share))


def split(people: People, bit: int) -> tuple[People, People]:
    """Those without the bit, and those with it."""
    has = [each[:, bit] > 0 for each in people]
    without = tuple(each[~own] for each, own in zip(people, has, strict=True))
    return without, tuple(each[own] for each, own in zip(people, has, strict=True))


def counted(people: People) -> PairCounts:
    """By a product of matrices."""
    pairs = [(each.T @ each).astype(np.int64) for each in map(_exact, people)]
    return PairCounts(sizes_of(people), np.stack(pairs))


def ones_of(people: People) -> Int64[np.ndarray, "labels bits"]:
    """How many have each bit."""
    return np.stack([each.sum(axis=0, dtype=np.float64) for each in people]).astype(np.int64)


def sizes_of(people: People) -> Int64[np.ndarray, " labels"]:
    """How many have each label."""
    return np.array([len(each) for each in people], np.int64)


def _exact(rows: Float[np.ndarray, "people bits"]) -> Float[np.ndarray, "people bits"]:
    return rows.astype(np.float32 if len(rows) < _EXACT_IN_32_BITS else np.float64, copy=False)
