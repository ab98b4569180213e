"""RAPPOR: bits flipped alike, once for good and again for every report.

A person's category is the unit vector of k bits.

**One report** (`SymmetricUnary`: basic one-time RAPPOR, symmetric unary encoding). Every bit is
flipped with probability s. Two people's vectors differ in two places, so no likelihood ratio
exceeds ((1 - s)/s)², which is at most E = e^epsilon iff s >= 1/(sqrt(E) + 1): own = 1 - s and
other = s. The variance of a rare category is sqrt(E)/(sqrt(E) - 1)² a person, more than that of
`UnaryEncoding`, which treats ones and zeros differently; in exchange a bit says as much about
having a category as about not having it.

**Many reports** (`Rappor`). Averaging fresh reports would undo the noise. So the device flips the
bits once, with probability f, keeps the result for that category for good (the *permanent*
response), and flips these bits again with probability r for every report (the *instantaneous* one).

* All reports together are a function of the permanent response and of fresh coins, so they are
  as private as that response: f >= 1/(sqrt(L) + 1) for L = e^lifetime.
* One report's bits are flipped with probability s = f (1 - r) + (1 - f) r, independently, so it is
  epsilon-private for r >= (s* - f)/(1 - 2f), with s* the flips of one epsilon-private report.

f and r are rounded up to a few digits, so both promises hold exactly, and the errors are those of
the rounded numbers.

**Blanket.** Relative to bits that are all off the person's place, a report is (1 - s)/s times as
likely for a category whose bit is one, and s/(1 - s) times for the others: the smaller factor,
unless all bits are ones. The mass is (s + s^(k-1) (1 - 2s))/(1 - s).

References:
    Erlingsson, Pihur and Korolova 2014, "RAPPOR: randomized aggregatable privacy-preserving ordinal
        response" (basic RAPPOR: one bit a category, no Bloom filter).
    Wang, Blocki, Li and Jha 2017, for symmetric unary encoding and its variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, PRNGKeyArray, UInt32

from tacit.argument import got, is_number, keep_pythons
from tacit.mechanisms.alone import narrow
from tacit.mechanisms.frequency.randomised_response import Support, check, outside_words, public
from tacit.mechanisms.frequency.unary_encoding import (
    Reports,
    all_ones,
    column_sums,
    counted,
    rare_bits,
    rounded,
    unit,
    used,
)
from tacit.noise import words


@final
@dataclass(frozen=True)
class SymmetricUnary:
    """Reports k bits, every one flipped with probability 1/(sqrt(E) + 1).

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of a flip is a multiple of 2^-d, rounded up, and exact.

    **Error**: `variance` and `error` are exact, with own = 1 - s and other = s.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | huge `epsilon` | s is 2^-64 at least |
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
    def flip(self) -> Fraction:
        """s: the probability that a bit is flipped."""
        numerator, digits = rounded(outside_words(self.epsilon / 2, 1, 1))
        return Fraction(numerator, 2**digits)

    @cached_property
    def support(self) -> Support:
        return Support(1 - self.flip, self.flip)

    @property
    def report_bits(self) -> int:
        return self.categories

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, rounded down."""
        return _blanket(self.flip, self.categories)

    def sample(
        self, key: PRNGKeyArray, values: Int[Array, " people"]
    ) -> UInt32[Array, "people words"]:
        """The bits of each person, category 32 i + j in bit j of word i."""
        return flipped(
            key, _units(narrow(values), self.categories), self.categories, *_coins(self.flip)
        )

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present send a one for each category."""
        kept = jnp.where(present[:, None], jnp.asarray(reports), 0)
        return column_sums(kept)[: self.categories]

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(counted(reports, self.categories), len(reports))

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


@final
@dataclass(frozen=True)
class Rappor:
    """Reports k bits as often as asked: a permanent response, flipped anew for every report.

    **Guarantee** (local, replace-one, of a person who holds one category throughout): any one
    report is pure `epsilon`-private, and all reports together, however many, are pure
    `lifetime`-private. A person who moves through several categories spends `lifetime` on each:
    m of them are m `lifetime`-private at worst. It rests on `permanent` being drawn once for
    a person and category, and kept.

    **Error**: `variance` and `error` are those of one round of reports. The average of many rounds
    tends to the permanent responses, whose error is that of `SymmetricUnary(lifetime, k)`.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | `epsilon` = `lifetime` | r is 0: every report is the permanent response |
    | nobody | `sample` returns no reports, `estimate` raises |

    Args:
      epsilon: Of one report, at least 1e-6.
      categories: k, from 2 to 65536.
      lifetime: Of all reports, at least `epsilon` and finite.

    Raises:
      ValueError: if a parameter is outside its range.
    """

    epsilon: float
    categories: int
    lifetime: float

    def __post_init__(self) -> None:
        keep_pythons(self, "epsilon", "categories", "lifetime")
        check(self.epsilon, self.categories)
        if not (is_number(self.lifetime) and self.epsilon <= self.lifetime < math.inf):
            raise ValueError(
                f"lifetime must be at least epsilon = {self.epsilon} and finite, "
                f"got {got(self.lifetime)}"
            )

    @cached_property
    def kept(self) -> SymmetricUnary:
        """The permanent response, of flip probability f."""
        return SymmetricUnary(self.lifetime, self.categories)

    @cached_property
    def again(self) -> Fraction:
        """r: the probability that a kept bit is flipped in one report."""
        once, target = self.kept.flip, SymmetricUnary(self.epsilon, self.categories).flip
        least = max(Fraction(0), (target - once) / (1 - 2 * once))
        numerator, digits = rounded(math.ceil(least * words.SIZE))
        return Fraction(numerator, 2**digits)

    @cached_property
    def flip(self) -> Fraction:
        """s: the probability that a bit of one report is flipped."""
        return self.kept.flip * (1 - self.again) + (1 - self.kept.flip) * self.again

    @cached_property
    def support(self) -> Support:
        return Support(1 - self.flip, self.flip)

    @property
    def report_bits(self) -> int:
        return self.categories

    @property
    def blanket(self) -> float:
        """The part of one report that depends on nobody, rounded down."""
        return _blanket(self.flip, self.categories)

    def permanent(
        self, key: PRNGKeyArray, values: Int[Array, " people"]
    ) -> UInt32[Array, "people words"]:
        """What each device draws once for its category and keeps, unseen by anybody."""
        return self.kept.sample(key, values)

    def report(
        self, key: PRNGKeyArray, permanent: UInt32[Array, "people words"]
    ) -> UInt32[Array, "people words"]:
        """A new report from what the devices keep."""
        return flipped(key, permanent, self.categories, *_coins(self.again))

    def sample(
        self, key: PRNGKeyArray, values: Int[Array, " people"]
    ) -> UInt32[Array, "people words"]:
        """The first report, from a permanent response that is drawn and thrown away."""
        for_permanent, for_report = jax.random.split(key)
        return self.report(for_report, self.permanent(for_permanent, values))

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present send a one for each category."""
        return self.kept.supporters(reports, present)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies, from one report a person."""
        return self.support.estimate(counted(reports, self.categories), len(reports))

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


def _blanket(flip: Fraction, categories: int) -> float:
    return words.at_most((flip + all_ones(flip, categories)) / (1 - flip))


def _coins(chance: Fraction) -> tuple[words.Word, np.int32]:
    """A dyadic probability for `rare_bits`: the word, and how many of its digits count."""
    digits = chance.denominator.bit_length() - 1
    return words.word(int(chance * words.SIZE)), np.int32(digits)


@partial(jax.jit, static_argnums=1)
def _units(values: Int[Array, " people"], categories: int) -> UInt32[Array, "people words"]:
    """The bits of people's categories, category 0 for what is none."""
    return unit(public(values, categories), len(used(categories)))


@partial(jax.jit, static_argnums=2)
def flipped(
    key: PRNGKeyArray,
    bits: UInt32[Array, "people words"],
    categories: int,
    chance: words.Word,
    digits: Int[Array, ""] | np.int32,
) -> UInt32[Array, "people words"]:
    """Every bit of a category flipped with probability `chance` / 2^64."""
    return (bits ^ rare_bits(key, chance, digits, bits.shape)) & used(categories)
