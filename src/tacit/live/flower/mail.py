"""A message's parts on their way: announced, fetched one by one, handed over, and confirmed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from tacit.live.flower import spoken
from tacit.live.flower.parcel import NotOurs, names, opened
from tacit.live.flower.spoken import httpx


@final
@dataclass(frozen=True, eq=False)
class Announced:
    """A message that a SuperLink has told of.

    Args:
      head: what the SuperLink has read.
      tree: the names of its parts.
      parts: those that are here.
    """

    head: Any
    tree: Any
    parts: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """That of its own part: its parts are checked by it, and it is confirmed by it."""
        return self.tree.object_id

    def opened(self, many: int) -> tuple[bytes, ...]:
        """What its parts hold, once all of them are here; see `parcel.opened`."""
        return opened(self.tree, self.parts, many)


def announced(told: Any) -> list[Announced]:
    """The messages that a SuperLink tells of.

    Raises:
      httpx.TransportError: if it tells of heads and of trees that are not as many.
    """
    heads, trees = told.messages_list, told.message_object_trees
    if len(heads) != len(trees):
        raise httpx.RemoteProtocolError("what answers is no SuperLink: heads and trees differ")
    return [Announced(head, tree) for head, tree in zip(heads, trees, strict=True)]


@final
@dataclass(frozen=True, eq=False)
class Mail:
    """Parts on their way to or from a SuperLink, for one end of the line.

    Args:
      client: of Flower, for a device or for a server; both have the same calls for parts.
      node: which end it is.
      say: makes one call, and brings what is said to it.
    """

    client: Any
    node: Any
    say: Callable[[Callable[[Any], Any], Any], Any]

    def put(self, run: int, session: str, name: str, part: bytes) -> bool:
        """Whether a part is taken, under the session in which its message was announced."""
        where = {"node": self.node, "run_id": run, "session_id": session}
        held = {"object_id": name, "object_content": part}
        return self.say(self.client.PushObject, spoken.PushObjectRequest(**where, **held)).stored

    def part(self, run: int, name: str) -> bytes | None:
        """A part, or None while it is on its way.

        Raises:
          NotOurs: if there is none of this name, or no longer.
        """
        asked = spoken.PullObjectRequest(node=self.node, run_id=run, object_id=name)
        found = self.say(self.client.PullObject, asked)
        if not found.object_found:
            raise NotOurs("a part of it is gone")
        return found.object_content if found.object_available else None

    def fetched(self, run: int, message: Announced) -> bool:
        """Whether all parts of a message are here, once it has those that can be had.

        Each is fetched once, however often it is looked for.

        Raises:
          NotOurs: if one is no longer there, or a message of ours has not so many.
        """
        for name in names(message.tree):
            if name in message.parts:
                continue
            if (part := self.part(run, name)) is None:
                return False
            message.parts[name] = part
        return True

    def received(self, run: int, name: str) -> None:
        """Tells that the message of this name is here whole, and need not be kept."""
        asked = {"node": self.node, "run_id": run, "message_object_id": name}
        call = self.client.ConfirmMessageReceived
        self.say(call, spoken.ConfirmMessageReceivedRequest(**asked))
