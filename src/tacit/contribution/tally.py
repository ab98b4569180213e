"""Whole numbers in cells, of bounded total for one person: what rows of a table add up to.

A person has several rows, and each row gives whole parts of one to some cells: a count of rows, the
bins of a histogram, the two ends between which a number lies. Caps on a person's rows become two
numbers: no cell gets more than `most` from one person, and all cells together no more than `total`.

**How far sums move.** Let d be the difference of two neighbours' sums. If a person comes or goes,
d is theirs, so |d_j| <= `most` and |d|_1 <= `total`. If one is replaced, d is the difference of two
such vectors, neither of them negative, so again |d_j| <= `most`, and |d|_1 <= 2 `total`. Hence,
with T = min(people moved x total, cells x most),

1. |d|_1 <= T;
2. |d|_2² <= q most² + r², T = q most + r with 0 <= r < most: a convex function on the polytope of
   (|d_j|) is largest at a vertex, and every vertex has at most one number that is neither 0 nor
   `most`.

Both are reached where a person comes or goes and `total` is full; for one replaced, where the two
persons share no cell.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Num

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_whole
from tacit.contribution.categories import MOST_CATEGORIES
from tacit.contribution.shape import added
from tacit.noise.fixed import FixedPoint

# Up to here float32 holds every whole number.
MOST_IN_A_CELL = 2**24
# Two totals together fit 32 bits.
MOST_IN_ALL = 2**30 - 1


@final
class Tally(eqx.Module):
    """Whole numbers from 0 to `most` in `cells` cells, at most `total` in all.

    **Guarantee**: after `project` every term holds such numbers, exactly.

    | term | becomes |
    | --- | --- |
    | a number that is not whole | rounded down |
    | above `most`, infinite | `most` |
    | below zero, NaN | zero |
    | more than `total` in all | what the first cells have, until `total` is reached |
    """

    cells: int = eqx.field(static=True, converter=counted)
    most: int = eqx.field(static=True, converter=counted)
    total: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        _refuse_beyond("cells", self.cells, MOST_CATEGORIES)
        _refuse_beyond("most", self.most, MOST_IN_A_CELL)
        _refuse_beyond("total", self.total, MOST_IN_ALL)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.cells,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.cells,)

    @property
    def bound(self) -> float:
        return self.sensitivity(Relation.ADD_REMOVE)

    @property
    def unit(self) -> float:
        return 1.0

    def project(self, terms: Num[Array, "people cells"]) -> Float[Array, "people cells"]:
        whole = jnp.floor(jnp.clip(jnp.nan_to_num(terms.astype(jnp.float32)), 0, self.most))
        steps = jnp.minimum(whole, self.total).astype(jnp.int32)
        upto = lax.associative_scan(lambda a, b: jnp.minimum(a + b, self.total), steps, axis=1)
        return jnp.diff(upto, axis=1, prepend=0).astype(jnp.float32)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.answer_shape, grid)

    def add(
        self,
        total: FixedPoint,
        terms: Float[Array, "people cells"],
        present: Bool[Array, " people"],
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        full, rest = divmod(self._moved(relation), self.most)
        return math.sqrt(full * self.most**2 + rest**2)

    def l1_sensitivity(self, relation: Relation) -> float:
        return float(self._moved(relation))

    def _moved(self, relation: Relation) -> int:
        """By how much neighbouring sums differ, all cells together: T of the proof."""
        return min(relation.people_moved * self.total, self.cells * self.most)


def _refuse_beyond(name: str, value: int, most: int) -> None:
    if not (is_whole(value) and 1 <= value <= most):
        raise ValueError(f"{name} must be a whole number from 1 to {most:,}, got {got(value)}")
