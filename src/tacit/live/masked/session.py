"""A device's side of a round under masks: each stage once, and nothing that would undo a mask.

The order was agreed to, and its run charged. From here on a device believes signatures of members
alone, and checks at each stage what the next one would otherwise give away.

| stage | is refused with |
| --- | --- |
| `peers` | keys that no member of that name signed for this order and place, by their places |
| | itself missing, or otherwise than it is; more devices than the plan asks |
| `shares` | those of a device that is no peer |
| `survivors` | itself missing; one that did not share; another list than before |
| `signatures` | fewer than the threshold that survivors made of that list |
| each | fewer devices than the threshold |

A stage that comes again with the same words has the same answer; with others, or out of turn, it is
refused. The keys are in memory only: a device that was begun anew is no part of the round any more.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from tacit.live.masked.member import Member
from tacit.live.masked.packed import Layout, Numbers
from tacit.live.masked.pairs import End, RoundKey, opened, pair_seed, sealed
from tacit.live.masked.shamir import SHARE_BYTES, shares_of
from tacit.live.masked.stages import (
    BEGUN,
    SEALED_BYTES,
    STAGES,
    Advert,
    Peer,
    Revealed,
    Stage,
    refuse_unsigned,
    row_of,
    survivors,
)
from tacit.live.message import MessageError
from tacit.live.order import Reply
from tacit.noise import keys


@final
@dataclass(frozen=True, eq=False)
class RoundTerms:
    """What a round is about.

    Args:
      number: of the order.
      order: a digest of what all devices of the round are asked alike.
      place: the device's own.
      asked: how many devices are, at most.
      threshold: how many must answer.
      layout: of a report.
      report: the device's term and its share of the noise, in steps.
    """

    number: bytes
    order: str
    place: int
    asked: int
    threshold: int
    layout: Layout
    report: Callable[[], Numbers] = field(repr=False)


class _Known(NamedTuple):
    """What a device knows after a stage.

    Args:
      peers: the devices of the round.
      seeds: of the mask that it has with each other one.
      held: of each device that shared, the shares it gave this one, of its key and of its seed;
        None where they could not be opened.
      left: who survived.
    """

    peers: Mapping[int, Peer] = {}
    seeds: Mapping[int, bytes] = {}
    held: Mapping[int, tuple[bytes, bytes] | None] = {}
    left: tuple[int, ...] = ()


# What is known after a stage, and what is answered.
_Step = tuple[_Known, tuple[np.ndarray, ...]]


@final
class MaskedRound:
    """One round of one device. A stage that fails, in whatever way, leaves it as it was.

    Args:
      member: who it is.
      terms: what the round is about.
    """

    def __init__(self, member: Member, terms: RoundTerms) -> None:
        self.member, self.terms = member, terms
        self._sealing, self._masking, self._seed = RoundKey.fresh(), RoundKey.fresh(), keys.fresh()
        self.advert = self._advertised()
        self._known = _Known()
        self._answers: list[tuple[bytes, bytes]] = []
        self._alone = threading.Lock()

    def begun(self) -> bytes:
        """The answer to the order."""
        return Reply(self.terms.number, self.advert.arrays, stage=BEGUN).packed()

    def answer(self, stage: Stage, packed: bytes) -> bytes:
        """The answer to a stage, the same if it comes again.

        Raises:
          MessageError: if it is refused.
        """
        turn, digest = STAGES.index(stage.name), hashlib.sha256(packed).digest()
        with self._alone:
            if turn > len(self._answers):
                raise MessageError(f"{stage.name} are not this round's next stage")
            if turn == len(self._answers):
                known, arrays = self._step(stage)
                said = Reply(self.terms.number, arrays, stage=stage.name).packed()
                self._known = known
                self._answers.append((digest, said))
            before, said = self._answers[turn]
        if before != digest:
            raise MessageError(f"this round's {stage.name} were others before")
        return said

    def _step(self, stage: Stage) -> _Step:
        match stage.name:
            case "peers":
                return self._shared(stage)
            case "shares":
                return self._masked(stage)
            case "survivors":
                return self._signed(stage)
        return self._revealed(stage)

    def _advertised(self) -> Advert:
        commitment = hashlib.sha256(self._seed).digest()
        bare = Advert(self._sealing.public, self._masking.public, commitment, b"")
        said = bare.signed(self.terms.number, self.terms.order, self.terms.place)
        return bare._replace(signature=self.member.key.sign(said))

    def _shared(self, stage: Stage) -> _Step:
        """Shares of both secrets, sealed for each peer."""
        peers, mine = self._peers(stage), self.terms.place
        others = {place: peer for place, peer in peers.items() if place != mine}
        of_key, of_seed = (
            shares_of(secret, list(peers), self.terms.threshold)
            for secret in (self._masking.secret, self._seed)
        )
        sealed_ = [
            row_of(sealed(self._pair_key(peer, mine, place), of_key[place] + of_seed[place]))
            for place, peer in others.items()
        ]
        seeds = {place: self._pair_seed(place, peer) for place, peer in others.items()}
        known = _Known(peers, seeds, {mine: (of_key[mine], of_seed[mine])})
        return known, (np.array(sealed_, np.uint8).reshape(-1, SEALED_BYTES),)

    def _pair_seed(self, place: int, peer: Peer) -> bytes:
        other = End(place, peer.advert.masking)
        return pair_seed(self._masking, self.terms.place, other, self.terms.number)

    def _peers(self, stage: Stage) -> dict[int, Peer]:
        """Raises a MessageError unless all of them are members who were asked the same."""
        names, parts = stage.names, stage.parts
        peers = {place: Peer(names[place], Advert(*own)) for place, own in parts.items()}
        self._refuse_few(len(peers))
        if len(peers) > self.terms.asked:
            raise MessageError("this round has more devices than its plan asks")
        if peers.get(self.terms.place) != Peer(self.member.name, self.advert):
            raise MessageError("this device is not among its round's peers as it is")
        refuse_unsigned(peers, self.member, self.terms.number, self.terms.order)
        return peers

    def _masked(self, stage: Stage) -> _Step:
        """The report under all masks of those that shared."""
        known, mine = self._known, self.terms.place
        if not set(stage.parts) <= set(known.seeds):
            raise MessageError("only this round's peers have shares for this device")
        self._refuse_few(len(stage.parts) + 1)
        opened_ = {place: self._opened(place, own) for place, (own,) in stage.parts.items()}
        layout = self.terms.layout
        report = self.terms.report() + layout.mask(self._seed)
        for place in stage.parts:
            report += layout.pairwise(known.seeds[place], mine, place)
        # The masks of two are not needed any more.
        held = {**known.held, **opened_}
        return known._replace(held=held, seeds={}), (layout.pack(report),)

    def _signed(self, stage: Stage) -> _Step:
        """A signature of who is left, which is made once."""
        left = tuple(sorted(stage.parts))
        if not (self.terms.place in left and set(left) <= set(self._known.held)):
            raise MessageError("who is left has shared, and is this device among others")
        self._refuse_few(len(left))
        signature = self.member.key.sign(self._survivors(left))
        return self._known._replace(left=left), (row_of(signature),)

    def _revealed(self, stage: Stage) -> _Step:
        """Shares of the seeds of who is left, and of the keys of who is not."""
        peers, _, held, left = self._known
        said = self._survivors(left)
        # The paper ends the round at a wrong one; enough valid ones are as safe.
        valid = [
            place
            for place, (signature,) in stage.parts.items()
            if place in left and self.member.signed_by(peers[place].name, said, signature)
        ]
        self._refuse_few(len(valid))
        gone = sorted(set(held) - set(left))
        seeds = Revealed.of([_share(held[place], 1) for place in left])
        own_keys = Revealed.of([_share(held[place], 0) for place in gone])
        return self._known, (*seeds, *own_keys)

    def _survivors(self, left: tuple[int, ...]) -> bytes:
        names = [self._known.peers[place].name for place in left]
        return survivors(self.terms.number, self.terms.order, names)

    def _opened(self, place: int, message: bytes) -> tuple[bytes, bytes] | None:
        key = self._pair_key(self._known.peers[place], place, self.terms.place)
        shares = opened(key, message)
        return None if shares is None else (shares[:SHARE_BYTES], shares[SHARE_BYTES:])

    def _pair_key(self, peer: Peer, sender: int, to: int) -> bytes:
        """One for each direction: a key seals one message."""
        purpose = f"shares {sender} {to}"
        return self._sealing.shared(peer.advert.sealing, self.terms.number, purpose)

    def _refuse_few(self, many: int) -> None:
        if not many >= self.terms.threshold:
            raise MessageError(f"this round needs {self.terms.threshold} devices, got {many}")


def _share(held: tuple[bytes, bytes] | None, which: int) -> bytes | None:
    return None if held is None else held[which]
