"""One run on a SuperLink, held by this process: who is there, what they are sent, what they answer.

Flower's own grid waits for an answer whose parts are slow to come, minutes long, and everybody else
waits behind it; one device that announces an answer and sends none would hold up every round. Here
an answer is taken once it is whole, and others are taken meanwhile.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, final

from tacit.live.flower import spoken
from tacit.live.flower.calls import heard
from tacit.live.flower.mail import Announced, Mail, announced
from tacit.live.flower.parcel import NotOurs, Parcel, order
from tacit.live.flower.spoken import httpx

_log = logging.getLogger("tacit.live")

_SERVER = {"node_id": spoken.SUPERLINK_NODE_ID}


@final
@dataclass(frozen=True, eq=False)
class FlowerRun:
    """What a server's loop asks through: one round at a time.

    What its methods raise is httpx's: a `TransportError` where the SuperLink is away or something
    else answers for it, an `HTTPStatusError` where it does not want to hear this run.

    Args:
      client: of Flower, with the token of this run.
      run: its number.
      coming: answers that were announced and are not whole, by the message they answer.
      unconfirmed: names of answers that are here, and which the SuperLink still keeps.
    """

    client: Any = field(repr=False)
    run: int
    coming: dict[str, Announced] = field(default_factory=dict, repr=False)
    unconfirmed: list[str] = field(default_factory=list, repr=False)
    _asking: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One round, which is over when this is left.

        Raises:
          RuntimeError: if another goes on.
        """
        if not self._asking.acquire(blocking=False):
            raise RuntimeError("a run carries one round at a time: end the one that goes on first")
        try:
            yield
        finally:
            self._asking.release()

    def nodes(self) -> Sequence[Any]:
        """Those that are there now, each with its public key and since when it is there."""
        return heard(self.client.GetNodes, spoken.GetNodesRequest()).nodes

    def sent(self, parcels: Sequence[Parcel]) -> list[str]:
        """Sends them at once; what several of them hold goes over the network once.

        Returns:
          The name of each, or none of one that was not taken, or of which a part was not.
        """
        whole = {
            "messages_list": [each.head for each in parcels],
            "message_object_trees": [each.tree for each in parcels],
        }
        told = heard(self.client.PushMessages, spoken.PushAppMessagesRequest(**whole))
        parts = {name: part for each in parcels for name, part in each.parts.items()}
        wanted, session = [name for name in told.objects_to_push if name in parts], told.session_id
        lost = {each for each in wanted if not self._mail.put(self.run, session, each, parts[each])}
        taken = zip(told.message_ids, parcels, strict=True)
        return [name if lost.isdisjoint(each.parts) else "" for name, each in taken]

    def answers(self, asked: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """What has come whole in answer to these messages; nobody waits for the rest.

        Each is brought as soon as it is here: what a call to the SuperLink raises afterwards takes
        none of them back, and what was announced by then is still looked for the next time. One
        whose parts cannot be fetched is looked for after all others then.

        Returns:
          The message, and its answer, or None where the SuperLink says that there will be none:
          the device went away.
        """
        yield from self._lost([each for each in asked if each not in self.coming])
        failed = None
        for message in [each for each in self.coming if each in asked]:
            try:
                answer = self._taken(message)
            except httpx.HTTPError as error:
                failed = error
                break
            if answer is not None:
                yield message, answer
        self._confirm()
        if failed:
            raise failed

    def forget(self, asked: Iterable[str]) -> None:
        """Answers to these messages are looked for no more."""
        for message in asked:
            self.coming.pop(message, None)

    def _lost(self, asked: Sequence[str]) -> list[tuple[str, None]]:
        """Those to which no answer will be; what was announced to others is coming from now on."""
        if not asked:
            return []
        wanted, lost = spoken.PullAppMessagesRequest(message_ids=asked), []
        for answer in announced(heard(self.client.PullMessages, wanted)):
            message = answer.head.metadata.reply_to_message_id
            if message not in asked:
                continue
            if answer.head.HasField("error"):
                lost.append((message, None))
            else:
                self.coming[message] = answer
        return lost

    def order(self, own: bytes, state: bytes, node: int, seconds: float) -> Parcel:
        """An order to a device that is there, which lives for so many seconds."""
        return order(own, state, self.run, node, time.time(), seconds)

    def _taken(self, message: str) -> bytes | None:
        """As `_whole`; one that cannot be fetched is behind the others at the next look."""
        self.coming[message] = half = self.coming.pop(message)
        answer = self._whole(half)
        if answer is not None:
            del self.coming[message]
            self.unconfirmed.append(half.name)
        return answer

    def _whole(self, half: Announced) -> bytes | None:
        """This answer, no bytes where it is none of ours, None while it comes."""
        try:
            if not self._mail.fetched(self.run, half):
                return None
            return half.opened(1)[0]
        except NotOurs as error:
            _log.warning("an answer was dropped: %s", error)
            return b""

    def _confirm(self) -> None:
        """The SuperLink need not keep what is here; if it did not hear, it is told again."""
        while self.unconfirmed:
            self._mail.received(self.run, self.unconfirmed[0])
            del self.unconfirmed[0]

    @property
    def _mail(self) -> Mail:
        return Mail(self.client, spoken.Node(**_SERVER), heard)
