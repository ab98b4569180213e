"""Rounds that are played on a network: orders out, reports in, and the server's part of the plan.

What `population.loop` does in one program is cut where the network lies. Sums are on the same grid,
and the server's noise, its carry and the learner's next state come from the same parts and keys.

A round's number is the key of its public randomness: a function of the grant's root key and the
round, which no other round shares, and which tells nothing of the others. Asked again under the
same number, a device answers with the report that it has kept. **A run that died is not gone on
with**: other devices may answer the second time, and the same noise on two sums is no noise on
their difference. So the root key is erased as a run begins.
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

from tacit.live.function import Function, state_message
from tacit.live.link import Link
from tacit.live.order import RoundOrder, hashed
from tacit.live.replies import Replies, ReportSum
from tacit.live.reporting import Reporting, digest
from tacit.live.sides import ReportSet, finished, received, report_like
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.population.loop import Cohort, Keys, Parts
from tacit.population.placement import placed
from tacit.population.program import Program, digest_of, numbers_of
from tacit.population.rounds import Play, shapes_of
from tacit.question.dropouts import DropOuts

# Reports' numbers that are added up at once: 4 MB, near the processor.
_NUMBERS_AT_ONCE = 2**20
_MOST_AT_ONCE = 1024


@final
@dataclass(frozen=True)
class Network:
    """Who is asked, and how.

    Args:
      link: carries the messages.
      name: whose accounts are charged.
      seconds: how long a round waits.
      told: is told what came back in each round.
    """

    link: Link
    name: str
    seconds: float
    told: Callable[[Replies], Any]


@final
@dataclass(frozen=True, eq=False)
class LiveRounds:
    """The rounds of a plan and a learner, whose people are devices.

    Args:
      network: where they are.
      devices: the names of all who are enrolled; a cohort is of places among them.
      plan: what is played.
      function: what devices run.
      order: what every order of the run says, but for the round's own.
      like: the types and shapes of a report.
      chunk: how many reports are added up at once.
      add, finish: the server's programs: a sum with more reports, and the next state of a sum.
      numbers, empty, start: of the learner and the plan's parts; of no reports; before all rounds.
    """

    network: Network
    devices: tuple[str, ...]
    plan: Plan
    function: Function
    order: dict[str, Any] = field(repr=False)
    like: PyTree = field(repr=False)
    chunk: int
    add: Program = field(repr=False)
    finish: Program = field(repr=False)
    numbers: PyTree = field(repr=False)
    empty: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    # Who is silent the first time may answer the second: the same noise on another sum is no noise.
    repeatable = False

    @classmethod
    def of(
        cls, network: Network, devices: tuple[str, ...], plan: Plan, learner: Learner, run: Function
    ) -> Self:
        """Of a learner as it is now; `run` is what devices run for it."""
        ways, randomises = Reporting.of(plan), digest(plan.device)
        order = {"function": run.text, "reporting": ways.text, "randomiser": randomises}
        like = report_like(learner, ways.shape, plan.device, run.start, run.person)
        chunk = _at_once(plan, like)
        start = placed(learner.init()), (placed(plan.server.init()), placed(np.int32(0)))
        made = _programs(plan, learner, start, like, chunk)
        return cls(network, devices, plan, run, order, like, chunk, *made, start)

    @property
    def learner(self) -> str:
        return self.function.digest + digest_of(self.numbers, self.start)

    @property
    def digest(self) -> str:
        return self.add.digest + self.finish.digest

    def ready(self, data: PyTree) -> Play:
        del data
        one = functools.partial(self._one, self.add.compiled(), self.finish.compiled())

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
        add: Callable,
        finish: Callable,
        state: PyTree,
        carry: PyTree,
        rows: np.ndarray,
        own: Keys,
    ) -> tuple:
        """One round: the state and carry after it, and whether it halted."""
        held, done = carry
        total = self._total(add, state, int(done), rows, own.public)
        state, held, halted = finish(self.numbers, state, held, total, own.server, own.public)
        return state, (held, jnp.int32(done + 1)), halted

    def _total(
        self, add: Callable, state: PyTree, done: int, rows: np.ndarray, public: jax.Array
    ) -> PyTree:
        """The sum of what devices send in one round, or of nobody's, if they are too few."""
        sent = state_message(state).packed()
        places = {self.devices[row]: place for place, row in enumerate(rows)}
        number = np.asarray(jax.random.key_data(public)).astype("<u4").tobytes()
        orders = self._orders(number, done, places, hashed(sent))

        def added(total, reports, places, present):
            return add(self.numbers, total, reports, places, present, public)

        sum_ = ReportSum(number, places, self.like, self.chunk, added, self.empty)
        sum_.of(self.network.link.asked(orders, sent, self.network.seconds))
        counted = sum_.reported >= _least(self.plan)
        self.network.told(sum_.heard(done + 1, counted))
        return sum_.total if counted else self.empty

    def _orders(
        self, number: bytes, done: int, places: dict[str, int], state: str
    ) -> dict[str, bytes]:
        sender, rounds = self.network.name, self.plan.sums.rounds
        return {
            name: RoundOrder(
                number, sender, done + 1, rounds, place, **self.order, state=state
            ).packed()
            for name, place in places.items()
        }


def _at_once(plan: Plan, like: PyTree) -> int:
    size = max(1, sum(leaf.size for leaf in jax.tree.leaves(like)))
    return max(1, min(_MOST_AT_ONCE, plan.sums.capacity, _NUMBERS_AT_ONCE // size))


def _programs(
    plan: Plan, learner: Learner, start: tuple[PyTree, PyTree], like: PyTree, chunk: int
) -> tuple[Program, Program, PyTree, PyTree]:
    """The server's programs, and the numbers and the empty sum that they are called with."""
    parts = Parts.of(plan)
    numbers, rest = numbers_of((learner, parts, ReportSet.of(plan.device)))

    def add(numbers, *asked):
        return received(*eqx.combine(numbers, rest)[1:], *asked)

    def finish(numbers, *asked):
        return finished(*eqx.combine(numbers, rest)[:2], *asked)

    empty = placed(parts.collected.empty(parts.server.grid))
    state, (carry, _) = start
    key = shapes_of(keys.jax_key(bytes(keys.KEY_BYTES)))
    adds = Program.of(add, *shapes_of((numbers, empty, *_room(like, chunk))), key)
    finishes = Program.of(finish, *shapes_of((numbers, state, carry, empty)), key, key)
    return adds, finishes, numbers, empty


def _room(like: PyTree, chunk: int) -> PyTree:
    """A chunk of reports, their places, and which of them are there."""
    reports = jax.tree.map(lambda leaf: np.zeros((chunk, *leaf.shape), leaf.dtype), like)
    return placed((reports, np.zeros(chunk, np.uint32), np.zeros(chunk, np.bool_)))


def _rows(cohort: Cohort, t: int) -> np.ndarray:
    """The places of those who are asked in one round of a block."""
    return np.asarray(cohort.rows)[t][np.asarray(cohort.present)[t]]


def _least(plan: Plan) -> int:
    """With fewer reports a round has none."""
    asked = plan.sums.participation
    return asked.least if isinstance(asked, DropOuts) else 0
