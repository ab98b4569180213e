"""Finding the covariance of normal people about zero: make them white, then measure tightly.

Noise on a sum of squares is in proportion to the longest square, so it pays to clip where most
people are; but clipping a law that is long in one direction and short in another tells little of
the short one. So each round asks for the squares of w = A x, clipped, where A x is thought to be
nearly white: A is made of released answers. With Z the answer (the mean of w w' and noise),

1. In a **level round** nothing is asked but how long w is (`log_lengths`), and A is scaled by that.
   That needs a far smaller share of the promise than all squares do.
2. In all others its level, tr Z/d, tells how large w is (`clipped_squares`: h, undone by a table),
   and Z's difference from its level, over the clipping's slope k, is people's from theirs: S = s I
   + that is what w has for a covariance.
3. No answer is forgotten: what all before told of w, D on the diagonal and nothing beside it, is
   put together with S number by number, each by the inverse of its noise's variance. To begin with
   that of D is nothing known; an S of deviation v has v on the diagonal, and v/(a_i a_j) once its
   eigenvectors, over a = the roots of its eigenvalues, are the axes of w; numbers that were put
   together have the variance of both. Of D q_i q_j is kept: turning by U makes q_i² the mean of q²
   by U's squares, as numbers of noise are not correlated.
4. What noise explains of the difference of S from its level is taken off: where noise has the
   deviation v on the diagonal, and p numbers beside the level, (p - 2) v² of the difference's
   square, or all (James and Stein, the positive part). Weights take a part off already, and only
   what is beyond that is taken off as well. Most of all it is where people are white.
5. Eigenvalues of S are raised to `FLOOR` times the largest that noise alone makes: what is not told
   from noise is not made longer than noise would let it be. (Raised to all of that, short
   directions stay short for the last round, whose tight clip takes them for longer than they are.)
   And they are raised to `LEAST` times s: the slope is that of small differences, and by large ones
   short directions come out too short, or of no length at all. Then A becomes S^(-1/2) A.
6. The last round's S, with its negative eigenvalues at zero, is brought back: A^-1 S A^-T.

**Privacy** is the question's: A is a released answer, bounds and tables are public, and w clipped
to the unit ball is all that a person gives.

**Error** is that of the covariance in people's own units, of Sigma^(-1/2) (found) Sigma^(-1/2) from
the identity in the Frobenius norm; it is predicted by playing the rounds on eigenvalues (`ladder`).

References:
    Kamath, Li, Singhal and Ullman 2019, "Privately learning high-dimensional distributions".
    Biswas, Dong, Kamath and Ullman 2020, "CoinPress" (rounds of squares).
    James and Stein 1961; Baranchik 1964 (the positive part).
"""

import math
from typing import Any, NamedTuple, Self, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, Num

from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.clipped_squares import SCALES, clipped_squares
from tacit.statistics.log_lengths import LogLengths, part_of, white_of

FLOOR, LEAST = 0.25, 0.02
# The root of a deviation of which nothing is known.
NOTHING = 1e4

Square = Float[Array, "dim dim"]


class Rung(NamedTuple):
    """One round's public numbers; or, with an axis more, all rounds'.

    Args:
      bound: B².
      noise: of a number on the diagonal of the answer, its deviation in units of B².
      whole: whether squares are asked for, and not lengths.
      low, span: of a level round's `LogLengths`.
      levels, slopes: of `ClippedSquares`.
    """

    bound: Float[Array, "*rounds"]
    noise: Float[Array, "*rounds"]
    whole: Bool[Array, "*rounds"]
    low: Float[Array, "*rounds"]
    span: Float[Array, "*rounds"]
    levels: Float[Array, "*rounds scales"]
    slopes: Float[Array, "*rounds scales"]

    @classmethod
    def of(cls, dim: int, bound: float, noise: float, lengths: LogLengths | None = None) -> Self:
        """From the squares' bound per dimension; a level round's from its lengths."""
        law, whole = clipped_squares(dim, bound * dim), lengths is None
        low, span = (0.0, 1.0) if lengths is None else (lengths.low, lengths.span)
        each = law.bound, noise, whole, low, span, law.levels, law.slopes
        # Not on a device yet: many are made, to be compared, that nobody asks.
        return cls(*map(cast(Any, np.asarray), each))


class Whitened(NamedTuple):
    """What is known of people.

    Args:
      root: A^-1.
      inverse: A.
      covariance: as all answers tell it.
      told: the variances of A x, as they are known: no number beside them.
      noise: q; of number (i, j) of that the deviation is q_i q_j, but for the root of two.
      rounds: that were asked.
    """

    root: Square
    inverse: Square
    covariance: Square
    told: Float[Array, " dim"]
    noise: Float[Array, " dim"]
    rounds: Int32[Array, ""]


@final
class WhiteningCovariance(eqx.Module):
    """Asks for squares of A x in the unit ball, and makes A of what comes out.

    Args:
      rungs: of all rounds.
      dim: of people.
      most: the largest deviation that people may have in any direction.
    """

    rungs: Rung
    most: Float[Array, ""]
    dim: int = eqx.field(static=True)

    @classmethod
    def of(cls, rungs: tuple[Rung, ...], dim: int, most: float) -> "WhiteningCovariance":
        """The learner of these rounds."""
        return cls(jax.tree.map(lambda *each: jnp.stack(each), *rungs), jnp.asarray(most), dim)

    def init(self) -> Whitened:
        return first(self.dim, self.most)

    def ask(self, state: Whitened, person: Num[Array, " dim"] | Group) -> Float[Array, " dim"]:
        """A x, in units of the round's bound, or how long it is; a ValueError if the person has
        several records."""
        refuse_group(person, ONE_VALUE)
        rung = jax.tree.map(lambda each: each[state.rounds], self.rungs)
        return said(state.inverse @ cast(Array, person), rung)

    def tell(self, state: Whitened, answer: Square) -> Whitened:
        return told(state, answer, jax.tree.map(lambda each: each[state.rounds], self.rungs))


def first(dim: int, most: float | Float[Array, ""]) -> Whitened:
    """Before anything is known, people are as long as they may be."""
    white = jnp.eye(dim)
    each = jnp.ones(dim), jnp.full(dim, NOTHING)
    return Whitened(most * white, white / most, most**2 * white, *each, jnp.zeros((), jnp.int32))


def said(white: Float[Array, " dim"], rung: Rung) -> Float[Array, " dim"]:
    """What a person gives whose w this is, in a ball of which all but one are projected."""
    part = part_of(jnp.sum(jnp.square(white)), rung.low, rung.span)
    length = jnp.zeros_like(white).at[0].set(jnp.sqrt(part))
    return jnp.where(rung.whole, white / jnp.sqrt(rung.bound), length)


def told(state: Whitened, answer: Square, rung: Rung) -> Whitened:
    """After an answer, in units of the round's B²."""
    whole, scaled = _whitened(state, answer * rung.bound, rung), _scaled(state, answer[0, 0], rung)
    return jax.tree.map(lambda one, other: jnp.where(rung.whole, one, other), whole, scaled)


def _scaled(state: Whitened, part: Float[Array, ""], rung: Rung) -> Whitened:
    """After a level round."""
    log = rung.low + rung.span * jnp.clip(part, 0.0, 1.0) - white_of(len(state.root))
    root, inverse = state.root * jnp.exp(log / 2), state.inverse / jnp.exp(log / 2)
    return state._replace(
        root=root, inverse=inverse, covariance=root @ root.T, rounds=state.rounds + 1
    )


def _whitened(state: Whitened, square: Square, rung: Rung) -> Whitened:
    """After any other."""
    found, least, own = _covariance(square, rung)
    found, noise = _weighed(state, found, own)
    values, vectors = jnp.linalg.eigh(found)
    kept = jnp.sqrt(jnp.maximum(values, least))
    root = state.root @ (vectors * jnp.maximum(values, 0.0)) @ vectors.T @ state.root.T
    return Whitened(
        state.root @ (vectors * kept),
        (vectors / kept).T @ state.inverse,
        (root + root.T) / 2,
        values / kept**2,
        jnp.minimum(jnp.sqrt(vectors.T**2 @ noise**2) / kept, NOTHING),
        state.rounds + 1,
    )


def _weighed(
    state: Whitened, found: Square, own: Float[Array, ""]
) -> tuple[Square, Float[Array, " dim"]]:
    """What an answer of deviation `own` and all before tell together, and its noise."""
    before = jnp.outer(state.noise, state.noise) ** 2
    both = before + own**2
    # Without noise the last answer is as good as any.
    part = jnp.where(both > 0, before / jnp.where(both > 0, both, 1.0), 1.0)
    together = part * found + (1 - part) * jnp.diag(state.told)
    middle = _level(together)
    left = jnp.minimum(_unexplained(found - _level(found), own) / jnp.mean(part), 1.0)
    return middle + left * (together - middle), (jnp.diag(part) * own**2) ** 0.25


def _level(square: Square) -> Square:
    """The multiple of I that is nearest."""
    return jnp.trace(square) / len(square) * jnp.eye(len(square))


def _unexplained(apart: Square, own: Float[Array, ""]) -> Float[Array, ""]:
    """The part of a difference from the level that noise of deviation `own` does not explain."""
    numbers = len(apart) * (len(apart) + 1) // 2 - 1
    squares, explained = jnp.sum(jnp.square(apart)), max(numbers - 2, 0) * own**2
    return jnp.where(explained < squares, 1 - explained / squares, jnp.where(own > 0, 0.0, 1.0))


def _covariance(square: Square, rung: Rung) -> tuple[Square, Float[Array, ""], Float[Array, ""]]:
    """S, the least that an eigenvalue of S is taken for, and noise on its diagonal."""
    dim, noise = len(square), rung.noise * rung.bound
    level, white = jnp.trace(square) / dim, jnp.eye(len(square))
    heard = jnp.maximum(level, 2 * noise / math.sqrt(dim))
    scale = jnp.interp(heard, rung.levels, jnp.asarray(SCALES))
    slope = jnp.interp(scale, jnp.asarray(SCALES), rung.slopes)
    least = jnp.maximum(FLOOR * math.sqrt(2 * dim) * noise / slope, LEAST * scale)
    return scale * white + (square - level * white) / slope, least, noise / slope
