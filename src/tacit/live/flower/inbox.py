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
from tacit.live.flower.mail import Announced, Mail, announced
from tacit.live.flower.parcel import NotOurs, Parcel, answer
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
class Inbox:
    """What is asked of one device, over one connection.

    `coming` brings what is announced, and what is in `halves` when nothing is. `opened` takes a
    message out of these, and alone puts it there: behind the others, if parts are on their way.

    Args:
      client: of Flower, for a device.
      node: which device it is.
      ending: set when it is to end.
      halves: messages whose parts are on their way, and until when each is waited for, by
        `time.monotonic`.
    """

    client: Any
    node: Any
    ending: threading.Event
    halves: dict[Announced, float] = field(default_factory=dict)

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
            if found:
                pause = _SOONEST
                yield from found
                continue
            rest(self.ending, max(pause, min(_OF_AN_ANSWER * took, _LONGEST)))
            pause = min(4.0 * pause, _LATEST)
            yield from list(self.halves)
        raise Ended

    def _announcements(self) -> tuple[list[Announced], float]:
        """And how long the server took to say so, but for the time it was away."""

        def timed(asked: Any) -> tuple[list[Announced], float]:
            began = time.monotonic()
            return announced(self.client.PullMessages(asked)), time.monotonic() - began

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
        said, run = message.head.metadata, message.head.metadata.run_id
        # It lives as long here as it said; clocks of devices and servers may differ by minutes.
        until = self.halves.pop(message, time.monotonic() + said.ttl)
        if not self._mail.fetched(run, message):
            self._put_aside(message, until)
            return None
        self._mail.received(run, message.name)
        order, state = message.opened(2)
        return order, state

    def _put_aside(self, message: Announced, until: float) -> None:
        if not time.monotonic() < until:
            raise NotOurs("its parts did not come while it lived")
        self.halves[message] = until
        if len(self.halves) > _MOST_COMING:
            del self.halves[next(iter(self.halves))]
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
        said = self._in_time()
        told = said(self.client.PushMessages, self._telling(parcel))
        # Of what it does not keep it asks for no part; it says so in no other way.
        if parcel.name not in told.objects_to_push:
            _log.warning("the server did not take an answer: its order had run out there")
            return
        mail, whole = Mail(self.client, self.node, said), parcel.parts[parcel.name]
        if not mail.put(run, told.session_id, parcel.name, whole):
            # Or it has it, and its word of that was lost.
            _log.warning("the server did not take an answer: it no longer waited for it")

    def _telling(self, parcel: Parcel) -> Any:
        return spoken.PushMessagesRequest(
            node=self.node,
            messages_list=[parcel.head],
            message_object_trees=[parcel.tree],
            clientapp_runtime_list=[0.0],
        )

    def _in_time(self) -> Callable[[Callable[[Any], Any], Any], Any]:
        """Calls that are begun while what is handed over now counts."""
        due = Deadline(_BEGUN_WITHIN)
        return lambda call, asked: self._said(due.heeded(call), asked)

    def _said(self, call: Callable[[Any], Any], asked: Any) -> Any:
        return steady(call, asked, self.ending)

    @property
    def _mail(self) -> Mail:
        return Mail(self.client, self.node, self._said)
