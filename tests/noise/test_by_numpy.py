"""NumPy's streams are those that JAX draws from the same keys, word for word."""

import jax
import numpy as np
import pytest

from noise.test_chacha import VECTORS, words_of
from tacit.noise import by_numpy, chacha

CHUNK_WORDS = chacha.BLOCK_WORDS * chacha.CHUNK


def of(key: jax.Array) -> np.ndarray:
    return by_numpy.keys_of(np.asarray(jax.random.key_data(key)))


# Word 14 of a position is none of ours.
BLOCKS = [vector for vector in VECTORS["blocks"] if words_of(vector["nonce"])[1] == 0]


@pytest.mark.parametrize("vector", BLOCKS, ids=lambda vector: vector["section"])
def test_the_block_function_is_the_rfcs(vector):
    """At a position that the RFC states, the RFC's block."""
    low, (high, _, domain) = np.uint32([vector["counter"]]), words_of(vector["nonce"])
    words = by_numpy._blocks(words_of(vector["key"]), low, int(high), int(domain))

    assert vector["keystream"] == words[:, 0].astype("<u4").tobytes().hex()


@pytest.mark.parametrize(
    "shape",
    [
        (),
        (0,),
        (1,),
        (2, 17),
        (16,),
        (3, 5, 7),
        (CHUNK_WORDS,),
        (CHUNK_WORDS + 1,),
        (2, CHUNK_WORDS),
    ],
    ids=str,
)
def test_bits_are_those_of_jax(shape):
    """Of one chunk and of several, whose last overlaps."""
    key = jax.random.key(3, impl=chacha.IMPL)

    assert np.array_equal(jax.random.bits(key, shape), by_numpy.bits(of(key), shape))


def test_each_of_several_keys_has_its_own():
    """Keys in an array give what each gives by itself, and children are those of JAX."""
    words = np.random.default_rng(4).integers(2**32, size=(2, 3, 8), dtype=np.uint32)
    keys = jax.random.wrap_key_data(words, impl=chacha.IMPL)
    ours = of(keys)
    every = jax.vmap(jax.vmap(lambda key: jax.random.bits(key, (5,))))(keys)

    assert np.array_equal(every, by_numpy.bits(ours, (5,)))
    assert np.array_equal(
        of(jax.random.split(keys[1, 2], (2, 2))), by_numpy.split(ours[1, 2, ...], (2, 2))
    )
    children = by_numpy.split(ours, (2, 2))
    assert children.shape == (2, 3, 2, 2)
    assert children[0, 1].tolist() == of(jax.random.split(keys[0, 1], (2, 2))).tolist()


def test_a_draw_that_is_too_long_is_refused():
    """As it is where it is compiled: a stream has no more words."""
    with pytest.raises(ValueError, match="at most 2\\^31 - 1 words"):
        by_numpy.bits(of(jax.random.key(0, impl=chacha.IMPL)), (2**31,))
