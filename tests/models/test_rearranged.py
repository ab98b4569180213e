"""Gradients that are summed in another order."""

import jax.numpy as jnp
import numpy as np
from jax import random

from tacit.models.rearranged import turned

KEYS = random.split(random.key(0))


def test_the_sum_is_laid_with_its_outputs_first_and_norms_are_those_of_it():
    """By example, and by person."""
    inputs, slopes = random.normal(KEYS[0], (3, 2, 4)), random.normal(KEYS[1], (3, 2, 5))
    alone, found = jnp.einsum("btd,btp->bpd", inputs, slopes), turned(inputs, slopes)
    people = found.by_person(jnp.array([0, 1, 0]), 2)

    np.testing.assert_allclose(
        found.weighted_sum(jnp.arange(3.0)), alone[1] + 2 * alone[2], atol=1e-5
    )
    np.testing.assert_allclose(found.squared_norms(), jnp.sum(alone**2, (1, 2)), rtol=1e-5)
    np.testing.assert_allclose(people.weighted_sum(jnp.ones(2)), alone.sum(0), atol=1e-5)
    np.testing.assert_allclose(
        people.squared_norms()[0], jnp.sum((alone[0] + alone[2]) ** 2), rtol=1e-5
    )
