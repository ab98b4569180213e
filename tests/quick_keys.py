"""Keys for tests of laws: of a generator that XLA compiles faster than a secure one.

What a mechanism makes of random words has nothing to do with where they come from, while ChaCha20
and Threefry are compiled again for every place of every program that draws. This generator is a
keyed hash: a sum, a shift and a multiplication for each word of the key. It is not secure, and no
test says that it is.

Tests make their own keys here; and in most files the library's are of this generator, too
(`tests/conftest.py`).

    word p of       is the hash of
    a draw          place p
    child i         place p < 8 and index i, under a key that is another for each kind of child

References: Wellons, "Prospecting for hash functions" (2018): the shifts and the first multipliers.
"""

import functools
import math

import jax
import jax.numpy as jnp
from jax.extend.random import define_prng_impl
from jaxtyping import Array, Integer, PRNGKeyArray, UInt, UInt32

WORDS = 8
STEPS = ((16, 0x7FEB352D), (15, 0x846CA68B))
# Two more than words, so that the last word of a key is mixed in as well as the first.
TURNS = WORDS + 2
# What is hashed is added again in the middle: else the words of one key would never repeat.
MIDDLE = 4
ONCE, AGAIN, FAR = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
# So that no child has the words of another kind.
SEED, SPLIT, FOLD = 0x9E3779B9, 0x85EBCA6B, 0xC2B2AE35


def key(seed: int | Integer[Array, ""]) -> PRNGKeyArray:
    """A key that depends on the seed alone."""
    return jax.random.key(seed, impl=IMPL)


def _hashed(
    own: UInt32[Array, "8"], index: UInt32[Array, "*#places"], places: UInt32[Array, "*#places"]
) -> UInt32[Array, "*places"]:
    words = places + index * jnp.uint32(ONCE)
    for turn in range(TURNS):
        if turn == MIDDLE:
            words ^= places * jnp.uint32(AGAIN) + index * jnp.uint32(FAR)
        shift, factor = STEPS[turn % 2]
        words += own[turn % WORDS]
        words = (words ^ (words >> shift)) * jnp.uint32(factor)
    return words ^ (words >> 15)


def _child(
    own: UInt32[Array, "8"], index: Integer[Array, "*some"], kind: int
) -> UInt32[Array, "*some 8"]:
    which = jnp.asarray(index).astype(jnp.uint32)[..., None]
    return _hashed(own ^ jnp.uint32(kind), which, jnp.arange(WORDS, dtype=jnp.uint32))


@jax.jit
def _seed(seed: Integer[Array, ""]) -> UInt32[Array, "8"]:
    return _child(jnp.zeros(WORDS, jnp.uint32), seed, SEED)


@functools.partial(jax.jit, static_argnums=1)
def _split(own: UInt32[Array, "8"], shape: tuple[int, ...]) -> UInt32[Array, "*shape 8"]:
    return _child(own, jnp.arange(math.prod(shape)).reshape(shape), SPLIT)


@jax.jit
def _fold_in(own: UInt32[Array, "8"], data: Integer[Array, ""]) -> UInt32[Array, "8"]:
    return _child(own, data, FOLD)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _bits(own: UInt32[Array, "8"], width: int, shape: tuple[int, ...]) -> UInt[Array, "*shape"]:
    size = math.prod(shape)
    places = jnp.arange(-(-size * width // 32), dtype=jnp.uint32)
    words = _hashed(own, jnp.zeros_like(places), places)
    joined = words.reshape(-1, 2) if width == 64 else words
    pieces = jax.lax.bitcast_convert_type(joined, jnp.dtype(f"uint{width}"))
    return pieces.reshape(-1)[:size].reshape(shape)


IMPL = define_prng_impl(
    key_shape=(WORDS,),
    seed=_seed,
    split=_split,
    random_bits=_bits,
    fold_in=_fold_in,
    name="quick",
    tag="quick",
)
