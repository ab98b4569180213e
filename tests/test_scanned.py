"""A scan's values are divided as its arguments were, whatever JAX calls the parts."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from tacit.scanned import divided


@pytest.mark.parametrize("shared", [0, 1, 3])
@pytest.mark.parametrize("handed_on", [0, 1, 2])
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_values_are_divided_into_what_is_shared_handed_on_and_in_rows(shared, handed_on, rows):
    """Also where a part is empty, and where shapes are alike but for the axis of steps."""

    def program(kept, start, each):
        def step(carry, row):
            total = sum(map(jnp.sum, [*kept, *row]), jnp.zeros(()))
            return [own + total for own in carry], total

        return lax.scan(step, start, each, length=2)

    given = [jnp.ones((2, 2))] * shared, [jnp.ones(2)] * handed_on, [jnp.ones((2, 2))] * rows
    traced = jax.make_jaxpr(program)(*given)
    (scan,) = [each for each in traced.eqns if "scan" == each.primitive.name]

    # What JAX hoists out of the steps is shared as well.
    assert (len(scan.invars) - handed_on - rows, handed_on) == divided(scan)
