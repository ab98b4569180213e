"""One round about sums of keys that nobody declared: which are kept, then noise on their sums.

An engine found every key that somebody has, how many people have it, and its exact sums: all of
that is secret, and none of it is in what is released. The round draws which keys are kept, on the
host, from a key of its own; takes their sums, at most as many as the plan has room for, in the
order of their names; and adds the plan's noise to them (`server.keyed`: why this is private).

Few keys are kept, as a rule, of the thousands there is room for. So noise is added to the sums of a
few at a time, by one program whatever was kept; room that is left over gets noise too, which is
thrown away. How often it runs follows from how many keys are released.

A key is told by its text here; what it stands for is the asker's business.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int64, PRNGKeyArray, PyTree, UInt8

from tacit.contribution import Product
from tacit.noise.fixed import FixedPoint
from tacit.plan import Choosing, Plan
from tacit.population.cohorts import Cohorts
from tacit.population.kept import Replay
from tacit.population.loop import Keys
from tacit.population.placement import laid, whole
from tacit.population.rounds import Play
from tacit.population.staged import Staged
from tacit.population.totals import NoisySums, TotalRounds, Totals

# The sums that get their noise together, unless one key has more of them.
NUMBERS_AT_ONCE = 2**14


class PartSums(NamedTuple):
    """One part's exact sums of every key: some cells have a column, of others only those are here
    that are not zero.

    Args:
      cells: which cells have columns.
      columns: a row for each key.
      places, others, many: of the other cells, each key's number, the cell, and its sum.
    """

    cells: Int64[np.ndarray, " wide"]
    columns: Int64[np.ndarray, "keys wide"]
    places: Int64[np.ndarray, " sums"]
    others: Int64[np.ndarray, " sums"]
    many: Int64[np.ndarray, " sums"]

    def of(
        self, kept: Int64[np.ndarray, " kept"], many: int, cells: int
    ) -> Int64[np.ndarray, "many cells"]:
        """Those of some keys, and zeros in the room that is left.

        Args:
          kept: their numbers, rising.
          many: for how many keys there is room.
          cells: how many each has.
        """
        room = np.zeros((many, cells), np.int64)
        room[: len(kept), self.cells] = self.columns[kept]
        at = np.searchsorted(kept, self.places)
        there = np.isin(self.places, kept)
        room[at[there], self.others[there]] = self.many[there]
        return room


class KeyedTotals(NamedTuple):
    """What an engine found of every key, in the order of their texts.

    Args:
      texts: all keys' texts, one after the other, in UTF-8.
      ends: where each of them ends.
      people: how many people have each.
      sums: of every part.
      fingerprint: of all rows that were read.
    """

    texts: UInt8[np.ndarray, " bytes"]
    ends: Int64[np.ndarray, " keys"]
    people: Int64[np.ndarray, " keys"]
    sums: list[PartSums]
    fingerprint: UInt8[np.ndarray, " bytes"]

    def text(self, place: int) -> str:
        """One key's."""
        start = int(self.ends[place - 1]) if place else 0
        return self.texts[start : int(self.ends[place])].tobytes().decode()


class KeyedSums(NamedTuple):
    """A release: the texts of the keys that were kept, and each part's noisy sums of them."""

    kept: UInt8[np.ndarray, " bytes"]
    sums: PyTree[FixedPoint]

    @classmethod
    def of(cls, texts: list[str], sums: PyTree[FixedPoint]) -> Self:
        return cls(np.frombuffer(json.dumps(texts).encode(), np.uint8), sums)

    @property
    def texts(self) -> list[str]:
        return json.loads(np.asarray(self.kept).tobytes())

    @property
    def answer(self) -> list[np.ndarray]:
        """As the host's numbers, exactly: an array for each part, of the keys in their order."""
        return NoisySums(self.sums).answer


@final
@dataclass(frozen=True, eq=False)
class KeyedRounds:
    """One round from every key's exact sums on.

    Args:
      plan: whose server chooses keys.
      noise: the round about the sums of a few of the keys that are kept.
      cells: how many numbers each part has of one key.
      start: a release of no keys.
    """

    plan: Plan
    noise: TotalRounds
    cells: list[int]
    start: tuple[PyTree, PyTree] = field(repr=False)

    replay = Replay.ANY

    @classmethod
    def of(cls, plan: Plan, asked: str, data: KeyedTotals) -> Self:
        """Of a plan's server; arguments as of `TotalRounds.of`.

        Raises:
          ValueError: as `TotalRounds.of`, or if no keys are asked for.
        """
        cells = _cells(plan)
        noise = TotalRounds.of(plan, asked, _taken(plan, data, cells, np.zeros(0, np.int64)))
        sums = _cut(noise.start[0].sums, cells, 0)
        return cls(plan, noise, cells, (KeyedSums.of([], sums), None))

    @property
    def learner(self) -> str:
        return self.noise.learner

    @property
    def digest(self) -> str:
        return self.noise.digest

    def ready(self, data: KeyedTotals, run: bytes) -> Play:
        del run

        def played(state: Any, carry: Any, cohort: Any, own: Keys, many: Any) -> tuple:
            for_choice, for_noise = jax.random.split(own.server[0])
            chosen = _choosing(self.plan)
            kept = np.flatnonzero(chosen.kept(for_choice, data.people))[: chosen.most]
            sums = self._noisy(data, kept, for_noise)
            return KeyedSums.of([data.text(place) for place in kept], sums), carry, None

        return played

    def _noisy(
        self, data: KeyedTotals, kept: Int64[np.ndarray, " kept"], key: PRNGKeyArray
    ) -> PyTree[FixedPoint]:
        """The sums of these keys with their noise, a few at a time."""
        made, many = [self.start[0].sums], _together(self.cells)
        for place, first in enumerate(range(0, len(kept), many)):
            few = kept[first : first + many]
            own = laid(jax.random.fold_in(key, place)[None], whole())
            noisy = self.noise.noisy(_taken(self.plan, data, self.cells, few), own)
            made.append(_cut(noisy.sums, self.cells, len(few)))
        return jax.tree.map(_joined, *made, is_leaf=_is_part)


def staged_by_key(plan: Plan, asked: str, data: KeyedTotals) -> Staged:
    """A plan set up on what an engine found of every key."""
    nobody = Cohorts(plan, 0, 1, summed=False)
    return Staged(plan, KeyedRounds.of(plan, asked, data), nobody, data, asked)


def _choosing(plan: Plan) -> Choosing:
    if not isinstance(plan.server, Choosing):
        raise ValueError(f"no keys are asked for by a {type(plan.question).__name__}")
    return plan.server


def _cells(plan: Plan) -> list[int]:
    """How many numbers each part has of one key."""
    shape, most = plan.sums.contribution, _choosing(plan).most
    parts = shape.parts if isinstance(shape, Product) else (shape,)
    return [math.prod(part.answer_shape) // most for part in parts]


def _together(cells: list[int]) -> int:
    """Of how many keys the sums get their noise together."""
    return max(1, NUMBERS_AT_ONCE // sum(cells))


def _taken(
    plan: Plan, data: KeyedTotals, cells: list[int], kept: Int64[np.ndarray, " kept"]
) -> Totals:
    """The sums of these few keys, and zeros in the room that is left."""
    each, many = zip(data.sums, cells, strict=True), _together(cells)
    return Totals.of(plan, [sums.of(kept, many, own).ravel() for sums, own in each], b"")


def _is_part(part: Any) -> bool:
    return isinstance(part, FixedPoint)


def _joined(*parts: FixedPoint) -> FixedPoint:
    """One after the other."""
    high = np.concatenate([part.high for part in parts])
    low = np.concatenate([part.low for part in parts])
    return FixedPoint(jnp.asarray(high), jnp.asarray(low), parts[-1].step)


def _cut(sums: PyTree[FixedPoint], cells: list[int], kept: int) -> PyTree[FixedPoint]:
    """What belongs to the keys that were kept."""
    sizes = iter(cells)

    def own(part: FixedPoint) -> FixedPoint:
        size = kept * next(sizes)
        return FixedPoint(part.high[:size], part.low[:size], part.step)

    return jax.tree.map(own, sums, is_leaf=_is_part)
