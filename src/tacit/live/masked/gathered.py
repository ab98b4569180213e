"""Rounds whose sums are made under masks: the run is named once, and each round goes through it.

A round in which fewer than the threshold go through all stages has no sum: its answer is that of
nobody, and says nothing.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

from jaxtyping import PyTree

from tacit.live.function import Function
from tacit.live.gathering import Network, Orders, RoundAsked
from tacit.live.masked.sharing import Sharing
from tacit.live.masked.summed import MaskedSum
from tacit.live.replies import AnswerCounts
from tacit.live.reporting import digest
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint
from tacit.plan import Plan

# How many have to answer is the same in every run.
_NO_RUN = bytes(keys.KEY_BYTES)


@final
@dataclass(frozen=True, eq=False)
class MaskedReports:
    """How the sums of an `Aggregated` plan are made.

    Args:
      network: where devices are.
      plan: what is played.
      function: what they run.
    """

    network: Network
    plan: Plan
    function: Function

    @classmethod
    def of(cls, network: Network, plan: Plan, run: Function) -> Self:
        """`run` is what devices run.

        Raises:
          ValueError: if a device would not join sums like these.
        """
        ways = Sharing.of(plan, _NO_RUN)
        if not ways.threshold <= ways.smallest:
            raise ValueError(
                f"sums under masks need {ways.threshold} devices, and the smallest round asks "
                f"{ways.smallest}: ask in larger cohorts, or all alike"
            )
        return cls(network, plan, run)

    @property
    def digest(self) -> str:
        """It has no program of its own."""
        return digest(self.plan.device)

    @property
    def least(self) -> int:
        return Sharing.of(self.plan, _NO_RUN).threshold

    def orders_of(self, run: bytes) -> Orders:
        return self._orders(Sharing.of(self.plan, run))

    def begun(self, run: bytes) -> Callable[[RoundAsked], PyTree]:
        return functools.partial(self.total, Sharing.of(self.plan, run))

    def total(self, ways: Sharing, asked: RoundAsked) -> PyTree[FixedPoint]:
        """The sum of one round."""
        packed = {name: order.packed() for name, order in self._orders(ways).of(asked).items()}
        network, layout = self.network, ways.layout
        counts = AnswerCounts(asked.number, len(asked.places))
        own = counts, asked.places, ways.threshold, layout
        found = MaskedSum(network.link, network.seconds, *own).of(packed, asked.state)
        network.told(counts.heard(asked.round, found is not None))
        return ways.empty if found is None else layout.sums_of(found, ways.empty)

    def _orders(self, ways: Sharing) -> Orders:
        return Orders(self.network, self.plan, self.function, ways.text, self.digest)
