"""The streams of `chacha` computed by NumPy, word for word: for few numbers, nothing is compiled.

One round function serves both (`chacha.double_round`); here its sixteen words are arrays of all
blocks of a draw. The layout of a stream in chunks is the same, and is what there is to prove: words
come from the same block of the same chunk (`chacha`, order of the words).

A key is eight words, held as one scalar of 32 bytes (`KEY`), so that an array of keys has the shape
that it has in JAX. OpenSSL would compute the blocks in less time (`host_words`), but to load it
takes longer than all that most processes draw here.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import UInt32

from tacit.noise.chacha import (
    BLOCK_WORDS,
    CONSTANTS,
    DRAW,
    KEY_WORDS,
    LARGEST_DRAW,
    SPLIT,
    double_round,
    layout,
)

KEY = np.dtype("V32")
# The type of the same keys in JAX, by its name.
KEY_NAME = "key<chacha20>"

Keys = np.ndarray


def keys_of(words: UInt32[np.ndarray, "*keys 8"]) -> Keys:
    """Keys from their words."""
    return np.ascontiguousarray(words, np.uint32).view(KEY)[..., 0]


def bits(keys: Keys, shape: tuple[int, ...]) -> UInt32[np.ndarray, "..."]:
    """What `jax.random.bits` gives for each key, of 32 bits.

    Raises:
      ValueError: if a draw needs more words than a stream has.
    """
    drawn = [laid(partial(_chunk, words), shape) for words in _words(keys)]
    return np.array(drawn, np.uint32).reshape((*keys.shape, *shape))


def laid(
    blocks: Callable[[int, int], UInt32[np.ndarray, "16 width"]], shape: tuple[int, ...]
) -> UInt32[np.ndarray, "..."]:
    """A draw, chunk after chunk; the last ends where the stream does, over words of the one before.

    Args:
      blocks: The words of so many blocks of a chunk.
      shape: Of the draw.

    Raises:
      ValueError: if it needs more words than a stream has.
    """
    size = math.prod(shape)
    if size > LARGEST_DRAW:
        raise ValueError(f"a draw must need at most 2^31 - 1 words of 32 bits, got {size}")
    chunks, width = layout(size)
    length, found = min(BLOCK_WORDS * width, size), np.empty(size, np.uint32)
    for chunk in range(chunks):
        begin = min(chunk * length, size - length)
        found[begin : begin + length] = blocks(chunk, width).reshape(-1)[:length]
    return found.reshape(shape)


def split(keys: Keys, shape: tuple[int, ...]) -> Keys:
    """What `jax.random.split` gives for each key."""
    counter = np.arange(math.prod(shape), dtype=np.uint32)
    children = [_blocks(words, counter, 0, SPLIT)[:KEY_WORDS].T for words in _words(keys)]
    made = np.array(children, np.uint32).reshape((*keys.shape, *shape, KEY_WORDS))
    return keys_of(made)


def _words(keys: Keys) -> UInt32[np.ndarray, "keys 8"]:
    return np.frombuffer(keys.tobytes(), np.uint32).reshape(-1, KEY_WORDS)


def _chunk(key: UInt32[np.ndarray, "8"], chunk: int, width: int) -> UInt32[np.ndarray, "16 width"]:
    return _blocks(key, np.arange(width, dtype=np.uint32), chunk, DRAW)


def _blocks(
    key: UInt32[np.ndarray, "8"], low: UInt32[np.ndarray, " blocks"], high: int, domain: int
) -> UInt32[np.ndarray, "16 blocks"]:
    """The sixteen words of a block, for every low word of a counter."""
    start = np.empty((BLOCK_WORDS, len(low)), np.uint32)
    start[:4], start[4:12] = np.array(CONSTANTS, np.uint32)[:, None], key[:, None]
    start[12], start[13], start[14], start[15] = low, high, 0, domain
    words = tuple(start)
    for _ in range(10):
        words = double_round(words)
    return start + np.array(words)
