"""Gradients that are summed in another order."""

import jax
import jax.numpy as jnp
import numpy as np

from tacit.models.rearranged import turned

HOST = np.random.default_rng(0)


@jax.jit
def found(inputs, slopes):
    """The sum and the norms of three examples, and of two people of whom one has two."""
    alone = turned(inputs, slopes)
    people = alone.by_person(jnp.array([0, 1, 0]), 2)
    sums = alone.weighted_sum(jnp.arange(3.0)), people.weighted_sum(jnp.ones(2))
    return sums, (alone.squared_norms(), people.squared_norms())


def test_the_sum_is_laid_with_its_outputs_first_and_norms_are_those_of_it():
    """By example, and by person."""
    inputs, slopes = (HOST.standard_normal((3, 2, size)).astype(np.float32) for size in (4, 5))
    alone = np.einsum("btd,btp->bpd", inputs, slopes)
    (weighted, whole), (norms, of_people) = found(inputs, slopes)

    np.testing.assert_allclose(weighted, alone[1] + 2 * alone[2], atol=1e-5)
    np.testing.assert_allclose(norms, (alone**2).sum((1, 2)), rtol=1e-5)
    np.testing.assert_allclose(whole, alone.sum(0), atol=1e-5)
    np.testing.assert_allclose(of_people[0], ((alone[0] + alone[2]) ** 2).sum(), rtol=1e-5)
