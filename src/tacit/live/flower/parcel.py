"""A message on a Flower network: a head, and a tree of parts that are named by what they hold.

A part goes over the network once however many messages hold it, and can be had by whoever knows
its name, a digest. So a round's state is one part of all its messages, and each device fetches it;
an order is a part of one message, and nobody else knows its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.live.flower import spoken

# Of a message: its head, its records, and at most two of them.
_MOST_PARTS = 4


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
    metadata = _metadata(run, spoken.SUPERLINK_NODE_ID, node, at, lives)
    return _packed(spoken.make_message(metadata, _records({"order": order, "state": state})))


def answer(content: bytes, to: Any) -> Parcel:
    """An answer to the message with this head, which lives as long as that: by the same clock."""
    to = to.metadata
    metadata = _metadata(
        to.run_id, to.dst_node_id, to.src_node_id, to.created_at, to.ttl, to.message_id
    )
    return _packed(spoken.make_message(metadata, _records({"answer": content})))


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


def _records(parts: Mapping[str, bytes]) -> Any:
    named = {name: spoken.ConfigRecord({"bytes": held}) for name, held in parts.items()}
    return spoken.RecordDict(named)


def _packed(message: Any) -> Parcel:
    with spoken.no_object_id_recompute():
        message.metadata.__dict__["_message_id"] = message.object_id
        parts = {
            name: part.deflate() for name, part in spoken.get_all_nested_objects(message).items()
        }
        head = spoken.message_to_proto(spoken.remove_content_from_message(message))
        return Parcel(head, spoken.get_object_tree(message), parts)


def names(tree: Any) -> list[str]:
    """The names of a message's parts.

    Raises:
      NotOurs: if it has more of them than ours have.
    """
    found = list(dict.fromkeys(each.object_id for each in spoken.iterate_object_tree(tree)))
    if len(found) > _MOST_PARTS:
        raise NotOurs("it has more parts than a message of ours")
    return found


def opened(tree: Any, parts: Mapping[str, bytes], wanted: tuple[str, ...]) -> tuple[bytes, ...]:
    """The records of these names, from a message whose parts are all there.

    Raises:
      NotOurs: if a part is not what its name says, or a record is missing or no bytes.
    """
    if any(spoken.get_object_id(held) != name for name, held in parts.items()):
        raise NotOurs("a part of it is not the one that was named")
    try:
        records = spoken.inflate_object_from_contents(tree.object_id, dict(parts)).content
        found = tuple(records.config_records[name]["bytes"] for name in wanted)
    except Exception as error:
        raise NotOurs(f"it has no {' and '.join(wanted)}") from error
    if not all(isinstance(held, bytes) for held in found):
        raise NotOurs("what it holds is not bytes")
    return found


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
