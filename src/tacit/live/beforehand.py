"""Whether devices would report, asked of all of them before anything is charged.

A grant is charged for every round before anybody is asked, and a round in which all refuse is paid
for and is noise. What they refuse can be known before: each device checks an order of round 0 as it
would check the first (`agreement`), and whether its cap has room for as many reports as the plan
may ask of it, and whether a line can be written there, which is undone. It computes nothing,
charges nothing, and says that it would report or why it would not. Neither depends on its data.

Members of a group refuse peers whose keys are not in their roster, and a server has none to compare
with. So each that would join sums under masks says a digest of its own, and is believed where more
than half of these say the same; the others would be refused, or refuse. Where one of them has a key
that the roster of the rest has not, **all refuse the round**: it has to be left out, or mended.

| what is not told | because |
| --- | --- |
| that a cap is spent, a clock set or a roster changed later | it is as it is when it is asked |
| that a disk has room for one line and not for all that is kept | only the one is tried |
| that a device goes, or lies | nobody can |
"""

from collections import Counter
from dataclasses import replace

from tacit.live.gathering import Gathering, Network, Orders, RoundAsked
from tacit.live.link import read_out
from tacit.live.order import RoundOrder, hashed
from tacit.live.replies import AnswerCounts, Replies
from tacit.noise import keys

_ROSTER = [("uint8", (32,))]
_STRANGER = (
    "it knows other members, or other keys of theirs, than most; where they have another key of "
    "it, all refuse"
)


def asked_beforehand(network: Network, gathering: Gathering, state: bytes) -> Replies:
    """How many of those who are enrolled would report, and why the others would not.

    Args:
      network: where they are.
      gathering: how their reports would be gathered.
      state: what the first round goes on from, packed.
    """
    number = keys.fresh()
    said = gathering.orders_of(number)
    orders = _orders(network, said, number, state)
    packed = {name: order.packed() for name, order in orders.items()}
    counts = AnswerCounts(number, len(packed))
    # Whom it knows, where sums are under masks; else nothing.
    like = _ROSTER if "run" in said.reporting else []
    with read_out(network.link.asked(packed, state, network.seconds)) as came:
        rosters = Counter(
            b"".join(each.tobytes() for each in report)
            for _, report in counts.reports(came, packed, like)
        )
    counts.reported = _most(rosters)
    counts.refused.update([_STRANGER] * (rosters.total() - counts.reported))
    return counts.heard(0, counts.reported >= gathering.least)


def _most(rosters: Counter[bytes]) -> int:
    """How many say the same, if these are more than half of them."""
    alike = max(rosters.values(), default=0)
    return alike if 2 * alike > rosters.total() else 0


def _orders(network: Network, said: Orders, number: bytes, state: bytes) -> dict[str, RoundOrder]:
    """One each, all of the first place: it is in every round."""
    places = dict.fromkeys(network.link.devices, 0)
    asked = RoundAsked(number, 0, places, state, hashed(state), keys.jax_key(number))
    times = said.plan.sums.times
    return {name: replace(order, rounds=times) for name, order in said.of(asked).items()}
