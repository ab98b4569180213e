"""Optimised unary encoding: one bit a category, each released on its own.

A person's category is the unit vector of k bits. The bit that is one is released as a fair coin,
every bit that is zero as one with probability q = 1/(E + 1), E = e^epsilon. Two people's vectors
differ in two places, and the likelihood ratio of a report is at most

    (1/2)/q  times  (1 - q)/(1/2)  =  (1 - q)/q  <=  E    iff    q >= 1/(E + 1):

with q the smallest allowed, own = 1/2 and other = q. The variance of a rare category is
4E/(E - 1)² a person, and estimates of two categories are independent given the data, which is what
the k bits of a report buy. (`SubsetSelection` has no more error with a few bytes.)

**Rare bits, 32 at a time.** An event of probability c/2^d is "d random bits, read as a number, are
below c". Reading from the last digit to the first, the comparison so far is kept in one bit: it
becomes u | r where c's digit is one and u & r where it is zero, with u the next random bit (a bit
and its complement have the same law). One word does this for 32 categories, so a category costs d
bits of the generator. d is chosen so that rounding q up to c/2^d changes neither q nor 1/2 - q by
more than one part in 2^12; it can only add privacy, and the errors are those of the rounded number.

**Blanket.** Relative to bits that are all rare, a report is (1/2)/q times as likely for a category
whose bit is one and (1/2)/(1 - q) times for one whose bit is zero: the smaller factor, unless all
bits are ones. The mass is (1 - q^k)/(2(1 - q)) + q^k/(2q) = (1/2 + q^(k-1) (1 - 2q)/2)/(1 - q).

References:
    Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency
        estimation" (OUE).
    Erlingsson, Pihur and Korolova 2014 (RAPPOR), for equal flips of both bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, Integer, PRNGKeyArray, UInt32

from tacit.argument import keep_pythons
from tacit.mechanisms.alone import narrow
from tacit.mechanisms.frequency.randomised_response import Support, check, outside_words, public
from tacit.noise import words

Reports = UInt32[Array, "people words"] | UInt32[np.ndarray, "people words"]

# Of a word.
_BITS = 32
# What the d of rare bits leaves: of q and of 1/2 - q no more than a part in 2^12.
_RELATIVE_BITS = 12
# Reports counted at once: 8-bit counters of this many cannot overflow.
_BATCH = 255


@dataclass(frozen=True)
class UnaryEncoding:
    """Reports k bits: a fair coin for the person's category, ones of probability q elsewhere.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). q is a multiple of 2^-d, rounded up, and exact.

    **Error**: `variance` and `error` are exact, with own = 1/2 and other = q.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | k = 2 | at least four times the error of randomised response |
    | huge `epsilon` | q is 2^-64 at least; the fair coin leaves an error of 1/n |
    | bits beyond k in the last word | always zero |
    | nobody | `sample` returns no reports, `estimate` raises |

    Args:
      epsilon: At least 1e-6.
      categories: k, from 2 to 65536.

    Raises:
      ValueError: if a parameter is outside its range.
    """

    epsilon: float
    categories: int

    def __post_init__(self) -> None:
        keep_pythons(self, "epsilon", "categories")
        check(self.epsilon, self.categories)

    @cached_property
    def digits(self) -> int:
        """d: how many random bits one released bit is made of."""
        return rounded(outside_words(self.epsilon, 1, 1))[1]

    @cached_property
    def ones(self) -> int:
        """q in units of 2^-d."""
        return rounded(outside_words(self.epsilon, 1, 1))[0]

    @cached_property
    def support(self) -> Support:
        return Support(Fraction(1, 2), Fraction(self.ones, 2**self.digits))

    @property
    def report_bits(self) -> int:
        return self.categories

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, rounded down."""
        q = self.support.other
        return words.at_most((1 + all_ones(q, self.categories)) / (2 * (1 - q)))

    def sample(
        self, key: PRNGKeyArray, values: Int[Array, " people"]
    ) -> UInt32[Array, "people words"]:
        """The bits of each person, category 32 i + j in bit j of word i."""
        shifted = self.ones << (64 - self.digits)
        return encode(
            key, narrow(values), self.categories, words.word(shifted), np.int32(self.digits)
        )

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present send a one for each category."""
        kept = jnp.where(present[:, None], jnp.asarray(reports), 0)
        return column_sums(kept)[: self.categories]

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(self.counts(reports), len(reports))

    def counts(self, reports: Reports) -> Integer[np.ndarray, " categories"]:
        """How many reports have each category's bit.

        Raises:
          ValueError: if a report does not have one word for every 32 categories.
        """
        return counted(reports, self.categories)

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


def rounded(least: int) -> tuple[int, int]:
    """A probability at least `least` / 2^64, as a numerator over two to the number of digits."""
    digits = min(64, _RELATIVE_BITS + 65 - min(least, words.SIZE // 2 - least).bit_length())
    return -(-least // 2 ** (64 - digits)), digits


def all_ones(q: Fraction, categories: int) -> Fraction:
    """q^(k-1) (1 - 2q), what reports of ones add to a blanket; below 2^-64 it is left out."""
    return q ** (categories - 1) * (1 - 2 * q) if categories <= 64 else Fraction(0)


def counted(reports: Reports, categories: int) -> Integer[np.ndarray, " categories"]:
    """How many reports have each category's bit.

    Raises:
      ValueError: if a report does not have one word for every 32 categories.
    """
    expected = (len(reports), -(-categories // _BITS))
    if reports.shape != expected:
        raise ValueError(f"reports must have shape {expected}, got {reports.shape}")
    return np.asarray(column_sums(jnp.asarray(reports)))[:categories]


@partial(jax.jit, static_argnums=2)
def encode(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    categories: int,
    ones: words.Word,
    digits: Int[Array, ""],
) -> UInt32[Array, "people words"]:
    """Bits of probability `ones` / 2^64, of which the first `digits` count, and a fair coin."""
    for_noise, for_coin = jax.random.split(key)
    x = public(values, categories)
    width = -(-categories // _BITS)
    noise, own = rare_bits(for_noise, ones, digits, (len(x), width)), unit(x, width)
    coin = jax.random.bits(for_coin, (len(x), 1), jnp.uint32) & 1
    return jnp.where(coin == 1, noise | own, noise & ~own) & used(categories)


def unit(x: UInt32[Array, " people"], width: int) -> UInt32[Array, "people width"]:
    """The bits of people's categories."""
    places = jnp.arange(width, dtype=jnp.uint32)
    return jnp.where(places == x[:, None] // _BITS, jnp.uint32(1) << (x[:, None] % _BITS), 0)


def used(categories: int) -> UInt32[np.ndarray, " words"]:
    """The bits that belong to categories."""
    masks = np.full(-(-categories // _BITS), 0xFFFFFFFF, np.uint32)
    masks[-1] >>= np.uint32(-categories % _BITS)
    return masks


def rare_bits(
    key: PRNGKeyArray, ones: words.Word, digits: Int[Array, ""] | np.int32, shape: tuple[int, ...]
) -> UInt32[Array, "*shape"]:
    """Words of independent bits of probability `ones` / 2^64, from the last digit to the first."""
    high, low = (jnp.uint32(half) for half in ones)

    def read(i: Integer[Array, ""], below: UInt32[Array, "*shape"]) -> UInt32[Array, "*shape"]:
        place = 64 - digits + i
        half = jnp.where(place < 32, low, high)
        one = (half >> (place % 32).astype(jnp.uint32)) & 1
        random = jax.random.bits(jax.random.fold_in(key, i), shape, jnp.uint32)
        return (random & below) | (-one & (random ^ below))

    return jax.lax.fori_loop(0, digits, read, jnp.zeros(shape, jnp.uint32))


@jax.jit
def column_sums(reports: UInt32[Array, "people words"]) -> Int32[Array, " bits"]:
    """How many reports have each bit set."""
    people, width = reports.shape
    batches = -(-people // _BATCH)
    padded = jnp.pad(reports, ((0, batches * _BATCH - people), (0, 0)))
    shifts = jnp.arange(_BITS, dtype=jnp.uint32)

    def add(total, batch):
        bits = ((batch[:, :, None] >> shifts) & 1).astype(jnp.uint8)
        return total + bits.sum(0, dtype=jnp.uint8).astype(jnp.int32), None

    start = jnp.zeros((width, _BITS), jnp.int32)
    return jax.lax.scan(add, start, padded.reshape(batches, _BATCH, width))[0].ravel()
