"""A gradient is kept in the form that costs less; `learning/test_clipping` has the rest."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.models.per_example import Instances, OuterProducts, factors_are_cheaper, outer


@pytest.mark.parametrize(
    "positions, fan_in, fan_out, cheaper",
    [
        (1, 7, 5, True),
        (1, 1, 1, True),
        # 25 places of a kernel of 4 x 4 x 16 and 32 filters: the matrix, of about as much room.
        (25, 256, 32, False),
        (64, 256, 256, False),
        # A matrix of eight times the room, though its products are fewer.
        (64, 1024, 1024, True),
        # As many multiplications as four for each number, and one position more.
        (4, 8, 8, True),
        (5, 8, 8, False),
    ],
)
def test_the_cheaper_form_is_kept(positions, fan_in, fan_out, cheaper):
    """By multiplications, unless the matrix takes four times the room."""
    assert factors_are_cheaper(positions, fan_in, fan_out) == cheaper

    inputs, slopes = jnp.ones((1, positions, fan_in)), jnp.ones((1, positions, fan_out))
    kept = outer(inputs, slopes, (fan_in, fan_out))
    assert isinstance(kept, OuterProducts if cheaper else Instances)


@pytest.mark.parametrize("positions", [4, 5])
def test_both_forms_are_of_one_gradient(positions):
    """Their norms and sums are those of the matrices, written out."""
    numbers = np.random.default_rng(0)
    inputs, slopes = (numbers.normal(size=(3, positions, 8)).astype(np.float32) for _ in range(2))
    kept = outer(jnp.asarray(inputs), jnp.asarray(slopes), (8, 8))
    matrices, weights = np.einsum("btd,btp->bdp", inputs, slopes), np.float32([0.5, 0.0, 2.0])

    np.testing.assert_allclose(
        kept.squared_norms(), np.square(matrices).sum((1, 2)), rtol=1e-4, atol=0
    )
    np.testing.assert_allclose(
        kept.weighted_sum(jnp.asarray(weights)),
        np.einsum("b,bdp->dp", weights, matrices),
        atol=1e-4,
    )
