"""A message on a Flower network: a head, and a tree of parts that are named by what they hold.

Each part is a request of its own, signed, of a kilobyte: a message of Flower's, which has four,
would cost a device as many. So ours is one part, or two where a state goes with it. A SuperLink
looks at a part's first words alone; they say what Flower calls bytes, and what parts follow.

A part goes over the network once however many messages hold it, and can be had by whoever knows
its name, a digest. So a round's state is one part of all its messages, and each device fetches it;
an order is a part of one message, and nobody else knows its name.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.live.flower import spoken

# An order and its state.
_MOST_PARTS = 2
_DIGEST_BYTES = 32


@final
class NotOurs(Exception):
    """A message that nobody on a federation of ours has sent."""


@final
@dataclass(frozen=True, eq=False)
class Parcel:
    """A message that is ready to be sent.

    Args:
      head: what a SuperLink reads.
      tree: the names of its parts.
      parts: what each of them holds.
    """

    head: Any
    tree: Any
    parts: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """A digest of all of it, and of when it was packed."""
        return self.tree.object_id


def order(order: bytes, state: bytes, run: int, node: int, at: float, lives: float) -> Parcel:
    """An order for one device, at this time and for so many seconds."""
    return _packed(_metadata(run, spoken.SUPERLINK_NODE_ID, node, at, lives), order, state)


def answer(content: bytes, to: Any) -> Parcel:
    """An answer to the message with this head, which lives as long as that: by the same clock."""
    to = to.metadata
    metadata = _metadata(
        to.run_id, to.dst_node_id, to.src_node_id, to.created_at, to.ttl, to.message_id
    )
    return _packed(metadata, content)


def _metadata(run: int, by: int, to: int, at: float, lives: float, answers: str = "") -> Any:
    return spoken.Metadata(
        run_id=run,
        message_id="",
        src_node_id=by,
        dst_node_id=to,
        reply_to_message_id=answers,
        group_id="",
        created_at=at,
        ttl=lives,
        message_type="train",
    )


def _packed(metadata: Any, own: bytes, *shared: bytes) -> Parcel:
    """What is the message's own, and what others hold too."""
    # Two messages that hold the same have two names: their heads are of two moments.
    head = spoken.message_to_proto(spoken.make_message(metadata, spoken.RecordDict()))
    moment = hashlib.sha256(head.SerializeToString(deterministic=True)).digest()
    below = {spoken.get_object_id(part): part for part in map(_part, shared)}
    whole = _part(moment + own, *below)
    head.metadata.message_id = name = spoken.get_object_id(whole)
    children = [spoken.ObjectTree(object_id=each) for each in below]
    return Parcel(
        head, spoken.ObjectTree(object_id=name, children=children), {**below, name: whole}
    )


def _part(body: bytes, *below: str) -> bytes:
    return b"ConfigRecord %s %d\x00%s" % (",".join(below).encode(), len(body), body)


def _body(part: bytes, *below: str) -> bytes:
    body = part.partition(b"\x00")[2]
    if _part(body, *below) != part:
        raise NotOurs("a part of it is none of ours")
    return body


def names(tree: Any) -> list[str]:
    """The names of a message's parts.

    Raises:
      NotOurs: if it has more of them than ours have.
    """
    found = list(dict.fromkeys(each.object_id for each in spoken.iterate_object_tree(tree)))
    if len(found) > _MOST_PARTS:
        raise NotOurs("it has more parts than a message of ours")
    return found


def opened(tree: Any, parts: Mapping[str, bytes], many: int) -> tuple[bytes, ...]:
    """What so many parts of a message hold, its own first; all of them are there.

    Raises:
      NotOurs: if it has another number of parts, or one is none of ours or not what its name says.
    """
    below = [each.object_id for each in tree.children]
    if len(below) != many - 1:
        raise NotOurs("it has not as many parts as one of ours")
    if any(spoken.get_object_id(held) != name for name, held in parts.items()):
        raise NotOurs("a part of it is not the one that was named")
    whole = _body(parts[tree.object_id], *below)
    return whole[_DIGEST_BYTES:], *(_body(parts[each]) for each in below)


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

    def put(self, run: int, session: str, name: str, part: bytes) -> None:
        """Hands a part over, under the session in which its message was announced."""
        where = {"node": self.node, "run_id": run, "session_id": session}
        held = {"object_id": name, "object_content": part}
        self.say(self.client.PushObject, spoken.PushObjectRequest(**where, **held))

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

    def fetched(self, run: int, tree: Any, parts: dict[str, bytes]) -> bool:
        """Whether all parts of a message are here, once those that can be had are in `parts`.

        Each is fetched once, however often it is looked for.

        Raises:
          NotOurs: if one is no longer there, or a message of ours has not so many.
        """
        for name in names(tree):
            if name in parts:
                continue
            if (part := self.part(run, name)) is None:
                return False
            parts[name] = part
        return True

    def received(self, run: int, name: str) -> None:
        """Tells that a message is here with all its parts, and need not be kept."""
        asked = {"node": self.node, "run_id": run, "message_object_id": name}
        call = self.client.ConfirmMessageReceived
        self.say(call, spoken.ConfirmMessageReceivedRequest(**asked))
