"""Hadamard response: each category supports half of the reports, and a fast transform counts them.

Let K be the smallest power of two above the number of categories k, and let x·y be the parity of
the bits that x and y have in common. Category x is given the nonzero row r = x + 1, and supports
the K/2 reports y with r·y = 0. A person reports a uniform y that their category supports with
probability t = 1 - m/2^64, and one that it does not support otherwise: t = E/(E + 1) with
E = e^epsilon, up to rounding.

* **Sampling is exact.** y starts uniform on K values. If its parity with r is the wrong one, the
  lowest bit of r is flipped in y: a bijection between the two halves.
* **Two points.** Rows of different categories differ, so half of the reports with r·y = 0 have
  r'·y = 0 too: own = t, other = 1/2 exactly.
* **Blanket.** The k rows include those of a single bit up to K/2, so y = 0 is the only report that
  every category supports: the mass is 2(1 - t)(K - 1)/K + 2t/K.
* **Counting.** With N(y) reports y, the sum of (-1)^(r·y) N(y) is 2C - n, and the fast
  Walsh-Hadamard transform gives it for all r in K log2 K steps.

The variance of a rare category is (E + 1)²/(E - 1)² a person: that of `SubsetSelection` as epsilon
goes to zero, worse by (E + 1)²/4E beyond. This is the scheme for high privacy; the block version of
the same paper for large epsilon is not here, because subset selection has less error there.

References:
    Acharya, Sun and Zhang 2019, "Hadamard response: estimating distributions privately,
        efficiently, and with little communication".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

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
    outside_words,
    public,
    tally,
)
from tacit.noise import words


@dataclass(frozen=True)
class HadamardResponse:
    """Reports one of K numbers, from the half that the person's category supports with
    probability E/(E + 1).

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two categories
    (replace-one). The probability of the wrong half is a multiple of 2^-64, rounded up; inside
    a half the report is exactly uniform.

    **Error**: `variance` and `error` are exact, with own = t and other = 1/2.

    | case | what happens |
    | --- | --- |
    | a value outside [0, k) | treated as category 0 |
    | k a power of two | K = 2k, as row zero cannot be used |
    | huge `epsilon` | other stays 1/2: the variance of a rare category is 1/n and not less |
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
    def misses(self) -> int:
        """The probability of the wrong half, in units of 2^-64."""
        return outside_words(self.epsilon, 1, 1)

    @cached_property
    def support(self) -> Support:
        return Support(1 - Fraction(self.misses, words.SIZE), Fraction(1, 2))

    @property
    def report_bits(self) -> int:
        return self.categories.bit_length()

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, rounded down."""
        size, own = 2**self.report_bits, self.support.own
        return words.at_most(2 * ((1 - own) * (size - 1) + own) / size)

    def sample(self, key: PRNGKeyArray, values: Int[Array, " people"]) -> UInt32[Array, " people"]:
        """One number below K a person."""
        last = np.uint32(2**self.report_bits - 1)
        return answer(key, narrow(values), self.categories, last, words.word(self.misses))

    def supporters(
        self, reports: Reports, present: Bool[Array, " people"]
    ) -> Int32[Array, " categories"]:
        """How many people present send a report that each category supports."""
        return _supporting(jnp.asarray(reports), present, self.categories)

    def estimate(self, reports: Reports) -> Float[np.ndarray, " categories"]:
        """Unbiased frequencies."""
        return self.support.estimate(self.counts(reports), len(reports))

    def counts(self, reports: Reports) -> Integer[np.ndarray, " categories"]:
        """How many reports each category supports.

        Raises:
          ValueError: if a report is not below K.
        """
        received = tally(reports, 2**self.report_bits)
        signed = _transform(received, np.stack)[1 : self.categories + 1]
        return (len(reports) + signed) // 2

    def variance(self, people: int, frequency: float) -> float:
        """The exact variance of one estimate."""
        return self.support.variance(people, frequency)

    def error(self, people: int) -> float:
        """The mean squared L2 error of all frequencies together, whatever the data."""
        return self.support.error(people, self.categories)


@jax.jit
def answer(
    key: PRNGKeyArray,
    values: Int[Array, " people"],
    categories: Array | int,
    last: Array | np.uint32,
    misses: words.Word,
) -> UInt32[Array, " people"]:
    """A number up to `last`, in the wrong half with probability `misses` / 2^64."""
    for_branch, for_report = jax.random.split(key)
    row = public(values, categories) + 1
    wrong = words.below(for_branch, misses, row.shape)
    uniform = jax.random.bits(for_report, row.shape, jnp.uint32) & last
    odd = jax.lax.population_count(row & uniform) % 2 == 1
    lowest = row & -row
    return jnp.where(odd == wrong, uniform, uniform ^ lowest)


@partial(jax.jit, static_argnums=2)
def _supporting(
    reports: UInt32[Array, " people"], present: Bool[Array, " people"], categories: int
) -> Int32[Array, " categories"]:
    """Half of the people present and of their sum of signs, of the same parity, added."""
    received = histogram(reports, present, 2 ** categories.bit_length())
    total, signed = received.sum(), _transform(received, jnp.stack)[1 : categories + 1]
    return signed // 2 + total // 2 + (total & 1)


def _transform(values: Any, stack: Callable[..., Any]) -> Any:
    """The Walsh-Hadamard transform: entry r is the sum of (-1)^(r·y) `values[y]`."""
    stride = 1
    while stride < len(values):
        pairs = values.reshape(-1, 2, stride)
        even, odd = pairs[:, 0], pairs[:, 1]
        values = stack([even + odd, even - odd], axis=1).ravel()
        stride *= 2
    return values
