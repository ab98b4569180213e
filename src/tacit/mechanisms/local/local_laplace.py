"""Laplace noise on one person's number, bounded: the local form of the most common mechanism.

A value of [0, maximum] is put on a grid, x = M r / maximum, and rounded to X = floor(x) or the
next, without bias. Let K be discrete Laplace noise, mass proportional to a^|k| with
a = e^(-epsilon/M), and J = X + K cut to [0, M]. The report is J, but b = a/(1-a) further out at
both ends:

    h(0) = -b,    h(j) = j,    h(M) = M + b,    Z = maximum/M h(J).

* **privacy**: X + K is epsilon-private, as inputs differ by at most M; J and Z are functions of it;
* **unbiasedness**: a geometric tail has no memory. Given X + K <= 0 the noise beyond the end has
  mean b wherever X is, and likewise above M, so h(J) = E[X + K | J] and its mean is X. Nothing is
  lost to the cut, while unbounded reports become M + 1 of them;
* **error**: conditioning removes the tails' variance a/(1-a)² where an end is hit, which happens
  with probability a^X/(1+a) and a^(M-X)/(1+a). Given X = i,
  V(i) = a/(1-a)² (2 - (a^i + a^(M-i))/(1+a)); with f the fraction of x and i its floor,
  Var Z = (maximum/M)² ((1-f) V(i) + f V(i+1) + f(1-f)).

V is concave and symmetric, so the worst value is in the first cell above the middle (or the middle
one, at f = 1/2). At M = 1 this is the one-bit mechanism.

**Masses** are integers that sum to 2^96.

1. Those of 0 < |k| < M are rounded down, that of zero too, and the two ends share the rest.
2. Both rounding errors lower P[J = 0 | X = 0] / P[J = 0 | X = M], ideally e^epsilon, as its
   numerator is (2^96 + mass of zero)/2 and its denominator an end.
3. Inside, the largest ratio is at most that of the masses of 0 and M - 1, ideally e^(epsilon - r)
   with r = epsilon/M. Rounding takes less than two units from the latter, which is at least
   2^96 min(r, 1)/3 e^-epsilon: in the allowed range less than 2e-9 r of it, so e^epsilon is not
   reached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, UInt32

from tacit.argument import (
    got,
    is_number,
    refuse_none_positive,
    refuse_not_whole,
    refuse_outside,
    takes_numpys,
)
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.node import node
from tacit.noise import tables, words
from tacit.noise.weights import ONE, weights

# Noise from -M to M fits one table.
MOST_LEVELS = tables.ROWS // 2 - 1
# Step 3: at 36 its 2e-9 would be passed.
LARGEST_EPSILON = 32.0


@node
@dataclass(frozen=True)
class LocalLaplace:
    """Discrete Laplace noise on [0, `maximum`], reports cut without bias. Build it with `best`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two values
    (replace-one). All masses are integers over 2^96. Rounding to the grid comes first and costs no
    privacy.

    **Error**: `error(value)` = Var Z, exact but for the masses' rounding (1e-12 relatively);
    `worst_error` its maximum; |Z| <= `bound`, about maximum (1 + 1/epsilon).

    | value | treated as |
    | --- | --- |
    | above `maximum`, or infinite | `maximum` |
    | below zero, or minus infinity, or NaN | zero |

    References:
        Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy
        mechanisms" (the truncated geometric mechanism).
    """

    epsilon: float
    levels: int
    maximum: float
    beyond: float
    columns: UInt32[Array, "4 rows"]

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "levels", "maximum", "beyond")

    @classmethod
    @takes_numpys
    def best(cls, epsilon: float, maximum: float) -> LocalLaplace:
        """The number of levels with the lowest worst error, of 1 to 64 and powers of two."""
        _check(epsilon, maximum)
        levels = np.array([*range(1, 65), *(2**power for power in range(7, 12)), MOST_LEVELS])
        best = int(np.argmin(_worst(epsilon, levels.astype(float))))
        return cls.on_grid(epsilon, int(levels[best]), maximum)

    @classmethod
    @takes_numpys
    def on_grid(cls, epsilon: float, levels: int, maximum: float) -> LocalLaplace:
        """The mechanism on 0, maximum/levels, ..., maximum.

        Raises:
          ValueError: if `epsilon` is not in [1e-6, 32], `maximum` not in [1e-30, 1e30], or
            `levels` not in [1, 4095].
        """
        _check(epsilon, maximum)
        refuse_not_whole("levels", levels, 1, MOST_LEVELS)
        half = masses(epsilon, levels)
        padding = [0] * (tables.ROWS - 2 * levels - 1)
        columns = tables.alias([*reversed(half[1:]), *half, *padding])
        beyond = 1 / math.expm1(epsilon / levels)
        return cls(float(epsilon), levels, float(maximum), beyond, jnp.asarray(columns))

    @property
    def bound(self) -> float:
        """The largest |Z|."""
        return self.maximum * (1 + self.beyond / self.levels)

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: each J at its least probability."""
        half = masses(self.epsilon, self.levels)
        inside = sum(half[max(j, self.levels - j)] for j in range(1, self.levels))
        return words.at_most(Fraction(2 * half[-1] + inside, tables.UNITS))

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, Var Z, over [0, maximum]."""
        return float(_worst(self.epsilon, np.float64(self.levels))) * self.maximum**2

    def error(self, value: float) -> float:
        """The mean squared error, Var Z, at a value of [0, maximum]."""
        position = np.float64(value) / self.maximum * self.levels
        return float(_variance(self.epsilon, self.levels, position)) * self.maximum**2

    @per_shape
    def sample(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Float[Array, " n"]:
        """One report for each value."""
        for_rounding, for_noise = jax.random.split(key)
        shares = jnp.asarray(values, jnp.float32) / self.maximum
        inside = jnp.clip(jnp.nan_to_num(shares, nan=0.0), 0.0, 1.0)
        position = inside * self.levels
        floor = jnp.floor(position)
        up = jax.random.uniform(for_rounding, values.shape) < position - floor
        noise = tables.draw(jax.random.split(for_noise), self.columns, values.shape) - self.levels
        named = jnp.clip((floor + up).astype(jnp.int32) + noise, 0, self.levels)
        above, below = named == self.levels, named == 0
        report = named + jnp.where(above, self.beyond, jnp.where(below, -self.beyond, 0.0))
        return self.maximum / self.levels * report


def masses(epsilon: float, levels: int) -> list[int]:
    """Those of noise 0, 1, ..., M over 2^96, the last with all beyond it: step 1."""
    powers = weights(Fraction(0), Fraction(epsilon) / levels, Fraction(0), 2)
    ratio = powers.lower[1] + powers.slack
    each = weights(Fraction(0), Fraction(epsilon) / levels, Fraction(0), levels).lower
    half = [w * (ONE - ratio) * tables.UNITS // ((ONE + ratio) * ONE) for w in each]
    # The two ends are equal, so the rest is even.
    half[0] -= half[0] % 2
    return [*half, (tables.UNITS - half[0] - 2 * sum(half[1:])) // 2]


def _check(epsilon: float, maximum: float) -> None:
    refuse_outside("epsilon", epsilon, 1e-6, LARGEST_EPSILON)
    if not (is_number(maximum) and 1e-30 <= maximum <= 1e30):
        raise ValueError(f"maximum must be from 1e-30 to 1e30, got {got(maximum)}")


def _given(epsilon: float, levels, point):
    """V(i), in grid steps."""
    rate = epsilon / levels
    tail = np.exp(-rate) / np.expm1(-rate) ** 2
    ends = np.exp(-rate * point) + np.exp(-rate * (levels - point))
    return tail * (2 - ends / (1 + np.exp(-rate)))


def _variance(epsilon: float, levels, position):
    """Var Z for maximum = 1 at this position x on the grid."""
    floor = np.minimum(np.floor(position), levels - 1)
    fraction = position - floor
    below, above = _given(epsilon, levels, floor), _given(epsilon, levels, floor + 1)
    return (below + fraction * (above - below) + fraction * (1 - fraction)) / levels**2


def _worst(epsilon: float, levels):
    """The largest Var Z for maximum = 1, in the cell that starts at or just below the middle."""
    floor = np.floor(levels / 2)
    fall = _given(epsilon, levels, floor + 1) - _given(epsilon, levels, floor)
    return _variance(epsilon, levels, floor + np.clip((1 + fall) / 2, 0, 1))
