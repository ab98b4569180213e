"""Numbers modulo powers of two: as bytes and back, under masks and out again."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2

from tacit.live.masked.packed import Layout
from tacit.noise.fixed import FixedPoint

LAYOUT = Layout((5, 3), (22, 46))
RNG = np.random.default_rng(0)


def whole(layout):
    parts = zip(layout.sizes, layout.bits, strict=True)
    return np.concatenate([RNG.integers(0, 2**bits, size, np.uint64) for size, bits in parts])


@pytest.mark.parametrize("bits", [1, 7, 16, 22, 31, 32, 46])
def test_numbers_are_packed_to_their_bits(bits):
    """So many bytes, and the very numbers come out."""
    layout = Layout((11, 4), (bits, 46))
    numbers = whole(layout)
    packed = layout.pack(numbers)

    assert packed.size == layout.length == -(-11 * bits // 8) + 23
    assert np.array_equal(layout.unpack(packed), numbers)


def test_what_is_beyond_the_modulus_is_dropped():
    """A sum that wrapped in 64 bits is packed as what is left of it."""
    numbers = whole(LAYOUT)
    more = numbers - np.repeat(np.uint64(2) ** np.array([22, 46], np.uint64), [5, 3])

    assert np.array_equal(LAYOUT.pack(more), LAYOUT.pack(numbers))


def test_masks_are_uniform_and_of_their_seed():
    """The lowest and the highest bits of 40,000 numbers, at one chance in a million each."""
    layout = Layout((40_000,), (22,))
    mask = layout.mask(bytes(32))
    for nibble in (mask & np.uint64(15), (mask >> np.uint64(18)) & np.uint64(15)):
        seen = np.bincount(nibble.astype(int), minlength=16)
        assert np.sum((seen - 2_500.0) ** 2 / 2_500) < chi2.isf(1e-6, 15)

    assert np.array_equal(mask, layout.mask(bytes(32)))
    assert not np.array_equal(mask, layout.mask(b"\1" * 32))


def test_sums_are_their_steps_and_back():
    """Negative ones too, in the form they came in."""
    high = jnp.asarray([[3, -4], [0, 2**20]], jnp.int32)
    sums = (
        FixedPoint(high, jnp.asarray([[1, 2], [3, 4]], jnp.int32), jnp.float32(0.5)),
        FixedPoint(jnp.int32(-1), jnp.int32(5), jnp.float32(2.0)),
    )
    layout = Layout.of(sums, (46, 40))
    back = layout.sums_of(layout.numbers_of(sums), sums)

    assert layout.sizes == (4, 1)
    for one, other in zip(sums, back, strict=True):
        assert np.array_equal(one.high, other.high) and np.array_equal(one.low, other.low)
        assert one.step == other.step


def test_sums_wrap_around_the_modulus():
    """What is left is the number that is nearest to zero, from -2^(bits - 1) on."""
    nothing = FixedPoint.zero((3,), jnp.float32(1.0))
    layout = Layout.of(nothing, (22,))
    numbers = np.array([2**21, 2**22 + 7, 2**64 - 3], np.uint64)

    assert [-(2**21), 7, -3] == layout.sums_of(numbers, nothing).exact().tolist()


def test_the_masks_of_two_cancel():
    """What one adds the other takes off, whichever of them is first."""
    one, other = LAYOUT.pairwise(bytes(32), 2, 5), LAYOUT.pairwise(bytes(32), 5, 2)

    assert np.array_equal(one, LAYOUT.mask(bytes(32))) and not np.any(one + other)
