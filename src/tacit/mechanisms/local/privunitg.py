"""PrivUnitG: PrivUnit2 with a Gaussian in the place of the sphere.

The client holds a unit vector u of R^d and sends a multiple of V = a u + g', with g' a standard
Gaussian on the space orthogonal to u and a a standard Gaussian number told on which side of gamma
to fall: at or above it with probability p, below it otherwise. Let rho = P[N(0,1) >= gamma].
Relative to the standard Gaussian on R^d the density of V is p/rho where <V, u> >= gamma and
(1-p)/(1-rho) elsewhere, so

* **privacy**: as for PrivUnit2, the loss is exactly logit(p) - logit(rho);
* **unbiasedness**: with c = phi(gamma)/rho the mean of a above gamma, that below it is
  -c rho/(1-rho), so E[V] = m u with m = c p (1 - e^-loss), and Z = V/m has mean u;
* **error**: E|V|² = d - 1 + E[a²], and since a² has mean 1 + gamma c above gamma and
  1 - gamma c rho/(1-rho) below it, E[a²] = 1 + gamma m. So E|Z - u|² = (d + gamma m)/m² - 1;
* **blanket**: (1-p)/(1-rho) is the lower density, and every point v is below the gamma of -v.

**The norm is not fixed**, and a Gaussian's is not bounded.

1. Reports longer than `bound` are scaled back to it, which costs no privacy.
2. `bound` is m^-1 (A² + B)^(1/2) with P[|a| > A] <= 2^-61 and P[|g'|² > B] <= 2^-61, so this
   happens with probability at most 2^-60.
3. By Cauchy and Schwarz the mean moves by less than 2^-30 (E|Z|²)^(1/2) = `bias`.
4. The error cannot grow, because u is in the ball and a projection onto a convex set brings
   everything nearer to its points.

For a given loss the best gamma is the minimum of the error over one number. PrivUnit2 has a smaller
error, and little so when epsilon is far below d: by 4.2% at d = 100 and epsilon 8, by 0.2% at
d = 1000 and epsilon 4. Of PrivUnitG nothing but one factor depends on d.

**Sampling.** The number a by rejection, as the height of a cap (`cap.draw_branch`). The log-density
at f + x relative to the floor f is h(x) = -f x - x²/2. With Robert's rate
r = (f + (f² + 4)^(1/2))/2 the maximum of h(x) + r x is (r - f)²/2; at least 0.76 of the proposals
are accepted above a floor and at least 0.38 below gamma. Nobody gives up after some number of them:
that would be a different law, whose loss is not epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import cast

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray
from scipy.special import erfcx, log_expit, ndtri_exp
from scipy.stats import chi2

from tacit.argument import (
    refuse_negative,
    refuse_none_positive,
    refuse_not_whole,
    refuse_outside,
    takes_numpys,
)
from tacit.late import fminbound
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.local import cap
from tacit.mechanisms.node import node
from tacit.noise import words

# As of `PrivUnit2`.
LARGEST_EPSILON = 2000.0
LARGEST_DIM = 2**25
# Above the best at the largest epsilon, (2 epsilon)^(1/2).
LARGEST_GAMMA = 64.0
# Numbers in a block of rows, as for PrivUnit2.
_BLOCK = 2**19
# Float64 rounding of log rho, and of the rest, relative to 1 + epsilon - log rho.
_SLACK = 1e-14
# Either part of a report is too long with this probability at most: step 2.
_RARE = 2.0**-61


@node
@dataclass(frozen=True)
class PrivUnitG:
    """PrivUnitG at its exact budget. Build it with `optimal` or `with_threshold`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two finite or
    non-finite inputs (replace-one: the unit is all that the row says). The probability of the upper
    side is a multiple of 2^-64 rounded towards privacy, `gamma` a float32 number, and the budget
    holds for these rounded values (`loss` <= `epsilon`). Real arithmetic is assumed for V given u.

    **Error**: `error` = E|Z - u|² before norms are cut at `bound`, and not less than it after;
    the mean is off by `bias` at most, for the same reason.

    | input row | treated as |
    | --- | --- |
    | squared norm finite in float32 and at least dim 10^-30 | its direction |
    | shorter (its squares vanish in float32), NaN, infinite or too long | the first basis vector |

    References:
        Asi, Feldman and Talwar 2022, "Optimal algorithms for mean estimation under local
        differential privacy", section 4.
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    gamma: float
    miss: words.Word
    scale: float
    bound: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "scale", "bound")
        refuse_negative("gamma", self.gamma)

    @classmethod
    @takes_numpys
    def optimal(cls, dim: int, epsilon: float) -> PrivUnitG:
        """The mechanism with the least error for this dimension and budget."""
        _check(dim, epsilon)

        def cost(log_gamma: float) -> float:
            gamma = math.exp(log_gamma)
            log_p = float(log_expit(epsilon + _logit_mass(gamma)))
            log_m = math.log(_mean(gamma)) + log_p + math.log(-math.expm1(-epsilon))
            return math.log(dim + gamma * math.exp(log_m)) - 2 * log_m

        # The best gamma is below (2 epsilon)^(1/2); the low end is as good as gamma = 0.
        low = math.log(1e-4 * min(1.0, epsilon))
        high = 0.5 * math.log(2 * epsilon + 1)
        return cls.with_threshold(
            dim, epsilon, math.exp(cast(float, fminbound(cost, low, high, xtol=1e-7)))
        )

    @classmethod
    @takes_numpys
    def with_threshold(cls, dim: int, epsilon: float, gamma: float) -> PrivUnitG:
        """The mechanism with this threshold, rounded to float32, and the largest p.

        Raises:
          ValueError: if `dim` is not in [2, 2^25], `epsilon` not in [1e-6, 2000], or `gamma` not
            in [0, 64], or so high that the probability of the upper side falls below 2^-64.
        """
        _check(dim, epsilon)
        refuse_outside("gamma", gamma, 0, LARGEST_GAMMA)
        gamma = float(jnp.float32(gamma))
        spent = epsilon - _SLACK * (1 + epsilon - _log_mass(gamma))
        miss = words.unlikely(spent + _logit_mass(gamma))
        if miss >= words.SIZE:
            raise ValueError(f"gamma must be lower for epsilon {epsilon}, got {gamma}")
        p = 1 - miss / words.SIZE
        scale = 1 / (_mean(gamma) * p * -math.expm1(-_loss(gamma, miss)))
        # Above gamma the density is p/rho times the Gaussian's, elsewhere it is below that.
        along = ndtri_exp(math.log(_RARE / 2) + _log_mass(gamma) - math.log(p))
        across = chi2.isf(_RARE, dim - 1)
        bound = scale * math.sqrt(max(gamma, -along) ** 2 + across)
        return cls(dim, float(epsilon), gamma, words.word(miss), scale, bound)

    @property
    def p(self) -> float:
        """The probability that <V, u> is `gamma` or more."""
        return 1 - words.integer(self.miss) / words.SIZE

    @property
    def loss(self) -> float:
        """The exact privacy loss log p(1-rho)/((1-p) rho), never above `epsilon`."""
        return _loss(self.gamma, words.integer(self.miss))

    @property
    def error(self) -> float:
        """The mean squared error of one report, E|Z - u|²."""
        return self.scale * (self.dim * self.scale + self.gamma) - 1

    @property
    def bias(self) -> float:
        """An upper bound on |E[Z] - u|, which is zero before norms are cut: step 3."""
        return 2.0**-30 * math.sqrt(self.error + 1)

    @property
    def blanket(self) -> float:
        """The mass of the least density over inputs, (1-p)/(1-rho), rounded down."""
        density = words.integer(self.miss) / words.SIZE / -math.expm1(_log_mass(self.gamma))
        return density * (1 - _SLACK * (1 + self.epsilon))

    @per_shape
    def sample(self, key: PRNGKeyArray, units: Float[Array, "n dim"]) -> Float[Array, "n dim"]:
        """One report for each row; beyond its output it holds a few blocks of rows at a time.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        refuse_other_columns(units, self.dim)
        for_branch, for_height, for_vectors = jax.random.split(key, 3)
        above = ~words.below(for_branch, self.miss, units.shape[:1])
        heights = draw_normals(for_height, self.gamma, above)

        def report(row) -> Float[Array, " dim"]:
            key, unit, height = row
            axis, gaussian = cap.axis(unit), jax.random.normal(key, unit.shape)
            long = self.scale * (gaussian + (height - jnp.sum(axis * gaussian)) * axis)
            return long * jnp.minimum(1.0, self.bound / jnp.sqrt(jnp.sum(long * long)))

        rows = jax.random.split(for_vectors, units.shape[0]), units, heights
        return jax.lax.map(report, rows, batch_size=_BLOCK // self.dim or None)


def draw_normals(
    key: PRNGKeyArray, gamma: Float[Array, ""] | float, above: Bool[Array, " n"]
) -> Float[Array, " n"]:
    """Standard Gaussians given that they are at least `gamma` >= 0 where `above`, else below it.

    **Guarantee**: exact, up to the float32 rounding of the number (rejection; see the module).
    """
    floor = jnp.where(above, gamma, 0.0)
    rate = 0.5 * (floor + jnp.sqrt(floor * floor + 4))

    def surplus(size: Float[Array, " n"]) -> Float[Array, " n"]:
        # h(x) + r x - M is a square, as M is at x = r - f.
        return -0.5 * (size - (rate - floor)) ** 2

    return cap.draw_branch(key, gamma, above, rate, math.inf, surplus)


def _check(dim: int, epsilon: float) -> None:
    refuse_not_whole("dim", dim, 2, LARGEST_DIM)
    refuse_outside("epsilon", epsilon, 1e-6, LARGEST_EPSILON)


def _log_mass(gamma: float) -> float:
    return math.log(0.5 * float(erfcx(gamma / math.sqrt(2)))) - 0.5 * gamma * gamma


def _mean(gamma: float) -> float:
    return math.sqrt(2 / math.pi) / float(erfcx(gamma / math.sqrt(2)))


def _logit_mass(gamma: float) -> float:
    log_rho = _log_mass(gamma)
    return log_rho - math.log1p(-math.exp(log_rho))


def _loss(gamma: float, miss: int) -> float:
    return math.log((words.SIZE - miss) / miss) - _logit_mass(gamma)
