"""Rounds about sums that an engine has added up: a database gives whole numbers, tacit the noise.

Where people's rows lie in a database, the round that `loop` compiles is the database's: it brings
each person's rows into the question's shape and adds them up, in whole steps. What is left is the
server's part, from those sums on. It is one program here, as it is there, on the same grid and with
the same noise; its answer is the noisy sums themselves, in whole steps.

**Sums that do not fit.** A grid has room for 2^45 steps either way (`noise.fixed`), which is room
for more people than were declared. A sum beyond that is held at the end of it. Where steps are
coarser than the engine's whole numbers, sums are rounded down to them. Neither moves two sums
further apart than they were, and a step besides, for which the noise allows.

**What a second opening must find.** The exact sums, and a fingerprint of all rows that were read:
with other rows the same noise would tell the difference. Both are the data of this run, and its
digest is what a grant is bound to.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int64, PRNGKeyArray, PyTree, UInt8

from tacit.noise import keys
from tacit.noise.fixed import FixedPoint
from tacit.plan import InWholeSteps, Plan, Sum
from tacit.population import hosts
from tacit.population.cohorts import Cohorts
from tacit.population.kept import Replay
from tacit.population.loop import traced
from tacit.population.placement import placed
from tacit.population.program import Program
from tacit.population.rounds import Play, shapes_of
from tacit.population.staged import Staged

# Of a grid's 2^46 steps either way; the rest is room for noise.
MOST_STEPS = 2**45
# Of so many numbers and fewer, noise that is not compiled takes a tenth of a second.
MOST_AT_ONCE = 2**18


class Totals(NamedTuple):
    """What an engine found: the sums of every part, and what the rows were that it read."""

    sums: PyTree[FixedPoint]
    fingerprint: UInt8[np.ndarray, " bytes"]

    @classmethod
    def of(cls, plan: Plan, sums: list[Int64[np.ndarray, "*shape"]], fingerprint: bytes) -> Self:
        """In steps of the plan's grid.

        Args:
          plan: of sums that are whole numbers.
          sums: one array for each part of a product, or the one there is.
          fingerprint: of all rows.
        """
        grid = plan.server.grid
        grids = grid if isinstance(grid, tuple) else (grid,)
        held = tuple(_held(own, float(step)) for own, step in zip(sums, grids, strict=True))
        print_ = np.frombuffer(fingerprint, np.uint8)
        return cls(held if isinstance(grid, tuple) else held[0], print_)


class NoisySums(NamedTuple):
    """A release: each part's sums with their noise, in whole steps."""

    sums: PyTree[FixedPoint]

    @property
    def answer(self) -> list[np.ndarray]:
        """As the host's numbers, exactly: an array for each part."""
        parts = self.sums if isinstance(self.sums, tuple) else (self.sums,)
        return [part.exact() for part in parts]


@final
@dataclass(frozen=True, eq=False)
class TotalRounds:
    """One round from its exact sums on."""

    learner: str
    noise: Program
    numbers: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    replay = Replay.ANY

    @classmethod
    def of(cls, plan: Plan, asked: str, totals: Totals) -> Self:
        """Of a plan's server.

        Args:
          asked: a digest of what the engine was asked.

        Raises:
          ValueError: if the plan has several rounds, needs rows, or adds no noise to whole sums.
        """
        _refuse_others(plan)
        arrays, rest = eqx.partition(traced(plan.server), eqx.is_array)
        numbers = jax.tree.map(np.array, arrays)

        def noisy(numbers: PyTree, key: Array, sums: PyTree) -> NoisySums:
            return NoisySums(eqx.combine(numbers, rest).noisy(key[0], sums))

        any_key = keys.jax_keys([bytes(keys.KEY_BYTES)], 1)
        like = shapes_of((numbers, any_key, totals.sums))
        start = NoisySums(jax.tree.map(np.zeros_like, totals.sums))
        return cls(asked, Program.of(noisy, *like), numbers, (placed(start), None))

    @property
    def digest(self) -> str:
        return self.noise.digest

    def ready(self, data: Totals, run: bytes) -> Play:
        del run

        def played(state: Any, carry: Any, cohort: Any, own: Any, many: Any) -> tuple:
            del state, cohort, many
            return self.noisy(data, own.server), carry, None

        return played

    def noisy(self, data: Totals, key: PRNGKeyArray) -> NoisySums:
        """The sums with their noise.

        Args:
          key: an array of one.
        """
        play, lay = self._at_once(data) or (self.noise.compiled(), placed)
        numbers, sums = lay((self.numbers, data.sums))
        return play(numbers, key, sums)

    def _at_once(self, data: Totals) -> tuple[Callable, Callable] | None:
        """How few numbers get their noise on the host, and nothing to lay out for it."""
        few = sum(each.size for each in jax.tree.leaves(data.sums)) <= MOST_AT_ONCE
        play = self.noise.computed() if few and not hosts.several() else None
        if play is None:
            return None
        return lambda *given: jax.tree.map(jnp.asarray, play(*given)), lambda given: given


def staged_on(plan: Plan, asked: str, totals: Totals) -> Staged:
    """A plan set up on what an engine found; nobody is asked in person."""
    nobody = Cohorts(plan, 0, 1, summed=False)
    return Staged(plan, TotalRounds.of(plan, asked, totals), nobody, totals, asked)


def _held(sums: Int64[np.ndarray, "*shape"], step: float) -> FixedPoint:
    """Whole numbers in whole steps, at the grid's end where they are beyond it."""
    most = math.floor(MOST_STEPS * step)
    whole = np.clip(sums, -most, most)
    steps = whole // int(step) if step >= 1 else whole * int(1 / step)
    return FixedPoint.of(steps, 1.0).on(step)


def _refuse_others(plan: Plan) -> None:
    if not (isinstance(plan.collect, Sum) and plan.sums.rounds == 1):
        raise ValueError("an engine answers one round about sums")
    if not isinstance(plan.server, InWholeSteps):
        raise ValueError(
            f"an engine's sums get noise in whole steps, and {type(plan.server).__name__} adds none"
        )
