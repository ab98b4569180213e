"""Caps of the unit sphere: how much of it they hold, their mean height, and a draw from them.

The height t = <V, u> of a uniform point V of the sphere in R^d has density proportional to
(1 - t²)^((d-3)/2), and given t the rest of V is uniform on a sphere of one dimension less. So
everything about the cap {v: <v, u> >= gamma} is about this one scalar.

**Mass and mean.** The mass is that of `accounting.theorems.sphere_caps`; with J as there

    mean = (1 - gamma²)^(1/2) / ((d-1) J(gamma)),

elementary because t (1 - t²)^((d-3)/2) has an elementary integral.

**Draw.** Rejection, hence exact.

1. h(x) = ((d-3)/2) log(1 - x(2f + x)/(1 - f²)) is the log-density of t = f + x above a floor f,
   relative to that at the floor.
2. It is concave, so h(x) + r x has one maximum M, at t = 2r / (d-3 + sqrt((d-3)² + 4r²)), and an
   exponential of rate r cut to [0, 1 - f] is accepted with probability exp(h(x) + r x - M). In this
   form nothing cancels, so float32 is enough for d in the millions.
3. With k = (d-2)/(1 - f²) and Robert's rate r = (k f + sqrt(k² f² + 4k))/2 at least 0.58 of the
   proposals are accepted for every d >= 3 and f.
4. The complement of the cap is the sphere (floor 0, random sign) without the points above
   gamma >= 0: at least 0.29 of these proposals are accepted.

The number of proposals depends on the branch, never on u. Nothing but h, M and r is about the
sphere, so `draw_branch` serves other symmetric log-concave laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tacit.accounting.theorems.sphere_caps import cap_integral, log_cap_mass
from tacit.late import fminbound
from tacit.noise import words

# Squares below 10^-38 are lost to float32: of a row this long they are no part that counts.
_SMALLEST_SQUARE = 1e-30
# Heights are float32 numbers; above this one the next is 1.
_HIGHEST = 1 - 2.0**-23
# Numbers in a block of rows: one that stays in cache is combined without going back to memory.
BLOCK = 2**19


def log_mass(dim: int, gamma: float) -> float:
    """The log of the part of the sphere in R^`dim` (3 or more) at height `gamma` >= 0 or above."""
    return log_cap_mass(dim, 0.5 * math.log1p(-gamma * gamma), _tangent(gamma))


def mean_height(dim: int, gamma: float) -> float:
    """The mean of <v, u> over the cap at height `gamma` >= 0 around u."""
    return math.sqrt((1 - gamma) * (1 + gamma)) / ((dim - 1) * cap_integral(dim, _tangent(gamma)))


def best_height(dim: int, epsilon: float, cost: Callable[[float], float]) -> float:
    """The height with the least `cost`, which has one dip; `epsilon` says how low it may lie."""

    def of_tangent(log_tangent: float) -> float:
        tangent = math.exp(log_tangent)
        return tangent / math.sqrt(1 + tangent * tangent)

    # A tangent of e^9 is beyond the highest height; the low end is as good as zero.
    low = math.log(1e-4 * min(1.0, epsilon) / math.sqrt(dim))
    found = fminbound(lambda tangent: cost(of_tangent(tangent)), low, 9.0, xtol=1e-7)
    return of_tangent(cast(float, found))


def rounded(height: float) -> float:
    """The nearest height that is a float32 number below one."""
    return min(float(np.float32(height)), _HIGHEST)


def draw_heights(
    key: PRNGKeyArray, dim: int, gamma: Float[Array, ""] | float, inside: Bool[Array, " n"]
) -> Float[Array, " n"]:
    """Heights <v, u> of points uniform on the cap where `inside`, on its complement elsewhere.

    **Guarantee**: exact, up to the float32 rounding of the height (rejection; see the module).
    """
    floor = jnp.where(inside, gamma, 0.0)
    rate, peak = _proposal(dim, floor)

    def surplus(size: Float[Array, " n"]) -> Float[Array, " n"]:
        return _log_density(dim, floor, size) + rate * size - peak

    return draw_branch(key, gamma, inside, rate, 1 - floor, surplus)


def draw_branch(
    key: PRNGKeyArray,
    gamma: Float[Array, ""] | float,
    inside: Bool[Array, " n"],
    rate: Float[Array, " n"],
    width: Float[Array, " n"] | float,
    surplus: Callable[[Float[Array, " n"]], Float[Array, " n"]],
) -> Float[Array, " n"]:
    """Draws of a symmetric law, given that they are at least `gamma` where `inside`, else below
    (step 4).

    Args:
      key: Consumed.
      gamma: At least zero.
      inside: The branch; its floor is `gamma`, the other's zero.
      rate: Of the exponential proposals above the floor.
      width: The largest proposal.
      surplus: The log of the acceptance probability of a proposal, at most zero.
    """
    floor = jnp.where(inside, gamma, 0.0)

    def pending(carry):
        return ~jnp.all(carry[2])

    def propose(carry):
        key, heights, done = carry
        key, now = jax.random.split(key)
        for_size, for_sign, for_acceptance = words.uniform(now, (3, *inside.shape))
        size = _cut_exponential(for_size, rate, width)
        height = jnp.where(inside | (for_sign < 0.5), floor + size, -(floor + size))
        accepted = (jnp.log(for_acceptance) <= surplus(size)) & (inside | (height < gamma))
        return key, jnp.where(done, heights, height), done | accepted

    start = key, jnp.zeros(inside.shape, jnp.float32), jnp.zeros(inside.shape, bool)
    return jax.lax.while_loop(pending, propose, start)[1]


def axis(row: Float[Array, " dim"]) -> Float[Array, " dim"]:
    """The direction of `row`: the first basis vector if its squares vanish or are not finite."""
    # Squares of integers wrap, and those of half precision vanish where the row does not.
    row = row.astype(jnp.float32)
    square = jnp.sum(row * row)
    first = jnp.zeros_like(row).at[0].set(1)
    usable = (square >= row.size * _SMALLEST_SQUARE) & jnp.isfinite(square)
    return jnp.where(usable, row / jnp.sqrt(square), first)


def at_height(
    unit: Float[Array, " dim"], height: Float[Array, ""], gaussian: Float[Array, " dim"]
) -> Float[Array, " dim"]:
    """The point of the sphere at this height above `unit`, turned about it by the Gaussian."""
    along_unit = axis(unit)
    along = jnp.sum(along_unit * gaussian)
    # Not |g|² - along²: in few dimensions the difference may lose every digit.
    across = jnp.sqrt(jnp.sum((gaussian - along * along_unit) ** 2))
    turn = jnp.sqrt((1 - height) * (1 + height)) / across
    return (height - turn * along) * along_unit + turn * gaussian


def _tangent(gamma: float) -> float:
    return gamma / math.sqrt((1 - gamma) * (1 + gamma))


def _proposal(dim: int, floor: Float[Array, " n"]) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    curvature = (dim - 2) / ((1 - floor) * (1 + floor))
    slope = curvature * floor
    rate = 0.5 * (slope + jnp.sqrt(slope * slope + 4 * curvature))
    power = float(dim - 3)
    top = 2 * rate / (power + jnp.sqrt(power * power + 4 * rate * rate))
    size = jnp.clip(top - floor, 0.0, 1 - floor)
    return rate, _log_density(dim, floor, size) + rate * size


def _log_density(
    dim: int, floor: Float[Array, " n"], size: Float[Array, " n"]
) -> Float[Array, " n"]:
    fall = size * (2 * floor + size) / ((1 - floor) * (1 + floor))
    return jax.scipy.special.xlog1py(0.5 * (dim - 3), -fall)


def _cut_exponential(
    level: Float[Array, " n"], rate: Float[Array, " n"], width: Float[Array, " n"] | float
) -> Float[Array, " n"]:
    size = -jnp.log(level + (1 - level) * jnp.exp(-rate * width)) / rate
    return jnp.clip(size, 0.0, width)
