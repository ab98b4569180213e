"""The host's words are those that JAX draws from the same keys, and own keys ask it for none."""

from unittest import mock

import jax
import numpy as np
import pytest

import quick_keys
from tacit.noise import chacha, host_words, keys
from tacit.noise.host_words import AskedKey, HeldKey, children, held

CHUNK_WORDS = chacha.BLOCK_WORDS * chacha.CHUNK
OWN = keys.jax_key(keys.from_seed(3))
# The library's own, one that compiles fast, and one of JAX.
KEYS = [OWN, quick_keys.key(3), jax.random.key(3)]


@pytest.mark.parametrize("shape", [(), (0,), (2, 17), (CHUNK_WORDS + 1,)], ids=str)
@pytest.mark.parametrize("key", KEYS, ids=["own", "quick", "threefry"])
def test_bits_are_those_of_jax(key, shape):
    """Of one chunk and of several, whose last overlaps."""
    assert np.array_equal(jax.random.bits(key, shape), held(key).bits(shape))


@pytest.mark.parametrize("key", KEYS, ids=["own", "quick", "threefry"])
def test_children_are_those_of_jax(key):
    """Both of a pair, and of each number that is folded in, the largest too."""
    for place, child in enumerate(held(key).split()):
        assert np.array_equal(
            jax.random.bits(jax.random.split(key)[place], (20,)), child.bits((20,))
        )
    for data in (0, 1, 77, 2**32 - 1):
        folded = jax.random.fold_in(key, np.uint32(data))
        assert np.array_equal(jax.random.bits(folded, (20,)), held(key).folded(data).bits((20,)))


@pytest.mark.parametrize("key", KEYS, ids=["own", "quick", "threefry"])
def test_two_children_for_jax_are_those_it_would_make(key):
    """Keys of the same kind, in the same order."""
    for theirs, ours in zip(jax.random.split(key), children(key), strict=True):
        assert ours.dtype == key.dtype
        assert np.array_equal(jax.random.key_data(theirs), jax.random.key_data(ours))


@pytest.mark.parametrize("key", KEYS, ids=["own", "quick", "threefry"])
def test_children_of_children_are_those_of_jax(key):
    """Whatever became of a key before."""
    theirs = jax.random.split(jax.random.fold_in(jax.random.split(key)[1], 5))[0]
    ours = held(key).split()[1].folded(5).split()[0]

    assert np.array_equal(jax.random.bits(theirs, (3, 40)), ours.bits((3, 40)))


def test_own_keys_are_held_and_others_asked():
    """What is held is itself, and shows nothing of its bytes."""
    own, other = held(OWN), held(quick_keys.key(3))

    assert isinstance(own, HeldKey) and isinstance(other, AskedKey)
    assert held(own) is own and held(other) is other
    assert own.secret == keys.from_seed(3) and repr(own) == "HeldKey()"


def test_own_keys_are_drawn_from_without_a_compiled_program():
    """No program is called: not for bits, not for children."""
    with mock.patch.object(host_words, "_bits", side_effect=AssertionError):
        own = held(OWN)
        assert own.split()[0].folded(1).bits((5,)).shape == (5,)


def test_a_draw_that_is_too_long_is_refused():
    """As JAX refuses it: a stream has no more words."""
    with pytest.raises(ValueError, match="at most 2\\^31 - 1 words"):
        held(OWN).bits((2**31,))
