"""Conjunctions from statistical queries: a literal that no positive example contradicts is kept.

A literal is a bit or its opposite, and a conjunction of some of them gives people labels. One of
its own literals is never false where the label is one. So keep every literal l with

    e(l) = P(l is false and the label is 1) <= threshold, nearly.

**Asked.** In round i, of bit i: is the label 0 (place 0), or 1 with the bit 1 (place 1), or 1 with
the bit 0 (place 2)? One person is in one of three places, so a round is a `OneHot`, which costs
less noise than two numbers, and all rounds tell how many labels are one. With p the mean of that
over the rounds and v_i the answer of place 1 less that of place 2, a literal is contradicted by

    e(l) = (p - v_i)/2   or, of the opposite,   (p + v_i)/2.

**Error.** If all answers are within t of the truth, p and v_i are within 2t, so e(l) is within 2t.
With threshold = 2t:

1. every literal of the rule is kept: its e is 0;
2. a kept one has a true e of at most 2 threshold. People whom the rule gives 1 and the kept
   literals give 0 are contradicted by one of these: of d literals kept, no more than 2 d threshold
   of all people. (Keeping a bit and its opposite says that labels are one for no more than 4
   threshold.)

So an error of a takes threshold = a/(2d), and t = a/(4d) (Kearns' own constants). The very rule is
found where each other literal is false for twice the threshold of people or more.

References:
    Kearns 1998, "Efficient noise-tolerant learning from statistical queries", Section 4.
"""

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Int64, Num

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution import OneHot
from tacit.sq.row_and_label import row_and_label

# Each is a round of its own.
MOST_BITS = 4096


class Contradicted(NamedTuple):
    """How many labels of one have each bit, and how many its opposite; rounds done."""

    has: Float[Array, " dim"]
    lacks: Float[Array, " dim"]
    rounds: Int32[Array, ""]


@final
class KeptLiterals(eqx.Module):
    """Asks about one bit a round, and keeps what few labels of one contradict.

    A person is their bits and their label: a pair of arrays of 0 and 1, one row of `dim` and one
    number for each.

    Args:
      dim: how many bits, from 1 to 4,096.
      threshold: of all people, the share that may contradict a kept literal.
    """

    dim: int = eqx.field(static=True, converter=counted)
    threshold: float

    def __check_init__(self):
        if not (is_whole(self.dim) and 1 <= self.dim <= MOST_BITS):
            raise ValueError(f"dim must be a whole number from 1 to 4,096, got {got(self.dim)}")
        if not (is_number(self.threshold) and 0 < self.threshold < 1):
            raise ValueError(f"threshold must lie between 0 and 1, got {got(self.threshold)}")

    @property
    def shape(self) -> OneHot:
        return OneHot(3)

    @property
    def rounds(self) -> int:
        return self.dim

    def init(self) -> Contradicted:
        return Contradicted(jnp.zeros(self.dim), jnp.zeros(self.dim), jnp.zeros((), jnp.int32))

    def ask(
        self, state: Contradicted, person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Int32[Array, ""]:
        """The place of this round's bit and the label."""
        bits, label = row_and_label(person, self.dim)
        own = jax.lax.dynamic_index_in_dim(bits, state.rounds, keepdims=False)
        return jnp.where(label >= 1, jnp.where(own >= 1, 1, 2), 0).astype(jnp.int32)

    def tell(self, state: Contradicted, answer: Float[Array, " three"]) -> Contradicted:
        has = state.has.at[state.rounds].set(answer[1])
        return Contradicted(has, state.lacks.at[state.rounds].set(answer[2]), state.rounds + 1)

    def rule(self, state: Contradicted) -> Int64[np.ndarray, "dim two"]:
        """For each bit whether it is kept, and whether its opposite is."""
        has, lacks = (np.asarray(each, np.float64) for each in (state.has, state.lacks))
        ones, apart = (has + lacks).mean(), has - lacks
        contradicted = np.stack([ones - apart, ones + apart], axis=1) / 2
        return np.where(contradicted <= float(self.threshold), 1, 0)


def labels_of(
    rule: Int64[np.ndarray, "dim two"], bits: Num[np.ndarray, "people dim"]
) -> Int64[np.ndarray, " people"]:
    """The label that a rule gives: 1 where no kept literal is false."""
    own = np.asarray(bits) >= 1
    false = (~own & (rule[:, 0] > 0)) | (own & (rule[:, 1] > 0))
    return np.where(false.any(axis=1), 0, 1)
