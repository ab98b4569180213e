"""A decision tree grown level by level: everywhere the bit that tells most about the label.

Each round asks for the tables of one level: for every open node, every bit and either value of it,
how many of the people there have either label. A person is in one node of a level, and in one cell
of each bit's table there: a `Counts` of one in `dim` cells. From a node's tables follows its best
bit, the one that leaves the least impurity

    sum over values v of 2 n_v0 n_v1/(n_v0 + n_v1),        (Gini, in people)

and from that bit's own table the labels on both sides of it, so D levels take D rounds.

**Stops.** A node that holds fewer than `least` of all people is not tested: its label is the one it
had. Below the noise of its tables nothing is told by them; what noise there is, the plan says.

**Error.** With tables within t of the truth, the impurity that the chosen bit leaves is within 8 t
of the least.

1. Of 2 ab/(a + b) the derivatives are 2 b²/(a + b)² and 2 a²/(a + b)², which add up to 2 at most,
   so either value of a bit moves by 2 t.
2. A bit has two values, and two bits are compared.

What a greedy choice makes of that is the data's affair: against the best of all trees nothing is
promised. A curator who wants one that is right about nearly the most people asks
`tacit.pac.learn(..., DecisionTree(...))`, which draws from all trees at once; of a few trees'
worth of answers this is what also runs on devices.

References:
    Quinlan 1986, "Induction of decision trees" (ID3).
    Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework", Section 5.3.
"""

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Int64, Num

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution import Counts
from tacit.sq.row_and_label import row_and_label

# As of `category_tables`.
MOST_CELLS = 2**20


class Grown(NamedTuple):
    """The bit that each node tests (-1 for none), every node's label, and levels done."""

    tests: Int32[Array, " inner"]
    labels: Int32[Array, " nodes"]
    level: Int32[Array, ""]


@final
class GrownTree(eqx.Module):
    """Asks which leaf so far a person is in, with every bit and the label.

    A person is their bits and their label: a row of `dim` zeros and ones, and one of them. Node i
    has the children 2i + 1 for a bit of 0 and 2i + 2 for a bit of 1.

    Args:
      dim: how many bits, from 1 to 4,096.
      depth: how many are tested one after the other, from 1 to 8.
      least: a node with a smaller share of all people is not tested, in [0, 1).
    """

    dim: int = eqx.field(static=True, converter=counted)
    depth: int = eqx.field(static=True, converter=counted)
    least: float = 0.01

    def __check_init__(self):
        for name, value, most in (("dim", self.dim, 4096), ("depth", self.depth, 8)):
            if not (is_whole(value) and 1 <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from 1 to {most:,}, got {got(value)}"
                )
        if not (is_number(self.least) and 0 <= self.least < 1):
            raise ValueError(f"least must be at least 0 and below 1, got {got(self.least)}")
        if not self._open * self.dim * 4 <= MOST_CELLS:
            raise ValueError(f"there may be at most {MOST_CELLS:,} cells: ask less depth, or bits")

    @property
    def _open(self) -> int:
        """The most nodes of a level that is asked about."""
        return 2 ** (self.depth - 1)

    @property
    def shape(self) -> Counts:
        return Counts(self._open * self.dim * 4, self.dim, 1)

    @property
    def rounds(self) -> int:
        return self.depth

    def init(self) -> Grown:
        tests = jnp.full(2 * self._open - 1, -1, jnp.int32)
        return Grown(tests, jnp.zeros(4 * self._open - 1, jnp.int32), jnp.zeros((), jnp.int32))

    def ask(
        self, state: Grown, person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Float[Array, " cells"]:
        """A one in the cell of each bit: their node, its value and their label."""
        bits, label = row_and_label(person, self.dim)
        has = (bits >= 1).astype(jnp.int32)
        place = self._node(state, has) - (2**state.level - 1)
        cell = 2 * has + (label >= 1)
        tables = jax.nn.one_hot(cell, 4)
        # Of nobody's place, who stayed above, there is no one.
        own = jax.nn.one_hot(place, self._open)
        return (own[:, None, None] * tables).ravel()

    def _node(self, state: Grown, has: Int32[Array, " dim"]) -> Int32[Array, ""]:
        """Where a person is: at an untested node they stay."""
        node = jnp.zeros((), jnp.int32)
        for _ in range(self.depth - 1):
            test = state.tests[jnp.minimum(node, len(state.tests) - 1)]
            down = (test >= 0) & (node < len(state.tests))
            node = jnp.where(down, 2 * node + 1 + has[jnp.maximum(test, 0)], node)
        return node

    def tell(self, state: Grown, answer: Float[Array, " cells"]) -> Grown:
        tables = jnp.maximum(answer, 0.0).reshape(self._open, self.dim, 2, 2)
        impurity = (2 * tables.prod(-1) / jnp.maximum(tables.sum(-1), 1e-12)).sum(-1)
        best = impurity.argmin(axis=1)
        chosen = tables[jnp.arange(self._open), best]
        held = answer.reshape(self._open, self.dim, 4).sum(-1).mean(-1) >= self.least
        return self._grown(state, jnp.where(held, best, -1), chosen)

    def _grown(
        self, state: Grown, best: Int32[Array, " open"], tables: Float[Array, "open two two"]
    ) -> Grown:
        """With the level's tests, and the labels of both sides of each."""
        places = jnp.arange(self._open)
        nodes = jnp.where(places < 2**state.level, 2**state.level - 1 + places, len(state.labels))
        sides = (tables[..., 1] > tables[..., 0]).astype(jnp.int32)
        own = (tables[..., 1].sum(-1) > tables[..., 0].sum(-1)).astype(jnp.int32)
        labels = state.labels.at[jnp.where(state.level == 0, nodes, len(state.labels))].set(
            own, mode="drop"
        )
        kept = labels.at[nodes].get(mode="fill", fill_value=0)
        both = jnp.where(best[:, None] >= 0, sides, kept[:, None])
        labels = labels.at[(2 * nodes[:, None] + 1 + jnp.arange(2))].set(both, mode="drop")
        tests = state.tests.at[nodes].set(best.astype(jnp.int32), mode="drop")
        return Grown(tests, labels, state.level + 1)

    def labels(
        self, state: Grown, bits: Num[np.ndarray, "people dim"]
    ) -> Int64[np.ndarray, " people"]:
        """Each row's label: that of the last node on its way."""
        tests, told = np.asarray(state.tests), np.asarray(state.labels)
        has, node = np.asarray(bits) >= 1, np.zeros(len(bits), np.int64)
        for _ in range(self.depth):
            test = np.where(node < len(tests), tests[np.minimum(node, len(tests) - 1)], -1)
            child = 2 * node + 1 + has[np.arange(len(bits)), np.maximum(test, 0)]
            node = np.where(test >= 0, child, node)
        return told[node].astype(np.int64)
