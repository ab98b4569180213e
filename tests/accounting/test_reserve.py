"""What a release takes out of delta is reserved; what is left certifies its event."""

import math
import re
from dataclasses import dataclass

import pytest

from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.calibration import noise_multiplier
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import (
    NEGLIGIBLE,
    SPARED,
    is_negligible,
    promised,
    pure,
    reserve_for,
    within_delta,
)

ADD = Relation.ADD_REMOVE


@dataclass(frozen=True)
class Asked:
    """A budget."""

    epsilon: float
    delta: float
    relation: Relation = ADD


def gaussian_of(chance, asked):
    """Makes Gaussian noise that is another with this chance, and notes what it was asked for."""

    def make(epsilon, delta):
        asked.append((epsilon, delta))
        multiplier = noise_multiplier(events.gaussian, epsilon, delta, ADD)
        return multiplier, events.gaussian(multiplier), chance

    return make


def test_a_reserve_is_for_both_neighbours():
    """A chance of p costs (1 + e^epsilon) p, and never more than everything."""
    assert math.isclose((1 + math.e) * 1e-9, reserve_for(1.0, 1e-9))
    assert 0.0 == reserve_for(5000.0, 0.0)
    assert 1.0 == reserve_for(5000.0, 1e-9)


@pytest.mark.parametrize("reserve", [0.0, 4e-6])
def test_the_event_is_certified_at_what_the_reserve_leaves(reserve):
    """And promised at the whole delta: less noise would be needed if nothing were reserved."""
    event = events.gaussian(5.0)
    made = promised(event, ADD, 5e-6, reserve, "server")
    left = certified_epsilon(event, 5e-6 - reserve, ADD)

    assert (left.epsilon, left.accountant) == (made.epsilon, made.accountant)
    assert ("server", "person", ADD, event) == (
        made.observer,
        made.unit,
        made.relation,
        made.event,
    )
    assert (5e-6, reserve) == (made.delta, made.delta_reserved)
    assert (made.epsilon > certified_epsilon(event, 5e-6, ADD).epsilon) == (reserve > 0)


def test_a_pure_promise_states_its_reserve():
    """The event is pure, and certified as such; the delta is what is reserved."""
    made = pure(events.k_norm(0.5), ADD, 1e-12)

    assert ("public", 0.5) == (made.observer, made.epsilon)
    assert reserve_for(0.5, 1e-12) == made.delta == made.delta_reserved


@pytest.mark.parametrize("chance", [0.0, 1e-18, 1e-13, 4e-10])
def test_a_pure_promise_is_kept_up_to_the_epsilon_that_is_named(chance):
    """(1 + e^epsilon) chance is negligible on one side of it and not on the other."""
    most = math.log(NEGLIGIBLE / chance - 1) if chance else 700.0
    kept = pure(events.k_norm(most * (1 - 1e-9)), ADD, chance)

    assert kept.delta <= NEGLIGIBLE * (1 + 1e-9)
    if chance:
        named = re.escape(f"delta against the server must exceed {4 * chance:.3g}, or 0 with an ")
        named += re.escape(f"epsilon of at most about {most:.3g}, got 0: ")
        with pytest.raises(ValueError, match=named):
            pure(events.k_norm(most * (1 + 1e-6)), ADD, chance, "server")


@pytest.mark.parametrize("chance", [5e-10, 1e-6, 0.2])
def test_no_epsilon_is_named_where_none_is_small_enough(chance):
    """Twice the chance is taken even at an epsilon of zero: the promise needs a delta."""
    with pytest.raises(ValueError, match=r"against the public must exceed \S+, got 0: samplers"):
        pure(events.k_norm(1e-12), ADD, chance)


def test_a_mechanism_is_made_once_where_little_is_taken():
    """A millionth of delta is reserved, and of that the promise states what was needed."""
    asked = []
    made, promise = within_delta(Asked(1.0, 1e-6), gaussian_of(1e-18, asked))

    assert asked == [(1.0, 1e-6 - SPARED * 1e-6)]
    assert (events.gaussian(made), 1e-6) == (promise.event, promise.delta)
    assert reserve_for(1.0, 1e-18) == promise.delta_reserved
    assert promise.epsilon <= 1.0


@pytest.mark.parametrize("chance", [1e-8, 2.4e-7])
def test_a_mechanism_is_made_again_with_what_was_needed(chance):
    """Then the reserve is whole and the rest is the event's, at the epsilon that was allowed."""
    asked, needed = [], reserve_for(1.0, chance)
    _, promise = within_delta(Asked(1.0, 1e-6), gaussian_of(chance, asked))

    assert asked == [(1.0, 1e-6 - SPARED * 1e-6), (1.0, 1e-6 - (needed + SPARED * 1e-6))]
    assert (1e-6, needed) == (promise.delta, promise.delta_reserved)
    assert 0.999 < promise.epsilon <= 1.0


@pytest.mark.parametrize("chance", [1e-8, 2.4e-7])
def test_what_is_known_before_is_reserved_at_once(chance):
    """The mechanism is made once, as it would be made the second time."""
    asked, needed = [], reserve_for(1.0, chance)
    _, promise = within_delta(Asked(1.0, 1e-6), gaussian_of(chance, asked), known=chance)

    assert asked == [(1.0, 1e-6 - (needed + SPARED * 1e-6))]
    assert (1e-6, needed) == (promise.delta, promise.delta_reserved)
    assert 0.999 < promise.epsilon <= 1.0


@pytest.mark.parametrize("known", [0.0, 2.45e-7])
def test_where_nine_tenths_are_not_enough_epsilon_is_less(known):
    """Half of delta is then what that epsilon takes; the promise holds as it is stated."""
    asked = []
    _, promise = within_delta(Asked(1.0, 1e-6), gaussian_of(2.45e-7, asked), known=known)
    less, left = asked[-1]

    assert less < 1.0 and 0.5e-6 == left
    assert reserve_for(less, 2.45e-7) == promise.delta_reserved <= 0.5e-6
    assert promise.epsilon <= less


def test_without_a_delta_a_mechanism_is_made_for_none():
    """What it takes becomes the delta, or is refused."""
    asked = []

    def make(chance):
        return lambda e, d: (asked.append((e, d)), events.k_norm(e), chance)

    _, promise = within_delta(Asked(0.5, 0.0), make(1e-12))

    assert asked == [(0.5, 0.0)]
    assert promise == pure(events.k_norm(0.5), ADD, 1e-12)
    with pytest.raises(ValueError, match="or 0 with an epsilon of at most about"):
        within_delta(Asked(30.0, 0.0), make(1e-12))


@pytest.mark.parametrize("delta", [4e-8, 1e-8])
@pytest.mark.parametrize(("known", "tried"), [(0.0, 1), (1e-8, 0)])
def test_a_delta_below_what_is_taken_at_any_epsilon_is_refused(delta, known, tried):
    """The sentence names the least one; nothing endless is tried."""
    asked = []
    with pytest.raises(ValueError, match=r"must exceed 4e-08, got \S+: samplers"):
        within_delta(Asked(1.0, delta), gaussian_of(1e-8, asked), known=known)
    assert tried == len(asked)


def test_reserves_that_keep_growing_are_refused():
    """A mechanism that takes more the more is reserved for it has no delta."""
    chances = iter([1e-9 * 2**n for n in range(100)])

    def make(epsilon, delta):
        return None, events.gaussian(9.0), next(chances)

    with pytest.raises(ValueError, match="delta against the public must exceed"):
        within_delta(Asked(1.0, 1e-6), make)


def test_half_of_what_a_pure_promise_may_reserve_is_negligible():
    """Of both neighbours; what is more, or no number, is not."""
    chance = NEGLIGIBLE / 2 / (1 + math.e)
    assert is_negligible(1.0, 0.999 * chance) and is_negligible(1.0, 0.0)
    assert not is_negligible(1.0, 1.001 * chance)
    assert not is_negligible(1.0, math.nan)
