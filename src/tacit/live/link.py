"""What carries orders to devices and answers back, and one link that needs no network.

A link promises little: names, bytes, and an end. What it brings is believed only as far as it can
be checked, so a link may lose, delay, repeat or invent answers, and a round is still right: it is
the round without those devices.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from tacit.argument import got

# Seconds. A device's ledger counts what it hands over for its cap's days and so much longer.
SENT_WITHIN = 600.0


@runtime_checkable
class Reachable(Protocol):
    """A device, as a link knows it."""

    def answer(self, order: bytes, state: bytes) -> bytes:
        """The answer to an order; it never raises for what was sent.

        Whoever carries it has sent it within `SENT_WITHIN`, or drops it.
        """
        ...


@runtime_checkable
class Link(Protocol):
    """Carries a round's messages."""

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of all devices that are enrolled, in an order that stays."""
        ...

    def asked(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        """Answers, as they come, with the name of the device that each is from.

        It ends when all have answered, or the seconds are over.

        Args:
          orders: one for each device that is asked.
          state: what goes with every order.
          seconds: how long to wait, from the first order on.
        """
        ...


@contextmanager
def read_out(answers: Iterator[tuple[str, bytes]]) -> Iterator[Iterator[tuple[str, bytes]]]:
    """These answers, and an end of their round: for a link too, whatever their reader raises."""
    try:
        yield answers
    finally:
        if isinstance(answers, Generator):
            answers.close()


@final
@dataclass(frozen=True, eq=False)
class Nearby:
    """Devices in this process, one after the other: for tests, and for looking at a plan.

    Args:
      clients: by name.

    Raises:
      ValueError: if they are no devices with names.
    """

    clients: Mapping[str, Reachable]

    def __post_init__(self):
        named = isinstance(self.clients, Mapping) and all(
            isinstance(name, str) and isinstance(each, Reachable)
            for name, each in self.clients.items()
        )
        if not named:
            raise ValueError(f"clients must be devices by their names, got {got(self.clients)}")

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(self.clients)

    def asked(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        del seconds
        for name, order in orders.items():
            yield name, self.clients[name].answer(order, state)
