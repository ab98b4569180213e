"""What a server asks of one device in one round, and what the device answers.

An order is public: it is what the plan says of the device's part, in plain values. Nothing in it is
believed. The function is looked up on the device's own list; the randomiser is made by the device's
own library, and its epsilon read off what was made; the state is data. With it goes the state that
all devices of the round are sent.

| entry of an order | is |
| --- | --- |
| `order` | the round's own number of 256 bits, hexadecimal: no other round of any run has it |
| `from` | whose accounts are charged: the federation's name, of 1 to 200 printable letters |
| `round`, `rounds` | which this is, from 1 on, and of how many, below 2^32; 0 asks beforehand |
| | whether a device would report so often, and nothing is computed |
| `place` | the device's number in the round, from 0 on; public randomness may follow from it |
| `function` | its `name`, `version`, and `digest` |
| `reporting` | the `shape` of a term, the `budget` of a report, its `upload`, and the `way`; |
| | of sums under masks the `trust`, the `question` and the `run` |
| `randomiser` | the digest of all of its numbers |
| `state` | the digest of the state that goes with it |

| entry of an answer | is |
| --- | --- |
| `order` | the number of what it answers |
| `refused` | why nothing is sent, in a sentence; absent from a report, and from the answer |
| | of a device that was asked beforehand, and would: one without arrays, but of sums under |
| | masks, where its array is a digest of its roster, of 32 bytes |
| `stage` | which stage of a round under masks it is of; absent from all other answers |
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Self, final

import jax
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from tacit.live.message import Message, MessageError
from tacit.noise import keys

# Of a federation, in letters: what a ledger writes for every report.
LONGEST_NAME = 200
_OF_FUNCTION = {"name": str, "version": int, "digest": str}
_ENTRIES = {
    **dict.fromkeys(("order", "from", "randomiser", "state"), str),
    **dict.fromkeys(("round", "rounds", "place"), int),
    **dict.fromkeys(("function", "reporting"), dict),
}


@final
@dataclass(frozen=True)
class RoundOrder:
    """One round's, of one device; its fields are the entries above."""

    number: bytes
    sender: str
    round: int
    rounds: int
    place: int
    function: dict[str, Any]
    reporting: dict[str, Any]
    randomiser: str
    state: str

    def packed(self) -> bytes:
        """As bytes."""
        text = {
            "order": self.number.hex(),
            "from": self.sender,
            "round": self.round,
            "rounds": self.rounds,
            "place": self.place,
            "function": self.function,
            "reporting": self.reporting,
            "randomiser": self.randomiser,
            "state": self.state,
        }
        return Message(text).packed()

    @classmethod
    def read(cls, packed: bytes) -> Self:
        """What these bytes order.

        Raises:
          MessageError: if they are no order, or say more than one does.
        """
        text, arrays = Message.read(packed)
        if arrays or not _is_order(text):
            raise MessageError("an order has the entries that tacit.live.order lists, and no other")
        return cls(read_number(text.pop("order")), text.pop("from"), **text)

    @property
    def public(self) -> PRNGKeyArray:
        """The round's public randomness: a function of its number, which all may know."""
        return keys.jax_key(self.number)


@final
@dataclass(frozen=True)
class Reply:
    """What came back: a report, or why there is none."""

    number: bytes
    report: tuple[np.ndarray, ...] = ()
    refused: str | None = None
    stage: str | None = None

    def packed(self) -> bytes:
        """As bytes."""
        more = {"refused": self.refused, "stage": self.stage}
        said = {name: own for name, own in more.items() if own is not None}
        return Message({"order": self.number.hex(), **said}, self.report).packed()

    @classmethod
    def read(cls, packed: bytes) -> Self:
        """What these bytes answer.

        Raises:
          MessageError: if they are no answer.
        """
        text, arrays = Message.read(packed)
        match text:
            case {"order": str(number), "refused": str(refused)} if not arrays and len(text) == 2:
                return cls(read_number(number), (), refused)
            case {"order": str(number), "stage": str(stage)} if len(text) == 2:
                return cls(read_number(number), arrays, stage=stage)
            case {"order": str(number)} if len(text) == 1:
                return cls(read_number(number), arrays)
        raise MessageError("an answer names its order, and has a report or says why not")


def report_of(number: bytes, report: PyTree) -> Reply:
    """One device's report, of which it has one row."""
    return Reply(number, tuple(np.asarray(leaf)[0] for leaf in jax.tree.leaves(report)))


def hashed(*packed: bytes) -> str:
    """A digest of bytes, each told from the next."""
    digest = hashlib.sha256()
    for each in packed:
        digest.update(len(each).to_bytes(8, "little"))
        digest.update(each)
    return digest.hexdigest()


def _is_order(text: dict[str, Any]) -> bool:
    """Whether these are the entries of an order, each of its type."""
    if not (_has(text, _ENTRIES) and _has(text["function"], _OF_FUNCTION)):
        return False
    # It is kept and logged: one line, and no long one.
    named = text["from"].isprintable() and 1 <= len(text["from"]) <= LONGEST_NAME
    counted = 0 <= text["round"] <= text["rounds"] < 2**32 and text["rounds"] >= 1
    return named and counted and 0 <= text["place"] < 2**32


def _has(said: dict[str, Any], entries: dict[str, type]) -> bool:
    """Whether it has these entries, of these types, and no other."""
    return said.keys() == entries.keys() and all(
        type(said[name]) is kind for name, kind in entries.items()
    )


def read_number(said: str, whose: str = "an order") -> bytes:
    """Its 256 bits; raises a MessageError if it is none."""
    try:
        number = bytes.fromhex(said)
    except ValueError:
        number = b""
    if len(number) != keys.KEY_BYTES or number.hex() != said:
        raise MessageError(f"{whose}'s number is {2 * keys.KEY_BYTES} hexadecimal digits")
    return number
