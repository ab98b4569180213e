"""Whether devices would report, asked of all of them before anything is charged.

A grant is charged for every round before anybody is asked, and a round in which all refuse is paid
for and is noise. What they refuse can be known before: each device checks an order of round 0 as it
would check the first (`agreement`), and whether its cap has room for as many reports as the plan
may ask of it. It computes nothing, charges nothing, and says that it would report or why it would
not. Neither depends on its data.
"""

from collections.abc import Callable
from dataclasses import replace

from tacit.live.gathering import Network, Orders, RoundAsked
from tacit.live.link import read_out
from tacit.live.order import RoundOrder, hashed
from tacit.live.replies import AnswerCounts, Replies
from tacit.noise import keys

OrdersOf = Callable[[bytes], Orders]


def asked_beforehand(network: Network, orders_of: OrdersOf, state: bytes) -> Replies:
    """How many of those who are enrolled would report, and why the others would not.

    Args:
      network: where they are.
      orders_of: what the orders of a run say, by its number.
      state: what the first round goes on from, packed.
    """
    number = keys.fresh()
    orders = _orders(network, orders_of(number), number, state)
    packed = {name: order.packed() for name, order in orders.items()}
    counts = AnswerCounts(number, len(packed))
    with read_out(network.link.asked(packed, state, network.seconds)) as came:
        left = set(packed)
        for name, answer in counts.answers(came, left):
            left.discard(name)
            if answer is not None and not counts.refuses(answer):
                counts.malformed += bool(answer.report)
                counts.reported += not answer.report
    return counts.heard(0, True)


def _orders(network: Network, said: Orders, number: bytes, state: bytes) -> dict[str, RoundOrder]:
    """One each, all of the first place: it is in every round."""
    places = dict.fromkeys(network.link.devices, 0)
    asked = RoundAsked(number, 0, places, state, hashed(state), keys.jax_key(number))
    times = said.plan.sums.times
    return {name: replace(order, rounds=times) for name, order in said.of(asked).items()}
