"""Convolutions with sums are exact, however many people they are of."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.noise.convolutions import convolution, scaled_convolution
from tacit.noise.fixed import FixedPoint


def exactly(found) -> list[int]:
    limbs = (np.asarray(each).tolist() for each in (found.top, found.rest.high, found.rest.low))
    return [2**30 * top + 2**15 * high + low for top, high, low in zip(*limbs, strict=True)]


@pytest.mark.parametrize("cells", [1, 5, 256, 700])
def test_sums_are_exact_for_many_people(cells):
    """Against Python's whole numbers, modulo 2^62: counts up to 2^31, scales up to 2^18."""
    rng = np.random.default_rng(1)
    rows, falling, columns = (
        rng.integers(1, most, cells, endpoint=True) for most in (2**7, 2**10, 2**18)
    )
    counts = rng.integers(0, 2**26, cells)
    counts[: min(cells, 3)] = [2**31 - 1, 2**30, 1][: min(cells, 3)]
    whole = (jnp.asarray(each, jnp.int32) for each in (rows, falling, columns))
    found = exactly(scaled_convolution(*whole, FixedPoint.of(counts, 1.0)))

    scaled = [int(d) * int(h) for d, h in zip(columns, counts, strict=True)]
    for place in {0, cells // 2, cells - 1}:
        terms = (int(falling[place - j]) * scaled[j] for j in range(place + 1))
        assert (found[place] - int(rows[place]) * sum(terms)) % 2**62 == 0


def test_more_people_than_31_bits_are_counted_as_so_many():
    """So no count moves farther than its people do."""
    ones = jnp.ones(1, jnp.int32)
    found = [
        exactly(scaled_convolution(ones, ones, ones, FixedPoint.of([many], 1.0)))[0]
        for many in (2**31 - 2, 2**31 - 1, 2**31, 2**40)
    ]

    assert found == [2**31 - 2, *[2**31 - 1] * 3]


@pytest.mark.parametrize("cells", [3, 257])
def test_a_convolution_is_its_matrix(cells):
    """Of several columns, in floats."""
    rng = np.random.default_rng(0)
    falling, columns = rng.normal(size=cells), rng.normal(size=(cells, 3))
    found = convolution(jnp.asarray(falling, jnp.float32), jnp.asarray(columns, jnp.float32))

    apart = np.subtract.outer(np.arange(cells), np.arange(cells))
    toeplitz = np.where(apart >= 0, falling[np.maximum(apart, 0)], 0)
    np.testing.assert_allclose(found, toeplitz @ columns, atol=1e-4)
