"""What devices are sent in a round: each its own place, and the rest alike."""

import jax

from live.phones import FUNCTION, NAME, both
from tacit import live
from tacit.live.gathering import Network, Orders, RoundAsked
from tacit.live.order import hashed


def test_orders_differ_in_the_place_alone():
    """All else is the round's, the function's and the plan's."""
    plan, state = both(3), b"state"
    network = Network(live.Nearby({}), NAME, 1.0, print)
    asked = RoundAsked(
        b"n" * 32, 2, {"one": 0, "other": 5}, state, hashed(state), jax.random.key(0)
    )
    orders = Orders(network, plan, FUNCTION, {"shape": 1}, "ab").of(asked)
    one, other = orders["one"], orders["other"]

    assert (0, 5) == (one.place, other.place) and {"one", "other"} == orders.keys()
    assert (b"n" * 32, NAME, 2, 3) == (one.number, one.sender, one.round, one.rounds)
    assert one.state == hashed(state) and one.function == FUNCTION.text
    assert other == type(one)(**{**vars(one), "place": 5})
