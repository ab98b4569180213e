"""ScalarDP: a number of [0, maximum] released under pure local differential privacy.

The value r is put on a grid of k + 1 points, x = k r / maximum, and rounded to J = floor(x) or the
next, without bias. J goes through randomised response: with probability 1 - q it is reported,
otherwise one of the k other points, uniformly. Write c = q/k for the probability of each lie and
s = 1 - q - c. The report names j with probability c + s [j = J], so

* **privacy**: the likelihood ratio is (1-q)/c = k (1-q)/q, at most e^epsilon iff
  q >= k/(e^epsilon + k);
* **unbiasedness**: E[j | J] = s J + c k(k+1)/2, inverted by Z = maximum/(k s) (j - q(k+1)/2);
* **error**: with f the fraction of x, E J = x and E J² = x² + f(1-f), hence
  Var j = s f(1-f) + s(1-s) x² - s c k(k+1) x + c k(k+1)(2k+1)/6 - (c k(k+1)/2)².

Var j is symmetric about x = k/2. On one cell of the grid it is a concave parabola in f, and the
maximum over a cell is convex in the cell's number, so the worst value lies in the last cell (and
its mirror image): one stationary point in closed form. That stays true when a multiple of r² is
added, which is what `Separated` needs.

With one level it is the one-bit mechanism of Duchi, Jordan and Wainwright: in units of maximum/2
from the middle its two reports are +-(e^epsilon + 1)/(e^epsilon - 1). Above epsilon = 2.3 wider
answers have a lower error, above 0.6 a mixture of wide ones and one bit (`piecewise`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from scipy.special import expit

from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_none_positive,
    refuse_not_whole,
    refuse_outside,
    takes_numpys,
)
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.node import node
from tacit.noise import words

MOST_LEVELS = words.LARGEST_MODULUS
# One lie is drawn as a 64-bit word modulo k: a level gets at least 1/k - 2^-64, under this relative
# share less than 1/k. The rest covers float64 rounding of q.
_SLACK = 1e-14


@node
@dataclass(frozen=True)
class ScalarDP:
    """ScalarDP on [0, `maximum`] with `levels` + 1 grid points. Build it with `best` or `on_grid`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two values
    (replace-one). The lie's probability is a multiple of 2^-64 rounded up, at least 2^-64 however
    large `epsilon` is; the unbiasing uses the rounded probability. Rounding to the grid comes first
    and costs no privacy.

    **Error**: `error(value)` = Var Z, exact; `worst_error` its maximum; |Z| <= `bound`.

    | value | treated as |
    | --- | --- |
    | above `maximum`, or infinite | `maximum` |
    | below zero, or minus infinity, or NaN | zero |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, Algorithm 3 and Lemma 4.3.
    """

    epsilon: float
    levels: int
    maximum: float
    lie: words.Word
    step: float

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "levels", "maximum", "step")

    @classmethod
    @takes_numpys
    def best(cls, epsilon: float, maximum: float, squares: float = 0.0) -> ScalarDP:
        """The number of levels with the lowest worst value of Var Z + `squares` r²."""
        _check(epsilon, maximum)
        refuse_negative("squares", squares)
        lie, levels = _tried(epsilon)
        return cls.on_grid(epsilon, int(levels[np.argmin(_worst(lie, levels, squares))]), maximum)

    @classmethod
    @takes_numpys
    def best_at(cls, epsilon: float, maximum: float, value: float) -> ScalarDP:
        """The number of levels with the lowest Var Z at this value of [0, `maximum`]."""
        _check(epsilon, maximum)
        refuse_outside("value", value, 0, maximum)
        lie, levels = _tried(epsilon)
        errors = _variance(lie, levels, levels * (value / maximum))
        return cls.on_grid(epsilon, int(levels[np.argmin(errors)]), maximum)

    @classmethod
    @takes_numpys
    def on_grid(cls, epsilon: float, levels: int, maximum: float) -> ScalarDP:
        """The mechanism on 0, maximum/levels, ..., maximum with the fewest lies.

        Raises:
          ValueError: if `epsilon` is not in [1e-6, inf), `maximum` not in [1e-30, 1e30], or
            `levels` not in [1, 65535].
        """
        _check(epsilon, maximum)
        refuse_not_whole("levels", levels, 1, MOST_LEVELS)
        spent = epsilon - _SLACK * (1 + epsilon)
        count = words.unlikely(spent - math.log(levels))
        # Integers, because 1 - q - q/k loses its digits at a small epsilon.
        kept = (words.SIZE * levels - count * (levels + 1)) / (words.SIZE * levels)
        step = maximum / (levels * kept)
        return cls(float(epsilon), levels, float(maximum), words.word(count), step)

    @property
    def lie_probability(self) -> float:
        """q: the probability that the grid point reported is not the one rounded to."""
        return words.integer(self.lie) / words.SIZE

    @property
    def bound(self) -> float:
        """The largest |Z|: the last grid point, as the shift is at most half of the grid."""
        return self.step * (self.levels - self.lie_probability * (self.levels + 1) / 2)

    @property
    def blanket(self) -> float:
        """The part of a report that depends on nobody: each grid point as the rarest lie."""
        rarest = words.integer(self.lie) * (words.SIZE // self.levels)
        return words.at_most(Fraction((self.levels + 1) * rarest, words.SIZE**2))

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, Var Z, over [0, maximum]."""
        return self.worst(0.0)

    def worst(self, squares: float) -> float:
        """The largest Var Z + `squares` r² over r in [0, maximum], for `squares` >= 0."""
        scaled = _worst(np.float64(self.lie_probability), np.float64(self.levels), squares)
        return float(scaled) * self.maximum**2

    def error(self, value: float) -> float:
        """The mean squared error, Var Z, at a value of [0, maximum]."""
        scaled = _variance(
            np.float64(self.lie_probability),
            np.float64(self.levels),
            np.float64(value) * self.levels / self.maximum,
        )
        return float(scaled) * self.maximum**2

    @per_shape
    def sample(self, key: PRNGKeyArray, values: Float[Array, " n"]) -> Float[Array, " n"]:
        """One report for each value."""
        for_rounding, for_branch, for_lie = jax.random.split(key, 3)
        point = self._round(for_rounding, values)
        lies = words.below(for_branch, self.lie, values.shape)
        others = words.residue(for_lie, self.levels, values.shape).astype(jnp.int32)
        others += others >= point
        named = jnp.where(lies, others, point)
        high, low = self.lie
        shift = (high * 2.0**-32 + low * 2.0**-64) * (self.levels + 1) / 2
        return self.step * (named - shift)

    def _round(self, key: PRNGKeyArray, values: Float[Array, " n"]):
        shares = jnp.asarray(values, jnp.float32) / self.maximum
        inside = jnp.clip(jnp.nan_to_num(shares, nan=0.0), 0.0, 1.0)
        position = inside * self.levels
        floor = jnp.floor(position)
        up = jax.random.uniform(key, values.shape) < position - floor
        return (floor + up).astype(jnp.int32)


def _check(epsilon: float, maximum: float) -> None:
    if not (is_number(epsilon) and 1e-6 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least 1e-6 and finite, got {got(epsilon)}")
    if not (is_number(maximum) and 1e-30 <= maximum <= 1e30):
        raise ValueError(f"maximum must be from 1e-30 to 1e30, got {got(maximum)}")


def _tried(epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of levels among which the best is, and how often each lies."""
    # The best number is near e^(epsilon/3); four times that many is past it.
    most = math.ceil(min(MOST_LEVELS, 4 * math.exp(min(epsilon, 40.0) / 3) + 4))
    levels = np.arange(1, most + 1, dtype=float)
    return expit(np.log(levels) - epsilon), levels


def _variance(lie, levels, position):
    """Var Z for maximum = 1 at this position x on the grid."""
    fraction = position - np.minimum(np.floor(position), levels - 1)
    each = lie / levels
    kept = 1 - lie - each
    total = levels * (levels + 1) / 2
    named = (
        kept * fraction * (1 - fraction)
        + kept * (lie + each) * position**2
        - 2 * kept * each * total * position
        + each * total * (2 * levels + 1) / 3
        - (each * total) ** 2
    )
    return named / (kept * levels) ** 2


def _worst(lie, levels, squares: float):
    """The largest Var Z + squares r² for maximum = 1, attained in the last cell."""
    each = lie / levels
    kept = 1 - lie - each
    # In units of kept² / levels², with x = levels - 1 + f: the derivative in f is
    # slope - 2 bend f, and concave where bend > 0.
    added = squares * kept * kept
    growth = kept * (lie + each) + added
    slope = kept + 2 * growth * (levels - 1) - kept * each * levels * (levels + 1)
    bend = kept - growth
    turning = np.clip(np.where(bend > 0, slope / (2 * np.where(bend > 0, bend, 1)), 1), 0, 1)
    at = levels - 1 + turning
    return _variance(lie, levels, at) + squares * (at / levels) ** 2
