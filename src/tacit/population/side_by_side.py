"""Several runs as one program: for experiments that repeat a run with other seeds and numbers.

A short round costs less than what it is called with, and small arrays leave a processor waiting. So
runs whose programs are equal, which differ in the numbers of their plans and learners and in their
keys, are stacked, and one program plays a round of each at once. Every run draws what it would draw
alone; sums over stacked arrays may be rounded in another order, so states agree but for that.
"""

from collections.abc import Callable, Sequence
from typing import cast, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from tacit.population import hosts
from tacit.population.loop import Cohort
from tacit.population.placement import whole
from tacit.population.program import Program
from tacit.population.rounds import SumRounds
from tacit.population.run import Pace, Run, Seats, keys_of


def side_by_side(
    runs: Sequence[Run], told: Callable[[int], object] = lambda done: None
) -> list[PyTree]:
    """The final state of each run.

    Args:
      runs: of one population and equal programs, which never halt.
      told: of the rounds done, now and then; what it raises ends all runs.

    Raises:
      ValueError: if there are none, or their programs differ.
    """
    first = _refuse_unlike(runs)
    staged, last = first.staged, first.staged.plan.sums.rounds
    numbers, start = _stacked([(each.numbers, each.start) for each in map(_rounds, runs)])
    state, carry = start
    block, roots = staged.cohorts.block, [run.root for run in runs]
    seats, pace, play, done = _AllSeats(runs), Pace(block), None, 0
    while done < last:
        many = min(pace.rounds, last - done)
        own = keys_of(roots, range(done, done + many), len(roots), block)
        called = state, carry, staged.data, seats.next(many), own, np.int32(many)
        play = play or _program(_rounds(first), numbers, *called).compiled()
        state, carry, _ = pace.kept(play, many, numbers, *called)
        done += many
        told(done)
    return [jax.tree.map(lambda leaf, i=i: leaf[i], state) for i in range(len(runs))]


def _program(rounds: SumRounds, *called: PyTree) -> Program:
    """The rounds of all runs at once; data and the number of rounds are common to them."""
    together = jax.vmap(rounds.play, in_axes=(0, 0, 0, None, 0, 0, None))
    like = jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=whole()), called
    )
    return Program.of(together, *like)


@final
class _AllSeats:
    """The cohorts of all runs; where everybody stays, so do they."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._seats = [Seats(run.staged.cohorts, run.root, 0) for run in runs]
        self._before: list[Cohort] = []

    def next(self, many: int) -> Cohort:
        """Of the next block, which plays so many rounds."""
        placed = [own.next(many) for own in self._seats]
        if list(map(id, placed)) != list(map(id, self._before)):
            self._before, self._stacked = placed, _stacked(placed)
        return self._stacked


def _stacked(trees: Sequence[PyTree]) -> PyTree:
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
    return jax.device_put(stacked, whole())


def _rounds(run: Run) -> SumRounds:
    return cast(SumRounds, run.staged.rounds)


def _refuse_unlike(runs: Sequence[Run]) -> Run:
    """The first of them."""
    if not runs:
        raise ValueError("at least one run is needed, got none")
    if hosts.several():
        raise ValueError("runs are played side by side by one process, and here are several")
    first = runs[0].staged
    for run in runs[1:]:
        same = run.staged.plan.sums.rounds == first.plan.sums.rounds
        if not (same and _rounds(run).block == _rounds(runs[0]).block):
            raise ValueError(
                "runs side by side may differ in seeds and in the numbers of plans and learners "
                "alone: they must ask for equally many rounds and have equal programs"
            )
    return runs[0]
