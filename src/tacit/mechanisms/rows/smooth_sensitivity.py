"""Noise for a smooth bound on the sensitivity: a scale that may itself tell about one person.

S is a beta-smooth bound of f if, for all neighbours x and x', |f(x) - f(x')| <= S(x) and
S(x) <= e^beta S(x'). What is released is f(x) + c S(x) Z. One person moves the centre by at most
min(S, S'), and the scale s = c S by a factor e^b, |b| <= beta. Both at once must be hidden.

1. *Cauchy.* The density of u + s Z at y is s / pi((y-u)² + s²): the Poisson kernel of the
   half-plane of all (u, s). A positive harmonic function changes between two points by at most e^d,
   with d their hyperbolic distance (Harnack), and the kernel attains it; so the privacy loss is
   exactly d, with cosh d = 1 + ((u-u')² + (s-s')²) / 2ss'. Let s be the smaller, |u-u'| <= s/c.
   Then cosh d <= cosh b + e^-b/2c², convex in b: the worst b is 0 or beta, and d <= epsilon if and
   only if

       1/2c² <= cosh epsilon - 1    and    1/2c² <= e^beta (cosh epsilon - cosh beta).

   The first alone gives c = 1/(2 sinh(epsilon/2)), and the second follows from it for all beta
   <= ln(2 cosh epsilon - 1). At epsilon = 1 that is c = 0.96 and beta = 0.74, where the usual proof
   has c = 6 and beta = 1/6. Sensitivity that falls away like e^(-beta k) is proportional to 1/beta;
   for small epsilon, c = (epsilon² - beta²)^(-1/2), and c/beta is least at epsilon/2^(1/2). The
   larger of the two is taken.
2. *Laplace*, c = 1/a. Put T = |y-u|/s, exponential under the mechanism at (u, s). If s is the
   smaller, the loss is at most b + a e^-b: again convex, at most max(a, beta + a e^-beta). If s is
   the larger, s' = s e^-b, the loss at y outside of [u, u'] is T (e^b - 1) - b ± a, plus on the
   side away from u', and between them below a. Beyond epsilon the loss is thus linear in T, and
   with t = (epsilon + b ∓ a)/(e^b - 1) one side adds to delta 1/2 int_t^inf e^-T
   (1 - e^-((T-t)(e^b-1))) dT = 1/2 e^-t (1 - e^-b). This rises with b, since (1-b) e^b <= 1 makes t
   fall, and the two sides' sum, a cosh, with |u-u'|. At the largest of both

       delta = (1 - e^-beta) e^(-(epsilon+beta)/(e^beta-1)) cosh(a/(e^beta-1)),

   the least possible. Here a = epsilon/2 and beta is the largest with beta + a e^-beta <= epsilon.
3. *Rounding.* Scales are public: S is rounded up to e^(jr), j whole, with r = beta/64. If ln S
   moves by at most beta, j moves by at most 64, so this costs nothing
   (on average 1/128 of beta in size). S is a float within 2^-40 of a smooth bound, the step and the
   scale are floats; beta + 2^-35 is what the formulae above are given, and c is larger by 2^-28,
   which is more than all of their errors.

Draws are exact and rounded down (`tacit.noise.exact`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, final

from jaxtyping import PRNGKeyArray

from tacit.argument import (
    got,
    is_number,
    keep_pythons,
    refuse_no_share,
    refuse_outside,
    takes_numpys,
)
from tacit.noise.exact import cauchy, laplace, stream

# From where beta is far above `SPARE` to where Cauchy noise is a hundredth of S, and less.
LEAST_EPSILON, MOST_EPSILON = 0.001, 10.0
# S is in units of the grid: below one it counts as one.
MOST_SENSITIVITY = 2.0**64
STEPS = 64  # To a beta: S is rounded up by 1/128 of one on average (step 3).
# ln S of a caller may be wrong by 2^-40; the levels allow for 2^-36 in all.
LIFT, LOOSE, SPARE = 2.0**-38, 2.0**-36, 2.0**-35
PAD = 1 + 2.0**-28

# Keeps beta above 7e-7, far from `SPARE`.
LEAST_DELTA = 1e-300


class SmoothNoise(Protocol):
    """Noise for a `beta`-smooth bound."""

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def beta(self) -> float: ...

    def sample(self, key: PRNGKeyArray, value: int, smooth: float) -> int: ...

    def error_bound(self, smooth: float, chance: float) -> float: ...


@final
@dataclass(frozen=True)
class SmoothCauchy:
    """Adds Cauchy noise of scale `factor` S to a whole number, S being a `beta`-smooth bound.

    **Guarantee**: pure `epsilon`-differential privacy in the relation in which S is smooth; every
    rounding included, if S is within 2^-40 of a `beta`-smooth bound relatively.

    **Error**: `error_bound(smooth, chance)`. It depends on the data through S, so it is not to
    be published. The noise has no mean and no variance.

    | S | effect |
    | --- | --- |
    | below 1 | counts as 1 |
    | above 2^64, or NaN | refused, as a programmer's error |

    Args:
      epsilon: From 0.001 to 10.

    References:
        Nissim, Raskhodnikova and Smith 2007, "Smooth sensitivity and sampling in private data
        analysis", Section 2 (admissible noise); the constants here are smaller, and proved above.
    """

    epsilon: float

    def __post_init__(self):
        keep_pythons(self, "epsilon")
        check_epsilon(self.epsilon)

    @property
    def delta(self) -> float:
        """Zero: the promise is pure."""
        return 0.0

    @property
    def beta(self) -> float:
        """How smooth S must be."""
        free = math.log(2 * math.cosh(self.epsilon) - 1)
        return max(free, self.epsilon / math.sqrt(2)) - 2 * SPARE

    @property
    def factor(self) -> float:
        """c of step 1: the scale of the noise in units of S."""
        beta = self.beta + SPARE
        # cosh epsilon - cosh beta, without cancellation.
        product = math.sinh((self.epsilon + beta) / 2) * math.sinh((self.epsilon - beta) / 2)
        least = min(2 * math.sinh(self.epsilon / 2) ** 2, math.exp(beta) * 2 * product)
        return PAD / math.sqrt(2 * least)

    def scale(self, smooth: float) -> float:
        """The scale of the noise at this S, rounded up."""
        return self.factor * level(smooth, self.beta)

    def error_bound(self, smooth: float, chance: float) -> float:
        """How far the release is from the truth, at most, but for this chance; give or take 1."""
        check_chance(chance)
        return self.scale(smooth) / math.tan(math.pi * chance / 2)

    def sample(self, key: PRNGKeyArray, value: int, smooth: float) -> int:
        """`value` and its noise, rounded down: half a unit too low on average."""
        return value + cauchy(stream(key), self.scale(smooth))


@final
@dataclass(frozen=True)
class SmoothLaplace:
    """Adds Laplace noise of scale 2S/`epsilon` to a whole number, S being a `beta`-smooth bound.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy in the relation in which S is smooth;
    every rounding included, if S is within 2^-40 of a `beta`-smooth bound relatively.

    **Error**: `variance(smooth)`, `error_bound(smooth, chance)`. Both depend on the data
    through S, so they are not to be published.

    Edge cases: those of `SmoothCauchy`.

    Args:
      epsilon: From 0.001 to 10.
      delta: From 1e-300 to below 1/2.

    References:
        Nissim, Raskhodnikova and Smith 2007, Section 2, where beta = epsilon/(2 ln(2/delta)).
    """

    epsilon: float
    delta: float
    beta: float

    @takes_numpys
    def __init__(self, epsilon: float, delta: float):
        check_epsilon(epsilon)
        if not (is_number(delta) and LEAST_DELTA <= delta < 0.5):
            raise ValueError(f"delta must be at least 1e-300 and below 1/2, got {got(delta)}")
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "delta", float(delta))
        object.__setattr__(self, "beta", _smoothest(epsilon, delta) - SPARE)

    @property
    def factor(self) -> float:
        """1/a of step 2: the scale of the noise in units of S."""
        return PAD * 2 / self.epsilon

    def scale(self, smooth: float) -> float:
        """The scale of the noise at this S, rounded up."""
        return self.factor * level(smooth, self.beta)

    def variance(self, smooth: float) -> float:
        """The mean squared distance of the release, half a unit added, from the truth."""
        mean = 1 / math.expm1(1 / self.scale(smooth))
        return 2 * mean * (mean + 1) + 0.25

    def error_bound(self, smooth: float, chance: float) -> float:
        """How far the release is from the truth, at most, but for this chance; give or take 1."""
        check_chance(chance)
        return -self.scale(smooth) * math.log(chance)

    def sample(self, key: PRNGKeyArray, value: int, smooth: float) -> int:
        """`value` and its noise, rounded down: half a unit too low on average."""
        return value + laplace(stream(key), self.scale(smooth))


def level(smooth: float, beta: float) -> float:
    """S rounded up to the public scales, which move by at most `beta` + `SPARE` where S does by
    `beta`."""
    if not (is_number(smooth) and 0 <= smooth <= MOST_SENSITIVITY):
        raise ValueError(f"smooth must be from 0 to 2^64, got {got(smooth)}")
    step = (beta + LOOSE) / STEPS
    return math.exp(step * math.ceil((math.log(max(smooth, 1.0)) + LIFT) / step))


def _smoothest(epsilon: float, delta: float) -> float:
    """The largest beta for Laplace noise of scale 2/epsilon, by bisection from below."""
    low, high = 0.0, epsilon
    for _ in range(100):
        middle = (low + high) / 2
        fine = _laplace_holds(epsilon, delta, middle)
        low, high = (middle, high) if fine else (low, middle)
    return low


def _laplace_holds(epsilon: float, delta: float, beta: float) -> bool:
    a, growth = epsilon / 2, math.expm1(beta)
    if not growth > 0 or beta + a * math.exp(-beta) > epsilon:
        return False
    tails = [math.exp(-(epsilon + beta + sign * a) / growth) for sign in (-1, 1)]
    return PAD * -math.expm1(-beta) * sum(tails) / 2 <= delta


def check_epsilon(epsilon: float) -> None:
    """Refuses what the roundings are not proved for."""
    refuse_outside("epsilon", epsilon, LEAST_EPSILON, MOST_EPSILON)


def check_chance(chance: float) -> None:
    """Refuses what no bound is but for."""
    refuse_no_share("chance", chance)
