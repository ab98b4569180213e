"""What one device is asked, message by message, and where its answers go.

A message is announced before its parts are sent, and a server that fails between the two announces
the order again under another name. So a message whose parts are on their way holds up no other.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

from tacit.live.flower import spoken
from tacit.live.flower.calls import Deadline, Ended, Refused, RunOver, rest, steady
from tacit.live.flower.parcel import Mail, NotOurs, answer, opened
from tacit.live.link import SENT_WITHIN

_log = logging.getLogger("tacit.live")

# Seconds: how soon a device asks for an order again, at first and at last; Flower's own nodes ask
# every 3 s. A server that many ask takes long to answer, and then each asks less often: so many
# times as long as an answer took, up to half a minute.
_SOONEST, _LATEST = 0.05, 3.0
_OF_AN_ANSWER, _LONGEST = 4.0, 30.0
# How many messages may be on their way: each may hold a state.
_MOST_COMING = 4
# An attempt to send that is under way by then may last as long again.
_BEGUN_WITHIN = SENT_WITHIN / 2


@final
@dataclass(frozen=True, eq=False)
class Announced:
    """A message that a server has announced.

    Args:
      head: what a SuperLink reads.
      tree: the names of its parts.
      until: when it need no longer be waited for, by `time.monotonic`.
      parts: those that are here.
    """

    head: Any
    tree: Any
    until: float
    parts: dict[str, bytes] = field(default_factory=dict, repr=False)


@final
@dataclass(frozen=True, eq=False)
class Inbox:
    """What is asked of one device, over one connection.

    Args:
      client: of Flower, for a device.
      node: which device it is.
      ending: set when it is to end.
      halves: messages whose parts are on their way.
    """

    client: Any
    node: Any
    ending: threading.Event
    halves: list[Announced] = field(default_factory=list)

    def coming(self) -> Iterator[Announced]:
        """Each message when it is announced, and again while its parts are on their way.

        It is brought again when no other is announced.

        Raises:
          Ended: if the device is to end; a message that was brought is answered first.
          Refused, Stranger: if the server lets it ask no longer.
        """
        pause = _SOONEST
        while not self.ending.is_set():
            found, took = self._announcements()
            if found.messages_list:
                pause = _SOONEST
                yield from map(_announced, found.messages_list, found.message_object_trees)
                continue
            rest(self.ending, max(pause, min(_OF_AN_ANSWER * took, _LONGEST)))
            pause = min(4.0 * pause, _LATEST)
            again = list(self.halves)
            self.halves.clear()
            yield from again
        raise Ended

    def _announcements(self) -> tuple[Any, float]:
        """And how long the server took to say so, but for the time it was away."""

        def timed(asked: Any) -> tuple[Any, float]:
            began = time.monotonic()
            return self.client.PullMessages(asked), time.monotonic() - began

        try:
            return self._said(timed, spoken.PullMessagesRequest(node=self.node))
        except RunOver as error:
            # This is asked for no run.
            raise Refused("the server does not let this device ask for orders: 403") from error

    def opened(self, message: Announced) -> tuple[bytes, bytes] | None:
        """The order and the state that came with it, or None while they are on their way.

        Raises:
          NotOurs: if it is no order of ours, or has not come while it lived.
          Ended: if the device is to end, and nobody answers.
          Refused, Stranger: if the server lets it fetch no longer.
          RunOver: if the run that it is of is over.
        """
        run = message.head.metadata.run_id
        if not self._mail.fetched(run, message.tree, message.parts):
            self._put_aside(message)
            return None
        self._mail.received(run, message.tree.object_id)
        order, state = opened(message.tree, message.parts, 2)
        return order, state

    def _put_aside(self, message: Announced) -> None:
        if not time.monotonic() < message.until:
            raise NotOurs("its parts did not come while it lived")
        self.halves.append(message)
        if len(self.halves) > _MOST_COMING:
            del self.halves[0]
            _log.warning("a message was dropped: more than %d are on their way", _MOST_COMING)

    def answer(self, head: Any, content: bytes) -> None:
        """Sends the answer to the message with this head, while it counts.

        Raises:
          TooLate: if nobody took it in time.
          Ended: if the device is to end, and nobody hears it.
          Refused, Stranger: if the server does not want to hear it, or knows nothing of the device.
          RunOver: if the run that the message is of is over.
        """
        parcel, run = answer(content, head), head.metadata.run_id
        announced = spoken.PushMessagesRequest(
            node=self.node,
            messages_list=[parcel.head],
            message_object_trees=[parcel.tree],
            clientapp_runtime_list=[0.0],
        )
        said = self._in_time()
        told = said(self.client.PushMessages, announced)
        if not told.objects_to_push:
            # It says so of what it does not keep, in no other way; its parts are none it has.
            _log.warning("the server did not take an answer: its order had run out there")
        for name in told.objects_to_push:
            Mail(self.client, self.node, said).put(run, told.session_id, name, parcel.parts[name])

    def _in_time(self) -> Callable[[Callable[[Any], Any], Any], Any]:
        """Calls that are begun while what is handed over now counts."""
        due = Deadline(_BEGUN_WITHIN)
        return lambda call, asked: self._said(due.heeded(call), asked)

    def _said(self, call: Callable[[Any], Any], asked: Any) -> Any:
        return steady(call, asked, self.ending)

    @property
    def _mail(self) -> Mail:
        return Mail(self.client, self.node, self._said)


def _announced(head: Any, tree: Any) -> Announced:
    """It lives as long here as it said; clocks of devices and servers may differ by minutes."""
    return Announced(head, tree, time.monotonic() + head.metadata.ttl)
