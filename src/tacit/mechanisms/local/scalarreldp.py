"""ScalarRelDP: a number of [0, maximum] under pure local privacy, with levels that grow.

The levels are 0 = a_0 < a_1 < ... < a_k = maximum, from a_1 on in a constant ratio. The value r is
rounded to one of its two neighbours without bias, the level goes through randomised response among
all k + 1, and the report is made unbiased. With probability 1 - q the level a_J is reported, each
of the others with probability c = q/k; let s = 1 - q - c and S, T be the sums of the levels and of
their squares. The report names level a_i with probability c + s [i = J], so

* **privacy**: the likelihood ratio is (1-q)/c = k (1-q)/q, at most e^epsilon iff
  q >= k/(e^epsilon + k);
* **unbiasedness**: its mean is s r + c S, inverted by Z = (a - c S)/s;
* **error**: for r between neighbours a < b, E a_J² = r² + (r-a)(b-r), hence
  Var Z = ((r-a)(b-r) + T c/s + r²)/s - (r + c S/s)².

Rounding on such levels costs in proportion to the value, so the error is small where the value is.
The measure is the **relative error**, Var Z / max(r, floor)²: below `floor` a number need only be
right by as much as at `floor`. On each cell Var Z is a quadratic A + B r + C r², and over r² it is
stationary at r = -2A/B only, so the worst relative error is the largest of a few values. The number
of levels and a_1 are chosen for it; where even levels do better relatively, those with k = 1, which
are ScalarDP's, are among the choices.

Lies are the limit: as a number near `floor` may be reported as the maximum, no choice brings the
relative error below about e^-epsilon (maximum/floor)².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, PRNGKeyArray

from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_none_positive,
    refuse_not_whole,
    takes_numpys,
)
from tacit.late import fminbound
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.frequency.randomised_response import outside_words, respond
from tacit.mechanisms.node import node
from tacit.noise import words

# The table of levels has this many entries plus one, filled up with the maximum.
MOST_LEVELS = 255
# Of the maximum: over such a range 255 levels grow by 6 per cent each.
SMALLEST_FLOOR = 1e-6
# What levels are tried: all up to 32, then a tenth more each time.
_TRIED = (*range(2, 33), *(int(32 * 1.1**power) for power in range(1, 22)), MOST_LEVELS)


@node
@dataclass(frozen=True)
class ScalarRelDP:
    """Randomised response on growing levels of [0, `maximum`]. Build it with `best` or `on_levels`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two values
    (replace-one). The lie's probability is a multiple of 2^-64, rounded up so far that the
    unevenness of residues is covered. Rounding to a level comes first and costs no privacy.

    **Error**: `error(value)` = Var Z, exact; `worst_error` its maximum, `worst_relative` that of
    Var Z / max(value, floor)²; |Z| <= `bound`. Levels are float32 numbers, and the formulas are for
    these.

    | value | treated as |
    | --- | --- |
    | above `maximum`, or infinite | `maximum` |
    | below zero, or minus infinity, or NaN | zero |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, Algorithm 4; the levels' parameters are
        chosen here for the criterion above.
    """

    epsilon: float
    levels: int
    maximum: float
    lie: words.Word
    kept: float
    shift: float
    table: Float32[np.ndarray, " entries"]

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "levels", "maximum", "kept")
        refuse_negative("shift", self.shift)

    @classmethod
    @takes_numpys
    def best(cls, epsilon: float, maximum: float, floor: float) -> ScalarRelDP:
        """The levels with the lowest worst value of Var Z / max(r, `floor`)².

        Raises:
          ValueError: if `floor` is not in [1e-6 `maximum`, `maximum`], or as for `on_levels`.
        """
        _check(epsilon, maximum)
        if not (is_number(floor) and SMALLEST_FLOOR * maximum <= floor <= maximum):
            raise ValueError(
                f"floor must be between 1e-6 of the maximum {maximum} and it, got {got(floor)}"
            )
        choices = [_best_of(epsilon, levels, floor / maximum) for levels in _TRIED]
        one = _worst(np.array([0.0, 1.0]), *_chances(epsilon, 1), floor / maximum)
        _, levels, first = min([*choices, (one, 1, 1.0)])
        return cls.on_levels(epsilon, levels, first * maximum, maximum)

    @classmethod
    @takes_numpys
    def on_levels(cls, epsilon: float, levels: int, first: float, maximum: float) -> ScalarRelDP:
        """The mechanism on 0, first, ..., maximum, where the last `levels` are in constant ratio.

        Raises:
          ValueError: if `epsilon` is not in [1e-6, inf), `maximum` not in [1e-30, 1e30],
            `levels` not in [1, 255], or `first` not positive and below `maximum` (at it, for
            one level).
        """
        _check(epsilon, maximum)
        refuse_not_whole("levels", levels, 1, MOST_LEVELS)
        own = levels == 1 and first == maximum
        if not (is_number(first) and (0 < first < maximum or own)):
            raise ValueError(f"first must be positive and below {maximum}, got {got(first)}")
        made = _table(levels, first / maximum)
        if not np.all(np.diff(made[: levels + 1]) > 0):
            raise ValueError(f"levels must be distinct in float32, got {levels} from {first}")
        count = outside_words(epsilon, 1, levels)
        each = Fraction(count, words.SIZE * levels)
        kept = 1 - (levels + 1) * each
        shift = each * Fraction(float(np.sum(made[: levels + 1], dtype=np.float64)))
        numbers = float(kept), float(shift)
        return cls(float(epsilon), levels, float(maximum), words.word(count), *numbers, made)

    @property
    def bound(self) -> float:
        """The largest |Z|: an end, as the shift is at most the sum of the levels over k + 1."""
        return self.maximum * max(self.shift, 1 - self.shift) / self.kept

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: each level as the rarest lie."""
        rarest = words.integer(self.lie) * (words.SIZE // self.levels)
        return words.at_most(Fraction((self.levels + 1) * rarest, words.SIZE**2))

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, Var Z, over [0, maximum]."""
        return self.maximum**2 * _worst(self._points, self._each, self.kept, 1.0)

    def worst_relative(self, floor: float) -> float:
        """The largest Var Z / max(value, `floor`)² over [0, maximum]."""
        if not (is_number(floor) and 0 < floor <= self.maximum):
            raise ValueError(f"floor must be positive and at most {self.maximum}, got {got(floor)}")
        return _worst(self._points, self._each, self.kept, floor / self.maximum)

    def error(self, value: float) -> float:
        """The mean squared error, Var Z, at a value of [0, maximum]."""
        scaled = value / self.maximum
        cell = np.clip(np.searchsorted(self._points, scaled, "right") - 1, 0, self.levels - 1)
        coefficients = [c[cell] for c in _quadratics(self._points, self._each, self.kept)]
        return float(np.polynomial.polynomial.polyval(scaled, coefficients)) * self.maximum**2

    @per_shape
    def sample(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Float[Array, " n"]:
        """One report for each value."""
        for_rounding, for_response = jax.random.split(key)
        point = self._round(for_rounding, values)
        named = respond(for_response, point, self.levels + 1, self.lie)
        return self.maximum / self.kept * (jnp.asarray(self.table)[named] - self.shift)

    def _round(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Array:
        shares = jnp.asarray(values, jnp.float32) / self.maximum
        inside = jnp.clip(jnp.nan_to_num(shares, nan=0.0), 0.0, 1.0)
        table = jnp.asarray(self.table)
        above = jnp.clip(jnp.searchsorted(table, inside, side="right"), 1, self.levels)
        low, high = table[above - 1], table[above]
        up = jax.random.uniform(key, values.shape) < (inside - low) / (high - low)
        return (above - 1 + up).astype(jnp.int32)

    @property
    def _points(self) -> Float[np.ndarray, " levels+1"]:
        return np.asarray(self.table, np.float64)[: self.levels + 1]

    @property
    def _each(self) -> float:
        return words.integer(self.lie) / (words.SIZE * self.levels)


def _check(epsilon: float, maximum: float) -> None:
    if not (is_number(epsilon) and 1e-6 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 1e-6 and finite, got {got(epsilon)}")
    if not (is_number(maximum) and 1e-30 <= maximum <= 1e30):
        raise ValueError(f"maximum must be from 1e-30 to 1e30, got {got(maximum)}")


def _chances(epsilon: float, levels: int) -> tuple[float, float]:
    """c and s before c is rounded."""
    shrunk = math.exp(-epsilon)
    return shrunk / (1 + levels * shrunk), -math.expm1(-epsilon) / (1 + levels * shrunk)


def _table(levels: int, first: float) -> Float32[np.ndarray, " entries"]:
    """0, first, ..., 1 in float32, then ones."""
    made = np.ones(MOST_LEVELS + 1, np.float32)
    made[0] = 0
    made[1 : levels + 1] = np.exp(np.linspace(math.log(first), 0, levels)) if levels > 1 else 1
    return made


def _quadratics(points, each: float, kept: float):
    """Var Z = A + B r + C r² on each cell between `points`, for maximum = 1."""
    points = np.asarray(points, np.float64)
    low, high = points[:-1], points[1:]
    shift, squares = each * points.sum() / kept, each * (points @ points) / kept
    constant = (squares - low * high) / kept - shift**2
    slope = (low + high) / kept - 2 * shift
    return constant, slope, np.full(len(low), -1.0)


def _worst(points, each: float, kept: float, floor: float) -> float:
    """The largest Var Z / max(r, floor)² for maximum = 1: at cells' ends or stationary inside."""
    points = np.asarray(points, np.float64)
    low, high = points[:-1], points[1:]
    constant, slope, square = _quadratics(points, each, kept)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.nan_to_num(-2 * constant / slope, posinf=0, neginf=0)
    candidates = [low, high, np.full_like(low, floor), -slope / (2 * square), relative]
    places = np.clip(np.stack(candidates), low, high)
    values = constant + slope * places + square * places**2
    return float(np.max(values / np.maximum(places, floor) ** 2))


def _best_of(epsilon: float, levels: int, floor: float) -> tuple[float, int, float]:
    """The least cost of so many levels up to one, their number, and the first of them."""

    def cost(log_first: float) -> float:
        made = _table(levels, math.exp(log_first))[: levels + 1]
        return _worst(made, *_chances(epsilon, levels), floor)

    starts = np.linspace(math.log(floor) - 2, -1e-3, 24)
    costs = [cost(float(start)) for start in starts]
    near, gap = starts[np.argmin(costs)], starts[1] - starts[0]
    end = min(near + gap, -1e-3)
    log_first = cast(float, fminbound(cost, near - gap, end, xtol=1e-4))
    return cost(log_first), levels, math.exp(log_first)
