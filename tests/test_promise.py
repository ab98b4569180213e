"""What is left of a delta certifies the event; what takes its place is stated or refused."""

import math
import re

import pytest

from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.promise import NEGLIGIBLE, Pure, kept, refuse_unless_pure
from tacit.trust.central import Central

ADD = Relation.ADD_REMOVE


@pytest.mark.parametrize("spill", [0.0, 4e-6])
def test_the_event_is_certified_at_what_the_spill_leaves(spill):
    """And promised at the whole delta: less noise would be needed if nothing were spilled."""
    promise, event = Central(1.0, 5e-6, ADD), events.gaussian(5.0)
    made = kept(promise, event, spill, "server")
    left = certified_epsilon(event, 5e-6 - spill, ADD)

    assert (left.epsilon, left.accountant) == (made.epsilon, made.accountant)
    assert ("server", ADD, event) == (made.observer, made.relation, made.event)
    assert (5e-6, spill) == (made.delta, made.spill)
    assert (made.epsilon > certified_epsilon(event, 5e-6, ADD).epsilon) == (spill > 0)


def test_a_pure_promise_states_its_spill():
    """The event is pure, and certified as such; the delta is what is spilled."""
    made = kept(Pure(0.5, ADD), events.k_norm(0.5), 1e-12)

    assert ("public", 0.5, 1e-12, 1e-12) == (made.observer, made.epsilon, made.delta, made.spill)


@pytest.mark.parametrize("chance", [0.0, 1e-18, 1e-13, 4e-10])
def test_a_pure_promise_is_kept_up_to_the_epsilon_that_is_named(chance):
    """(1 + e^epsilon) chance is negligible on one side of it and not on the other."""
    most = math.log(NEGLIGIBLE / chance - 1) if chance else 700.0
    refuse_unless_pure(Pure(most * (1 - 1e-9), ADD), chance)

    assert overflow_delta(most, chance) <= NEGLIGIBLE * (1 + 1e-9)
    if chance:
        named = re.escape(f"against the server must be at most about {most:.3g}: at ")
        with pytest.raises(ValueError, match=named):
            refuse_unless_pure(Pure(most * (1 + 1e-6), ADD), chance, "server")


@pytest.mark.parametrize("chance", [5e-10, 1e-6, 1.0])
def test_no_epsilon_is_named_where_none_is_small_enough(chance):
    """Twice the chance is spilled even at an epsilon of zero: the promise needs a delta."""
    with pytest.raises(ValueError, match=r"delta must be above 0 against the public: .* at least"):
        refuse_unless_pure(Pure(1e-12, ADD), chance)


def test_a_promise_with_a_delta_is_not_refused_for_its_spill():
    """What is spilled comes out of its delta, which is for others to weigh."""
    assert refuse_unless_pure(Central(1.0, 1e-5), 0.1) is None
