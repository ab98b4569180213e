"""The bound finds its quantile, keeps terms in their shape, and shows no more than its share."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.accounting import accountant, events
from tacit.contribution import Interval, Product
from tacit.learning.quantile_bound import QuantileBound, within
from tacit.server.means import JointMean

DIM, PEOPLE, ROUNDS = 3, 40, 10
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE


def settled(follow, start: float) -> np.ndarray:
    """The bounds of the last fifty of four hundred rounds, on norms from 0.5 to 1.5."""
    norms = jnp.linspace(0.5, 1.5, 1001)

    def play(bound, _):
        bound = follow(bound, jnp.mean(within(norms, bound)) + 0.5)
        return bound, bound

    return np.asarray(jax.lax.scan(play, jnp.float32(start), length=400)[1][-50:])


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("start", [0.01, 1.0, 50.0])
def test_the_bound_rests_at_the_quantile(quantile, start):
    """From below, from within and from above."""
    bounds = settled(QuantileBound(quantile=quantile).followed, start)

    np.testing.assert_allclose(bounds, 0.5 + quantile, atol=0.01)


@pytest.mark.parametrize("start", [0.01, 50.0])
def test_a_bound_that_follows_who_was_cut_runs_away(start):
    """The update with the other sign, which the test above must refuse."""
    clip = QuantileBound()
    bounds = settled(lambda bound, fraction: clip.followed(bound, 1 - fraction), start)

    assert bounds.max() < 1e-4 if start < 1 else bounds.min() > 1e4


def test_noise_cannot_carry_it_where_nothing_can_be_clipped():
    """To the ends of what clipping keeps, and no further."""
    clip = QuantileBound(pace=1.0)

    assert float(clip.followed(jnp.float32(1.0), jnp.float32(1e4))) == np.float32(1e-12)
    assert float(clip.followed(jnp.float32(1.0), jnp.float32(-1e4))) == np.float32(1e12)


def test_terms_are_in_their_shape_whatever_the_vector_and_the_bound():
    """Norms from zero to beyond float32, NaN and infinity; the bit says whether it was cut."""
    clip = QuantileBound()
    sizes = np.array([0.0, 1e-3, 1.0, 1e3, 1e15, 1e30, math.inf, math.nan])
    vectors = jnp.asarray(sizes[:, None] * np.ones(DIM), jnp.float32)
    counted = np.where(sizes < 1e18, math.sqrt(DIM) * sizes, 0)
    for bound in (1e-12, 0.5, 2.0, 1e6, 1e12):
        terms = jax.vmap(clip.term, (0, None))(vectors, jnp.float32(bound))
        lengths = np.minimum(1, counted / bound)
        np.testing.assert_allclose(jnp.linalg.norm(terms[:, :-1], axis=1), lengths, rtol=1e-5)
        np.testing.assert_array_equal(terms[:, -1], np.where(counted <= bound, 0.5, -0.5))
        np.testing.assert_allclose(clip.shape(DIM).project(terms), terms, rtol=1e-6)


def test_answers_are_told_in_the_units_of_vectors():
    """A mean of clipped vectors over C is C times as long."""
    mean = jnp.arange(3.0)
    vector, bound = QuantileBound().told(jnp.float32(3.0), jnp.append(mean, 0.25))

    np.testing.assert_allclose(vector, 3 * mean)
    np.testing.assert_allclose(bound, 3 * math.exp(-0.2 * 0.25), rtol=1e-6)


def planned(share: float, trust, who=None) -> tacit.Plan:
    shape = QuantileBound(share=share).shape(DIM)
    return trust.plan(tacit.Mean(shape, who or tacit.Everyone(), ROUNDS, PEOPLE))


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5])
@pytest.mark.parametrize("relation, moved", [(ADD, (1.0, 0.5)), (REPLACE, (2.0, 1.0))])
def test_vectors_and_bits_are_one_release_of_the_multiplier_that_is_charged(share, relation, moved):
    """How far one person moves each, over its noise, in squares: shares of what the event says."""
    plan = planned(share, tacit.Central(1.0, 1e-5, relation))
    (promise,) = plan.guarantees
    assert isinstance(plan.server, JointMean)
    seen = [(s / part.facts.noise) ** 2 for s, part in zip(moved, plan.server.parts, strict=True)]
    whole = promise.event.event.noise_multiplier**-2

    assert sum(seen) <= whole * (1 + 1e-9)
    np.testing.assert_allclose(seen, [(1 - share) * whole, share * whole], rtol=1e-3)


@pytest.mark.parametrize("who", [tacit.Everyone(), tacit.Poisson(0.2)], ids=str)
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_the_bounds_of_all_rounds_show_no_more_than_their_share(share, who):
    """What the bits alone cost is that of noise 1/sqrt(share) as large, and far less than all."""
    plan = planned(share, tacit.Central(2.0, 1e-5), who)
    (promise,) = plan.guarantees
    bits = plan.server.parts[1].facts.noise / 0.5
    z = _multiplier(promise.event.event)

    def epsilon(multiplier: float) -> float:
        event = who.event(events.gaussian(multiplier), PEOPLE, ROUNDS)
        return accountant.epsilon(event, 1e-5, ADD).epsilon

    assert epsilon(bits) <= epsilon(z / math.sqrt(share)) * (1 + 1e-6)
    assert epsilon(bits) < 0.7 * promise.epsilon


def _multiplier(event) -> float:
    """Of the Gaussian release, sampled or not."""
    return getattr(event, "event", event).noise_multiplier


def test_without_a_delta_epsilon_is_divided():
    """Pure noise: the bits' part of each round's epsilon is their share."""
    plan = planned(0.25, tacit.Central(2.0, 0.0))
    bits = tacit.Mean(Interval(-0.5, 0.5), tacit.Everyone(), ROUNDS, PEOPLE)
    alone = tacit.Central(2.0 * 0.25, 0.0).plan(bits)

    np.testing.assert_allclose(
        plan.server.parts[1].facts.noise, alone.server.facts.noise, rtol=1e-6
    )


def test_the_shape_is_the_same_for_every_bound():
    """So one plan, one noise and one charge hold for all rounds."""
    shape = QuantileBound(share=0.1).shape(DIM)

    assert isinstance(shape, Product) and shape.noise_shares == (0.9, 0.1)
    assert (shape.parts[0].radius, shape.parts[1].bound) == (1.0, 0.5)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"start": 0.0}, "must start between"),
        ({"start": math.nan}, "must start between"),
        ({"quantile": 1.0}, "quantile must be between 0 and 1, got 1.0"),
        ({"quantile": math.nan}, "quantile must be between 0 and 1, got nan"),
        ({"pace": 0.0}, "pace must be above 0 and at most 1, got 0.0"),
        ({"share": 0.0}, "share must be between 0 and 1, got 0.0"),
        ({"start": "x"}, "must start between 1e-12 and .*, got 'x'"),
        ({"start": None}, "must start between .*, got None"),
        ({"start": True}, "must start between .*, got True"),
        ({"quantile": [0.5]}, "quantile must be between 0 and 1, got list"),
        ({"pace": None}, "pace must be above 0 and at most 1, got None"),
        ({"share": "0.1"}, "share must be between 0 and 1, got '0.1'"),
    ],
)
def test_refuses_numbers_outside_their_range(options, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        QuantileBound(**options)
