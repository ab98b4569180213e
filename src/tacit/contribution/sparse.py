"""Vectors of few numbers in the places of many: reports that say which numbers they have.

A member is a pair: some numbers, and the places of these among `dim`. It adds its numbers to the
sum in its places, and nothing elsewhere; so the sum of thousands costs their own numbers, and not
`dim` each.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, UInt32

from tacit.accounting.relation import Relation
from tacit.contribution.vectors import Ball
from tacit.noise.fixed import FixedPoint

Placed = tuple[Float[Array, "people kept"], UInt32[Array, "people kept"]]


@final
class SparseBall(eqx.Module):
    """Vectors of `dim` numbers, zero but for those that lie in `numbers`.

    **Guarantee**: after `project` the norm is at most that of `numbers`, as `Ball` says; so is a
    sum's move. A person's places differ from each other and are public: nothing depends on them.

    | term | becomes |
    | --- | --- |
    | numbers and places | what `Ball` makes of the numbers, in these places |
    """

    dim: int = eqx.field(static=True)
    numbers: Ball

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.dim,)

    @property
    def bound(self) -> float:
        return self.numbers.bound

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Placed) -> Placed:
        numbers, places = terms
        return self.numbers.project(numbers), places

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.shape, grid)

    def add(self, total: FixedPoint, terms: Placed, present: Bool[Array, " people"]) -> FixedPoint:
        """Each of `MOST_AT_ONCE` people at most has one number in a place at most."""
        numbers, places = terms
        own = total.terms(jnp.where(present[:, None], numbers, 0.0))
        none = jnp.zeros(self.dim, jnp.int32)
        high, low = (none.at[places].add(limb) for limb in (own.high, own.low))
        return total.plus(FixedPoint(high, low, own.step))

    def sensitivity(self, relation: Relation) -> float:
        return self.numbers.sensitivity(relation)

    def l1_sensitivity(self, relation: Relation) -> float:
        return math.sqrt(self.numbers.dim) * self.sensitivity(relation)
