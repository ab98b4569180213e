"""Reports that are private by themselves, added up on the plan's grid as they come."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self, final

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PyTree

from tacit.live.function import Function
from tacit.live.gathering import Network, Orders, RoundAsked
from tacit.live.link import read_out
from tacit.live.replies import AnswerCounts, ReportSum
from tacit.live.reporting import Reporting, digest
from tacit.live.sides import ReportSet, received, report_like
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.population.loop import Parts
from tacit.population.placement import placed
from tacit.population.program import Program, numbers_of
from tacit.population.rounds import shapes_of
from tacit.question.dropouts import DropOuts

# Reports' numbers that are added up at once: 4 MB, near the processor.
_NUMBERS_AT_ONCE = 2**20
_MOST_AT_ONCE = 1024


@final
@dataclass(frozen=True, eq=False)
class Reports:
    """How the reports of a plan are gathered.

    Args:
      orders: what devices are sent.
      like: the types and shapes of a report.
      chunk: how many reports are added up at once.
      add: the program: a sum with more reports.
      numbers: of the plan's parts.
      empty: the sum of no reports.
    """

    orders: Orders
    like: PyTree = field(repr=False)
    chunk: int
    add: Program = field(repr=False)
    numbers: PyTree = field(repr=False)
    empty: PyTree = field(repr=False)

    @classmethod
    def of(cls, network: Network, plan: Plan, learner: Learner, run: Function) -> Self:
        """Of a learner as it is now; `run` is what devices run for it."""
        ways = Reporting.of(plan)
        orders = Orders(network, plan, run, ways.text, digest(ways.device()))
        like = report_like(learner, ways.shape, plan.device, run.start, run.person)
        chunk = _at_once(plan, like)
        return cls(orders, like, chunk, *_program(plan, like, chunk))

    @property
    def digest(self) -> str:
        return self.add.digest

    @property
    def least(self) -> int:
        asked = self.orders.plan.sums.participation
        return asked.least if isinstance(asked, DropOuts) else 0

    def orders_of(self, run: bytes) -> Orders:
        del run
        return self.orders

    def begun(self, run: bytes) -> Callable[[RoundAsked], PyTree]:
        del run
        return functools.partial(self.total, self.add.compiled())

    def total(self, add: Callable, asked: RoundAsked) -> PyTree:
        """The sum of what devices send in one round, or of nobody's, if they are too few."""

        def added(total, reports, places, present):
            return add(self.numbers, total, reports, places, present, asked.public)

        orders, network = self.orders.of(asked), self.orders.network
        packed = {name: order.packed() for name, order in orders.items()}
        counts = AnswerCounts(asked.number, len(asked.places))
        sum_ = ReportSum(counts, dict(asked.places), self.like, self.chunk, added, self.empty)
        with read_out(network.link.asked(packed, asked.state, network.seconds)) as came:
            sum_.of(came)
        counted = counts.reported >= self.least
        network.told(counts.heard(asked.round, counted))
        return sum_.total if counted else self.empty


def _at_once(plan: Plan, like: PyTree) -> int:
    size = max(1, sum(leaf.size for leaf in jax.tree.leaves(like)))
    return max(1, min(_MOST_AT_ONCE, plan.sums.capacity, _NUMBERS_AT_ONCE // size))


def _program(plan: Plan, like: PyTree, chunk: int) -> tuple[Program, PyTree, PyTree]:
    """The server's program, and the numbers and the empty sum that it is called with."""
    parts = Parts.of(plan)
    numbers, rest = numbers_of((parts, ReportSet.of(plan.device)))

    def add(numbers, *asked):
        return received(*eqx.combine(numbers, rest), *asked)

    empty = placed(parts.collected.empty(parts.server.grid))
    key = shapes_of(keys.jax_key(bytes(keys.KEY_BYTES)))
    program = Program.of(add, *shapes_of((numbers, empty, *_room(like, chunk))), key)
    return program, numbers, empty


def _room(like: PyTree, chunk: int) -> PyTree:
    """A chunk of reports, their places, and which of them are there."""
    reports = jax.tree.map(lambda leaf: np.zeros((chunk, *leaf.shape), leaf.dtype), like)
    return placed((reports, np.zeros(chunk, np.uint32), np.zeros(chunk, np.bool_)))
