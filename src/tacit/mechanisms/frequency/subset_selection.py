"""Subset selection: the report is a set of w categories, more likely one that holds the person's.

Ye and Barg draw the set from all w-subsets of the k categories. `AllSubsets` does, from a list, for
up to 18 categories. `SubsetSelection` draws it from the images of {0, ..., w-1} under the affine
maps of a prime field: let p be the smallest prime that is at least k, and let the block (a, b),
with a in 1..p-1 and b in 0..p-1, be

    S(a, b) = {x : a x + b mod p < w}.

**Two points decide everything.** For x ≠ x' the pair (a x + b, a x' + b) is uniform on all pairs of
distinct elements when (a, b) is uniform, because exactly one map takes two distinct points to two
given ones. So a block contains x with probability w/p, and x' too with probability
w (w-1)/(p (p-1)): as for a uniform w-subset of p points. Frequencies and their variances depend on
nothing else, so they are those of all w-subsets of p categories, while a report takes
log2 p(p-1) bits instead of log2 (p choose w): 21 and not 860 for k = 1024, epsilon = 1.

**Client.**

1. a is uniform; y, the image of the person's x, is uniform in [0, w) with probability
   t = 1 - m/2^64 and uniform in [w, p) otherwise; b = y - a x mod p.
2. Given a, the map from y to b is a bijection, so the report (a, b) has probability t/(w (p-1)) if
   the block contains x and (1 - t)/((p-w)(p-1)) if not.
3. With the least allowed m that is epsilon-private (step 3 of `randomised_response`; the
   probability of a is the same on both sides and cancels).

**Error.** own = t, and as y leaves w - 1 or w of the p - 1 other places inside,
other = (w - t)/(p - 1). The best w is near p/(E + 1), E = e^epsilon, and is found by comparing its
two neighbours. For large p the variance of a rare category is 4E/(E-1)² a person.

**Server.** The number of reports whose block contains x is the sum over a of the reports (a, b)
with b in the cyclic window of w places from -a x mod p. All windows of a row are differences of
one running sum, so the server takes n + p² steps, and not n k.

**Blanket.** No block holds all k categories, because p <= 2k - 2 or p = k (Bertrand), and w is at
most (p+1)/2 or 1: the least probability of each block is that of one without the category.

References:
    Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally
        differential privacy"; Wang et al. 2016, "Mutual information optimally local private
        discrete distribution estimation".
    Park, Nam and Lee 2023, "Exactly optimal and communication-efficient private estimation via
        block designs".
    Feldman, Nelson, Nguyen and Talwar 2022, "Private frequency estimation via projective geometry".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, Integer, PRNGKeyArray, UInt32

from tacit.argument import keep_pythons
from tacit.mechanisms.alone import narrow
from tacit.mechanisms.frequency.randomised_response import (
    Reports,
    Support,
    check,
    histogram,
    outside_mass,
    outside_words,
    public,
    tally,
)
from tacit.noise import words

# The largest prime below 2^16: products of two residues fit 32 bits, and so do reports.
LARGEST_PRIME = 65521
# The largest number whose lists of subsets all have fewer than 2^16 members.
MOST_LISTED = 18
# Cells of the server's table worked on at once: 32 MB.
_CELLS = 2**22


@dataclass(frozen=True)
class SubsetSelection:
    """Reports a block of w places that holds the person's category with probability
    wE/(wE + p - w).

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of a block without the category is a multiple of 2^-64, rounded
    up so far that the residues' unevenness of 2^-64 is covered too.

    **Error**: `variance` and `error` are exact (own = t, other = (w - t)/(p - 1)) up to that
    unevenness: a report's law is within p/2^65 of the ideal one in total variation.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | k = 2 | randomised response: w = 1, p = 2 |
    | `epsilon` above log k | w = 1: randomised response over p categories |
    | k not prime | the error of p categories: up to 29% more at k = 8, 9% from k = 33 on |
    | huge `epsilon` | a block without the category still has probability 2^-64 at least |
    | nobody | `sample` returns no reports, `estimate` raises |

    Args:
      epsilon: At least 1e-6.
      categories: k, from 2 to 65521.

    Raises:
      ValueError: if a parameter is outside its range.
    """

    epsilon: float
    categories: int

    def __post_init__(self) -> None:
        keep_pythons(self, "epsilon", "categories")
        check(self.epsilon, self.categories, LARGEST_PRIME)

    @cached_property
    def prime(self) -> int:
        """p: the number of places, the smallest prime that is at least the number of categories."""
        return next(p for p in range(self.categories, LARGEST_PRIME + 1) if is_prime(p))

    @cached_property
    def size(self) -> int:
        """w: the size of a block with the least error."""
        near = int(self.prime / (math.exp(min(self.epsilon, 700.0)) + 1))
        sizes = {min(max(w, 1), self.prime - 1) for w in (near, near + 1)}
        return min(sizes, key=lambda w: (self._with(w).error(1, self.categories), w))

    @cached_property
    def misses(self) -> int:
        """The probability of a block without the person's category, in units of 2^-64: step 3."""
        return outside_words(self.epsilon, self.size, self.prime - self.size)

    @cached_property
    def support(self) -> Support:
        return self._with(self.size)

    @property
    def report_bits(self) -> int:
        return (self.prime * (self.prime - 1) - 1).bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, p/(wE + p - w), rounded down."""
        maps = Fraction((self.prime - 1) * (words.SIZE // (self.prime - 1)), words.SIZE)
        return words.at_most(maps * outside_mass(self.misses, self.size, self.prime - self.size))

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, " people"]:
        """One block a person, as the number (a - 1) p + b."""
        missing = words.word(self.misses)
        return choose(key, narrow(values), self.categories, self.prime, self.size, missing)

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present report a block with each category."""
        slope, start = jnp.divmod(jnp.asarray(reports), jnp.uint32(self.prime))
        return covered(slope + 1, start, self.size, present, self.prime, self.categories)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(self.counts(reports), len(reports))

    def counts(self, reports: Reports) -> Integer[np.ndarray, " categories"]:
        """How many of the reported blocks contain each category.

        Raises:
          ValueError: if a report is the number of no block.
        """
        blocks, end = np.sort(np.asarray(reports)), self.prime * (self.prime - 1)
        if blocks.size and not 0 <= blocks[0] <= blocks[-1] < end:
            raise ValueError(f"reports must be at least 0 and below {end}, got {blocks[-1]}")
        rows = max(1, _CELLS // self.prime)
        return sum(
            (
                self._counted(blocks, a, min(a + rows, self.prime))
                for a in range(1, self.prime, rows)
            ),
            np.zeros(self.categories, np.int64),
        )

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)

    def _with(self, size: int) -> Support:
        """The probabilities for blocks of this size."""
        own = 1 - Fraction(outside_words(self.epsilon, size, self.prime - size), words.SIZE)
        return Support(own, (size - own) / (self.prime - 1))

    def _counted(
        self, blocks: Integer[np.ndarray, " people"], first: int, last: int
    ) -> Integer[np.ndarray, " categories"]:
        """The counts from the blocks with a in [`first`, `last`), of the sorted numbers."""
        p, offset = self.prime, (first - 1) * self.prime
        begin, end = np.searchsorted(blocks, (offset, (last - 1) * p))
        if begin == end:
            return np.zeros(self.categories, np.int64)
        cells = np.bincount(
            blocks[begin:end].astype(np.int64) - offset, minlength=(last - first) * p
        )
        table = cells.reshape(last - first, p)
        running = np.zeros((last - first, p + self.size + 1), np.int64)
        np.cumsum(np.hstack([table, table[:, : self.size]]), axis=1, out=running[:, 1:])
        windows = running[:, self.size : self.size + p] - running[:, :p]
        a, x = np.arange(first, last)[:, None], np.arange(self.categories)
        return np.take_along_axis(windows, -a * x % p, axis=1).sum(0)


@dataclass(frozen=True)
class AllSubsets:
    """Reports one of all w-subsets, more likely one with the person's category.

    **Guarantee**: as for `SubsetSelection`, with a uniform choice among the C(k-1, w-1) subsets
    with the category or the C(k-1, w) without it.

    **Error**: as for `SubsetSelection` with k for p, so with no loss where k is not prime; the edge
    cases are the same too.

    Args:
      epsilon: At least 1e-6.
      categories: k, from 2 to 18.

    Raises:
      ValueError: if a parameter is outside its range.
    """

    epsilon: float
    categories: int

    def __post_init__(self) -> None:
        keep_pythons(self, "epsilon", "categories")
        check(self.epsilon, self.categories, MOST_LISTED)

    @cached_property
    def size(self) -> int:
        """w: the size of a subset with the least error."""
        sizes = range(1, self.categories)
        return min(sizes, key=lambda w: self._with(w).error(1, self.categories))

    @cached_property
    def misses(self) -> int:
        """The probability of a subset without the person's category, in units of 2^-64."""
        return self._misses(self.size)

    @cached_property
    def support(self) -> Support:
        return self._with(self.size)

    @cached_property
    def members(self) -> Bool[np.ndarray, "subsets categories"]:
        """Which subset has which category."""
        subsets = np.array(list(combinations(range(self.categories), self.size)))
        return (subsets[:, :, None] == np.arange(self.categories)).any(1)

    @property
    def report_bits(self) -> int:
        return (math.comb(self.categories, self.size) - 1).bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, k/(wE + k - w), rounded down."""
        inside, outside = self._answers(self.size)
        return words.at_most(outside_mass(self.misses, inside, outside))

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, " people"]:
        """One subset a person, as its number in the list."""
        order = np.argsort(~self.members, axis=0, kind="stable").T.astype(np.uint32)
        inside = math.comb(self.categories - 1, self.size - 1)
        return choose_listed(key, narrow(values), order, inside, words.word(self.misses))

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present report a subset with each category."""
        seen = histogram(jnp.asarray(reports), present, len(self.members))
        return jnp.where(self.members, seen[:, None], 0).sum(0)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        counts = tally(reports, len(self.members)) @ self.members
        return self.support.estimate(counts, len(reports))

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)

    def _misses(self, size: int) -> int:
        return outside_words(self.epsilon, *self._answers(size))

    def _answers(self, size: int) -> tuple[int, int]:
        """How many subsets of this size have one category, and how many do not."""
        return math.comb(self.categories - 1, size - 1), math.comb(self.categories - 1, size)

    def _with(self, size: int) -> Support:
        own = 1 - Fraction(self._misses(size), words.SIZE)
        return Support(own, (size - own) / (self.categories - 1))


@partial(jax.jit, static_argnums=5)
def covered(
    slope: UInt32[Array, " people"],
    start: UInt32[Array, " people"],
    width: UInt32[Array, " people"] | int,
    present: Bool[Array, " people"],
    prime: int | Array,
    categories: int,
) -> Int32[Array, " categories"]:
    """For each x, how many people present have `slope` x + `start` mod p below their `width`.

    Category by category, by one addition a person: no division, and no table of n k cells.
    """
    p, width = jnp.uint32(prime), jnp.asarray(width).astype(jnp.uint32)

    def step(image: UInt32[Array, " people"], _: None):
        inside = ((image < width) & present).sum(dtype=jnp.int32)
        moved = image + slope
        return jnp.where(moved < p, moved, moved - p), inside

    return jax.lax.scan(step, start, None, length=categories)[1]


@jax.jit
def choose(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    categories: Array | int,
    prime: Array | int,
    size: Array | int,
    misses: words.Word,
) -> UInt32[Array, " people"]:
    """A block for each person, without their category with probability `misses` / 2^64."""
    for_branch, for_inside, for_outside, for_slope = jax.random.split(key, 4)
    x, p = public(values, categories), jnp.uint32(prime)
    inside = words.residue(for_inside, size, x.shape)
    outside = jnp.uint32(size) + words.residue(for_outside, prime - size, x.shape)
    y = jnp.where(words.below(for_branch, misses, x.shape), outside, inside)
    a = 1 + words.residue(for_slope, prime - 1, x.shape)
    b = (y + p - a * x % p) % p
    return (a - 1) * p + b


@jax.jit
def choose_listed(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    order: UInt32[Array, "categories subsets"] | UInt32[np.ndarray, "categories subsets"],
    inside: Array | int,
    misses: words.Word,
) -> UInt32[Array, " people"]:
    """A subset for each person; `order` has for each category its `inside` subsets, then others."""
    for_branch, for_inside, for_outside = jax.random.split(key, 3)
    x = public(values, order.shape[0])
    within = words.residue(for_inside, inside, x.shape)
    beyond = jnp.uint32(inside) + words.residue(for_outside, order.shape[1] - inside, x.shape)
    place = jnp.where(words.below(for_branch, misses, x.shape), beyond, within)
    return jnp.asarray(order)[x, place]


def is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, math.isqrt(number) + 1))
