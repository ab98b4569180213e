"""Student's t noise for a smooth bound on the sensitivity: pure, and with a variance.

What is released is f(x) + c S(x) Z, Z = T/d^(1/2), T from Student's law of d degrees of freedom,
S a beta-smooth bound of f (`tacit.mechanisms.rows.smooth_sensitivity`). Cauchy noise is d = 1; from
d = 3 there is a variance, (c S)²/(d-2).

1. *The loss.* The density of u + s Z at y is proportional to s^d / ((y-u)² + s²)^((d+1)/2): the
   Poisson kernel of the half-plane of all (u, s) to the power of (d+1)/2, times s^((d-1)/2). By
   Harnack the kernel's logarithm changes between two points by at most their hyperbolic distance D,
   at some y upwards and at some y downwards. So with b = |ln s/s'| the privacy loss is exactly

       (d+1)/2 D + (d-1)/2 b,    where    cosh D <= cosh b + e^-b/2c²

2. *What it asks of c.* That is as for Cauchy noise, with equality where |u-u'| is the smaller S. It
   is at most epsilon if and only if 1/2c² <= e^b (cosh R - cosh b) with
   R = (2 epsilon - (d-1) b)/(d+1) >= b. Put A = e^(2 epsilon/(d+1)) and X = e^(2b/(d+1)). Then
   2 e^b (cosh R - cosh b) = A X + X^d/A - X^(d+1) - 1, which factors:

       1/c² <= (A - X^d)(X - 1/A)    for all b in [0, beta],    beta < epsilon/d.

3. *Two ends.* Both factors are positive and concave in X, so the logarithm of the product is
   concave, and it is least at an end, b = 0 or beta: these two numbers are the whole condition. At
   b = 0 it says c >= 1/(2 sinh(epsilon/(d+1))).
4. *Rounding* is that of `smooth_sensitivity`, and draws are exact (`tacit.noise.exact`). The law is
   symmetric and falls away from its centre. Let p(x) = (floor(x) + 1/2)² - x² for x >= 0; its
   integral from 0 to g + r, g whole and r <= 1, is -g/12 + g r(1-r) + r/4 - r³/3 <= (g+r)/4. By
   parts, rounding down and adding one half adds to the mean square at most what it would if p were
   1/4: a quarter.

**The choice of beta.** For data whose smooth sensitivity falls away like 1/beta, c/beta should be
small. For small epsilon and beta = t epsilon the product is 4 epsilon²/(d+1)² (1 - d t)(1 + t), and
t² times that is largest where 4d t² + 3(d-1) t = 2. Where the end beta still demands no more than
the end 0 a larger beta is free (if A > d), and is taken.

At epsilon = 1 and d = 3 the standard deviation is 2.85 S with beta = 0.229. Laplace noise of
delta = 1e-6 has 2.83 S and beta = 0.053, and is not pure. More degrees have lighter tails and a
smaller beta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from jaxtyping import PRNGKeyArray
from scipy.special import stdtrit

from tacit.argument import got, is_number, keep_pythons
from tacit.mechanisms.rows.smooth_sensitivity import (
    PAD,
    SPARE,
    check_chance,
    check_epsilon,
    level,
)
from tacit.noise.exact import stream, student

# From where there is a variance; at 20 beta is a thirtieth of epsilon, and of more it is less.
LEAST_DEGREES, MOST_DEGREES = 3, 20

# Of smaller ones, from 1e-160, quantiles of floats are wrong.
_LEAST_CHANCE = 1e-100


@final
@dataclass(frozen=True)
class SmoothStudent:
    """Adds Student's t noise in proportion to S to a whole number, S being a `beta`-smooth bound.

    **Guarantee**: pure `epsilon`-differential privacy in the relation in which S is smooth; every
    rounding included, if S is within 2^-40 of a `beta`-smooth bound relatively.

    **Error**: `variance(smooth)`, `error_bound(smooth, chance)`. Both depend on the data
    through S, so they are not to be published. The noise has `degrees` - 1 moments.

    Edge cases: those of `SmoothCauchy`.

    Args:
      epsilon: From 0.001 to 10.
      degrees: From 3 to 20; 3 has the least standard deviation where S grows as beta falls.

    References:
        Bun and Steinke 2019, "Average-case averages: private algorithms for smooth sensitivity and
        mean estimation", Section 3.1; the constants here are the least possible, and proved above.
    """

    epsilon: float
    degrees: int = 3

    def __post_init__(self):
        keep_pythons(self, "epsilon", "degrees")
        check_epsilon(self.epsilon)
        whole = isinstance(self.degrees, int) and is_number(self.degrees)
        if not (whole and LEAST_DEGREES <= self.degrees <= MOST_DEGREES):
            raise ValueError(
                f"degrees must be whole, from {LEAST_DEGREES} to {MOST_DEGREES}, got "
                f"{got(self.degrees)}"
            )

    @property
    def delta(self) -> float:
        """Zero: the promise is pure."""
        return 0.0

    @property
    def beta(self) -> float:
        """How smooth S must be."""
        d = self.degrees
        share = (math.sqrt(9 * (d - 1) ** 2 + 32 * d) - 3 * (d - 1)) / (8 * d)
        return max(share * self.epsilon, _free(self.epsilon, d)) - 2 * SPARE

    @property
    def factor(self) -> float:
        """c: the scale of the noise in units of S, by step 3."""
        ends = (_room(self.epsilon, self.degrees, b) for b in (0.0, self.beta + SPARE))
        return PAD / math.sqrt(min(ends))

    def scale(self, smooth: float) -> float:
        """The scale of the noise at this S, rounded up."""
        return self.factor * level(smooth, self.beta)

    def variance(self, smooth: float) -> float:
        """The mean squared distance of the release, half a unit added, from the truth, at most.

        What rounding adds is between nothing and 1/4.
        """
        return self.scale(smooth) ** 2 / (self.degrees - 2) + 0.25

    def error_bound(self, smooth: float, chance: float) -> float:
        """How far the release is from the truth, at most, but for this chance; give or take 1.

        Below a chance of 1e-100 it is infinite.
        """
        check_chance(chance)
        if chance < _LEAST_CHANCE:
            return math.inf
        beyond = -float(stdtrit(self.degrees, chance / 2))
        return self.scale(smooth) * beyond / math.sqrt(self.degrees)

    def sample(self, key: PRNGKeyArray, value: int, smooth: float) -> int:
        """`value` and its noise, rounded down: half a unit too low on average."""
        return value + student(stream(key), self.scale(smooth), self.degrees)


def _room(epsilon: float, degrees: int, b: float) -> float:
    """(A - X^d)(X - 1/A): the largest 1/c² where scales are apart by b. Without cancellation."""
    spent, move = 2 * epsilon / (degrees + 1), 2 * b / (degrees + 1)
    return (
        math.exp(degrees * move - spent)
        * math.expm1(spent - degrees * move)
        * math.expm1(spent + move)
    )


def _free(epsilon: float, degrees: int) -> float:
    """The largest b that has as much room as b = 0, by bisection from below."""
    low, high = 0.0, epsilon / degrees
    for _ in range(60):
        middle = (low + high) / 2
        fine = _room(epsilon, degrees, middle) >= _room(epsilon, degrees, 0.0)
        low, high = (middle, high) if fine else (low, middle)
    return low
