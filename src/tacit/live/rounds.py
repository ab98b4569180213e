"""Rounds that are played on a network: orders out, reports in, and the server's part of the plan.

What `population.loop` does in one program is cut where the network lies. Sums are on the same grid,
and the server's noise, its carry and the learner's next state come from the same parts and keys.

A round's number is the key of its public randomness: a function of the grant's root key and the
round, which no other round shares, and which tells nothing of the others. Asked again under the
same number, a device answers with the report that it has kept. Other devices may answer the second
time, and the same noise on two sums is no noise on their difference. So **a run that died is gone
on with after the last state that it kept**, which nobody had heard of before it was kept, and never
from another (`population.kept`); without a checkpoint its root key is erased as it begins.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from tacit.device.noise_sharing import NoiseSharing
from tacit.live.function import Function, state_message
from tacit.live.gathering import Gathering, Network, RoundAsked
from tacit.live.masked.gathered import MaskedReports
from tacit.live.order import hashed
from tacit.live.reports import Reports
from tacit.live.sides import finished
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.kept import Replay
from tacit.population.learner import Learner, refuse_other_rounds
from tacit.population.loop import Cohort, Keys, Parts
from tacit.population.placement import placed
from tacit.population.program import Program, digest_of, numbers_of
from tacit.population.rounds import Play, shapes_of


@final
@dataclass(frozen=True, eq=False)
class LiveRounds:
    """The rounds of a plan and a learner, whose people are devices.

    Args:
      devices: the names of all who are enrolled; a cohort is of places among them.
      plan: what is played.
      function: what devices run.
      gathering: how its sums come.
      finish: the server's program: the next state of a sum.
      numbers, start: of the learner and the plan's parts; before all rounds.
    """

    devices: tuple[str, ...]
    plan: Plan
    function: Function
    gathering: Gathering
    finish: Program = field(repr=False)
    numbers: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    replay = Replay.REST

    @classmethod
    def of(
        cls, network: Network, devices: tuple[str, ...], plan: Plan, learner: Learner, run: Function
    ) -> Self:
        """Of a learner as it is now; `run` is what devices run for it.

        Raises:
          ValueError: if devices on a network do not report like this, or the learner keeps other
            rounds.
        """
        refuse_other_rounds(plan, learner)
        masked = isinstance(plan.device, NoiseSharing)
        gathering = (
            MaskedReports.of(network, plan, run)
            if masked
            else Reports.of(network, plan, learner, run)
        )
        start = placed(learner.init()), (placed(plan.server.init()), placed(np.int32(0)))
        return cls(devices, plan, run, gathering, *_program(plan, learner, start), start)

    @property
    def learner(self) -> str:
        return self.function.digest + digest_of(self.numbers, self.start)

    @property
    def digest(self) -> str:
        return self.gathering.digest + self.finish.digest

    @property
    def first(self) -> bytes:
        """The state that the first round goes on from, packed."""
        state, _ = self.start
        return state_message(state).packed()

    def ready(self, data: PyTree, run: bytes) -> Play:
        del data
        one = functools.partial(self._one, self.gathering.begun(run), self.finish.compiled())

        def play(state: PyTree, carry: PyTree, cohort: Cohort, own: Keys, many: Any) -> tuple:
            halted = None
            for t in range(int(many)):
                keys_ = jax.tree.map(lambda each, t=t: each[t], own)
                state, carry, halted = one(state, carry, _rows(cohort, t), keys_)
                if halted is not None and bool(halted):
                    break
            return state, carry, halted

        return play

    def _one(
        self,
        total: Callable[[RoundAsked], PyTree],
        finish: Callable,
        state: PyTree,
        carry: PyTree,
        rows: np.ndarray,
        own: Keys,
    ) -> tuple:
        """One round: the state and carry after it, and whether it halted."""
        held, done = carry
        sum_ = total(self._asked(state, int(done), rows, own.public))
        state, held, halted = finish(self.numbers, state, held, sum_, own.server, own.public)
        return state, (held, jnp.int32(done + 1)), halted

    def _asked(self, state: PyTree, done: int, rows: np.ndarray, public: jax.Array) -> RoundAsked:
        sent = state_message(state).packed()
        places = {self.devices[row]: place for place, row in enumerate(rows)}
        number = np.asarray(jax.random.key_data(public)).astype("<u4").tobytes()
        return RoundAsked(number, done + 1, places, sent, hashed(sent), public)


def _program(plan: Plan, learner: Learner, start: tuple[PyTree, PyTree]) -> tuple[Program, PyTree]:
    """The server's program, and the numbers that it is called with."""
    parts = Parts.of(plan)
    numbers, rest = numbers_of((learner, parts))

    def finish(numbers, *asked):
        return finished(*eqx.combine(numbers, rest), *asked)

    empty = placed(parts.collected.empty(parts.server.grid))
    state, (carry, _) = start
    key = shapes_of(keys.jax_key(bytes(keys.KEY_BYTES)))
    return Program.of(finish, *shapes_of((numbers, state, carry, empty)), key, key), numbers


def _rows(cohort: Cohort, t: int) -> np.ndarray:
    """The places of those who are asked in one round of a block."""
    return np.asarray(cohort.rows)[t][np.asarray(cohort.present)[t]]
