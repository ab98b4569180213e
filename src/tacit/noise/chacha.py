"""ChaCha20 as a generator for `jax.random`: 256-bit keys, and every stream a function of one.

The block function takes a 256-bit key and 128 bits of position and returns 512 bits. Nobody
knows how to tell it from a random function without the key, which is what privacy needs of
noise and what the default generators of NumPy and JAX (64 or 128 bits of key, or none) were
never meant for. All that follows is bookkeeping which keeps positions apart:

    word    0-3          4-11    12           13         14   15
    holds   "expand .."  key     low counter  high ..    0    domain

1. *Domains.* Bits to look at, children by `split` and by `fold_in`, keys made from a seed and what
   the host draws have different last words. So no output is ever a key, and no two of these agree.
2. *Counters.* `split` gives child i from counter i, whatever the number of children; `fold_in`
   counts by its data. For bits, word 12 counts blocks in a chunk and word 13 chunks, so that pairs
   do not repeat before 2^44 blocks; a single draw is refused above 2^31 - 1 words.

**Order of the words.** n words come from `chunks` chunks of `width` blocks, `layout(n)`. Word w
of block b of a chunk is its word number w * width + b, so that no transposition is paid for.
Chunk j begins at output 16 j width, but the last one ends where the output ends, over words of
the one before: an output without padding is written in place. No word is put out twice. The
words for one n need not begin like those for another, as everywhere in `jax.random`.

**Why chunks and a rolled loop.** XLA makes one kernel per output array, so a straight-line block
function is computed again for each of its 16 words (compiled in 10 s, 3 times slower); a loop
over double rounds bounds that, and a chunk keeps the 16 words of its blocks in the second-level
cache. `vmap` over keys adds chunks, it makes none larger: one key's stream is the same bits alone
or in a batch, and a batch of small draws shares a chunk.

References:
    Bernstein, "ChaCha, a variant of Salsa20" (2008): the function, 64-bit counter and nonce.
    RFC 8439, sections 2.1 to 2.3: quarter round and block function, with the test vectors.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap
from jax.extend.random import define_prng_impl
from jaxtyping import Array, Integer, UInt, UInt32

# One word of every block, in a compiled program or in NumPy (`by_numpy`).
Lanes = Array | np.ndarray
KEY_WORDS = 8
BLOCK_WORDS = 16
CONSTANTS = tuple(int(word) for word in np.frombuffer(b"expand 32-byte k", "<u4"))
DRAW, SPLIT, FOLD, SEED, HOST = range(5)  # Step 1.

# Blocks worked on at once: 16 words and their intermediates fill half of a 1 MB cache.
CHUNK = 4096
# Offsets in the output are 32-bit integers without x64.
LARGEST_DRAW = 2**31 - 1
# Rows that a vector loop divides into without remainder.
ALIGNMENT = 128
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def double_round(state: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """A column round and a diagonal round on sixteen arrays of words (RFC 8439, 2.3)."""
    words = list(state)
    for a, b, c, d in COLUMNS + DIAGONALS:
        words[a], words[b], words[c], words[d] = _quarter_round(
            words[a], words[b], words[c], words[d]
        )
    return tuple(words)


def _quarter_round(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> tuple[Lanes, ...]:
    a = a + b
    d = _rotate(d ^ a, 16)
    c = c + d
    b = _rotate(b ^ c, 12)
    a = a + b
    d = _rotate(d ^ a, 8)
    c = c + d
    b = _rotate(b ^ c, 7)
    return a, b, c, d


def _rotate(word: Lanes, bits: int) -> Lanes:
    return (word << bits) | (word >> (32 - bits))


def block(
    key: UInt32[Array, "*#lanes 8"], position: tuple[UInt32[Array, "*#lanes"], ...]
) -> tuple[UInt32[Array, "*lanes"], ...]:
    """The sixteen words of a block, for every lane of keys and positions (words 12 to 15)."""
    constants = (jnp.uint32(word) for word in CONSTANTS)
    words = (*constants, *(key[..., i] for i in range(KEY_WORDS)), *position)
    start = tuple(jnp.broadcast_arrays(*words))
    return tuple(first + last for first, last in zip(start, _rounds(start), strict=True))


_rounds = jax.jit(lambda start: lax.fori_loop(0, 10, lambda _, now: double_round(now), start))


def host_blocks(key: bytes, counter: int, nonce: int, blocks: int) -> UInt32[np.ndarray, "n 16"]:
    """The keystream of RFC 8439, 2.4, block by block, computed by OpenSSL.

    Args:
      key: 32 bytes.
      counter: Of the first block; 64 bits, so that the RFC's nonce has its first word here.
      nonce: Words 14 and 15, the former in the low half.
      blocks: How many; a low word that would carry, after 256 GiB of one stream, is refused.
    """
    # Imported by who draws: it takes longer than all of this package's help.
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

    position = counter.to_bytes(8, "little") + nonce.to_bytes(8, "little")
    stream = Cipher(ChaCha20(key, position), mode=None).encryptor()
    zeros = bytes(4 * BLOCK_WORDS * blocks)
    return np.frombuffer(stream.update(zeros), "<u4").reshape(blocks, BLOCK_WORDS)


@jax.jit
def _seed(seed: Integer[Array, ""]) -> UInt32[Array, "8"]:
    """A key with at most 64 bits of entropy, so for tests only.

    Seeds in [0, 2^31) give the same key with and without x64.
    """
    zero = jnp.zeros((), jnp.uint32)
    high = (seed >> 32).astype(jnp.uint32) if seed.dtype.itemsize == 8 else zero
    words = jnp.stack([seed.astype(jnp.uint32), high, *[zero] * 6])
    return _child(words, zero, SEED)


@functools.partial(jax.jit, static_argnums=1)
def _split(key: UInt32[Array, "8"], shape: tuple[int, ...]) -> UInt32[Array, "*shape 8"]:
    indices = jnp.arange(math.prod(shape), dtype=jnp.uint32).reshape(shape)
    return _child(key, indices, SPLIT)


@jax.jit
def _fold_in(key: UInt32[Array, "8"], data: Integer[Array, ""]) -> UInt32[Array, "8"]:
    return _child(key, jnp.asarray(data).astype(jnp.uint32), FOLD)


def _child(
    key: UInt32[Array, "8"], counter: UInt32[Array, "*shape"], domain: int
) -> UInt32[Array, "*shape 8"]:
    zero = jnp.zeros_like(counter)
    words = block(key, (counter, zero, zero, jnp.full_like(counter, domain)))
    return jnp.stack(words[:KEY_WORDS], axis=-1)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _random_bits(
    key: UInt32[Array, "8"], bit_width: int, shape: tuple[int, ...]
) -> UInt[Array, "*shape"]:
    """Words cut (8, 16 bits) or joined (64 bits), low end first."""
    if bit_width not in (8, 16, 32, 64):
        raise ValueError(f"bit_width must be 8, 16, 32 or 64, got {bit_width}")
    size = math.prod(shape)
    needed = -(-size * bit_width // 32)
    if needed > LARGEST_DRAW:
        raise ValueError(
            f"a draw must need at most 2^31 - 1 words of 32 bits, got {needed}: split the key"
        )
    words = _stream(key, needed)
    if bit_width == 64:
        words = words.reshape(-1, 2)
    pieces = lax.bitcast_convert_type(words, jnp.dtype(f"uint{bit_width}"))
    return pieces.reshape(-1)[:size].reshape(shape)


def _stream(key: UInt32[Array, "8"], size: int) -> UInt32[Array, "{size}"]:
    """The `size` words of a key's stream; for a batch of keys, of each."""

    @custom_vmap
    def draw(keys):
        return _words(keys.reshape(-1, KEY_WORDS), size).reshape(*keys.shape[:-1], size)

    @draw.def_vmap
    def _(axis_size, in_batched, keys):
        del axis_size, in_batched
        return draw(keys), True

    return draw(key)


def layout(size: int) -> tuple[int, int]:
    """How many chunks of how many blocks hold `size` words."""
    blocks = -(-size // BLOCK_WORDS)
    if blocks <= CHUNK:
        return 1, blocks
    chunks = -(-blocks // CHUNK)
    return chunks, ALIGNMENT * -(-blocks // (chunks * ALIGNMENT))


def _words(keys: UInt32[Array, "n 8"], size: int) -> UInt32[Array, "n {size}"]:
    """The same of each, without a loop to compile where all are one chunk's work."""
    chunks, width = layout(size)
    if chunks == 1 and len(keys) * width <= CHUNK:
        return _chunk(keys, jnp.uint32(0), width)[:, :size]
    in_turn, together = (functools.partial(order, size=size) for order in (_in_turn, _together))
    return lax.platform_dependent(keys, cpu=in_turn, default=together)


def _in_turn(keys: UInt32[Array, "n 8"], size: int) -> UInt32[Array, "n {size}"]:
    """Chunk after chunk into the result, which needs no memory beside it."""
    chunks, width = layout(size)
    length = min(BLOCK_WORDS * width, size)
    group = min(len(keys), max(1, CHUNK // max(1, width))) if chunks == 1 else 1
    turns = -(-len(keys) // group) if group else 0

    def turn(i: Integer[Array, ""], result: UInt32[Array, "n size"]) -> UInt32[Array, "n size"]:
        first = jnp.minimum(i // chunks * group, len(keys) - group)
        begin = jnp.minimum(i % chunks * length, size - length)
        some = lax.dynamic_slice_in_dim(keys, first, group)
        words = _chunk(some, (i % chunks).astype(jnp.uint32), width)[:, :length]
        return lax.dynamic_update_slice(result, words, (first, begin))

    return lax.fori_loop(0, turns * chunks, turn, jnp.zeros((len(keys), size), jnp.uint32))


def _together(keys: UInt32[Array, "n 8"], size: int) -> UInt32[Array, "n {size}"]:
    """The same words, all chunks at once, for accelerators."""
    chunks, width = layout(size)
    length = min(BLOCK_WORDS * width, size)
    words = jax.vmap(lambda j: _chunk(keys, j, width), out_axes=1)(
        jnp.arange(chunks, dtype=jnp.uint32)
    )
    head = words[:, :-1].reshape(len(keys), -1)[:, : size - length]
    return jnp.concatenate([head, words[:, -1, :length]], axis=1)


def _chunk(
    keys: UInt32[Array, "n 8"], index: UInt32[Array, ""], width: int
) -> UInt32[Array, "n 16*{width}"]:
    inside = jnp.arange(width, dtype=jnp.uint32)
    zero = jnp.zeros_like(inside)
    position = inside, zero + index, zero, jnp.full_like(inside, DRAW)
    words = jnp.stack(block(keys[:, None, :], position), axis=1)
    return words.reshape(len(keys), BLOCK_WORDS * width)


IMPL = define_prng_impl(
    key_shape=(KEY_WORDS,),
    seed=_seed,
    split=_split,
    random_bits=_random_bits,
    fold_in=_fold_in,
    name="chacha20",
    tag="chacha20",
)
