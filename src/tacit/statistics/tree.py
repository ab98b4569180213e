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
that the promise rests on, and 1 less its share is the share of those who have a number.

**Shares** up to an end are divided by how many there are, T, which is as noisy: so an error in T
moves a share s that is read from k of b cells by k/b - s of it. Least squares makes the rest of its
error independent of T's (`cells`), so that is the whole of it, to first order in noise. By how much
it is depends on where people are: by nothing if they fill the cells evenly, and never by more than
max(k, b - k)/b of T's. With that, and no data, `share_rmse` is at least the error of whatever
people there are; with k = 1 of b = 2 cells it is the error of people who are all in one of them.
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
from tacit.facts import stated
from tacit.plan import Plan
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.average import Average, MeanSoFar
from tacit.statistics.cells import BRANCHES, CellTree, sizes_of, split
from tacit.statistics.one_round import one_round
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.people import Reported, Trust, relation_of

# 256 or 4,096 cells; fewer where vectors of as many numbers are sent.
FEW, MORE = 2, 3
# A curator's levels: within a tenth of the best of up to 12 (`bench/branches.py`).
DEEP = 6
# How far below a place half of a cell's people may be, root mean square, of people in an eighth.
_WITHIN = 8 / math.sqrt(12)
# What no noise is counted as, so that levels can be weighed.
_NONE = 1e-18


@final
@dataclass(frozen=True)
class CountedCells:
    """How many people are in each cell between two bounds: `plan` and `rmse` before the data.

    Args:
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      branches: of all, and of each node of every level but the last.
    """

    trust: Trust
    people: int
    branches: tuple[int, ...]

    @property
    def levels(self) -> int:
        return len(self.branches)

    @property
    def sizes(self) -> tuple[int, ...]:
        return sizes_of(self.branches)

    @cached_property
    def shape(self) -> Contribution:
        """What one person gives."""
        if isinstance(self.trust, Federated):
            return Ball(sum(self.sizes) + self.public, self.levels**0.5)
        if isinstance(self.trust, Reported) or self.levels == 1:
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
        each = self._each
        if isinstance(self.trust, Reported):
            # And of a level's people, who are drawn: of n, n/levels, in a node of p of them.
            drawn = tuple((self.levels - 1) / size / self.people for size in self.sizes)
            return self._tree([self.levels**2 * each + own for own in drawn])
        return self._tree([each + _NONE] * self.levels)

    @property
    def rmse(self) -> float:
        """How many people a number below a place is off by (root mean square), on average.

        By noise; and within a cell, as if its people, of those who fill an eighth of the bounds,
        were all at one place of it.
        """
        return self.people * math.hypot(self.tree.rmse, _WITHIN / self.sizes[-1])

    def share_rmse(self, ends: Int[np.ndarray, " ends"]) -> Float[np.ndarray, " ends"]:
        """How far the share in so many cells from the first on is off at most (root mean square).

        Of all who are counted, by noise alone: of none of the cells, and of all, it is exact.
        """
        part = ends / self.sizes[-1]
        far = np.where(part * (1 - part) > 0, np.maximum(part, 1 - part), 0.0)
        own = replace(self.tree, whole=True).variances_below(ends)
        return np.sqrt(own + far**2 * self._variance_of_all)

    @property
    def _variance_of_all(self) -> float:
        """Of T: of all cells' counts, or of the one count of those who have no number."""
        return self._each if self.public else self.branches[0] * self.tree.averaged[0]

    @property
    def _each(self) -> float:
        """Of one node, by noise, as the plan predicts it."""
        return stated(self.plan.error) / (sum(self.sizes) + self.public)

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
        return CellCounts(self.shape, self.branches)

    def below(self, answer: Float[np.ndarray, " nodes"]) -> Float[np.ndarray, " ends"]:
        """The share of people below each end of a cell, from 0 on, as they were answered.

        Who is in no node says so on every level: their share stands for all of them.
        """
        times = self.levels if isinstance(self.trust, Reported) else 1
        total = 1 - min(max(float(answer[-1]), 0.0), 1.0) if self.public else 1.0
        return self.tree.below(split(times * answer, self.sizes), total)

    def _tree(self, variances: list[float]) -> CellTree:
        return CellTree(self.branches, tuple(variances), self.public)


def cells_for(trust: Trust, people: int) -> CountedCells:
    """Few cells or more, whichever are predicted to be off less."""
    few, more = (CountedCells(trust, people, (BRANCHES,) * levels) for levels in (FEW, MORE))
    if isinstance(trust, Federated):
        return few
    return min(few, more, key=lambda each: each.rmse) if isinstance(trust, Local) else more


def refuse_no_cells(trust: Trust, places: int) -> None:
    """Raises a ValueError if there are more places than there may be ends of cells."""
    most = BRANCHES ** min(_most_levels(trust), MORE)
    if not places < most:
        raise ValueError(f"at must be fewer than {most:,} places, got {places:,}")


def ending_for(trust: Trust, people: int, places: int) -> list[CountedCells]:
    """Ways to count cells that end at so many places: on one level, of a cell more than places, or
    on several, with as many branches as they need."""
    most = min(_most_levels(trust), (places + 1).bit_length() - 1)
    branches = [branches_of(levels, places + 1) for levels in range(1, most + 1)]
    return [CountedCells(trust, people, each) for each in dict.fromkeys(branches)]


def _most_levels(trust: Trust) -> int:
    return {Federated: FEW, Central: DEEP}.get(type(trust), MORE)


def branches_of(levels: int, cells: int) -> tuple[int, ...]:
    """Of so many levels with as many cells or a few more, about as many at each node."""
    found: list[int] = []
    for left in range(levels, 0, -1):
        found.append(max(_root(cells, left), 2))
        cells = -(-cells // found[-1])
    return tuple(found)


def _root(number: int, power: int) -> int:
    """The least whole number that has a power of so many."""
    root = round(number ** (1 / power))
    return root if root**power >= number else root + 1


@final
class CellCounts(eqx.Module):
    """Asks each person for the nodes that their cell is in, and remembers how many are in each.

    A person's data is their cell and a level, two whole numbers. The cell after the last is of
    those who are in none: the last of the nodes, if there is one more, or no node at all.

    Args:
      shape: what one person gives: a `Product` of `OneHot`s of each level, a `OneHot` of all nodes
        for those on one level, or a `Ball` for vectors.
      branches: of all, and of each node of every level but the last.
    """

    shape: Contribution
    branches: tuple[int, ...] = eqx.field(static=True)

    def init(self) -> MeanSoFar:
        return Average(self.shape.answer_shape).init()

    def ask(self, state: MeanSoFar, person: Int[Array, " two"] | Group) -> Array:
        """The person's nodes, as the shape has them."""
        del state
        refuse_group(person, ONE_VALUE)
        cell, level = cast(Array, person)
        sizes = sizes_of(self.branches)
        nodes = [cell // (sizes[-1] // size) for size in sizes]
        before = jnp.array([sum(sizes[:depth]) for depth in range(len(sizes))])
        if isinstance(self.shape, Product):
            return jnp.stack(nodes)
        inside = cell < sizes[-1]
        if isinstance(self.shape, Ball):
            places = jnp.where(inside, jnp.stack(nodes) + before, sum(sizes))
            return jnp.zeros(self.shape.shape).at[places].set(1.0, mode="drop")
        return jnp.where(inside, (jnp.stack(nodes) + before)[level], sum(sizes))

    def tell(self, state: MeanSoFar, answer: Float[Array, " nodes"]) -> MeanSoFar:
        return Average(self.shape.answer_shape).tell(state, answer)
