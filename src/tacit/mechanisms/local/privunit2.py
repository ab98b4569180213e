"""PrivUnit2: a direction released under pure local differential privacy, with the least error.

The client holds a unit vector u and sends a point V of the sphere: with probability p one uniform
on the cap {v: <v, u> >= gamma}, otherwise one uniform on the rest. Let rho be the mass of the cap.
Relative to the uniform law the density of V is p/rho on the cap and (1-p)/(1-rho) off it, so

* **privacy**: the likelihood ratio of any two inputs is at most p(1-rho) / ((1-p) rho), and caps
  that do not nest attain it: the loss is exactly logit(p) - logit(rho);
* **unbiasedness**: by symmetry about u, E[V] = m u. With c the mean height of the cap, the mean
  height of the rest is -c rho/(1-rho), so m = c (p - (1-p) rho/(1-rho)) = c p (1 - e^-loss), and
  the report Z = V/m has mean u;
* **error**: |Z| = 1/m always, so E|Z - u|² = 1/m² - 1.

For a given loss, gamma fixes rho and with it p: the best mechanism is the maximum of m over one
number. Asi, Feldman and Talwar prove that no unbiased epsilon-private randomiser has a smaller
worst-case error. (The paper's own sufficient conditions (16a) and (16b) cost up to 41% more.)

**Blanket.** The density off the cap, (1-p)/(1-rho), is the lower of the two since the loss is
positive, and every point v is off the cap of -v. So it is the least density over inputs at every
point, and it is the mass of the part of a report that depends on nobody.

**One bit.** At gamma = 0 the cap is a hemisphere, rho = 1/2, and V falls in the hemisphere of u
with probability e^loss/(1 + e^loss): the randomiser of Duchi, Jordan and Wainwright. Its mean
height is c = 2 / ((d-1) B(1/2, (d-1)/2)), so its scale is coth(loss/2) / c.

**Second moment.** Over a cap (d - 1) E[t²] = (d - 1) gamma E[t] + 1 - E[t²], by parts, and so it is
over the rest. So E[V V^T] = gamma m u u^T + (1 - gamma m) I/d, of which `along` is the first part.

**Sampling.** V = t u + sqrt(1 - t²) w, with the height t from `cap` and w uniform on the unit
sphere orthogonal to u: one Gaussian vector, its part along u removed, normalised. A row is drawn
and combined while it is in cache, so the cost is that of its Gaussians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
from jaxtyping import Array, Float, PRNGKeyArray
from scipy.special import log_expit

from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_none_positive,
    refuse_not_whole,
    refuse_outside,
    takes_numpys,
)
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.local import cap
from tacit.mechanisms.node import node
from tacit.noise import words

# Far above any that protects; log rho is still right within `_SLACK` there.
LARGEST_EPSILON = 2000.0
# Heights are about 2^-12 there: half the digits of float32 tell one from another.
LARGEST_DIM = 2**25
# Float64 rounding of log rho, a fifth of this, relative to 1 + epsilon - log rho; and of the rest.
_SLACK = 1e-14


@node
@dataclass(frozen=True)
class PrivUnit2:
    """PrivUnit2 at its exact budget. Build it with `optimal` or `with_cap`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two finite or
    non-finite inputs (replace-one: the unit is all that the row says). The cap's probability is a
    multiple of 2^-64 rounded towards privacy, `gamma` a float32 number, and the budget holds
    for these rounded values (`loss` <= `epsilon`). Real arithmetic is assumed for V given u: its
    coordinates are float32.

    **Error**: `error` = E|Z - u|², exact; every report has norm `bound` = `scale` (to rounding).

    | input row | treated as |
    | --- | --- |
    | squared norm finite in float32 and at least dim 10^-30 | its direction |
    | shorter (its squares vanish in float32), NaN, infinite or too long | the first basis vector |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and
        its applications in private federated learning", Algorithm 1 and equation (15).
        Asi, Feldman and Talwar 2022, "Optimal algorithms for mean estimation under local
        differential privacy", for the optimality.
        Duchi, Jordan and Wainwright 2018, "Minimax optimal procedures for locally private
        estimation", section 4.2.3, for `hemisphere`.
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    gamma: float
    miss: words.Word
    scale: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "scale")
        refuse_negative("gamma", self.gamma)

    @classmethod
    @takes_numpys
    def optimal(cls, dim: int, epsilon: float) -> PrivUnit2:
        """The mechanism with the least error for this dimension and budget."""
        check_direction(dim, epsilon)

        def cost(gamma: float) -> float:
            log_p = float(log_expit(epsilon + _logit_mass(dim, gamma)))
            return -math.log(cap.mean_height(dim, gamma)) - log_p

        return cls.with_cap(dim, epsilon, cap.best_height(dim, epsilon, cost))

    @classmethod
    @takes_numpys
    def hemisphere(cls, dim: int, epsilon: float) -> PrivUnit2:
        """The one-bit mechanism: V is on the input's side with probability e^epsilon/(1+e^epsilon).

        In many dimensions its error is 16% above the least at epsilon 1, and 12 times it at 8.
        """
        return cls.with_cap(dim, epsilon, 0.0)

    @classmethod
    @takes_numpys
    def with_cap(cls, dim: int, epsilon: float, gamma: float) -> PrivUnit2:
        """The mechanism with the cap at height `gamma`, rounded to float32, and the largest p.

        Raises:
          ValueError: if `dim` is not in [3, 2^25], `epsilon` not in [1e-6, 2000], or `gamma` not
            in [0, 1), or so high that the cap's probability falls below 2^-53.
        """
        check_direction(dim, epsilon)
        if not (is_number(gamma) and 0 <= gamma < 1):
            raise ValueError(f"gamma must be at least zero and below one, got {got(gamma)}")
        gamma = cap.rounded(gamma)
        spent = epsilon - _SLACK * (1 + epsilon - cap.log_mass(dim, gamma))
        miss = words.unlikely(spent + _logit_mass(dim, gamma))
        # A smaller chance of the cap is none in a float.
        if miss >= words.SIZE - 2**11:
            raise ValueError(f"gamma must be lower for epsilon {epsilon}, got {gamma}")
        loss = _loss(dim, gamma, miss)
        mean = cap.mean_height(dim, gamma) * (1 - miss / words.SIZE) * -math.expm1(-loss)
        return cls(dim, float(epsilon), gamma, words.word(miss), 1 / mean)

    @property
    def p(self) -> float:
        """The probability of the cap."""
        return 1 - words.integer(self.miss) / words.SIZE

    @property
    def log_rho(self) -> float:
        """The log of the part of the sphere in the cap."""
        return cap.log_mass(self.dim, self.gamma)

    @property
    def loss(self) -> float:
        """The exact privacy loss log p(1-rho)/((1-p) rho), never above `epsilon`."""
        return _loss(self.dim, self.gamma, words.integer(self.miss))

    @property
    def error(self) -> float:
        """The mean squared error of one report, E|Z - u|²."""
        return self.scale * self.scale - 1

    @property
    def bound(self) -> float:
        """The norm of every report."""
        return self.scale

    @property
    def along(self) -> float:
        """The share of E|Z|² that lies along the input, beside an equal one in each direction."""
        return self.gamma / self.scale

    @property
    def blanket(self) -> float:
        """The mass of the least density over inputs, (1-p)/(1-rho), rounded down."""
        density = words.integer(self.miss) / words.SIZE / -math.expm1(self.log_rho)
        return density * (1 - _SLACK * (1 + self.epsilon))

    @per_shape
    def sample(self, key: PRNGKeyArray, units: Float[Array, "n dim"]) -> Float[Array, "n dim"]:
        """One report for each row; beyond its output it holds a few blocks of rows at a time.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        refuse_other_columns(units, self.dim)
        for_branch, for_height, for_vectors = jax.random.split(key, 3)
        inside = ~words.below(for_branch, self.miss, units.shape[:1])
        heights = cap.draw_heights(for_height, self.dim, self.gamma, inside)

        def report(row) -> Float[Array, " dim"]:
            key, unit, height = row
            return self.scale * cap.at_height(unit, height, jax.random.normal(key, unit.shape))

        rows = jax.random.split(for_vectors, units.shape[0]), units, heights
        # No blocks (None) for long rows: a block of one would copy the output.
        return jax.lax.map(report, rows, batch_size=cap.BLOCK // self.dim or None)


def check_direction(dim: int, epsilon: float) -> None:
    refuse_not_whole("dim", dim, 3, LARGEST_DIM)
    refuse_outside("epsilon", epsilon, 1e-6, LARGEST_EPSILON)


def _logit_mass(dim: int, gamma: float) -> float:
    log_rho = cap.log_mass(dim, gamma)
    return log_rho - math.log1p(-math.exp(log_rho))


def _loss(dim: int, gamma: float, miss: int) -> float:
    return math.log((words.SIZE - miss) / miss) - _logit_mass(dim, gamma)
