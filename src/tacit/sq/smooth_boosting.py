"""A vote of bits from statistical queries: boosting, with nobody's weight above one.

People are bits, read as x = -1 or 1, with a label of 0 or 1, read as y = -1 or 1. A vote is a whole
number v_j for each bit, and for a bit that everybody has: it says the sign of <v, x>. Who is right
by a margin N = y <v, x> has the weight

    M(N) = min(1, e^(-c N)).

Each round asks for two things at once: for every bit, E M y x_j, and E M. The bit of the largest
answer in size has one vote more, of its sign; the vote of the least answered E M is the one that is
kept, as who it is wrong about has weight one.

**Error.** Suppose that however people are weighted, some bit has |E M y x_j| >= g E M: so it is if
labels are those of a vote of 1/g in all that is never even, such as the majority of k bits, of
which 1/g = k. Let all answers be within t = a g/4.

1. As long as E M >= a, the bit that is chosen has E M y x_j >= g E M - 2t >= (g/2) E M with its
   sign.
2. Write P(N) = 1/c - N below zero and e^(-c N)/c from there on, of which -M is the slope. One vote
   moves N by 1 at most, and M changes by a factor of e^c at most on the way, so

       P(N + x) <= P(N) - x M(N) + r M(N),    r = (e^c - 1 - c)/c <= 0.72 c for c <= 1.

3. With c = g/3 a round makes E P less by (g/2 - 0.24 g) E M, so by a g/4 at least. It is 3/g at
   first and never below zero, so after

       T = 12/(a g²)

   rounds one vote by then had E M < a.
4. The one kept has the least answered E M, so a true one of a + 2t at most, and is wrong about no
   more.

The published bound has ln(1/a) in place of 1/a, by weights that are projected after every round;
that needs a sum over all people, which is not a query.

References:
    Servedio 2003, "Smooth boosting and learning with malicious noise" (weights that are capped).
    Domingo and Watanabe 2000, "MadaBoost" (these weights).
    Aslam and Decatur 1998, "General bounds on statistical query learning" (boosting by queries).
    Bun, Carmosino and Sorrell 2020, "Efficient, noise-tolerant, and private learning via boosting".
"""

from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int64, Num

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution import Cube
from tacit.sq.row_and_label import row_and_label


class Vote(NamedTuple):
    """The current vote; the one of the least weight left, and that weight."""

    votes: Float[Array, " dim_and_one"]
    best: Float[Array, " dim_and_one"]
    left: Float[Array, ""]


@final
class SmoothBoosting(eqx.Module):
    """Asks whom the vote is not yet right about, with every bit and the label.

    A person is their bits and their label: a row of `dim` zeros and ones, and one of them.

    Args:
      dim: how many bits, from 1 to 4,096.
      rounds: how many votes are cast, from 1 to 65,536; see above for how many are enough.
      slope: c, in (0, 1]: a third of g for the theorem; larger ones take fewer rounds where they
        serve.
    """

    dim: int = eqx.field(static=True, converter=counted)
    rounds: int = eqx.field(static=True, converter=counted)
    slope: float = 0.1

    def __check_init__(self):
        for name, value, most in (("dim", self.dim, 4096), ("rounds", self.rounds, 65_536)):
            if not (is_whole(value) and 1 <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from 1 to {most:,}, got {got(value)}"
                )
        if not (is_number(self.slope) and 0 < self.slope <= 1):
            raise ValueError(f"slope must be above 0 and at most 1, got {got(self.slope)}")

    @property
    def shape(self) -> Cube:
        return Cube(self.dim + 2, -1.0, 1.0)

    def init(self) -> Vote:
        nothing = jnp.zeros(self.dim + 1)
        return Vote(nothing, nothing, jnp.array(jnp.inf, jnp.float32))

    def ask(
        self, state: Vote, person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Float[Array, " dim_and_two"]:
        """Their weight, with the sign of their label and of each bit; and their weight."""
        bits, label = row_and_label(person, self.dim)
        signs = jnp.append(jnp.where(bits >= 1, 1.0, -1.0), 1.0)
        own = jnp.where(label >= 1, signs, -signs)
        weight = jnp.exp(-self.slope * jnp.maximum(jnp.dot(state.votes, own), 0.0))
        return weight * jnp.append(own, 1.0)

    def tell(self, state: Vote, answer: Float[Array, " dim_and_two"]) -> Vote:
        each, left = answer[:-1], answer[-1]
        # The first vote, of nothing, says nothing of anybody.
        better = (left < state.left) & jnp.any(state.votes != 0)
        best = jnp.where(better, state.votes, state.best)
        chosen = jnp.argmax(jnp.abs(each))
        votes = state.votes.at[chosen].add(jnp.where(each[chosen] < 0, -1.0, 1.0))
        return Vote(votes, best, jnp.where(better, left, state.left))

    def vote(self, state: Vote) -> Int64[np.ndarray, " dim_and_one"]:
        """What each bit counts, and last how far the vote is moved; of one round, the only one."""
        own = np.asarray(state.best)
        return (own if own.any() else np.asarray(state.votes)).astype(np.int64)

    def labels(
        self, state: Vote, bits: Num[np.ndarray, "people dim"]
    ) -> Int64[np.ndarray, " people"]:
        """What the vote says; where it is even, 0."""
        counts = self.vote(state)
        signs = np.where(np.asarray(bits) >= 1, 1, -1)
        return np.where(signs @ counts[:-1] + counts[-1] > 0, 1, 0)
