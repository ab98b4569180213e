"""Whether a device joins a round under masks, and what that round is about.

| refused | because |
| --- | --- |
| by a device that is no member | it has no roster, so it could not tell peers from the server |
| of more people than the roster has, or another number | the others would be made up |
| that counts on fewer who collude than the owner thinks there may be | its noise would be theirs |
| in a place beyond those who are asked | there is none |
| of a run of more than 100,000 rounds of one device | a server could fill its disk |
"""

from collections.abc import Callable
from dataclasses import replace
from typing import final

from jaxtyping import PyTree

from tacit.live.agreement import Agreement
from tacit.live.masked.member import Member
from tacit.live.masked.session import MaskedRound, RoundTerms
from tacit.live.masked.sharing import Sharing
from tacit.live.message import MessageError
from tacit.live.order import RoundOrder, hashed
from tacit.noise.fixed import FixedPoint

# Rounds that one device is in at a time: of a few federations, one each. And of one run: each is
# a row of its ledger, at no charge but the first's.
MOST_JOINED, MOST_TIMES = 8, 100_000


@final
class JoinedRounds:
    """The rounds that a device is in: the last `MOST_JOINED` of them, in memory only."""

    def __init__(self) -> None:
        self._sessions: dict[bytes, MaskedRound] = {}

    def add(self, number: bytes, session: MaskedRound) -> None:
        """A round that was begun."""
        self._sessions[number] = session
        while len(self._sessions) > MOST_JOINED:
            del self._sessions[next(iter(self._sessions))]

    def session(self, number: bytes) -> MaskedRound:
        """Raises a MessageError if the device is not in that round."""
        if number not in self._sessions:
            raise MessageError("this device has no part in that round")
        return self._sessions[number]

    def refuse_gone(self, number: bytes) -> None:
        """Raises a MessageError if the keys of this round, which was begun, are gone."""
        if number not in self._sessions:
            raise MessageError("this round was begun, and this device has its keys no longer")

    def again(self, number: bytes, begun: bytes) -> bytes:
        """The first answer once more; raises a MessageError where its keys are gone."""
        self.refuse_gone(number)
        return begun


def refuse_no_member(member: Member | None, ways: Sharing, place: int) -> Member:
    """The member, if it may join sums like these in this place; raises a MessageError if not."""
    if member is None:
        raise MessageError("this device is in no group whose sums are made under masks")
    if ways.question.people != len(member.roster):
        raise MessageError(
            f"this device knows {len(member.roster)} members, and the order is for "
            f"{ways.question.people}"
        )
    if not ways.colluding >= member.feared:
        raise MessageError(
            f"{member.feared} members may be colluding, and the order counts on {ways.colluding}"
        )
    _refuse_no_round(ways, place)
    return member


def _refuse_no_round(ways: Sharing, place: int) -> None:
    if not place < ways.question.capacity:
        raise MessageError(f"this round asks {ways.question.capacity} devices")
    if not ways.question.times <= MOST_TIMES:
        raise MessageError(f"a run has {MOST_TIMES:,} rounds of one device at most")


def terms_of(
    agreed: Agreement, ways: Sharing, share: Callable[[], PyTree[FixedPoint]]
) -> RoundTerms:
    """What the round is about; `share` draws the report."""
    order = agreed.order
    layout = ways.layout

    def report():
        return layout.numbers_of(share())

    own = order.place, ways.question.capacity, ways.threshold
    return RoundTerms(order.number, alike(order), *own, layout, report)


def alike(order: RoundOrder) -> str:
    """A digest of what all devices of a round are asked, but for their places."""
    return hashed(replace(order, place=0).packed())
