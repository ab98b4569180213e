"""A message on a Flower network: a head, and a tree of parts that are named by what they hold.

Each part is a request of its own, signed, of a kilobyte: a message of Flower's, which has four,
would cost a device as many. So ours is one part, or two where a state goes with it. A part is

    ConfigRecord <names of the parts below it, with commas> <how many bytes follow the NUL>
    NUL
    32 bytes: the SHA-256 of the head before it is given its name; in a message's own part alone
    content

Its first words are Flower's, and all that a SuperLink reads of it. Who opens it asks that they are
as they would be written here, and that the part is what its name, a digest, says.

A part goes over the network once however many messages hold it, and can be had by whoever knows
its name, a digest. So a round's state is one part of all its messages, and each device fetches it;
an order is a part of one message, and nobody else knows its name.
"""

import hashlib
from collections.abc import Mapping
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
        """That of its own part: a digest of what it holds, of the names of the others, and of the
        head but for this name."""
        return self.tree.object_id


def order(own: bytes, state: bytes, run: int, node: int, at: float, lives: float) -> Parcel:
    """An order for one device, at this time and for so many seconds."""
    return _packed(_metadata(run, spoken.SUPERLINK_NODE_ID, node, at, lives), own, state)


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
    """A message with this head: a part with its own content, and one for each that others share."""
    # Two messages that hold the same have two names, for no two have one head: they are to two
    # devices, or of two moments; answers are to two orders.
    head = spoken.message_to_proto(spoken.make_message(metadata, spoken.RecordDict()))
    digest = hashlib.sha256(head.SerializeToString(deterministic=True)).digest()
    below = {spoken.get_object_id(part): part for part in map(_part, shared)}
    whole = _part(digest + own, *below)
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
    found = [each.object_id for each in spoken.iterate_object_tree(tree)]
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
    if len(whole) < _DIGEST_BYTES:
        raise NotOurs("a part of it is none of ours")
    return whole[_DIGEST_BYTES:], *(_body(parts[each]) for each in below)
