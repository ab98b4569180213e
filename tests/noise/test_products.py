"""Products with sums are exact, however many people they are of."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.noise.fixed import FixedPoint
from tacit.noise.products import BITS, product


@pytest.mark.parametrize("cells", [3, 50])
def test_products_are_exact_for_many_people(cells):
    """Against Python's whole numbers: counts up to 2^31, entries of either sign, up to 2^14."""
    rng = np.random.default_rng(1)
    matrix = rng.integers(-(2**BITS), 2**BITS, (7, cells), endpoint=True).astype(np.int32)
    counts = rng.integers(0, 2**26, cells)
    counts[:3] = 2**31 - 1, 2**30, 1
    found = product(jnp.asarray(matrix), FixedPoint.of(counts, 1.0)).exact()

    assert found.tolist() == [
        sum(int(a) * int(b) for a, b in zip(row, counts, strict=True)) for row in matrix
    ]


def test_the_largest_digits_of_many_cells_fit():
    """All ones in all bits, in 2^12 cells."""
    matrix = jnp.full((1, 2**12), 2**BITS, jnp.int32)
    counts = FixedPoint.of(np.full(2**12, 2**18 - 1), 1.0)

    assert product(matrix, counts).exact().tolist() == [2**26 * (2**18 - 1)]
