"""The stages of a round under masks: what a server sends every device that is left, and its answer.

The first is the order itself (`tacit.live.order`). What follows names the order, so that no stage
is of another round, and has arrays. An answer names the order and the stage. Devices are told by
their places in the round.

| stage | a server sends | a device answers |
| --- | --- | --- |
| order | what is asked, of whom, and the state | two public keys, a commitment, a signature |
| `peers` | all of these, with names | sealed shares of two secrets, one pair for each peer |
| `shares` | what peers sealed for it | its term and noise under masks |
| `survivors` | who has sent so much | a signature of their names |
| `signatures` | enough of them | shares of what takes the masks off |

In the paper they are AdvertiseKeys, ShareKeys, MaskedInputCollection, ConsistencyCheck, Unmasking.

| mask | is in a report | and is taken off by |
| --- | --- | --- |
| a device's own (self-mask) | always | its seed, from shares, if the device survived |
| of two devices (pairwise) | one adds it, the other takes it off | nothing, if both survived |
| | | the key of one that did not, from shares |

Nobody who is honest gives shares of both secrets of one device.

A server has no roster, and cannot tell who signed. So any device that it asks can end a round, with
keys that no member signed: all that are honest refuse its peers, and say in which places these are.
Who is there has to be left out of later rounds. Such a device learns nothing by it.

References:
    Bonawitz et al. 2017, "Practical secure aggregation for privacy-preserving machine learning",
    Figure 4, with its additions for active adversaries.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, final

import numpy as np
from jaxtyping import Bool, UInt8

from tacit.live.masked.member import SIGNATURE_BYTES, Member
from tacit.live.masked.pairs import PUBLIC_BYTES, TAG_BYTES, refuse_no_points
from tacit.live.masked.shamir import SECRET_BYTES, SHARE_BYTES
from tacit.live.message import Message, MessageError, kinds_of
from tacit.live.order import read_number

# Each pair has 82 bytes of sealed shares: 5 MiB for each of so many.
MOST_DEVICES = 2**16
# Of both of a device's secrets, sealed.
SEALED_BYTES = 2 * SHARE_BYTES + TAG_BYTES
# What each stage sends, by the bytes of a device's part; in their order.
_WIDTHS = {
    "peers": (PUBLIC_BYTES, PUBLIC_BYTES, SECRET_BYTES, SIGNATURE_BYTES),
    "shares": (SEALED_BYTES,),
    "survivors": (),
    "signatures": (SIGNATURE_BYTES,),
}
STAGES = tuple(_WIDTHS)
# What answers to the order name.
BEGUN = "order"
# Of places in a refusal: a line has room for so many.
_MOST_NAMED = 8


class Advert(NamedTuple):
    """What a device begins a round with.

    Args:
      sealing: the public key of what is sealed for it.
      masking: the public key of its masks.
      commitment: a digest of the seed of its own mask.
      signature: of these, the order and its place.
    """

    sealing: bytes
    masking: bytes
    commitment: bytes
    signature: bytes

    def signed(self, number: bytes, order: str, place: int) -> bytes:
        """What is signed of it."""
        head = b"tacit keys" + number + bytes.fromhex(order) + place.to_bytes(4, "little")
        return head + self.sealing + self.masking + self.commitment

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """As an answer has them."""
        return tuple(map(row_of, self))

    @classmethod
    def read(cls, arrays: tuple[np.ndarray, ...]) -> Self:
        """Raises a MessageError if these are none."""
        refuse_others(arrays, [(width,) for width in _WIDTHS["peers"]])
        read = cls(*(each.tobytes() for each in arrays))
        # Every device would refuse these: whoever sent them is left out alone.
        refuse_no_points(read.sealing, read.masking)
        return read


class Peer(NamedTuple):
    """A device of the round, as another sees it."""

    name: str
    advert: Advert


def refuse_unsigned(peers: Mapping[int, Peer], member: Member, number: bytes, order: str) -> None:
    """Raises a MessageError that names the places of peers whose keys nobody of their name signed.

    Args:
      peers: by place.
      member: who has the roster.
      number: of the order.
      order: a digest of what all devices of the round are asked alike.
    """
    wrong = []
    for place, (name, advert) in sorted(peers.items()):
        if not member.signed_by(name, advert.signed(number, order, place), advert.signature):
            wrong.append(str(place))
    if wrong:
        raise MessageError(
            "a peer's keys are signed by a member, for this order and place, and those of "
            f"places {', '.join(wrong[:_MOST_NAMED])} are not"
        )


@final
@dataclass(frozen=True, eq=False)
class Stage:
    """What a device is sent after the order.

    Args:
      number: of the order.
      name: one of the stages above.
      parts: what belongs to each device, by its place.
      names: of the devices, among `peers`.
    """

    number: bytes
    name: str
    parts: Mapping[int, tuple[bytes, ...]]
    names: Mapping[int, str]

    def packed(self) -> bytes:
        """As bytes."""
        text: dict[str, Any] = {"order": self.number.hex(), "stage": self.name}
        if self.names:
            text["names"] = [self.names[place] for place in self.parts]
        rows = [
            np.stack([row_of(own[column]) for own in self.parts.values()])
            for column in range(len(_WIDTHS[self.name]))
        ]
        return Message(text, (np.array(list(self.parts), np.uint32), *rows)).packed()

    @classmethod
    def read(cls, text: Mapping[str, Any], arrays: tuple[np.ndarray, ...]) -> Self:
        """What such a message says.

        Raises:
          MessageError: if it is no stage.
        """
        match text:
            case {"order": str(order), "stage": str(name), **rest} if name in _WIDTHS:
                parts = _parts(arrays, _WIDTHS[name])
                names = rest.pop("names", [])
                if not rest and _has_names(names, parts, name):
                    return cls(
                        read_number(order), name, parts, dict(zip(parts, names, strict=False))
                    )
        raise MessageError("a stage is one of those that tacit.live.masked.stages lists")


class Revealed(NamedTuple):
    """Shares that a device has of others' secrets; of those that it has none of, zeros.

    Args:
      shares: of each.
      there: whether it is one.
    """

    shares: UInt8[np.ndarray, "devices bytes"]
    there: Bool[np.ndarray, " devices"]

    @classmethod
    def of(cls, known: list[bytes | None]) -> Self:
        rows = [row_of(bytes(SHARE_BYTES) if own is None else own) for own in known]
        shares = np.array(rows, np.uint8).reshape(len(known), SHARE_BYTES)
        return cls(shares, np.array([own is not None for own in known], np.bool_))

    @property
    def known(self) -> list[bytes | None]:
        pairs = zip(self.shares, self.there, strict=True)
        return [own.tobytes() if there else None for own, there in pairs]


def survivors(number: bytes, order: str, names: list[str]) -> bytes:
    """What is signed of who is left."""
    listed = [name.encode() for name in sorted(names)]
    each = b"".join(len(name).to_bytes(4, "little") + name for name in listed)
    return b"tacit survivors" + number + bytes.fromhex(order) + each


def refuse_others(arrays: tuple[np.ndarray, ...], shapes: list[tuple[int, ...]]) -> None:
    """Raises a MessageError for arrays that are not bytes of these shapes."""
    if kinds_of(arrays) != [("uint8", shape) for shape in shapes]:
        raise MessageError("a stage's arrays are of the bytes that tacit.live.masked.stages lists")


def row_of(own: bytes) -> UInt8[np.ndarray, " bytes"]:
    """As arrays have them."""
    return np.frombuffer(own, np.uint8)


def _parts(arrays: tuple[np.ndarray, ...], widths: tuple[int, ...]) -> dict[int, tuple[bytes, ...]]:
    if not (arrays and arrays[0].dtype == np.uint32 and arrays[0].ndim == 1):
        raise MessageError("a stage says of which devices it is")
    if not arrays[0].size <= MOST_DEVICES:
        raise MessageError(f"a round has {MOST_DEVICES:,} devices at most")
    places = arrays[0].tolist()
    refuse_others(arrays[1:], [(len(places), width) for width in widths])
    if len(set(places)) != len(places):
        raise MessageError("every device is in a stage once")
    rows = [[row.tobytes() for row in each] for each in arrays[1:]]
    return dict(zip(places, zip(*rows, strict=True) if rows else [()] * len(places), strict=True))


def _has_names(names: Any, parts: Mapping[int, Any], stage: str) -> bool:
    if stage != "peers":
        return names == []
    said = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return said and len(set(names)) == len(names) == len(parts)
