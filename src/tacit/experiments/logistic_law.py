"""Labels of a logistic model about directions: the law, its risk, and the non-private best.

x is uniform on the sphere of R^d, and y = 1 with probability sigma(<theta*, x>), otherwise -1. The
loss of theta is log(1 + exp(-y <theta, x>)), and its gradient -y sigma(-y <theta, x>) x, in the
unit ball.

**Risk.** It depends on theta through its part along theta* and the norm of the rest alone. Of x
that needs two coordinates (a, b), whose density is proportional to (1 - a² - b²)^((d-4)/2): an
angle, in which all is periodic and smooth, and r² that is Beta(1, (d-2)/2), so 1 - r² is u to the
power 2/(d-2) with u uniform. Trapezoids and Gauss-Legendre in log u give it to nine digits.

**Curvature.** The Hessian at theta is E sigma'(<theta, x>) x x^T, in all directions across theta*
nearly h = E sigma'/d, and along it a little less.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int, PRNGKeyArray
from scipy.special import expit

# People at once whose rows are made for a sum.
_BLOCK = 10_000
_MOST_STEPS = 60
_ANGLES, _RADII = 64, 200
# At which a function of norms is asked; lines between them are within 10^-5 of a smooth one.
_NORMS = 500
# Below exp(-45) of the mass nothing is counted.
_DEPTH = 45.0


class Person(NamedTuple):
    """A direction and its label, 1 or -1."""

    direction: Float[Array, " dim"]
    label: Float[Array, ""]


def drawn(key: PRNGKeyArray, truth: Float[Array, " dim"]) -> Person:
    """Somebody of this law."""
    for_direction, for_label = jax.random.split(key)
    gaussian = jax.random.normal(for_direction, truth.shape)
    direction = gaussian / jnp.linalg.norm(gaussian)
    chance = jax.nn.sigmoid(direction @ truth)
    return Person(direction, jnp.where(jax.random.uniform(for_label) < chance, 1.0, -1.0))


def gradient(weights: Float[Array, " dim"], person: Person) -> Float[Array, " dim"]:
    """Of the loss of one person."""
    x, y = person
    return -y * jax.nn.sigmoid(-y * (weights @ x)) * x


class Seen(NamedTuple):
    """All that the risk depends on: how far weights go along theta*, and their norm."""

    along: ArrayLike
    norm: ArrayLike


def noted(weights: Float[Array, " dim"], truth: Float[Array, " dim"]) -> Seen:
    """Of some weights."""
    return Seen(weights @ truth / jnp.linalg.norm(truth), jnp.linalg.norm(weights))


@final
class Law(NamedTuple):
    """The model in so many dimensions, at a truth of this norm."""

    dim: int
    signal: float

    @property
    def slope(self) -> float:
        """E sigma'(<theta*, x>)."""
        along, _, weights = _nodes(self.dim)
        chances = expit(self.signal * along)
        return float(np.sum(weights * chances * (1 - chances)))

    @property
    def curvature(self) -> float:
        """h."""
        return self.slope / self.dim

    def mean_over_norms(self, of: Callable[[float], float]) -> float:
        """The mean of a function of gradients' norms at theta*, which are sigma(-y <theta*, x>)."""
        along, _, weights = _nodes(self.dim)
        norms = (np.arange(_NORMS) + 0.5) / _NORMS
        right = expit(self.signal * along)
        found = np.interp([1 - right, right], norms, [of(float(norm)) for norm in norms])
        return float(weights @ (right * found[0] + (1 - right) * found[1]))

    def gap(self, seen: Seen) -> np.ndarray:
        """L(theta) - L(theta*)."""
        along, norm = (np.asarray(part, np.float64) for part in seen)
        rest = np.sqrt(np.maximum(norm**2 - along**2, 0.0))
        return self._risk(along, rest) - self._risk(np.array(self.signal), np.array(0.0))

    @property
    def gap_at_zero(self) -> float:
        """Of theta = 0."""
        return float(self.gap(Seen(0.0, 0.0)))

    def distance(self, seen: Seen) -> np.ndarray:
        """|theta - theta*|."""
        along, norm = (np.asarray(part, np.float64) for part in seen)
        return np.sqrt(np.maximum(norm**2 - 2 * self.signal * along + self.signal**2, 0.0))

    def _risk(self, along: np.ndarray, rest: np.ndarray) -> np.ndarray:
        a, b, weights = _nodes(self.dim)
        scores = along[..., None] * a + rest[..., None] * b
        losses = np.logaddexp(0.0, scores) - expit(self.signal * a) * scores
        return losses @ weights


@cache
def _nodes(dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two coordinates of x, and the mass of each such pair."""
    points, masses = np.polynomial.legendre.leggauss(_RADII)
    depth = _DEPTH / 2 * (points + 1)
    radius = np.sqrt(-np.expm1(-2 * depth / (dim - 2)))
    angle = 2 * np.pi * (np.arange(_ANGLES) + 0.5) / _ANGLES
    mass = np.repeat(_DEPTH / 2 * masses * np.exp(-depth) / _ANGLES, _ANGLES)
    a, b = np.outer(radius, np.cos(angle)).ravel(), np.outer(radius, np.sin(angle)).ravel()
    return a, b, mass / mass.sum()


def most_likely(
    key: PRNGKeyArray, truth: Float[Array, " dim"], people: int
) -> Float[Array, " dim"]:
    """The weights of the least loss over so many people, who are those of this key.

    Newton's steps in a fixed metric, h: sampled Hessians are within (d/people)^(1/2) or so of it.

    Raises:
      ValueError: if that does not converge, of too few people.
    """
    law = Law(len(truth), float(jnp.linalg.norm(truth)))
    everyone, weights = _everyone(key, truth, people), jnp.zeros(len(truth))
    for _ in range(_MOST_STEPS):
        step = _mean_gradient(weights, everyone) / law.curvature
        weights = weights - step
        if float(jnp.linalg.norm(step)) <= 1e-4 * law.signal:
            return weights
    raise ValueError(
        f"{people} people are too few for a maximum likelihood of {len(truth)} numbers: none was "
        f"found in {_MOST_STEPS} steps"
    )


def _everyone(key: PRNGKeyArray, truth: Float[Array, " dim"], people: int) -> Person:
    block = math.gcd(people, _BLOCK)
    numbers = [jnp.arange(first, first + block) for first in range(0, people, block)]
    blocks = [_block(key, truth, some) for some in numbers]
    return jax.tree.map(lambda *parts: jnp.concatenate(parts), *blocks)


@jax.jit
def _block(key: PRNGKeyArray, truth: Float[Array, " dim"], numbers: Int[Array, " block"]) -> Person:
    return jax.vmap(lambda number: drawn(jax.random.fold_in(key, number), truth))(numbers)


@jax.jit
def _mean_gradient(weights: Float[Array, " dim"], everyone: Person) -> Float[Array, " dim"]:
    rows, labels = everyone
    pull = -labels * jax.nn.sigmoid(-labels * (rows @ weights))
    return pull @ rows / len(labels)
