"""Everybody's place between bounds, counted in cells and groups of cells: one question of a sum.

What a person gives is the cell their number lies in. It is counted on each level of a `CellTree`,
in one round:

* a curator counts all levels at once: a `Product` of one-hot vectors;
* people who report by themselves are counted on one level each, drawn for them beforehand, so that
  each says one thing: a one-hot vector of all nodes. A level's counts are then a part of the
  people's, and stand for all of them;
* devices send the one-hot vectors as one vector of numbers, which noise can be added to.

**Whose number is missing** is in no cell, and in no share of those who have one. Where people come
or go they give nothing, and the sum of all cells is how many have a number. Where the number of
people is public there is one more node beside all cells, "none": it is a cell like others to all
that the promise rests on, and 1 less its share is the share of those who have a number. An error in
that moves a share s of them, who are in k of b nodes, by k/b - s of it: by nothing where people
fill the bounds evenly, as is predicted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Int32

from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Contribution, OneHot, Product
from tacit.plan import Plan
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.average import Average, MeanSoFar
from tacit.statistics.cells import BRANCHES, CellTree, sizes_of, split
from tacit.statistics.one_round import one_round
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.people import Trust, relation_of
from tacit.trust.shuffled import Shuffled

# 256 or 4,096 cells; fewer where vectors of as many numbers are sent.
FEW, MORE = 2, 3
# How far below a place half of a cell's people may be, root mean square, of people in an eighth.
_WITHIN = 8 / math.sqrt(12)
# What no noise is counted as, so that levels can be weighed.
_NONE = 1e-18


@final
@dataclass(frozen=True)
class CountedCells:
    """How many people are in each cell between two bounds: `plan` and `error` before the data.

    Args:
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      levels: of cells, each sixteen times as many as the one before.
    """

    trust: Trust
    people: int
    levels: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return sizes_of((BRANCHES,) * self.levels)

    @cached_property
    def shape(self) -> Contribution:
        """What one person gives."""
        if isinstance(self.trust, Federated):
            return Ball(sum(self.sizes) + self.public, self.levels**0.5)
        if isinstance(self.trust, Local | Shuffled) or self.levels == 1:
            return OneHot(sum(self.sizes) + self.public)
        *above, cells = self.sizes
        return Product(*map(OneHot, above), OneHot(cells + self.public))

    @property
    def public(self) -> bool:
        """Whether the number of people is; there is a node for those without a number then."""
        return relation_of(self.trust) not in (Relation.ADD_REMOVE, None)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return one_round(self.trust, self.shape, self.people)

    @cached_property
    def tree(self) -> CellTree:
        """With every node's variance, as the plan predicts them: the same on all levels."""
        each = (self.plan.error or 0.0) / (sum(self.sizes) + self.public)
        if isinstance(self.trust, Local | Shuffled):
            # And of a level's people, who are drawn: of n, n/levels, in a node of p of them.
            drawn = tuple((self.levels - 1) / size / self.people for size in self.sizes)
            return self._tree([self.levels**2 * each + own for own in drawn])
        return self._tree([each + _NONE] * self.levels)

    @property
    def error(self) -> float:
        """How many people a number below a place is off by (root mean square), on average.

        By noise; and within a cell, as if its people, of those who fill an eighth of the bounds,
        were all at one place of it.
        """
        return self.people * math.hypot(self.tree.error, _WITHIN / self.sizes[-1])

    @property
    def share_error(self) -> float:
        """How far the share up to the end of a cell is off (root mean square), on average.

        Of all who are counted, so that their noisy number is no error of it; by noise alone.
        """
        return replace(self.tree, whole=True).error

    def terms(
        self, shares: Float[np.ndarray, " people"], seed: int | None
    ) -> Int32[np.ndarray, "people two"]:
        """Each person's cell, by how far they are from 0 to 1 between the bounds; and a level.

        Of NaN the cell is the one after the last.
        """
        many, missing = self.sizes[-1], np.isnan(shares)
        inside = np.minimum((np.where(missing, 0.0, shares) * many).astype(np.int32), many - 1)
        cells = np.where(missing, np.int32(many), inside)
        level = np.random.default_rng(seed).integers(0, self.levels, len(cells), np.int32)
        return np.stack([cells, level], axis=1)

    @property
    def learner(self) -> CellCounts:
        return CellCounts(self.shape, self.levels)

    def below(self, answer: Float[np.ndarray, " nodes"]) -> Float[np.ndarray, " ends"]:
        """The share of people below each end of a cell, from 0 on, as they were answered.

        Who is in no node says so on every level: their share stands for all of them.
        """
        times = self.levels if isinstance(self.trust, Local | Shuffled) else 1
        total = 1 - min(max(float(answer[-1]), 0.0), 1.0) if self.public else 1.0
        return self.tree.below(split(times * answer, self.sizes), total)

    def _tree(self, variances: list[float]) -> CellTree:
        return CellTree((BRANCHES,) * self.levels, tuple(variances), self.public)


def cells_for(trust: Trust, people: int) -> CountedCells:
    """Few cells or more, whichever are predicted to be off less."""
    if isinstance(trust, Federated):
        return CountedCells(trust, people, FEW)
    if not isinstance(trust, Local):
        return CountedCells(trust, people, MORE)
    return min((CountedCells(trust, people, n) for n in (FEW, MORE)), key=lambda each: each.error)


def levels_for(trust: Trust, places: int) -> list[int]:
    """With how many levels there are more cells than places.

    Raises:
      ValueError: if there are too many places.
    """
    most = FEW if isinstance(trust, Federated) else MORE
    if not places < BRANCHES**most:
        raise ValueError(f"at must be fewer than {BRANCHES**most:,} places, got {places:,}")
    return [levels for levels in range(1, most + 1) if places < BRANCHES**levels]


def ending_for(trust: Trust, people: int, places: int) -> CountedCells:
    """As many cells that end at so many places as are predicted to be off least, by noise alone."""
    tried = (CountedCells(trust, people, levels) for levels in levels_for(trust, places))
    return min(tried, key=lambda each: each.share_error)


@final
class CellCounts(eqx.Module):
    """Asks each person for the nodes that their cell is in, and remembers how many are in each.

    A person's data is their cell and a level, two whole numbers. The cell after the last is of
    those who are in none: the last of the nodes, if there is one more, or no node at all.

    Args:
      shape: what one person gives: a `Product` of `OneHot`s of each level, a `OneHot` of all nodes
        for those on one level, or a `Ball` for vectors.
      levels: how many.
    """

    shape: Contribution
    levels: int = eqx.field(static=True)

    def init(self) -> MeanSoFar:
        return Average(self.shape.answer_shape).init()

    def ask(self, state: MeanSoFar, person: Int[Array, " two"] | Group) -> Array:
        """The person's nodes, as the shape has them."""
        del state
        refuse_group(person, ONE_VALUE)
        cell, level = cast(Array, person)
        sizes = sizes_of((BRANCHES,) * self.levels)
        nodes = [cell // BRANCHES**above for above in reversed(range(self.levels))]
        before = jnp.array([sum(sizes[:depth]) for depth in range(self.levels)])
        if isinstance(self.shape, Product):
            return jnp.stack(nodes)
        inside = cell < sizes[-1]
        if isinstance(self.shape, Ball):
            places = jnp.where(inside, jnp.stack(nodes) + before, sum(sizes))
            return jnp.zeros(self.shape.shape).at[places].set(1.0, mode="drop")
        return jnp.where(inside, (jnp.stack(nodes) + before)[level], sum(sizes))

    def tell(self, state: MeanSoFar, answer: Float[Array, " nodes"]) -> MeanSoFar:
        return Average(self.shape.answer_shape).tell(state, answer)
