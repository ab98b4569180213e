"""Rounds of noisy power iteration: everybody says how they lie along a few directions.

Rows x are no longer than one, and A is the mean of all x x'. In a round a public basis V of m
orthonormal columns is multiplied by A, in noise:

    a person gives x (x'V);     the answer is Y = A V + G;     the next V is a basis of Y's columns.

So V turns towards A's eigenvectors of the largest eigenvalues, all m at once, and of A's d² numbers
nobody is asked for more than d m.

**How far one person moves a sum.** |x (x'V)| = |x| |V'x| <= |x|² <= 1 (Frobenius) for orthonormal
V, however many columns it has. So noise on one number does not grow with m where it is Gaussian,
and more columns than directions are asked for: what is beside them is let go only after the last
round. V is a released answer, and the ball clips what rounding might add.

**What is found** is the last round's: with Y = L S R' (singular values), the first columns of L;
and along each the mean square r'V'Y r, which is that of V r, a unit vector, before the round. As r
is of the same answer, it is too large by about the noise where it is not far above it.

**Centred.** Let rows begin with a constant a, x = (a, y). The first column of V is then always that
axis, e, so that an answer has count and mean, A e = (a², a mean of y), beside A V; and

    M = A - A e e'A / (e'A e)

is zero but for y's covariance, exactly. M V = Y - (Y e)(Y e)'V / (e'Y e): of one answer, for no
more noise. `known` is how many such axes there are: one, or none.

| a row | counts as |
| --- | --- |
| longer than one | the one of length one in its direction |
| with a NaN or an infinity in it | zero |

An a² that noise brings below `LEAST_LEVEL` counts as that: what is found then is noise, and finite.

**Error.** Of an eigenvector u of eigenvalue v, and another direction w of eigenvalue at most b, the
answer has v u'V and b w'V; noise of deviation s has about s sqrt(d) in every column. If V holds u
but for an angle t, the next V holds it but for about

    tan t' = sqrt(b² sin² t + d s²) / (v cos t),

what is lost by the last round alone being sqrt(d) s/v. A random V of m columns holds it with
cos² t of about m/d: that is why the first round may need far less noise than it seems.

References:
    Hardt and Price 2014, "The noisy power method: a meta algorithm with applications".
    Halko, Martinsson and Tropp 2011, "Finding structure with randomness" (more columns).
"""

from typing import NamedTuple, cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int32, Num

from tacit.contribution import Ball
from tacit.learning.terms import RowsBySlopes
from tacit.population.owners import ONE_VALUE, Group, refuse_group

# Of a², which noise may bring below zero.
LEAST_LEVEL = 2.0**-7

Basis = Float[Array, "dim columns"]


class Turned(NamedTuple):
    """The directions so far.

    Args:
      basis: of the next round.
      asked, answer: of the last one.
      rounds: how many there were.
    """

    basis: Basis
    asked: Basis
    answer: Basis
    rounds: Int32[Array, ""]


@final
class Subspace(eqx.Module):
    """Asks for x (x'V), and makes V of what comes out.

    Args:
      start: the first V, of orthonormal columns, the known axes first.
      known: with how many constants rows begin: one at most.
    """

    start: Basis
    known: int = eqx.field(static=True, default=0)

    @classmethod
    def of(cls, dim: int, columns: int, known: int = 0) -> "Subspace":
        """A start that nobody's data chose, always the same.

        Args:
          dim: of rows, constants among them.
          columns: of V, known axes among them.
        """
        drawn = np.random.default_rng(0).normal(size=(dim - known, columns - known))
        start = np.eye(dim, columns)
        start[known:, known:] = np.linalg.qr(drawn)[0]
        return cls(jnp.asarray(start, jnp.float32), known)

    def init(self) -> Turned:
        none = jnp.zeros_like(self.start)
        return Turned(self.start, none, none, jnp.zeros((), jnp.int32))

    def ask(self, state: Turned, person: Num[Array, " dim"] | Group) -> Float[Array, " numbers"]:
        """x (x'V), row by row; a ValueError if the person has several records."""
        refuse_group(person, ONE_VALUE)
        return self.terms(state, cast(Array, person)[None]).weighted_sum(jnp.ones((1, 1)))

    def terms(self, state: Turned, people: Num[Array, "people dim"]) -> RowsBySlopes:
        """The same of many people, who are added up by one product of matrices."""
        rows = Ball(len(self.start), 1.0).project(people)
        return RowsBySlopes(rows, jnp.matmul(rows, state.basis, precision=lax.Precision.HIGHEST))

    def tell(self, state: Turned, answer: Float[Array, " numbers"]) -> Turned:
        table = answer.reshape(self.start.shape)
        turned = jnp.linalg.qr(self.centred(state.basis, table))[0]
        basis = self.start.at[self.known :, self.known :].set(turned)
        return Turned(basis, state.basis, table, state.rounds + 1)

    def centred(self, asked: Basis, answer: Basis) -> Float[Array, "own_dim own_columns"]:
        """M V of the answer: without known axes the answer itself."""
        known, own = self.known, answer[self.known :, self.known :]
        if known == 0:
            return own
        level, along = answer[0, 0], answer[known:, 0]
        pulled = jnp.matmul(along, asked[known:, known:], precision=lax.Precision.HIGHEST)
        return own - jnp.outer(along, pulled) / jnp.maximum(level, LEAST_LEVEL)

    def found(
        self, state: Turned, many: int
    ) -> tuple[Float[np.ndarray, "many own_dim"], Float[np.ndarray, " many"]]:
        """So many directions, as rows, and the mean square along each, the largest first."""
        table = np.asarray(self.centred(state.asked, state.answer), np.float64)
        left, _, right = np.linalg.svd(table, full_matrices=False)
        before = np.asarray(state.asked, np.float64)[self.known :, self.known :] @ right[:many].T
        squares = np.maximum(np.sum(before * (table @ right[:many].T), axis=0), 0.0)
        order = np.argsort(-squares, kind="stable")
        rows = left.T[:many][order]
        peaks = rows[np.arange(many), np.abs(rows).argmax(axis=1)]
        return rows * np.sign(peaks)[:, None], squares[order]
