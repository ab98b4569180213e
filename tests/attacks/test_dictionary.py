"""Among pictures it knows the attack finds whose update was sent, as often as can be."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.accounting.theorems.mean_breach import after_gaussian
from tacit.accounting.theorems.reconstruction import after
from tacit.attacks.breach import BreachRate
from tacit.attacks.dictionary import likeliest
from tacit.mechanisms.local.privunit2 import PrivUnit2

PEOPLE, MANY, DIM = 1000, 64, 256
PICTURES = jax.random.normal(quick_keys.key(0), (MANY, 16))
WEIGHTS = jax.random.normal(quick_keys.key(1), (16, DIM))
WHO = np.random.default_rng(0).integers(0, MANY, PEOPLE)


def update(picture):
    """Of some public model."""
    return jnp.tanh(picture @ WEIGHTS)


def named(sent) -> BreachRate:
    """How many of them were told from the rest, with limits at one in a million."""
    found = np.asarray(likeliest(sent, PICTURES, update))
    return BreachRate(int((found == WHO).sum()), len(WHO), 1 - 1e-6)


def test_a_plain_update_names_its_picture():
    """Whatever it was clipped to."""
    assert named(1e-3 * update(PICTURES[WHO])).share == 1


def test_long_updates_are_no_likelier_than_short_ones():
    """Directions are compared: candidates a hundred times as long as others are named no more."""

    def linear(picture):
        return picture @ WEIGHTS

    some = PICTURES * jnp.geomspace(0.1, 10.0, MANY)[:, None]

    assert np.array_equal(likeliest(linear(some), some, linear), np.arange(MANY))


def test_the_largest_model_hides_nothing_from_it():
    """In 20,000 numbers as in 500, at epsilon 50, most of 64 pictures are named."""
    for dim in (500, 20_000):
        weights = jax.random.normal(quick_keys.key(2), (16, dim))

        def wide(picture, weights=weights):
            return jnp.tanh(picture @ weights)

        sent = PrivUnit2.optimal(dim, 50.0).sample(quick_keys.key(3), wide(PICTURES[WHO[:50]]))
        found = np.asarray(likeliest(sent, PICTURES, wide))
        assert (found == WHO[:50]).mean() > 0.9


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 8.0])
def test_a_report_names_no_more_than_its_promise(epsilon):
    """The lower limit is below e^epsilon/(N - 1 + e^epsilon); more than at random is found."""
    mechanism = PrivUnit2.optimal(DIM, epsilon)
    rate = named(mechanism.sample(quick_keys.key(4), update(PICTURES[WHO])))

    assert rate.low <= after(-np.log(MANY), epsilon)
    assert rate.share > 1.2 / MANY or epsilon < 1


def test_noise_names_no_more_than_its_promise_and_nearly_as_many():
    """Candidates of one length under Gaussian noise: below the bound, and above a third of it."""
    units = update(PICTURES[WHO])
    units = units / jnp.linalg.norm(units, axis=1, keepdims=True)
    for sigma in (0.25, 1.0):
        rate = named(units + sigma * jax.random.normal(quick_keys.key(5), units.shape))
        bound = after_gaussian(-np.log(MANY), 1.0, sigma)

        assert bound / 3 < rate.share and rate.low <= bound


def test_who_sent_nothing_that_is_a_number_is_nobody():
    """And not the first of the list."""
    sent = update(PICTURES[:3]).at[1].set(jnp.nan)

    np.testing.assert_array_equal(likeliest(sent, PICTURES[:5], update), [0, -1, 2])


def test_a_picture_without_an_update_is_nobody_s():
    """Its direction is not a number, and would be the largest."""
    some = PICTURES.at[5].set(0.0)

    assert 5 not in np.asarray(likeliest(update(some[:5]), some, update))
