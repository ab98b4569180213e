"""A device's side of a round under masks: each stage once, and nothing that would undo a mask.

The order was agreed to, and its run charged. From here on a device believes signatures of members
alone, and checks at each stage what the next one would otherwise give away.

| stage | is refused with |
| --- | --- |
| `peers` | keys that no member of that name signed for this order and place |
| | itself missing, or otherwise than it is; more devices than the plan asks |
| `shares` | those of a device that is no peer |
| `survivors` | itself missing; one that did not share; another list than before |
| `signatures` | fewer than the threshold that survivors made of that list |
| each | fewer devices than the threshold |

A stage that comes again with the same words has the same answer; with others, or out of turn, it is
refused. The keys are in memory only: a device that was begun anew is no part of the round any more.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from tacit.live.masked.member import Member
from tacit.live.masked.packed import Layout, Numbers
from tacit.live.masked.pairs import RoundKey, opened, pair_seed, sealed
from tacit.live.masked.shamir import SHARE_BYTES, shares_of
from tacit.live.masked.stages import SEALED_BYTES, Advert, Peer, Revealed, Stage, row_of, survivors
from tacit.live.message import MessageError
from tacit.live.order import Reply
from tacit.noise import keys

_TURNS = "peers", "shares", "survivors", "signatures"


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


@final
class MaskedRound:
    """One round of one device.

    Args:
      member: who it is.
      terms: what the round is about.
    """

    def __init__(self, member: Member, terms: RoundTerms) -> None:
        self.member, self.terms = member, terms
        self._sealing, self._masking, self._seed = RoundKey.fresh(), RoundKey.fresh(), keys.fresh()
        self.advert = self._advertised()
        self._peers: dict[int, Peer] = {}
        # Of each device that shared, the shares it gave this one: of its key, and of its seed.
        self._held: dict[int, tuple[bytes, bytes] | None] = {}
        self._left: tuple[int, ...] = ()
        self._answers: list[tuple[bytes, bytes]] = []

    def begun(self) -> bytes:
        """The answer to the order."""
        return Reply(self.terms.number, self.advert.arrays).packed()

    def answer(self, stage: Stage, packed: bytes) -> bytes:
        """The answer to a stage, the same if it comes again.

        Raises:
          MessageError: if it is refused.
        """
        turn, digest = _TURNS.index(stage.name), hashlib.sha256(packed).digest()
        if turn < len(self._answers):
            known, said = self._answers[turn]
            if known != digest:
                raise MessageError(f"this round's {stage.name} were others before")
            return said
        if turn > len(self._answers):
            raise MessageError(f"{stage.name} are not this round's next stage")
        answers = (self._shared, self._masked, self._signed, self._revealed)
        arrays = answers[turn](stage)
        said = Reply(self.terms.number, arrays).packed()
        self._answers.append((digest, said))
        return said

    def _advertised(self) -> Advert:
        commitment = hashlib.sha256(self._seed).digest()
        bare = Advert(self._sealing.public, self._masking.public, commitment, b"")
        said = bare.signed(self.terms.number, self.terms.order, self.terms.place)
        return bare._replace(signature=self.member.key.sign(said))

    def _shared(self, stage: Stage) -> tuple:
        """Shares of both secrets, sealed for each peer."""
        self._peers = self._read_peers(stage)
        places, least = list(self._peers), self.terms.threshold
        of_key, of_seed = (
            shares_of(secret, places, least) for secret in (self._masking.secret, self._seed)
        )
        mine = self.terms.place
        self._held[mine] = of_key[mine], of_seed[mine]
        sealed_ = [
            row_of(self._sealed_for(place, of_key[place] + of_seed[place]))
            for place in self._others(self._peers)
        ]
        return (np.array(sealed_, np.uint8).reshape(-1, SEALED_BYTES),)

    def _read_peers(self, stage: Stage) -> dict[int, Peer]:
        """Raises a MessageError unless all of them are members who were asked the same."""
        names, parts = stage.names, stage.parts
        peers = {place: Peer(names[place], Advert(*own)) for place, own in parts.items()}
        self._refuse_few(len(peers))
        if len(peers) > self.terms.asked:
            raise MessageError("this round has more devices than its plan asks")
        if peers.get(self.terms.place) != Peer(self.member.name, self.advert):
            raise MessageError("this device is not among its round's peers as it is")
        for place, peer in peers.items():
            self._refuse_unsigned(place, peer)
        return peers

    def _masked(self, stage: Stage) -> tuple:
        """The report under all masks of those that shared."""
        others = set(stage.parts)
        if not others <= set(self._others(self._peers)):
            raise MessageError("only this round's peers have shares for this device")
        self._refuse_few(len(others) + 1)
        for place, (own,) in stage.parts.items():
            self._held[place] = self._opened_from(place, own)
        layout = self.terms.layout
        report = self.terms.report() + layout.mask(self._seed)
        for place in others:
            other = self._peers[place].advert.masking
            mask = layout.mask(pair_seed(self._masking, other, self.terms.number))
            report = report + mask if self.terms.place < place else report - mask
        return (layout.pack(report),)

    def _signed(self, stage: Stage) -> tuple:
        """A signature of who is left, which is made once."""
        left = tuple(sorted(stage.parts))
        if not (self.terms.place in left and set(left) <= set(self._held)):
            raise MessageError("who is left has shared, and is this device among others")
        self._refuse_few(len(left))
        self._left = left
        return (row_of(self.member.key.sign(self._survivors())),)

    def _revealed(self, stage: Stage) -> tuple:
        """Shares of the seeds of who is left, and of the keys of who is not."""
        said = self._survivors()
        valid = [
            place
            for place, (signature,) in stage.parts.items()
            if place in self._left
            and self.member.signed_by(self._peers[place].name, said, signature)
        ]
        self._refuse_few(len(valid))
        gone = sorted(set(self._held) - set(self._left))
        seeds = Revealed.of([self._share(place, 1) for place in self._left])
        own_keys = Revealed.of([self._share(place, 0) for place in gone])
        return *seeds, *own_keys

    def _share(self, place: int, which: int) -> bytes | None:
        held = self._held[place]
        return None if held is None else held[which]

    def _survivors(self) -> bytes:
        names = [self._peers[place].name for place in self._left]
        return survivors(self.terms.number, self.terms.order, names)

    def _others(self, peers: Mapping[int, Peer]) -> list[int]:
        return [place for place in peers if place != self.terms.place]

    def _sealed_for(self, place: int, shares: bytes) -> bytes:
        return sealed(self._pair_key(place, self.terms.place, place), shares)

    def _opened_from(self, place: int, message: bytes) -> tuple[bytes, bytes] | None:
        shares = opened(self._pair_key(place, place, self.terms.place), message)
        if shares is None or len(shares) != 2 * SHARE_BYTES:
            return None
        return shares[:SHARE_BYTES], shares[SHARE_BYTES:]

    def _pair_key(self, peer: int, sender: int, to: int) -> bytes:
        """One for each direction: a key seals one message."""
        public, purpose = self._peers[peer].advert.sealing, f"shares {sender} {to}"
        return self._sealing.shared(public, self.terms.number, purpose)

    def _refuse_few(self, many: int) -> None:
        if not many >= self.terms.threshold:
            raise MessageError(f"this round needs {self.terms.threshold} devices, got {many}")

    def _refuse_unsigned(self, place: int, peer: Peer) -> None:
        said = peer.advert.signed(self.terms.number, self.terms.order, place)
        if not self.member.signed_by(peer.name, said, peer.advert.signature):
            raise MessageError("a peer's keys are signed by a member, for this order and place")
