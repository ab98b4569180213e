"""Several quantiles: each as on its own, with keys of their own, and then in order."""

import jax
import jax.numpy as jnp
import numpy as np

import quick_keys
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.rows.quantiles import ExponentialQuantiles

VALUES = jnp.linspace(0.0, 100.0, 1_001, dtype=jnp.float32)


def made(epsilon: float, shares=(0.2, 0.2, 0.7)) -> ExponentialQuantiles:
    each = [ExponentialQuantile.add_remove(q, epsilon, 0.0, 100.0, 1_000) for q in shares]
    return ExponentialQuantiles(tuple(each))


def test_each_has_randomness_of_its_own_and_they_are_in_order():
    """Two of one share differ: one key for both would release the same number twice."""
    drawn = np.array([made(0.05).sample(quick_keys.key(seed), VALUES) for seed in range(20)])

    assert np.all(np.diff(drawn) >= 0) and np.all(drawn[:, 0] < drawn[:, 1])


def test_the_answers_are_those_of_each_mechanism():
    """To the bit, with the keys that were split for them."""
    mechanism, key = made(1.0), quick_keys.key(7)
    alone = [
        one.sample(own, VALUES)
        for one, own in zip(mechanism.each, jax.random.split(key, 3), strict=True)
    ]

    np.testing.assert_array_equal(np.sort(alone), mechanism.sample(key, VALUES))


def test_the_rank_error_is_the_largest_of_them():
    """At the same chance each."""
    mechanism = made(0.5, (0.5, 0.9))

    assert mechanism.rank_error(1, 3.0) == max(one.rank_error(1, 3.0) for one in mechanism.each)
    assert mechanism.each[0].rank_error(1, 3.0) < mechanism.each[1].rank_error(1, 3.0)
