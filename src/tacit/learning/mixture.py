"""Rounds of expectation and maximisation for a mixture of normal laws, each about the last one.

Rows are in a public box about zero whose half diagonal is one; components are released answers.
After a start (`cell_start`, `moved_start`), a person x is in a round of the k components by shares
r >= 0 that add up to one. Their place in each, z_k = L_k^-1 (x - m_k), is standard normal among
those of it, with L_k L_k' its covariance; u_k is z_k over B, shortened to norm one. They give

    (a r_k, b r_k u_k  for each k,  c times the numbers of r_k u_k u_k')  over the longest such,

a, b and c being public (`Weights`), and the last as `component_shapes` has them.

**How far one person moves a sum.** In L2 the counts are at most a sqrt(sum r_k²) <= a long, the
places at most b sqrt(sum r_k² |u_k|²) <= b, and the squares at most c: together sqrt(a² + b² + c²).
In L1 they are a, b sqrt(d) and c times the numbers' largest. So the whole table is in a unit ball,
however many components there are and wherever these are.

**Differences, and not squares.** What is asked is how people differ from what is known of them.
Noise on a component's mean and covariance is then in units of its own deviation: as components
get narrower than the box, so does the noise. That is nearly all that is gained on squares of x.

**What clipping does** is undone: h of `clipped_squares` is what squares of norm B and more leave of
a variance, its slope what they leave of a difference from it, and `Response.slope` of a mean. If
components are the true ones, every answer is what it is of a standard normal law, since people's
true shares are r_k; so these stay where they are.

| a component | what happens |
| --- | --- |
| whose noisy count is at most `HEARD` deviations of its noise, empty or not | it stays |
| else, its mean | moves by what noise leaves (`lloyd.beyond_noise`), at most B, within the box |
| its level of variance | becomes what the trace tells, at least what noise is, at most the box's |
| how its covariance differs from that | as far as noise leaves it |
| its variance in any direction | at least `LEAST` times its level, and `FINEST` squared more |
| its share | the noisy count, at least the noise's deviation |

No test looks at a true count. Squares are about the new mean, but for a component whose people are
mostly clipped: it is still on its way to them, and gets no narrower before. What noise leaves of
the difference is as in `beyond_noise`: so that where covariances cannot be told from noise,
components are round, whatever was asked.

**The first round** after a start takes people for those of the component they are most likely of
(`SHARP`), since there components are wider than people.

A row with a NaN counts as zero; one with a number beyond the box as at that side.

References:
    Park, Foulds, Chaudhuri and Welling 2017, "DP-EM: differentially private expectation
    maximization" (rounds of sums, of squares of x).
    Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework".
"""

import math
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Num, PyTree

from tacit.learning.component_shapes import Asked, Shapes
from tacit.learning.components import Components, MixtureStart
from tacit.learning.lloyd import beyond_noise
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.clipped_squares import SCALES

HEARD, LEAST, FINEST = 2.0, 0.1, 1e-3
SHARP = 8.0


class Mixing(NamedTuple):
    """What is known after so many rounds: the start's state, and components once there are."""

    start: PyTree
    found: Components
    rounds: Int32[Array, ""]


class Clipping(NamedTuple):
    """Public numbers of vectors in units of B, and what clipping to it does.

    Args:
      bound: B.
      weights: a, b and c.
      longest: of a person's numbers.
      slope: of a mean.
      levels, slopes: of squares.
    """

    bound: Float[Array, ""]
    weights: Float[Array, "3"]
    longest: Float[Array, ""]
    slope: Float[Array, ""]
    levels: Float[Array, " scales"]
    slopes: Float[Array, " scales"]


class Heard(NamedTuple):
    """Noisy sums per person of all, and their noise's deviations."""

    counts: Float[Array, " clusters"]
    places: Float[Array, "clusters dim"]
    squares: Float[Array, "groups numbers"]
    noise: Float[Array, "3"]


@final
class Mixture(eqx.Module):
    """Asks how people differ from the components they are of, and moves these.

    Args:
      start: who finds the first ones.
      sides: half of each side of the box.
      clipping: of all rounds.
      noise: on a number of each round's answer, its deviation.
      shapes: of components.
      size: how many numbers an answer has.
    """

    start: MixtureStart
    sides: Float[Array, " dim"]
    clipping: Clipping
    noise: Float[Array, " rounds"]
    shapes: Shapes = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def init(self) -> Mixing:
        start = self.start.init()
        return Mixing(start, self.start.components(start), jnp.zeros((), jnp.int32))

    def ask(self, state: Mixing, person: Num[Array, " dim"] | Group) -> Float[Array, " numbers"]:
        """The person's numbers of this round; a ValueError if they hold several records."""
        refuse_group(person, ONE_VALUE)
        own = jnp.asarray(cast(Array, person), jnp.float32)
        return jax.lax.cond(
            state.rounds < self.start.rounds,
            lambda: self._padded(self.start.ask(state.start, own)),
            lambda: self._padded(self._term(state, own)),
        )

    def tell(self, state: Mixing, answer: Float[Array, " numbers"]) -> Mixing:
        known = self.clipping, self.shapes, self.sides
        start, found = jax.lax.cond(
            state.rounds < self.start.rounds,
            lambda: self._started(state, answer),
            lambda: (state.start, moved(state.found, self._heard(state, answer), *known)),
        )
        return Mixing(start, found, state.rounds + 1)

    def _padded(self, numbers: Float[Array, " some"]) -> Float[Array, " numbers"]:
        return jnp.pad(numbers, (0, self.size - len(numbers)))

    def _term(self, state: Mixing, person: Float[Array, " dim"]) -> Float[Array, " table"]:
        person = jnp.clip(person, -self.sides, self.sides)
        own, first = state.found.own(person), state.rounds == self.start.rounds
        shares = state.found.shares(person, jnp.where(first, SHARP, 1.0))
        lengths = jnp.linalg.norm(own, axis=1, keepdims=True)
        units = own / jnp.maximum(lengths, self.clipping.bound)
        counted, placed, squared = self.clipping.weights / self.clipping.longest
        places, squares = shares[:, None] * units, self.shapes.term(shares, units)
        table = counted * shares, placed * places.ravel(), squared * squares.ravel()
        return jnp.concatenate(table)

    def _started(
        self, state: Mixing, answer: Float[Array, " numbers"]
    ) -> tuple[PyTree, Components]:
        start = self.start.tell(state.start, answer[: self.start.numbers])
        return start, self.start.components(start)

    def _heard(self, state: Mixing, answer: Float[Array, " numbers"]) -> Heard:
        clusters, dim = self.shapes.clusters, self.shapes.dim
        bound = self.clipping.bound
        units = jnp.stack([jnp.ones(()), bound, bound**2]) / self.clipping.weights
        ends = clusters, clusters * (dim + 1), clusters * (dim + 1) + self.shapes.numbers
        table = self.clipping.longest * answer[: ends[2]]
        counts, places, squares = jnp.split(table, ends[:2])
        return Heard(
            units[0] * counts,
            units[1] * places.reshape(clusters, dim),
            units[2] * squares.reshape(-1, self.shapes.asked.numbers),
            units * self.clipping.longest * self.noise[state.rounds],
        )


def moved(
    before: Components,
    heard: Heard,
    clipping: Clipping,
    shapes: Shapes,
    sides: Float[Array, " dim"],
) -> Components:
    """The components that such sums tell."""
    told = heard.counts > HEARD * heard.noise[0]
    counts = jnp.where(told, heard.counts, 1.0)
    left = jnp.where(told[:, None], beyond_noise(heard.places, heard.noise[1]), 0.0)
    off = left / counts[:, None]
    lower = jnp.linalg.cholesky(_moments(before, heard, told, off, clipping, shapes))
    roots = before.roots @ lower
    white = jnp.broadcast_to(jnp.eye(shapes.dim), lower.shape)
    whites = jax.scipy.linalg.solve_triangular(lower, white, lower=True) @ before.whites
    far = jnp.linalg.norm(off, axis=1, keepdims=True) / clipping.slope
    step = off / clipping.slope * jnp.minimum(1.0, clipping.bound / jnp.maximum(far, 1e-30))
    means = jnp.clip(before.means + jnp.einsum("kij,kj->ki", before.roots, step), -sides, sides)
    weights = jnp.maximum(heard.counts, jnp.maximum(heard.noise[0], 1e-9))
    return Components.of(weights / jnp.sum(weights), means, roots, whites)


def _moments(
    before: Components,
    heard: Heard,
    told: Bool[Array, " clusters"],
    off: Float[Array, "clusters dim"],
    clipping: Clipping,
    shapes: Shapes,
) -> Float[Array, "clusters dim dim"]:
    """Of people's places in each component, about their mean: the identity if it is as known."""
    members = jnp.asarray(shapes.members, jnp.float32)
    counts = jnp.where(told, heard.counts, 0.0)
    total = (members @ counts)[:, None]
    known = total > 0
    total = jnp.where(known, total, 1.0)
    # Whom clipping keeps out of sight is still to be reached: then nothing is taken off.
    near = 1 - jnp.sum(jnp.square(off), axis=1) / clipping.bound**2
    about = members @ ((counts * jnp.maximum(near, 0.0))[:, None] * shapes.asked.asked(off))
    squares = shapes.asked.moments((heard.squares - about) / total)
    widest = 1 / jnp.mean(jnp.sum(jnp.square(before.roots), axis=2), axis=1)[shapes.firsts]
    found = jax.vmap(undone, (0, 0, 0, None, None))(
        squares, heard.noise[2] / total[:, 0], widest, clipping, shapes.asked
    )
    found = jnp.where(known[:, :, None], found, jnp.eye(shapes.dim))[shapes.groups]
    return found + FINEST**2 * (before.whites @ jnp.swapaxes(before.whites, 1, 2))


def undone(
    square: Float[Array, "dim dim"],
    noise: Float[Array, ""],
    widest: Float[Array, ""],
    clipping: Clipping,
    asked: Asked,
) -> Float[Array, "dim dim"]:
    """The covariance that clipped squares with such noise tell; at most so wide on average."""
    dim, white, scales = asked.dim, jnp.eye(asked.dim), jnp.asarray(SCALES, jnp.float32)
    level = jnp.trace(square) / dim
    heard = jnp.maximum(level, 2 * noise * asked.on_level)
    scale = jnp.minimum(jnp.interp(heard, clipping.levels, scales), widest)
    slope = jnp.interp(scale, scales, clipping.slopes)
    explained = jnp.sqrt(asked.loose / dim) * noise
    left = beyond_noise((square - level * white).reshape(1, -1), explained / math.sqrt(dim))
    values, vectors = jnp.linalg.eigh(scale * white + left.reshape(dim, dim) / slope)
    return (vectors * jnp.maximum(values, LEAST * scale)) @ vectors.T
