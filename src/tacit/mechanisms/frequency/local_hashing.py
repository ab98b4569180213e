"""Optimised local hashing: randomised response on a public hash of one's category.

Every person draws a public hash of the k categories into g buckets and sends it with one bucket:
their category's with probability t = E/(E + g - 1), E = e^epsilon, else another one. The hash is
drawn without looking at the category, so **privacy** is that of randomised response over g buckets,
whatever the hash is. A report supports the categories that its hash sends to its bucket.

**The family.** With p the smallest prime that is at least k, the hash (a, b), a in 1..p-1 and b in
0..p-1, sends x to the bucket of a x + b mod p, and bucket j holds the s_j places from ceil(j p/g)
up to, and without, ceil((j+1) p/g): the place y lies in bucket floor(g y/p). As in
`subset_selection`, two categories have all pairs of distinct images equally likely, so they share a
bucket with probability

    c = sum of s_j (s_j - 1) over p (p - 1),

the same for all pairs; that the buckets are not all equally large changes nothing else. So own = t
and other = t c + (1 - t)(1 - c)/(g - 1), exactly. c is a little below 1/g, the value for
independent hashes: with g = E + 1 the variance of a rare category is 4E/(E - 1)² a person.

**Error.** g is the best of the numbers next to E + 1, and p, the only one without collisions. That
g is whole costs more than that `SubsetSelection`'s w is: hashing has up to 3% more error for small
epsilon at k = 1024, and otherwise nearly the same.

**Blanket.** No bucket holds all categories (it has at most (p + 1)/2 places, and p <= 2k - 2 or
p = k), so given the hash the least probability of each bucket is that of a lie: g q, with
q = (1 - t)/(g - 1).

References:
    Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency
        estimation" (OLH).
    Carter and Wegman 1979, "Universal classes of hash functions".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, Integer, PRNGKeyArray, UInt32

from tacit.argument import keep_pythons
from tacit.mechanisms.alone import narrow
from tacit.mechanisms.frequency.randomised_response import (
    Support,
    check,
    outside_mass,
    outside_words,
    public,
)
from tacit.mechanisms.frequency.subset_selection import LARGEST_PRIME, covered, is_prime
from tacit.noise import words

Reports = UInt32[Array, "people 2"] | UInt32[np.ndarray, "people 2"]

# Reports counted at once by the server: twice as many are twice the numbers held, and with half as
# many it goes over all categories twice as often. A choice, not measured.
_CHUNK = 2**16


@final
@dataclass(frozen=True)
class LocalHashing:
    """Reports a hash of the categories into g buckets, and the own bucket with probability
    E/(E + g - 1).

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of a lie is a multiple of 2^-64, rounded up so far that the
    residues' unevenness of 2^-64 is covered too.

    **Error**: `variance` and `error` are exact up to that unevenness: a report's law is within
    p/2^65 of the ideal one in total variation.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | `epsilon` above log k | g = p, one place a bucket: randomised response over p categories |
    | `epsilon` below 0.35 or so | g = 2: the error of Hadamard response |
    | huge `epsilon` | a lie still has probability 2^-64 at least |
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
        """p: the smallest prime that is at least the number of categories."""
        return next(p for p in range(self.categories, LARGEST_PRIME + 1) if is_prime(p))

    @cached_property
    def buckets(self) -> int:
        """g: the number of buckets with the least error."""
        near = int(min(math.exp(min(self.epsilon, 700.0)) + 1, self.prime))
        few = {min(max(g, 2), self.prime) for g in (near - 1, near, near + 1, self.prime)}
        return min(few, key=lambda g: (self._with(g).error(1, self.categories), g))

    @cached_property
    def lies(self) -> int:
        """The probability of another bucket, in units of 2^-64."""
        return outside_words(self.epsilon, 1, self.buckets - 1)

    @cached_property
    def support(self) -> Support:
        return self._with(self.buckets)

    @property
    def report_bits(self) -> int:
        return (self.prime * (self.prime - 1) * self.buckets - 1).bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, g/(E + g - 1), rounded down."""
        return words.at_most(outside_mass(self.lies, 1, self.buckets - 1))

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, "people 2"]:
        """For each person the number (a - 1) p + b of a hash, and a bucket."""
        lies = words.word(self.lies)
        return respond_hashed(key, narrow(values), self.categories, self.prime, self.buckets, lies)

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present report the bucket of each category."""
        windows = _windows(jnp.asarray(reports), self.prime, self.buckets)
        return covered(*windows, present, self.prime, self.categories)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(self.counts(reports), len(reports))

    def counts(self, reports: Reports) -> Integer[np.ndarray, " categories"]:
        """How many reports name the bucket of each category.

        Raises:
          ValueError: if a report is not a hash and a bucket.
        """
        received, ends = np.asarray(reports), (self.prime * (self.prime - 1), self.buckets)
        if (
            received.ndim != 2
            or received.shape[1] != 2
            or not ((received >= 0) & (received < ends)).all()
        ):
            raise ValueError(f"reports must be two numbers at least 0 and below {ends} a person")
        counts = np.zeros(self.categories, np.int64)
        size = min(_CHUNK, len(received))
        for part in (received[i : i + size] for i in range(0, len(received), size or 1)):
            padded = np.zeros((size, 2), np.uint32)
            padded[: len(part)] = part
            counts += np.asarray(self.supporters(padded, jnp.arange(size) < len(part)))
        return counts

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)

    def _with(self, buckets: int) -> Support:
        """The probabilities for this many buckets."""
        least, larger = divmod(self.prime, buckets)
        together = buckets * least * (least - 1) + larger * 2 * least
        shared = Fraction(together, self.prime * (self.prime - 1))
        lie = Fraction(outside_words(self.epsilon, 1, buckets - 1), words.SIZE)
        return Support(1 - lie, (1 - lie) * shared + lie * (1 - shared) / (buckets - 1))


@jax.jit
def respond_hashed(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    categories: Array | int,
    prime: Array | int,
    buckets: Array | int,
    lies: words.Word,
) -> UInt32[Array, "people 2"]:
    """A hash and a bucket, with probability `lies` / 2^64 one that is not the category's."""
    for_slope, for_shift, for_branch, for_lie = jax.random.split(key, 4)
    x, p, g = public(values, categories), jnp.uint32(prime), jnp.uint32(buckets)
    a = 1 + words.residue(for_slope, prime - 1, x.shape)
    b = words.residue(for_shift, prime, x.shape)
    # Below p, so that the product with g is below 2^32.
    truth = (a * x % p + b) % p * g // p
    others = words.residue(for_lie, buckets - 1, x.shape)
    lying = words.below(for_branch, lies, x.shape)
    bucket = jnp.where(lying, others + (others >= truth), truth)
    return jnp.stack([(a - 1) * p + b, bucket], axis=1)


@jax.jit
def _windows(
    reports: UInt32[Array, "people 2"], prime: Array | int, buckets: Array | int
) -> tuple[UInt32[Array, " people"], UInt32[Array, " people"], UInt32[Array, " people"]]:
    """The slope, the start and the width of the places that each report supports."""
    p, g = jnp.uint32(prime), jnp.uint32(buckets)
    slope, shift = jnp.divmod(reports[:, 0], p)
    first, end = ((j * p + g - 1) // g for j in (reports[:, 1], reports[:, 1] + 1))
    return slope + 1, (shift + p - first) % p, end - first
