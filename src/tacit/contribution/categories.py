"""Categories: which of k one person is in, or how many of their records fall into each.

What a category adds to the sum is a one in one of k places, so adding a person moves the sum by 1
in L1 and in L2, and a person who changes category by 2 and sqrt(2). A person with several records
declares in how many categories at most (`l0`) and how often at most in each (`linf`): two such
people differ in min(k, 2 l0) places at most, by at most linf in each.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Num

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_whole
from tacit.contribution.shape import added
from tacit.noise.fixed import FixedPoint

# Up to here float32 holds every whole number: a category is told as one.
MOST_CATEGORIES = 2**24
# Of one person in one category: 2^25 such people fit a grid of 2^45 steps.
MOST_RECORDS = 2**20
# In no category.
NOWHERE = -1


@final
class OneHot(eqx.Module):
    """One of `categories` categories, asked for as its number; the answer has a place for each.

    **Guarantee**: after `project` every term is a category's number, or -1, which adds nothing.

    | term | becomes |
    | --- | --- |
    | a whole number from 0 to categories - 1 | itself |
    | any other number, NaN, infinite | -1: in no category |
    """

    categories: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        _check_categories(self.categories)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.categories,)

    @property
    def candidates(self) -> int:
        return self.categories

    @property
    def bound(self) -> float:
        return 1.0

    @property
    def unit(self) -> float:
        return 1.0

    def project(self, terms: Num[Array, " people"]) -> Int32[Array, " people"]:
        # In 32 bits before anything is compared: a byte has no room for -1, nor for 300.
        if jnp.issubdtype(terms.dtype, jnp.floating):
            whole = (terms == jnp.floor(terms)) & (jnp.abs(terms) <= MOST_CATEGORIES)
            terms = jnp.where(whole, terms, NOWHERE)
        terms = terms.astype(jnp.int32)
        known = (terms >= 0) & (terms < self.categories)
        return jnp.where(known, terms, NOWHERE)

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.answer_shape, grid)

    def add(
        self, total: FixedPoint, terms: Int32[Array, " people"], present: Bool[Array, " people"]
    ) -> FixedPoint:
        # A negative index would count from the end; one past the end is dropped.
        places = jnp.where(present & (terms >= 0), terms, self.categories)
        counts = jnp.zeros(self.answer_shape, jnp.int32).at[places].add(1, mode="drop")
        return total.plus(total.whole(counts.astype(jnp.float32) * (1 / total.step)))

    def sensitivity(self, relation: Relation) -> float:
        return math.sqrt(self.l1_sensitivity(relation))

    def l1_sensitivity(self, relation: Relation) -> float:
        return float(relation.people_moved)

    def spread(self, relation: Relation) -> float:
        return self.l1_sensitivity(relation)


@final
class Counts(eqx.Module):
    """How many records one person has in each of `categories`: at most `linf`, in `l0` of them.

    **Guarantee**: after `project` every term holds whole numbers from 0 to `linf`, at most `l0` of
    them not zero.

    | term | becomes |
    | --- | --- |
    | a count that is not whole | rounded down |
    | a count above `linf`, infinite | `linf` |
    | a count below zero, NaN | zero |
    | counts in more than `l0` categories | the `l0` largest are kept, the earlier where they tie |
    """

    categories: int = eqx.field(static=True, converter=counted)
    l0: int = eqx.field(static=True, converter=counted)
    linf: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        _check_categories(self.categories)
        _check_whole("l0", self.l0, 1, self.categories)
        _check_whole("linf", self.linf, 1, MOST_RECORDS)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.categories,)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.categories,)

    @property
    def candidates(self) -> int:
        return self.categories

    @property
    def bound(self) -> float:
        return self.linf * math.sqrt(self.l0)

    @property
    def unit(self) -> float:
        return 1.0

    def project(self, terms: Num[Array, "people categories"]) -> Float[Array, "people categories"]:
        whole = jnp.floor(jnp.clip(jnp.nan_to_num(terms.astype(jnp.float32)), 0, self.linf))
        if self.l0 == self.categories:
            return whole
        order = jnp.argsort(-whole, axis=1, stable=True)[:, : self.l0]
        rows = jnp.arange(whole.shape[0])[:, None]
        return jnp.zeros_like(whole).at[rows, order].set(whole[rows, order])

    def empty(self, grid: Float[Array, ""]) -> FixedPoint:
        return FixedPoint.zero(self.answer_shape, grid)

    def add(
        self,
        total: FixedPoint,
        terms: Float[Array, "people categories"],
        present: Bool[Array, " people"],
    ) -> FixedPoint:
        return added(total, terms, present)

    def sensitivity(self, relation: Relation) -> float:
        return self.linf * math.sqrt(self._places(relation))

    def l1_sensitivity(self, relation: Relation) -> float:
        return float(self.linf * self._places(relation))

    def spread(self, relation: Relation) -> float:
        return float(relation.people_moved * self.linf)

    def _places(self, relation: Relation) -> int:
        """In how many categories neighbouring sums may differ."""
        changed = relation.people_moved * self.l0
        return min(self.categories, changed)


def _check_categories(categories: int) -> None:
    _check_whole("categories", categories, 2, MOST_CATEGORIES)


def _check_whole(name: str, value: int, least: int, most: int) -> None:
    if not (is_whole(value) and least <= value <= most):
        raise ValueError(
            f"{name} must be a whole number from {least} to {most:,}, got {got(value)}"
        )
