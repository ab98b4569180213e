"""Carries a round's orders to devices on a Flower network, and their answers back.

Orders are small and each device's own. The state is the same for all, so it is one object, named by
the digest of its content: it goes to the SuperLink once in a round, and once more for a device that
is asked later; devices fetch it there.

| what happens | then |
| --- | --- |
| a device is away when it is asked | it is asked when it comes, if that is soon enough |
| a device was killed or cut off after it took its order | it is asked once more when it is back |
| neither an answer nor word of one is there at half the seconds | the device is asked once more |
| a device answers with errors | it is asked again each second |
| a device answers twice | its first answer counts |
| an answer is no answer of this round | nobody hears of it |
| the SuperLink is away | it is tried again until the seconds are over |
| a proxy shows a page of its own, or none | as above |
| it says 408 or 429 | as above, after 1 s at first, 30 s at last |
| it was begun anew, or a proxy answers with another status below 500 | a RuntimeError says so |
| it goes away in the midst of several answers | those that are here count |
| a round is begun while another one goes on over the same run | a RuntimeError says so |
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

from tacit.live.flower.calls import is_later, is_too_often
from tacit.live.flower.keys import name_of
from tacit.live.flower.parcel import Parcel
from tacit.live.flower.run import FlowerRun
from tacit.live.flower.spoken import httpx

# Seconds: how soon answers are looked for, at first and at last; how often for devices that come.
_SOONEST, _LATEST, _COMING = 0.02, 0.5, 1.0
# How long a SuperLink is left alone that says it is asked too often, at first and at last.
_QUIET, _QUIETEST = 1.0, 30.0
# How much longer than its round a message lives, so that the last answer still finds it.
_SPARE = 60.0
# Devices to which orders are announced before their parts are sent: whoever hears of an order asks
# for its parts until they are there, and those that wait in a long row keep the SuperLink busy.
_AT_ONCE = 8


def _nothing() -> None:
    """Nobody wants to end a round."""


@final
@dataclass(frozen=True, eq=False)
class FlowerLink:
    """A `Link` over a run on a SuperLink.

    Args:
      run: what it asks through.
      devices: the names of those that are enrolled, as `name_of` has them from their public keys.
        Whoever else has got on to the network is not asked, and not heard.
      check: called while answers are waited for; what it raises ends the round.

    Raises:
      ValueError: if a device is named twice.
    """

    run: FlowerRun = field(repr=False)
    devices: tuple[str, ...]
    check: Callable[[], None] = _nothing

    def __post_init__(self):
        if len(set(self.devices)) != len(self.devices):
            raise ValueError("every device is enrolled once, by a name of its own")

    def asked(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        """Answers as they come, each with the name of the device whose key has signed for it.

        Raises:
          ValueError: if a device is asked that is not enrolled.
          RuntimeError: if the SuperLink, or what is between, does not want to hear this run, or
            another round goes on over it.
        """
        if set(orders) - set(self.devices):
            raise ValueError("only devices that are enrolled are asked")
        with self.run.alone():
            yield from self._round(orders, state, seconds)

    def _round(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        until, pause = time.monotonic() + seconds, _SOONEST
        asking = _Asking(self.run, dict(orders), state, seconds + _SPARE, until - seconds / 2)
        try:
            while asking.waiting and (left := until - time.monotonic()) > 0:
                self.check()
                before = len(asking.waiting)
                yield from asking.look()
                pause = _SOONEST if len(asking.waiting) < before else min(1.5 * pause, _LATEST)
                if asking.waiting:
                    time.sleep(min(pause, left))
            yield from asking.last_look()
        finally:
            self.run.forget(asking.asks)


@final
@dataclass(eq=False)
class _Asking:
    """One round: who has still to answer, and which message each of them was last sent."""

    run: FlowerRun
    waiting: dict[str, bytes]
    state: bytes
    lives: float
    # When those who are silent are asked once more: the SuperLink hands an order out once, and its
    # word of it may have been lost. A device that is only slow has the same answer for both.
    again: float
    # By device: since when it was there when it was asked. By message: whom it asks.
    sent: dict[str, str] = field(default_factory=dict)
    asks: dict[str, str] = field(default_factory=dict)
    next_look: float = 0.0
    # How long it was left alone the last time, and until when.
    quiet: float = 0.0
    quiet_until: float = 0.0

    def look(self) -> Iterator[tuple[str, bytes]]:
        """Asks who has come, and brings what was answered, each as it is there."""
        if time.monotonic() < self.quiet_until:
            return
        try:
            if time.monotonic() >= self.next_look:
                self._ask()
                self.next_look = time.monotonic() + _COMING
            yield from self._answers()
            self.quiet = 0.0
        except httpx.TransportError:
            return
        except httpx.HTTPStatusError as error:
            self._heed(error)

    def _heed(self, error: httpx.HTTPStatusError) -> None:
        _refuse(error)
        if is_too_often(error.response.status_code):
            self.quiet = min(max(2.0 * self.quiet, _QUIET), _QUIETEST)
            self.quiet_until = time.monotonic() + self.quiet

    def last_look(self) -> Iterator[tuple[str, bytes]]:
        """What is here when the seconds are over; who comes then is not asked any more."""
        self.next_look = math.inf
        self.quiet_until = 0.0
        return self.look()

    def _ask(self) -> None:
        nodes = {name_of(node.public_key): node for node in self.run.nodes()}
        here = {name: nodes[name].last_activated_at for name in self.waiting if name in nodes}
        silent = self._silent() if time.monotonic() >= self.again else set()
        self.sent = {n: since for n, since in self.sent.items() if n in here and n not in silent}
        due = [name for name in here if self.sent.get(name) != here[name]]
        for first in range(0, len(due), _AT_ONCE):
            asked = due[first : first + _AT_ONCE]
            parcels = [self._parcel(name, nodes[name].node_id) for name in asked]
            for name, message in zip(asked, self.run.sent(parcels), strict=True):
                if message:
                    self.asks[message] = name
                    self.sent[name] = here[name]

    def _silent(self) -> set[str]:
        """Who has not even announced an answer; it is asked for once."""
        self.again = math.inf
        return set(self.sent) - {self.asks.get(message) for message in self.run.coming}

    def _parcel(self, name: str, node: int) -> Parcel:
        return self.run.order(self.waiting[name], self.state, node, self.lives)

    def _answers(self) -> Iterator[tuple[str, bytes]]:
        open_ = [message for message, name in self.asks.items() if name in self.waiting]
        for message, answer in self.run.answers(open_) if open_ else ():
            name = self.asks[message]
            if answer is None:
                del self.asks[message]
                self.sent.pop(name, None)
            elif self.waiting.pop(name, None) is not None:
                yield name, answer


def _refuse(error: httpx.HTTPStatusError) -> None:
    """Raises what this answer means; a server that may do it later is one that is away."""
    status = error.response.status_code
    if not is_later(status):
        raise RuntimeError(
            f"the SuperLink answers {status} to what this run asks: take a new run of it if it was "
            "begun anew, or see what a proxy before it lets through"
        ) from error
