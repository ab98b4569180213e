"""The table of kinds: what each row says of one release is said of one and the same pair."""

import functools
import math

import numpy as np
import pytest
from dp_accounting import DpEvent, GaussianDpEvent, NonPrivateDpEvent

from every_event import EVERY
from tacit.accounting import events
from tacit.accounting.composition import parts
from tacit.accounting.kinds import _KINDS, kind_of
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import subsampled
from tacit.accounting.relation import Relation

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
ORDERS = np.array([1.5, 2.0, 4.0, 8.0])
# Smaller than the examples for all: their losses take seconds.
SMALL = [events.with_replacement(50, 2, events.gaussian(2)), events.blanket(1.0, 0.6, 100)]
SIMPLE = [part for event, relation in EVERY for part in parts(event, relation)]
SIMPLE = [*dict.fromkeys(part for part in SIMPLE if type(part) not in map(type, SMALL)), *SMALL]
PAIRS = [part for part in SIMPLE if kind_of(part).name != "a zCDP event"]

# Why not more: each theorem's neighbours are these (`pairs`), and one is not told from another.
PROVED = {
    "a Gaussian event": {ADD, REPLACE, ZERO},
    "a Laplace event": {ADD, REPLACE, ZERO},
    "a discrete Laplace event": {ADD, REPLACE, ZERO},
    "a discrete Gaussian event": {ADD, REPLACE, ZERO},
    "a Euclidean-norm event": {ADD, REPLACE, ZERO},
    "an exponential mechanism": {ADD, REPLACE, ZERO},
    "an (epsilon, delta) event": {ADD, REPLACE, ZERO},
    "a zCDP event": {ADD, REPLACE, ZERO},
    "a local event": {ADD, REPLACE, ZERO},
    "randomised response": {REPLACE},
    "a PrivUnit report": {REPLACE},
    "Poisson sampling": {ADD, ZERO},
    "truncated Poisson sampling": {ADD},
    "Poisson sampling of records": {ADD, ZERO},
    "sampling without replacement": {REPLACE},
    "sampling with replacement": {REPLACE},
    "shuffling": {REPLACE, ZERO},
    "shuffling of one randomiser": {REPLACE, ZERO},
}


@functools.cache
def losses_of(event: DpEvent) -> tuple[Losses, Losses]:
    """Both directions of a release's losses, on its own grid, without those that are infinite."""
    kind = kind_of(event)
    forth, back = kind.losses(event, kind.finest(event), 1e-60)
    finite = (Losses(one.interval, one.lowest, one.masses, 0.0) for one in (forth, back))
    return tuple(finite)  # pyright: ignore[reportReturnType]


def test_each_kind_is_accounted_where_it_is_proved() -> None:
    """Under these relations, and no other; and all have an example here."""
    assert {kind.name: kind.relations for kind in _KINDS.values()} == PROVED
    assert {kind_of(part).name for part in SIMPLE} == set(PROVED)


@pytest.mark.parametrize("event", [NonPrivateDpEvent(), events.composed([events.local(1)])])
def test_what_has_no_row_is_refused(event: DpEvent) -> None:
    """By its name: nothing is accounted as what it resembles, nor a composition as its part."""
    with pytest.raises(ValueError, match=f"no accounting is proved for {type(event).__name__}"):
        kind_of(event)


def test_what_resembles_an_event_is_not_taken_for_it() -> None:
    """Who derives a class from an event's may release what they like: it has no row."""

    class Louder(GaussianDpEvent):
        pass

    with pytest.raises(ValueError, match="no accounting is proved for Louder"):
        kind_of(Louder(1.0))


@pytest.mark.parametrize("event", PAIRS, ids=lambda event: kind_of(event).name)
def test_divergences_are_at_least_those_of_the_losses(event) -> None:
    """Both accountants read one pair: theirs are the divergences of these losses, or a bound.

    Of an exponential mechanism's own pair the losses are those of a larger one (`routes`).
    """
    kind = kind_of(event)
    seen, stated = subsampled.renyi(losses_of(event), ORDERS), kind.renyi(event, ORDERS)
    larger = 1.35 if kind.name == "an exponential mechanism" else 1.001
    assert np.all(seen <= larger * stated)


@pytest.mark.parametrize("event", PAIRS, ids=lambda event: kind_of(event).name)
def test_no_loss_lies_beyond_the_reach(event) -> None:
    """But for what the grids moved up: on the reach rests how much memory is taken."""
    kind = kind_of(event)
    most = 1.03 * min(kind.reach(event), kind.pure(event))
    for one in losses_of(event):
        assert one.values[one.masses > 1e-50].max() < most


@pytest.mark.parametrize("event", PAIRS, ids=lambda event: kind_of(event).name)
def test_the_spread_is_the_deviation_of_the_losses(event) -> None:
    """Nearly: a grid made fine beside it is fine beside the losses, and no finer than that."""
    for one in losses_of(event):
        masses = one.masses / one.masses.sum()
        deviation = math.sqrt(masses @ (one.values - masses @ one.values) ** 2)
        assert 0.95 < deviation / kind_of(event).spread(event) < 1.35


@pytest.mark.parametrize("event", SIMPLE, ids=lambda event: kind_of(event).name)
def test_a_pure_epsilon_is_the_divergence_of_the_last_order(event) -> None:
    """Where there is one, divergences rise to it; where there is none, they rise beyond limits."""
    kind = kind_of(event)
    last = kind.renyi(event, np.array([2.0, 1e4]))
    if kind.pure(event) < math.inf:
        assert 0.8 * kind.pure(event) < last[1] < 1.03 * kind.pure(event)
    else:
        assert last[1] == math.inf or last[1] > 100 * last[0]


def test_a_zcdp_event_has_no_losses() -> None:
    """Only divergences are known of it: asked for losses, it refuses."""
    event = events.zcdp(0.1, 0.01)
    with pytest.raises(ValueError, match="no privacy losses are known of a zCDP event"):
        kind_of(event).losses(event, 1e-3, 1e-20)
    assert kind_of(event).renyi(event, np.array([3.0])) == pytest.approx(0.31, rel=1e-15)
