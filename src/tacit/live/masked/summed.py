"""A server's side of a round under masks: five stages, and the sum of those who went through three.

The server learns who answers, and the sum of the reports of those whose masks came off. It needs no
signature to be honest. What it checks is that the secrets which were put together are those that
were committed to, so that a wrong share ends a round and is not added to it: also where spare ones
are right, for nothing is corrected.

Whom it asks has to be in the roster that devices have. One with a stale key, or none, ends every
round that it is asked in, and the refusals that are counted name its place: the number of the
device among those who are asked, from 0 on.

Reports are added up as they come. Of every two devices the sealed shares, 82 bytes, are kept until
they are sent on.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeVar, final

import numpy as np

from tacit.live.link import Link, read_out
from tacit.live.masked.member import SIGNATURE_BYTES
from tacit.live.masked.packed import Layout, Numbers
from tacit.live.masked.pairs import End, RoundKey, pair_seed
from tacit.live.masked.shamir import SHARE_BYTES, secret_of
from tacit.live.masked.stages import BEGUN, SEALED_BYTES, Advert, Revealed, Stage, refuse_others
from tacit.live.message import MessageError, kinds_of
from tacit.live.order import Reply
from tacit.live.replies import AnswerCounts

Arrays = tuple[np.ndarray, ...]
Read = TypeVar("Read")


class _NoSumError(Exception):
    """A round that has no sum."""


@final
@dataclass(eq=False)
class MaskedSum:
    """One round's.

    Args:
      link: carries the messages.
      seconds: how long each stage waits.
      counts: of what comes.
      places: of the devices that are asked, by name.
      threshold: how many must answer every stage.
      layout: of a report.
    """

    link: Link
    seconds: float
    counts: AnswerCounts
    places: Mapping[str, int]
    threshold: int
    layout: Layout

    def of(self, orders: Mapping[str, bytes], state: bytes) -> Numbers | None:
        """The sum of the reports of those who survive; None if they are too few."""
        try:
            adverts = self._answers(orders, state, BEGUN, Advert.read)
            sealed = self._sealed(adverts)
            total, left = self._masked(sealed)
            self.counts.reported, gone = len(left), sorted(set(sealed) - set(left))
            revealed = self._revealed(left, gone)
            return total - self._masks(adverts, left, gone, revealed)
        except _NoSumError:
            return None

    @property
    def number(self) -> bytes:
        """Of the round."""
        return self.counts.number

    def _sealed(self, adverts: Mapping[int, Advert]) -> dict[int, dict[int, bytes]]:
        """What each device sealed, by the device that it is for."""
        names = {place: name for name, place in self.places.items() if place in adverts}
        stage = Stage(self.number, "peers", {at: tuple(own) for at, own in adverts.items()}, names)
        rows = self._stage(dict.fromkeys(adverts, stage), _rows((len(adverts) - 1, SEALED_BYTES)))
        others = {place: [each for each in adverts if each != place] for place in rows}
        return {
            place: {to: own.tobytes() for to, own in zip(others[place], row, strict=True)}
            for place, row in rows.items()
        }

    def _masked(self, sealed: Mapping[int, Mapping[int, bytes]]) -> tuple[Numbers, list[int]]:
        """The sum of all reports under their masks, and whose they are."""
        total = np.zeros(self.layout.numbers, np.uint64)

        def added(arrays: Arrays) -> None:
            refuse_others(arrays, [(self.layout.length,)])
            np.add(total, self.layout.unpack(arrays[0]), out=total)

        stages = {to: self._for(to, sealed) for to in sealed}
        return total, sorted(self._stage(stages, added))

    def _for(self, to: int, sealed: Mapping[int, Mapping[int, bytes]]) -> Stage:
        parts = {place: (own[to],) for place, own in sealed.items() if place != to}
        return Stage(self.number, "shares", parts, {})

    def _revealed(self, left: list[int], gone: list[int]) -> dict[int, tuple[Revealed, Revealed]]:
        """What each device has of the seeds of who is left, and of the keys of who is not."""
        listed = Stage(self.number, "survivors", dict.fromkeys(left, ()), {})
        signed = self._stage(dict.fromkeys(left, listed), _rows((SIGNATURE_BYTES,)))
        parts = {place: (own.tobytes(),) for place, own in signed.items()}
        stage = Stage(self.number, "signatures", parts, {})
        return self._stage(dict.fromkeys(signed, stage), _shares(len(left), len(gone)))

    def _masks(
        self,
        adverts: Mapping[int, Advert],
        left: list[int],
        gone: list[int],
        revealed: Mapping[int, tuple[Revealed, Revealed]],
    ) -> Numbers:
        """All masks that are in the sum: of those who are left, and of them with those who are not.

        Raises:
          _NoSumError: if secrets cannot be put together.
        """
        seeds = self._secrets(left, {at: own[0] for at, own in revealed.items()})
        keys = self._secrets(gone, {at: own[1] for at, own in revealed.items()})
        total = np.zeros(self.layout.numbers, np.uint64)
        for place, seed in seeds.items():
            if hashlib.sha256(seed).digest() != adverts[place].commitment:
                self._spoilt()
            total += self.layout.mask(seed)
        for place, secret in keys.items():
            key = RoundKey(secret)
            if key.public != adverts[place].masking:
                self._spoilt()
            for other in left:
                total += self._pairwise(End(other, adverts[other].masking), key, place)
        return total

    def _pairwise(self, own: End, key: RoundKey, place: int) -> Numbers:
        """What the device at this end added with the one of that key and place."""
        try:
            seed = pair_seed(key, place, own, self.number)
        except MessageError:
            self._spoilt()
        return self.layout.pairwise(seed, own.place, place)

    def _secrets(self, places: list[int], revealed: Mapping[int, Revealed]) -> dict[int, bytes]:
        """The secret of each of these devices, put together."""
        known = {at: own.known for at, own in revealed.items()}
        found = {}
        for row, place in enumerate(places):
            shares = {at: own[row] for at, own in known.items()}
            there = {at: own for at, own in shares.items() if own is not None}
            try:
                found[place] = secret_of(there, self.threshold)
            except ValueError:
                self._spoilt()
        return found

    def _spoilt(self) -> NoReturn:
        """Secrets that are not those which were committed to."""
        self.counts.malformed += 1
        raise _NoSumError

    def _stage(
        self, stages: Mapping[int, Stage], read: Callable[[Arrays], Read]
    ) -> dict[int, Read]:
        """What the devices at these places answer to one stage, each in its own words."""
        names = {place: name for name, place in self.places.items()}
        # Most stages are one message to all.
        once = {stage: stage.packed() for stage in set(stages.values())}
        packed = {names[place]: once[stage] for place, stage in stages.items()}
        name = next(iter(once)).name
        return self._answers(packed, b"", name, read)

    def _answers(
        self, orders: Mapping[str, bytes], state: bytes, stage: str, read: Callable[[Arrays], Read]
    ) -> dict[int, Read]:
        """What came of these orders, by place.

        Raises:
          _NoSumError: if fewer came than must.
        """
        found: dict[int, Read] = {}
        left = set(orders)
        with read_out(self.link.asked(orders, state, self.seconds)) as came:
            for name, answer in self.counts.answers(came, left, stage):
                if answer is not None and self._takes(found, self.places[name], answer, read):
                    left.discard(name)
        if not len(found) >= self.threshold:
            raise _NoSumError
        return found

    def _takes(
        self, found: dict[int, Read], place: int, answer: Reply, read: Callable[[Arrays], Read]
    ) -> bool:
        """Whether it is an answer: after one that is none its device's may still come."""
        if self.counts.refuses(answer):
            return True
        try:
            found[place] = read(answer.report)
        except MessageError:
            self.counts.malformed += 1
            return False
        return True


def _rows(shape: tuple[int, ...]) -> Callable[[Arrays], np.ndarray]:
    """Reads one array of bytes of this shape."""

    def read(arrays: Arrays) -> np.ndarray:
        refuse_others(arrays, [shape])
        return arrays[0]

    return read


def _shares(left: int, gone: int) -> Callable[[Arrays], tuple[Revealed, Revealed]]:
    """Reads shares of so many devices' seeds and so many devices' keys."""
    kinds = [
        kind
        for many in (left, gone)
        for kind in (("uint8", (many, SHARE_BYTES)), ("bool", (many,)))
    ]

    def read(arrays: Arrays) -> tuple[Revealed, Revealed]:
        if kinds_of(arrays) != kinds:
            raise MessageError("a device reveals a share of each device, or none")
        return Revealed(*arrays[:2]), Revealed(*arrays[2:])

    return read
