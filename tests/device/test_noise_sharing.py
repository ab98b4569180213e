"""Devices that add their share of the noise: those who report, each their own."""

import jax.numpy as jnp
import numpy as np

import quick_keys
from tacit.contribution import Ball, Interval, Product
from tacit.device.noise_sharing import NoiseSharing
from tacit.mechanisms.additive.noise_share import NoiseShare
from tacit.noise.fixed import LIMB, FixedPoint

STEP = 2.0**-12
SHARE = NoiseShare(1.0, STEP, 4)
DEVICE = NoiseSharing(Ball(3, 1.0), SHARE, 90)
NOBODY = jnp.zeros(6, bool)


def steps(total: FixedPoint) -> np.ndarray:
    return np.asarray(total.high, np.int64) * LIMB + np.asarray(total.low)


def summed(present, seed: int = 1, device: NoiseSharing = DEVICE) -> np.ndarray:
    total = device.shape.empty(jnp.asarray(STEP))
    return steps(device.shared(quick_keys.key(seed), total, present))


def test_terms_are_as_they_were():
    """The share is added on the grid, where the proof is."""
    terms = jnp.asarray([[0.1, 0.2, 0.3]])

    np.testing.assert_array_equal(terms, DEVICE.sample(quick_keys.key(0), terms))
    assert 90 == DEVICE.facts.report_bits
    assert np.isinf(DEVICE.facts.epsilon)


def test_who_is_absent_adds_nothing():
    """A round of nobody has no noise; everybody's shares are the sum of each one's."""
    alone = [summed(NOBODY.at[person].set(True)) for person in range(6)]

    np.testing.assert_array_equal(0, summed(NOBODY))
    np.testing.assert_array_equal(sum(alone), summed(~NOBODY))
    assert 6 * 3 == len(set(np.ravel(alone).tolist()))


def test_parts_of_a_product_have_noise_of_their_own():
    """Two parts alike get other draws; parts of parts too."""
    pair = Product(Interval(0.0, 1.0), Interval(0.0, 1.0))
    device = NoiseSharing(Product(Interval(0.0, 1.0), pair), (SHARE, (SHARE, SHARE)), 30)
    step = jnp.asarray(STEP)
    first, (second, third) = device.shared(
        quick_keys.key(3), device.shape.empty((step, (step, step))), ~NOBODY
    )

    assert 3 == len({int(steps(part)) for part in (first, second, third)})
