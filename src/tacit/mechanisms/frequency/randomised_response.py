"""Randomised response over k categories, and what every local frequency oracle shares with it.

A frequency oracle has each person send one random report of the category they hold, and estimates
from all reports how frequent every category is. Each report **supports** some categories: the
person's own with probability `own`, any other with probability `other`, the same whichever they
are. So the number C of reports that support a category held by a fraction f of n people has mean
n (other + f (own - other)), and

    estimate    (C/n - other) / (own - other), unbiased;
    variance    (f own (1 - own) + (1 - f) other (1 - other)) / (n (own - other)²), exact, because
                reports are independent given who holds what;
    error       its sum over the k categories, the mean squared L2 error: as the fractions
                add up to one it is the same for all data,
                (own (1 - own) + (k - 1) other (1 - other)) / (n (own - other)²).

**Privacy in integers.**

1. An oracle answers *inside* (its report supports the person's category) with probability
   1 - m/2^64, uniformly among i equally good answers, or *outside*, with probability m/2^64,
   uniformly among o.
2. A 64-bit word modulo i names an answer with at most ceil(2^64/i) of its values, one modulo o with
   at least floor(2^64/o). Therefore no likelihood ratio exceeds

       (2^64 - m) ceil(2^64/i) / (m floor(2^64/o)).

3. `outside_words` is the least integer m for which this is at most e^epsilon: solved in rational
   numbers, with e^epsilon replaced by a rational number below it.

**Blanket.** The part of a report that depends on nobody has as mass the sum, over the i + o
reports, of the least probability that any category gives them. Where every report fails to support
some category, that is an outside one: floor(2^64/o) m / 2^128 at least (`outside_mass` adds up).

Randomised response reports the truth with probability E/(E + k - 1), E = e^epsilon, else one of
the other categories: i = 1, o = k - 1. Its error grows like k²; it is the best choice up to about
k = E + 2 and the worst beyond.

References:
    Warner 1965, for two categories.
    Kairouz, Bonawitz and Ramage 2016, for k.
    Wang, Blocki, Li and Jha 2017, for the form (own, other) of frequency oracles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, Integer, PRNGKeyArray, UInt32

from tacit.argument import got, is_number, is_whole, keep_pythons, refuse_outside
from tacit.mechanisms.alone import narrow
from tacit.noise import words

# One number a person, or several, as they leave the compiled program or as a server keeps them.
Reports = UInt32[Array, " people"] | UInt32[np.ndarray, " people"]
Sent = UInt32[Array, "people *report"]
Received = Sent | UInt32[np.ndarray, "people *report"]

# A lie is one of the other categories, drawn as a residue (`respond`).
MOST_CATEGORIES = words.LARGEST_MODULUS + 1
# The exponential of the C library errs by less than four units in the last place.
_BELOW = 1 - Fraction(1, 2**50)


class FrequencyOracle(Protocol):
    """What every local mechanism of frequencies is, from randomised response to RAPPOR.

    `blanket` is a lower bound on the part of a report that depends on nobody, tight up to rounding.
    `supporters` is what a server adds up, as part of a compiled program: how many of the reports of
    the people present support each category. It takes reports that `sample` can make, of fewer
    than 2^31 people; `estimate` refuses others.
    """

    @property
    def epsilon(self) -> float: ...

    @property
    def categories(self) -> int: ...

    @property
    def report_bits(self) -> int: ...

    @cached_property
    def support(self) -> Support: ...

    @property
    def blanket(self) -> float: ...

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> Sent: ...

    def supporters(
        self, reports: Received, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]: ...

    def estimate(self, reports: Received) -> Float[np.ndarray, " categories"]: ...

    def variance(self, people: int, frequency: float) -> float: ...

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        ...


@dataclass(frozen=True)
class Support:
    """How likely a report supports the person's `own` category, and any `other` one."""

    own: Fraction
    other: Fraction

    def estimate(
        self, counts: Integer[np.ndarray, " categories"], people: int
    ) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies from the number of reports that support each category.

        Raises:
          ValueError: if there are no people.
        """
        _check_people(people)
        return (counts / people - float(self.other)) / float(self.own - self.other)

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate.

        Raises:
          ValueError: if there are no people or `frequency` is not in [0, 1].
        """
        _check_people(people)
        refuse_outside("frequency", frequency, 0, 1)
        held = Fraction(frequency)
        return float(
            (held * self._spread(self.own) + (1 - held) * self._spread(self.other)) / people
        )

    def error(self, people: int, categories: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever they are.

        Raises:
          ValueError: if there are no people.
        """
        _check_people(people)
        total = self._spread(self.own) + (categories - 1) * self._spread(self.other)
        return float(total / people)

    def _spread(self, chance: Fraction) -> Fraction:
        return chance * (1 - chance) / (self.own - self.other) ** 2


def outside_words(epsilon: float, inside: int, outside: int) -> int:
    """The least m such that answering outside with probability m/2^64 is `epsilon`-private: step 3.

    Args:
      epsilon: In [1e-6, inf); above 700 it is treated as 700.
      inside: How many answers support the person's category.
      outside: How many do not.
    """
    odds = Fraction(math.exp(min(epsilon, 700.0))) * _BELOW
    most, least = -(-words.SIZE // inside), words.SIZE // outside
    return math.ceil(words.SIZE * most / (most + odds * least))


def outside_mass(misses: int, inside: int, outside: int) -> Fraction:
    """The least that all answers' probabilities of being an outside one add up to."""
    return Fraction((inside + outside) * misses * (words.SIZE // outside), words.SIZE**2)


def public(values: Int[Array, " people"], categories: Array | int) -> UInt32[Array, " people"]:
    """The categories, with category 0 for everything that is none.

    Raises:
      TypeError: if `values` are not integers.
    """
    if not jnp.issubdtype(jnp.result_type(values), jnp.integer):
        raise TypeError(f"values must be integers, got {jnp.result_type(values)}")
    # In 32 bits before anything is compared: a byte has no room for 300.
    values = jnp.asarray(values).astype(jnp.int32)
    known = (values >= 0) & (values < categories)
    return jnp.where(known, values, 0).astype(jnp.uint32)


def check(epsilon: float, categories: int, most: int = MOST_CATEGORIES) -> None:
    """Refuses parameters that no oracle takes."""
    if not (is_number(epsilon) and 1e-6 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 1e-6 and finite, got {got(epsilon)}")
    if not (is_whole(categories) and 2 <= categories <= most):
        raise ValueError(f"categories must be between 2 and {most}, got {got(categories)}")


def tally(reports: Reports, size: int) -> Integer[np.ndarray, " size"]:
    """How often each report arrived.

    Raises:
      ValueError: if a report is not in [0, `size`).
    """
    received = np.asarray(reports)
    if received.size and not 0 <= received.min() <= received.max() < size:
        raise ValueError(f"reports must be at least 0 and below {size}, got {received.max()}")
    return np.bincount(received, minlength=size)


@partial(jax.jit, static_argnums=2)
def histogram(
    reports: UInt32[Array, " people"], present: Bool[Array, " people"], size: int
) -> Int32[Array, " size"]:
    """How often each report arrived from somebody present."""
    return jnp.zeros(size, jnp.int32).at[reports].add(present.astype(jnp.int32))


@dataclass(frozen=True)
class RandomisedResponse:
    """Reports the truth with probability E/(E + k - 1), otherwise a uniform other category.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of a lie is a multiple of 2^-64, rounded up.

    **Error**: `variance` and `error` are the module's formulas with own = 1 - q and
    other = q/(k - 1), q the rounded probability. A lie is uniform up to 2^-64.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | reported as if it were category 0 |
    | k = 2 | Warner's coin |
    | huge `epsilon` | a lie still has probability 2^-64 at least |
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
    def lies(self) -> int:
        """The probability of a lie, in units of 2^-64."""
        return outside_words(self.epsilon, 1, self.categories - 1)

    @cached_property
    def support(self) -> Support:
        lie = Fraction(self.lies, words.SIZE)
        return Support(1 - lie, lie / (self.categories - 1))

    @property
    def report_bits(self) -> int:
        return (self.categories - 1).bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: k/(E + k - 1), rounded down."""
        return words.at_most(outside_mass(self.lies, 1, self.categories - 1))

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, " people"]:
        """One category a person."""
        return respond(key, narrow(values), self.categories, words.word(self.lies))

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present report each category."""
        return histogram(jnp.asarray(reports), present, self.categories)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(tally(reports, self.categories), len(reports))

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


@jax.jit
def respond(
    key: PRNGKeyArray, values: Int[Array, " people"], categories: Array | int, lies: words.Word
) -> UInt32[Array, " people"]:
    """The truth, or with probability `lies` / 2^64 one of the other categories."""
    for_branch, for_lie = jax.random.split(key)
    truth = public(values, categories)
    lying = words.below(for_branch, lies, truth.shape)
    others = words.residue(for_lie, categories - 1, truth.shape)
    return jnp.where(lying, others + (others >= truth), truth)


def _check_people(people: int) -> None:
    if not (is_whole(people) and people >= 1):
        raise ValueError(f"people must be at least 1, got {got(people)}")
