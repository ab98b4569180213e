"""The piecewise mechanism and its hybrid: a number of [0, maximum] under pure local privacy.

The value is put on a grid of k + 1 points, x = k r / maximum, and rounded to X = floor(x) or the
next, without bias. The report is one of N = k + w places. The **window** of X is the w places from
X on: with probability 1 - q the report is uniform in it, otherwise uniform among the k places
outside. With c = q/k and s = 1 - c N, place j has probability c + (s/w) [j in the window], so

* **privacy**: the likelihood ratio is k (1-q) / (w q), at most e^epsilon iff q >= k/(w E + k);
* **unbiasedness**: counted from the middle of the places, and X from that of the grid, the report
  has mean s (X - k/2): inverted by Z = maximum/2 + maximum/(k s) (j - (N-1)/2);
* **error**: let y = x - k/2 and f the fraction of x. X has variance f(1-f), a uniform place of a
  window (w²-1)/12 and one of all places (N²-1)/12 about the middle, therefore
  Var Z = (maximum/(k s))² (s f(1-f) + s(1-s) y² + s (w²-1)/12 + (1-s)(N²-1)/12).

On one cell of the grid that is a concave parabola in f whose maximum is convex in the cell's
number, so the worst value lies in the last cell (and its mirror image).

Width 1 is ScalarDP; one level, one place is the one-bit mechanism; many levels with
w/k = e^(-epsilon/2) is the mechanism of Wang et al. on a fine grid. `Piecewise.best` is at least as
good as each of them: at a large epsilon w/k is near e^(-epsilon/3), where a window's variance is a
third of ScalarDP's rounding, and the error is 3^(1/3) = 1.44 times lower.

**Hybrid.** The piecewise error grows towards the ends, that of one bit,
maximum²/4 coth²(epsilon/2) - (r - maximum/2)², towards the middle. A coin that knows no data
chooses between two unbiased `epsilon`-private reports, so the mixture is unbiased and
`epsilon`-private, and its error is the average. Taking the first with probability s, the terms in
y² cancel: s · s(1-s)/s² = 1 - s. What is left depends on the value through f(1-f) only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import got, is_number, refuse_none_positive, refuse_not_whole, takes_numpys
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.frequency.randomised_response import outside_words
from tacit.mechanisms.node import node
from tacit.noise import words

MOST_LEVELS = words.LARGEST_MODULUS
# Up to here every number of levels is tried, then powers of two.
_EVERY = 48


@node
@dataclass(frozen=True)
class Piecewise:
    """The piecewise mechanism on [0, `maximum`]. Build it with `best` or `on_grid`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two values
    (replace-one). The probability of a place outside the window is a multiple of 2^-64, rounded up
    so far that the unevenness of residues is covered; unbiasing uses the rounded probability.
    Rounding to the grid comes first and costs no privacy.

    **Error**: `error(value)` = Var Z, exact; `worst_error` its maximum; |Z| <= `bound`.

    | value | treated as |
    | --- | --- |
    | above `maximum`, or infinite | `maximum` |
    | below zero, or minus infinity, or NaN | zero |

    References:
        Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019, "Collecting and analyzing
        multidimensional data with local differential privacy", Algorithm 2.
    """

    epsilon: float
    levels: int
    width: int
    maximum: float
    miss: words.Word
    step: float

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "levels", "width", "maximum", "step")

    @classmethod
    @takes_numpys
    def best(cls, epsilon: float, maximum: float) -> Piecewise:
        """The numbers of levels and of places with the lowest worst error."""
        _check(epsilon, maximum)
        levels, width = _grid()
        errors = _piecewise_worst(_lost(epsilon, levels, width), levels, width)
        return _lowest(errors, levels, width, epsilon, maximum)

    @classmethod
    @takes_numpys
    def on_grid(cls, epsilon: float, levels: int, width: int, maximum: float) -> Piecewise:
        """The mechanism with these levels and this window, missing it as rarely as allowed.

        Raises:
          ValueError: if `epsilon` is not in [1e-6, inf), `maximum` not in [1e-30, 1e30],
            `levels` not in [1, 65535] or `width` not in [1, `levels`].
        """
        _check(epsilon, maximum)
        refuse_not_whole("levels", levels, 1, MOST_LEVELS)
        refuse_not_whole("width", width, 1, levels)
        count = outside_words(epsilon, width, levels)
        # Integers, because s loses its digits at a small epsilon.
        kept = 1 - Fraction(count * (levels + width), words.SIZE * levels)
        step = maximum / float(levels * kept)
        return cls(float(epsilon), levels, width, float(maximum), words.word(count), step)

    @property
    def lost(self) -> float:
        """1 - s: the part of a report that says nothing."""
        places = self.levels + self.width
        return words.integer(self.miss) * places / (words.SIZE * self.levels)

    @property
    def bound(self) -> float:
        """The largest |Z|."""
        return self.maximum / 2 + self.step * (self.levels + self.width - 1) / 2

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: each place's probability outside windows."""
        rarest = Fraction(words.integer(self.miss) * (words.SIZE // self.levels), words.SIZE**2)
        return words.at_most((self.levels + self.width) * rarest)

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, Var Z, over [0, maximum]."""
        return float(_piecewise_worst(self.lost, self.levels, self.width)) * self.maximum**2

    def error(self, value: float) -> float:
        """The mean squared error, Var Z, at a value of [0, maximum]."""
        position = value / self.maximum * self.levels
        scaled = _variance(self.lost, self.levels, self.width, position)
        return float(scaled) * self.maximum**2

    @per_shape
    def sample(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Float[Array, " n"]:
        """One report for each value."""
        for_rounding, for_branch, for_inside, for_outside = jax.random.split(key, 4)
        shares = jnp.asarray(values, jnp.float32) / self.maximum
        inside = jnp.clip(jnp.nan_to_num(shares, nan=0.0), 0.0, 1.0)
        position = inside * self.levels
        floor = jnp.floor(position)
        up = jax.random.uniform(for_rounding, values.shape) < position - floor
        start = (floor + up).astype(jnp.int32)
        missed = words.below(for_branch, self.miss, values.shape)
        hit = start + words.residue(for_inside, self.width, values.shape).astype(jnp.int32)
        other = words.residue(for_outside, self.levels, values.shape).astype(jnp.int32)
        other += jnp.where(other >= start, self.width, 0)
        place = jnp.where(missed, other, hit)
        middle = jnp.float32(self.levels + self.width - 1) / 2
        return self.maximum / 2 + self.step * (place - middle)


@node
@dataclass(frozen=True)
class Hybrid:
    """The piecewise mechanism or one bit, as a coin says. Build it with `best`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), as for
    each of the two; the coin may be known.

    **Error**: `error(value)` = Var Z, exact; `worst_error` its maximum; |Z| <= `bound`. Both are
    exact but for the coin's rounding to a multiple of 2^-64. Values outside are treated as by
    `Piecewise`.

    References:
        Wang et al. 2019, section III-C, where the coin is 1 - e^(-epsilon/2): s at their window.
    """

    wide: Piecewise
    bit: Piecewise
    coin: words.Word

    @classmethod
    @takes_numpys
    def best(cls, epsilon: float, maximum: float) -> Hybrid:
        """The numbers of levels and of places with the lowest worst error."""
        _check(epsilon, maximum)
        levels, width = _grid()
        lost = _lost(epsilon, levels, width)
        wide = _lowest(_flat(lost, levels, width, epsilon), levels, width, epsilon, maximum)
        missed = words.integer(wide.miss) * (wide.levels + wide.width)
        coin = words.word(words.SIZE - math.ceil(Fraction(missed, wide.levels)))
        return cls(wide, Piecewise.on_grid(epsilon, 1, 1, maximum), coin)

    @property
    def epsilon(self) -> float:
        """The budget of one report."""
        return self.wide.epsilon

    @property
    def chance(self) -> float:
        """The probability of the piecewise report: s."""
        return words.integer(self.coin) / words.SIZE

    @property
    def bound(self) -> float:
        """The largest |Z|."""
        return max(self.wide.bound, self.bit.bound)

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody, the coin being known."""
        mean = self.chance * self.wide.blanket + (1 - self.chance) * self.bit.blanket
        return mean * (1 - 2.0**-50)

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, Var Z: that between two grid points, the same for all."""
        wide = self.wide
        return self.error(wide.maximum / wide.levels / 2)

    def error(self, value: float) -> float:
        """The mean squared error, Var Z, at a value of [0, maximum]."""
        return self.chance * self.wide.error(value) + (1 - self.chance) * self.bit.error(value)

    @per_shape
    def sample(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Float[Array, " n"]:
        """One report for each value."""
        for_coin, for_wide, for_bit = jax.random.split(key, 3)
        heads = words.below(for_coin, self.coin, values.shape)
        wide, bit = self.wide.sample(for_wide, values), self.bit.sample(for_bit, values)
        return jnp.where(heads, wide, bit)


def _check(epsilon: float, maximum: float) -> None:
    if not (is_number(epsilon) and 1e-6 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 1e-6 and finite, got {got(epsilon)}")
    if not (is_number(maximum) and 1e-30 <= maximum <= 1e30):
        raise ValueError(f"maximum must be from 1e-30 to 1e30, got {got(maximum)}")


def _grid() -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """Levels and widths to try: all for few levels, then powers of two and spaced widths."""
    few = [(k, w) for k in range(1, _EVERY + 1) for w in range(1, k + 1)]
    many = [
        (k, w)
        for k in (*(2**power for power in range(6, 16)), MOST_LEVELS)
        for w in np.unique(np.geomspace(1, k, 400).astype(int))
    ]
    levels, width = np.array([*few, *many], float).T
    return levels, width


def _lowest(errors, levels, width, epsilon: float, maximum: float) -> Piecewise:
    """The first with the lowest error, but for what rounding in float64 may decide."""
    best = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-12))[0])
    return Piecewise.on_grid(epsilon, int(levels[best]), int(width[best]), maximum)


def _lost(epsilon: float, levels, width):
    """1 - s: N/(w E + k), for E = e^`epsilon`, with the digits it has at a large one."""
    shrunk = math.exp(-epsilon)
    return (levels + width) * shrunk / (width + levels * shrunk)


def _noise(lost, levels, width):
    """The variance of a report's place about the window's middle, over s², in grid steps."""
    places = levels + width
    return (width**2 - 1) / (12 * (1 - lost)) + lost * (places**2 - 1) / (12 * (1 - lost) ** 2)


def _variance(lost, levels, width, position):
    """Var Z for maximum = 1 at this position x on the grid."""
    fraction = position - np.minimum(np.floor(position), levels - 1)
    offset = position - levels / 2
    moved = fraction * (1 - fraction) / (1 - lost) + lost / (1 - lost) * offset**2
    return (moved + _noise(lost, levels, width)) / levels**2


def _piecewise_worst(lost, levels, width):
    """The largest Var Z for maximum = 1, in the last cell: where its derivative in f vanishes."""
    turning = np.clip((1 + lost * (levels - 2)) / (2 * (1 - lost)), 0, 1)
    return _variance(lost, levels, width, levels - 1 + turning)


def _flat(lost, levels, width, epsilon: float):
    """The largest error of the hybrid with this piecewise part, for maximum = 1."""
    wide = (1 / (4 * (1 - lost)) + _noise(lost, levels, width)) / levels**2
    return (1 - lost) * wide + lost / (2 * math.tanh(epsilon / 2)) ** 2
