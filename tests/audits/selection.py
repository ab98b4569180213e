"""Choosing one of many: a person moves every score by the sensitivity, each in its worst way."""

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import Row
from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.permute_and_flip import PermuteAndFlip

EPSILON = 1.0
# The best candidate gains one, all others lose one.
BEFORE = jnp.asarray([0.0] * 7, jnp.float32)
AFTER = jnp.asarray([1.0] + [-1.0] * 6, jnp.float32)


def _choices(mechanism, scores):
    def sample(key, draws):
        run = jax.jit(jax.vmap(lambda k: mechanism.sample(k, scores)))
        return np.asarray(run(jax.random.split(key, draws)))

    return sample


def _row(kind, name) -> Row:
    sound, loud = kind(EPSILON, 1.0), kind(1.5 * EPSILON, 1.0)
    unscaled = kind(EPSILON, 0.5)
    both = (BEFORE, AFTER)
    return Row(
        "selection",
        name,
        EPSILON,
        *(_choices(sound, scores) for scores in both),
        planted={
            "scale x 2/3": tuple(_choices(loud, scores) for scores in both),
            "sensitivity / 2": tuple(_choices(unscaled, scores) for scores in both),
        },
    )


ROWS = [_row(Exponential, "exponential"), _row(PermuteAndFlip, "permute-and-flip")]
