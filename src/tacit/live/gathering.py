"""What a round on a network is, whatever is sent: whom it asks, and the sum that comes of it.

Reports that are private by themselves are added up as they come (`reports`); others are seen in a
sum alone (`masked.gathered`). The rounds are the same (`rounds`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final

import jax
from jaxtyping import PyTree

from tacit.live.function import Function
from tacit.live.link import Link
from tacit.live.order import RoundOrder
from tacit.live.replies import Replies
from tacit.plan import Plan


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
class RoundAsked:
    """One round.

    Args:
      number: the round's own.
      round: which, from 1 on; 0 of none, where devices are asked beforehand.
      places: of the devices that are asked, by name.
      state: what every order goes on from, packed.
      digest: of that.
      public: the round's public randomness.
    """

    number: bytes
    round: int
    places: Mapping[str, int]
    state: bytes
    digest: str
    public: jax.Array


@final
@dataclass(frozen=True, eq=False)
class Orders:
    """What every order of a run says, but for the round's own.

    Args:
      network: where devices are.
      plan: what is played.
      function: what they run.
      reporting: how they report, as an order has it.
      randomiser: a digest of what they make of it.
    """

    network: Network
    plan: Plan
    function: Function
    reporting: dict[str, Any]
    randomiser: str

    def of(self, asked: RoundAsked) -> dict[str, RoundOrder]:
        """The order for each device."""
        sender, rounds = self.network.name, self.plan.sums.rounds
        how = self.function.text, self.reporting, self.randomiser, asked.digest
        return {
            name: RoundOrder(asked.number, sender, asked.round, rounds, place, *how)
            for name, place in asked.places.items()
        }


class Gathering(Protocol):
    """Asks the devices of a round, and adds up what they send."""

    @property
    def digest(self) -> str:
        """Of its programs."""
        ...

    @property
    def least(self) -> int:
        """Of fewer reports a round has no sum."""
        ...

    def orders_of(self, run: bytes) -> Orders:
        """What every order of the run that has this number says."""
        ...

    def begun(self, run: bytes) -> Callable[[RoundAsked], PyTree]:
        """Of each round of the run that has this number the sum, or that of nobody, if they are too
        few; the network is told."""
        ...
