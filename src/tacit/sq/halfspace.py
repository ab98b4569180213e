"""A half-space from statistical queries: the perceptron, moved by the mean of everybody's mistakes.

People are rows x no longer than one with a label of 0 or 1, read as y = -1 or 1. A plane w is wrong
about somebody if y <w, x> <= 0. Each round asks for two things at once,

    v = E y x [w is wrong],     e = P(w is wrong),

and moves w by the answer to v; the plane of the least answered e is the one that is kept.

**Error.** Suppose some unit vector w* has y <w*, x> >= g for everybody, and the answers to v are
within t = g a/4 in length. As long as e > a, every round moves <w, w*> by g a - t at least; and as
<v, w> <= 0, |w| after T rounds is at most sqrt(T) + t T (by induction: the root of r² + 1, plus t).
So T (g a - t) <= sqrt(T) + t T, which ends at

    T = 4/(g a)²,

and one plane by then was wrong about no more than a. With answers to e within s, the one kept is
wrong about a + 2s at most.

A term is a vector no longer than sqrt(2): a `Ball`, of noise that does not grow with the rounds'
rows. With w = 0 at first, the first answer is the mean of y x, which is often half of the way.

References:
    Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework", Section 5.2.
    Dunagan and Vempala 2008 and Blum, Frieze, Kannan and Vempala 1996, for learning by the mean of
    mistakes.
"""

import math
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int64, Num

from tacit.argument import counted, got, is_whole
from tacit.contribution import Ball
from tacit.sq.row_and_label import row_and_label


class Plane(NamedTuple):
    """The current plane; the best one, and how often it was wrong."""

    weights: Float[Array, " dim"]
    best: Float[Array, " dim"]
    wrong: Float[Array, ""]


@final
class Halfspace(eqx.Module):
    """Asks who is on the wrong side, and which way they lie.

    A person is a row no longer than one, longer ones being cut to that, and a label of 0 or 1. A
    plane through the origin is learnt: put a constant into the rows for others.

    Args:
      dim: how many numbers a row has.
      rounds: how many planes are tried, from 1 to 65,536; see above for how many are enough.
    """

    dim: int = eqx.field(static=True, converter=counted)
    rounds: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        for name, value, most in (("dim", self.dim, 2**24), ("rounds", self.rounds, 65_536)):
            if not (is_whole(value) and 1 <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from 1 to {most:,}, got {got(value)}"
                )

    @property
    def shape(self) -> Ball:
        return Ball(self.dim + 1, math.sqrt(2))

    def init(self) -> Plane:
        nothing = jnp.zeros(self.dim)
        return Plane(nothing, nothing, jnp.array(jnp.inf, jnp.float32))

    def ask(
        self, state: Plane, person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Float[Array, " dim_and_one"]:
        """Their row with their label's sign, and a one, if the plane is wrong; else nothing."""
        row, label = row_and_label(person, self.dim)
        row = row / jnp.maximum(1.0, jnp.linalg.norm(row))
        signed = jnp.where(label >= 1, row, -row)
        wrong = jnp.dot(state.weights, signed) <= 0
        return jnp.where(wrong, jnp.append(signed, 1.0), 0.0)

    def tell(self, state: Plane, answer: Float[Array, " dim_and_one"]) -> Plane:
        move, wrong = answer[:-1], answer[-1]
        # The first plane, of nothing, is wrong about everybody.
        better = (wrong < state.wrong) & jnp.any(state.weights != 0)
        best = jnp.where(better, state.weights, state.best)
        return Plane(state.weights + move, best, jnp.where(better, wrong, state.wrong))

    def plane(self, state: Plane) -> Float[np.ndarray, " dim"]:
        """The best plane that was tried; of one round, the mean of signed rows."""
        own = np.asarray(state.best, np.float64)
        return own if own.any() else np.asarray(state.weights, np.float64)

    def labels(
        self, state: Plane, rows: Num[np.ndarray, "people dim"]
    ) -> Int64[np.ndarray, " people"]:
        """On which side of it rows are."""
        return np.where(np.asarray(rows) @ self.plane(state) > 0, 1, 0)
