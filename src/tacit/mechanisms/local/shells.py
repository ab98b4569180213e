"""Shells: a vector in a ball released as a point of one of a few spheres about zero.

The spheres have 2n public radii: n equal steps up to a public `middle`, n more up to `radius`. What
is private is one of these and a direction; a vector x = r u with |u| = 1 is first brought there,
without bias. Between two spheres it goes to one of both, inside the smallest to its surface along u
or -u: to radius L and sign s with E[s L] = r.

Under the uniform law each sphere has a mass of 1/2n. Let rho be the part of a sphere in the cap
{v: <v, su> >= gamma}, and c the mean height of the cap. The report V of direction, and sphere, is
with probability a one of the uniform law; otherwise of the sphere of radius L, uniform on the cap.

* **privacy**: relative to the uniform law the density is a + (1-a) 2n/rho on the cap of that sphere
  and a elsewhere. No likelihood ratio is above that of the two, whatever the vectors are, which is
  at most e^epsilon iff a >= 1/(1 + (e^epsilon - 1) rho/2n);
* **unbiasedness**: the uniform law is symmetric, so the mean of the point sent is (1-a) c E[s L] u,
  and a report of `scale` = 1/((1-a) c) times that point has mean x;
* **error**: E|Z|² = scale² ((1-a) E[L²] + a M), M the mean of the squared radii; E[L²] is linear in
  r between two spheres and constant inside the smallest, and E|Z - x|² = E|Z|² - r²;
* **blanket**: every point is off the caps of some vectors, so a is the least density over inputs.

Nothing is paid for the norm apart from log 2n of epsilon, for there are 2n times as many caps to be
told apart; a budget of its own (`Separated`) is several times that. With a sphere at the norm that
most vectors have, they go there whole. `middle` and n change where the error is small, and cap and
a hold the budget for whatever they are: for privacy nothing has to be true of the vectors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from tacit.argument import got, is_number, is_whole, refuse_negative, refuse_none_positive
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.privunit2 import check_direction
from tacit.mechanisms.node import node
from tacit.noise import words

# Steps up to the middle that are tried, and by how much more than one step may cost there. Between
# two of eight, E[L²] is at most middle²/256 above r²: more would gain nothing.
_STEPS = (2, 4, 8)
_AFFORDED = 1.02
# Rounding of log rho, and residues that are not quite uniform, relative to 1 + epsilon - log rho.
_SLACK = 1e-14


@node
@dataclass(frozen=True)
class Shells:
    """A point of one of 2 `steps` spheres about zero. Build it with `best` or `with_cap`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report, for any two inputs
    (replace-one). The probability a is a multiple of 2^-64 rounded towards privacy, `gamma` a
    float32 number, and the budget holds for these rounded values (`loss` <= `epsilon`). Real
    arithmetic is assumed for the point, whose coordinates are float32.

    **Error**: `error(norm)` = E|Z - x|², exact; `worst_error` its maximum; |Z| <= `bound`.

    | contribution | treated as |
    | --- | --- |
    | longer than `radius` | scaled back to it |
    | shorter than sqrt(dim) 1e-15 | its own norm along the first basis vector |
    | zero, NaN or infinite somewhere, norm beyond float32 | zero: a signed first basis vector |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, Algorithm 1, for the cap.
        Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally
        differential privacy", for one set of equal mass for each input.
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    steps: int
    middle: float
    radius: float
    gamma: float
    common: words.Word
    scale: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "steps", "middle", "radius", "scale")
        refuse_negative("gamma", self.gamma)

    @classmethod
    def best(cls, dim: int, epsilon: float, radius: float, middle: float) -> Shells:
        """The cap of the least error at norm `middle`, on as many spheres as add at most 2%."""
        _check(dim, epsilon, radius, middle)
        coarse = found = cls._on(dim, epsilon, radius, middle, 1)
        for steps in _STEPS:
            finer = cls._on(dim, epsilon, radius, middle, steps)
            if not finer.second_moment(middle) <= _AFFORDED * coarse.second_moment(middle):
                break
            found = finer
        return found

    @classmethod
    def _on(cls, dim: int, epsilon: float, radius: float, middle: float, steps: int) -> Shells:
        squares = np.mean(_nodes(steps, middle, radius)[1:] ** 2) / middle**2

        def cost(gamma: float) -> float:
            odds = _log_odds(dim, epsilon, gamma, steps)
            # log E|Z|² at `middle`, but for a constant: the odds of the cap may be e^-300.
            own = -np.logaddexp(0.0, -odds)
            sent = np.logaddexp(own, math.log(squares) - np.logaddexp(0.0, odds))
            return float(sent - 2 * own - 2 * math.log(cap.mean_height(dim, gamma)))

        best = cap.best_height(dim, epsilon, cost)
        return cls.with_cap(dim, epsilon, radius, middle, steps, best)

    @classmethod
    def with_cap(
        cls, dim: int, epsilon: float, radius: float, middle: float, steps: int, gamma: float
    ) -> Shells:
        """The mechanism with the cap at height `gamma`, rounded to float32, and the least a.

        Raises:
          ValueError: if `dim` or `epsilon` is outside what PrivUnit2 allows, the norms are not
            0 < middle < radius < inf, `steps` not in [1, 32767], or `gamma` not in [0, 1) or so
            high that the cap is hardly ever hit.
        """
        _check(dim, epsilon, radius, middle)
        most = words.LARGEST_MODULUS // 2
        if not (is_whole(steps) and 1 <= steps <= most):
            raise ValueError(f"steps must be from 1 to {most}, got {got(steps)}")
        if not (is_number(gamma) and 0 <= gamma < 1):
            raise ValueError(f"gamma must be at least zero and below one, got {got(gamma)}")
        gamma = cap.rounded(gamma)
        spent = epsilon - _SLACK * (1 + epsilon - cap.log_mass(dim, gamma))
        common = words.unlikely(_log_odds(dim, spent, gamma, steps)) if spent > 0 else words.SIZE
        if common >= words.SIZE:
            raise ValueError(f"gamma must be lower for epsilon {epsilon}, got {gamma}")
        mean = cap.mean_height(dim, gamma) * (words.SIZE - common) / words.SIZE
        numbers = float(epsilon), steps, float(middle), float(radius), gamma
        return cls(dim, *numbers, words.word(common), 1 / mean)

    @property
    def blanket(self) -> float:
        """a, less the spheres' 2^-48: the mass of the part of a report that depends on nobody."""
        return words.integer(self.common) / words.SIZE * (1 - 2.0**-47)

    @property
    def loss(self) -> float:
        """The exact privacy loss log(1 + (1-a) 2n / (a rho)), never above `epsilon`."""
        common = words.integer(self.common)
        log_mass = cap.log_mass(self.dim, self.gamma) - math.log(2 * self.steps)
        return float(np.logaddexp(0.0, math.log((words.SIZE - common) / common) - log_mass))

    @property
    def bound(self) -> float:
        """The largest norm of a report."""
        return self.scale * self.radius

    @property
    def along(self) -> float:
        """The share of E|Z|² that lies along the input, at most: that of the cap alone."""
        return self.gamma * cap.mean_height(self.dim, self.gamma)

    @property
    def largest_second_moment(self) -> float:
        """E|Z|² of the longest input: it grows with the norm."""
        return self.second_moment(self.radius)

    @property
    def worst_error(self) -> float:
        """The largest mean squared error over the ball: between two spheres it is a parabola."""
        nodes = _nodes(self.steps, self.middle, self.radius)
        steep = self.scale**2 * (1 - self.blanket) * (nodes[:-1] + nodes[1:])
        turning = np.clip(steep / 2, nodes[:-1], nodes[1:])
        turning[0] = 0.0
        return max(self.error(float(norm)) for norm in turning)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - x|², at a contribution of this norm, at most `radius`."""
        return self.second_moment(norm) - norm * norm

    def second_moment(self, norm: float) -> float:
        """E|Z|² at a contribution of this norm, at most `radius`."""
        nodes, a = _nodes(self.steps, self.middle, self.radius), self.blanket
        own = np.interp(norm, nodes, np.append(nodes[1], nodes[1:]) ** 2)
        return self.scale**2 * float((1 - a) * own + a * np.mean(nodes[1:] ** 2))

    @per_shape
    def sample(
        self, key: PRNGKeyArray, contributions: Float[Array, "n dim"]
    ) -> Float[Array, "n dim"]:
        """One report for each row; beyond its output it holds a few blocks of rows at a time."""
        for_sizes, for_branch, for_height, for_vectors = jax.random.split(key, 4)
        count = contributions.shape[:1]
        anybody = words.below(for_branch, self.common, count)
        sizes = self._sizes(for_sizes, contributions, anybody)
        heights = cap.draw_heights(for_height, self.dim, self.gamma, jnp.ones(count, bool))

        def report(row) -> Float[Array, " dim"]:
            key, vector, height, size, anybody = row
            gaussian = jax.random.normal(key, vector.shape)
            uniform = gaussian / jnp.linalg.norm(gaussian)
            return size * jnp.where(anybody, uniform, cap.at_height(vector, height, gaussian))

        rows = jax.random.split(for_vectors, *count), contributions, heights, sizes, anybody
        return jax.lax.map(report, rows, batch_size=cap.BLOCK // self.dim or None)

    def _sizes(
        self, key: PRNGKeyArray, contributions: Float[Array, "n dim"], anybody: Bool[Array, " n"]
    ) -> Float[Array, " n"]:
        """How long each report is; negative where its sign is."""
        for_sphere, for_other = jax.random.split(key)
        norms = jnp.linalg.norm(contributions.astype(jnp.float32), axis=1)
        sphere, sign = self._rounded(for_sphere, jnp.where(jnp.isfinite(norms), norms, 0.0))
        other = words.residue(for_other, 2 * self.steps, norms.shape).astype(jnp.int32) + 1
        return self.scale * self._length(jnp.where(anybody, other, sphere)) * sign

    def _rounded(
        self, key: PRNGKeyArray, norms: Float[Array, " n"]
    ) -> tuple[Int32[Array, " n"], Float[Array, " n"]]:
        """A sphere's number, from one, and a sign, whose mean is the norm; zero divides nothing."""
        middle, apart = jnp.maximum(jnp.stack([self.middle, self.radius - self.middle]), 2.0**-126)
        place = jnp.minimum(norms / middle, 1.0) + jnp.clip((norms - middle) / apart, 0.0, 1.0)
        place, uniform = self.steps * place, jax.random.uniform(key, norms.shape)
        inside, floor = place < 1, jnp.floor(place)
        sphere = jnp.where(inside, 1, floor + (uniform < place - floor)).astype(jnp.int32)
        return sphere, jnp.where(inside & (uniform >= (1 + place) / 2), -1.0, 1.0)

    def _length(self, sphere: Int32[Array, " n"]) -> Float[Array, " n"]:
        beyond = jnp.maximum(sphere - self.steps, 0) * (self.radius - self.middle)
        return (jnp.minimum(sphere, self.steps) * self.middle + beyond) / self.steps


def _log_odds(dim: int, epsilon: float, gamma: float, steps: int) -> float:
    """log((1-a)/a) at most, log((e^epsilon - 1) rho/2n)."""
    more = epsilon + math.log(-math.expm1(-epsilon))
    return more + cap.log_mass(dim, gamma) - math.log(2 * steps)


def _nodes(steps: int, middle: float, radius: float) -> Float[np.ndarray, " nodes"]:
    """Zero and the radii of the spheres."""
    within = np.linspace(0.0, middle, steps + 1)
    return np.append(within, np.linspace(middle, radius, steps + 1)[1:])


def _check(dim: int, epsilon: float, radius: float, middle: float) -> None:
    check_direction(dim, epsilon)
    if not (is_number(middle) and is_number(radius) and 0 < middle < radius < math.inf):
        said = f"middle {got(middle)} and radius {got(radius)}"
        raise ValueError(f"norms must be finite with 0 < middle < radius, got {said}")
