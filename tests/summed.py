"""The sum that a round makes of a learner's own terms, by itself."""

import jax.numpy as jnp

from tacit.contribution.norms import parts_of, radius_of
from tacit.population.summing import sum_within


def summed(learner, state, people, present, shape):
    """Of the terms of those present, each brought into this shape first."""
    radii = jnp.asarray([radius_of(part) for part in parts_of(shape)])
    return sum_within(learner.terms(state, people), radii, jnp.asarray(present))
