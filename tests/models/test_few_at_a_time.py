"""A batch is taken apart in order, with zeros behind."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.models.few_at_a_time import in_parts


@pytest.mark.parametrize("few, parts", [(1, 5), (2, 3), (5, 1), (7, 1)])
def test_all_members_are_there_in_order_and_nobody_else(few, parts):
    """Of any type, and where the last part is not full."""
    for batch in (jnp.arange(10.0).reshape(5, 2) + 1, jnp.ones(5, bool)):
        found = in_parts(batch, few)
        whole = found.reshape(-1, *batch.shape[1:])

        assert found.shape[:2] == (parts, few) and found.dtype == batch.dtype
        np.testing.assert_array_equal(whole[:5], batch)
        assert not whole[5:].any()
