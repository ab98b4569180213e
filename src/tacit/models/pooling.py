"""Maximum over windows that may overlap, with a gradient of one comparison per window entry.

The forward pass notes in one byte which entry of its window attained the maximum, the first in
reading order among equals. The backward pass cuts the image into blocks of one stride. Where
windows do not overlap, block and window are the same, and a pixel has the slope of its block if it
is the entry chosen; else it may also lie in windows that begin some blocks before, as many as a
window reaches over, and has a part from each. So every pixel asks one comparison for each such
window, of arrays that lie in the image's order: one loop without branches, which processors run on
many channels at a time. Where windows begin at every pixel, each of their entries has one piece of
slopes, shifted, and these are added up: no room is laid out for blocks. The gradient of
`lax.reduce_window` searches every window again instead.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

from tacit.argument import got, is_whole

Pair = tuple[int, int]


def are_two(pair: Any, least: int) -> bool:
    """Whether it is two whole numbers of at least so many."""
    two = isinstance(pair, tuple) and len(pair) == 2
    return two and all(is_whole(each) and each >= least for each in pair)


def in_words(pair: Any) -> str:
    """As a refusal says it."""
    return f"({', '.join(map(got, pair))})" if isinstance(pair, tuple) else got(pair)


def max_pool(
    images: Float[Array, "*batch height width channels"], size: Pair, stride: Pair
) -> Float[Array, "*batch rows columns channels"]:
    """Takes the maximum of every whole window; rows and columns left over are dropped.

    Raises:
      ValueError: if a window has more than 127 entries or none, exceeds the image, or does not
        move.
    """
    if not (are_two(size, 1) and are_two(stride, 1) and size[0] * size[1] <= 127):
        raise ValueError(
            "a window must have 1 to 127 entries and a stride of at least 1, got "
            f"{in_words(size)} and {in_words(stride)}"
        )
    *_, height, width, _ = images.shape
    if size[0] > height or size[1] > width:
        raise ValueError(f"a window must fit the image of {height}x{width}, got {size}")
    return _max_pool(size, stride, images)


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _max_pool(size: Pair, stride: Pair, images: Array) -> Array:
    batch = (1,) * (images.ndim - 3)
    window, strides = (*batch, *size, 1), (*batch, *stride, 1)
    return lax.reduce_window(images, -jnp.inf, lax.max, window, strides, "VALID")


def _forward(size: Pair, stride: Pair, images: Array) -> tuple[Array, tuple]:
    spans = [(n - k) // s + 1 for n, k, s in zip(images.shape[-3:], size, stride, strict=False)]
    entries = [
        images[..., row :: stride[0], column :: stride[1], :][..., : spans[0], : spans[1], :]
        for row, column in _places(size)
    ]
    maximum, attained = entries[0], jnp.zeros(entries[0].shape, jnp.int8)
    for place, entry in enumerate(entries[1:], start=1):
        # Written so that a NaN, once met, stays.
        attained = jnp.where(entry > maximum, jnp.int8(place), attained)
        maximum = jnp.maximum(maximum, entry)
    return maximum, (attained, images.shape)


def _backward(size: Pair, stride: Pair, kept: tuple, slopes: Array) -> tuple[Array]:
    attained, shape = kept
    if stride == (1, 1):
        return (_by_shifts(size, attained, shape, slopes),)
    return (_by_blocks(size, stride, attained, shape, slopes),)


def _by_shifts(size: Pair, attained: Array, shape: tuple[int, ...], slopes: Array) -> Array:
    def part(place: int, start: Pair) -> Array:
        along = zip(start, shape[-3:-1], slopes.shape[-3:-1], strict=True)
        edges = [(first, whole - first - span) for first, whole, span in along]
        chosen = jnp.where(attained == place, slopes, 0)
        return jnp.pad(chosen, [*[(0, 0)] * (slopes.ndim - 3), *edges, (0, 0)])

    parts = (part(place, start) for place, start in enumerate(_places(size)))
    return sum(parts, jnp.zeros((), slopes.dtype))


def _by_blocks(
    size: Pair, stride: Pair, attained: Array, shape: tuple[int, ...], slopes: Array
) -> Array:
    blocks, reach = _covering((shape[-3], shape[-2]), stride), _covering(size, stride)
    chosen, given = _laid(attained, -1, blocks, reach), _laid(slopes, 0, blocks, reach)

    def part(back: Pair) -> Array:
        own, slope = (_of_blocks(each, back, blocks, reach) for each in (chosen, given))
        return jnp.where(own == _entries(size, stride, back), slope, 0)

    total = sum(map(part, _places(reach)), jnp.zeros((), slopes.dtype))
    height, width = (n * s for n, s in zip(blocks, stride, strict=True))
    whole = total.reshape(*shape[:-3], height, width, shape[-1])
    return whole[..., : shape[-3], : shape[-2], :]


def _covering(lengths: Pair, stride: Pair) -> Pair:
    """How many blocks of one stride cover so many pixels."""
    rows, columns = (-(-n // s) for n, s in zip(lengths, stride, strict=True))
    return rows, columns


def _laid(values: Array, none: int, blocks: Pair, reach: Pair) -> Array:
    """One window for each block, and before them as many as reach over the first; `none` is there
    where no window is."""
    along = zip(reach, blocks, values.shape[-3:-1], strict=True)
    edges = [(n - 1, count - there) for n, count, there in along]
    untouched = [(0, 0)] * (values.ndim - 3)
    return jnp.pad(values, [*untouched, *edges, (0, 0)], constant_values=none)


def _of_blocks(values: Array, back: Pair, blocks: Pair, reach: Pair) -> Array:
    """What belongs to the window so many blocks before each block, for all its pixels."""
    rows, columns = (
        slice(n - 1 - b, n - 1 - b + count) for n, b, count in zip(reach, back, blocks, strict=True)
    )
    return jnp.expand_dims(values[..., rows, columns, :], (-2, -4))


def _entries(size: Pair, stride: Pair, back: Pair) -> Int[np.ndarray, "down 1 across 1"]:
    """Which entry each pixel of a block is of the window so many blocks before; -2 if none."""
    rows, columns = (s * b + np.arange(s) for s, b in zip(stride, back, strict=True))
    inside = np.logical_and.outer(rows < size[0], columns < size[1])
    entry = np.where(inside, np.add.outer(size[1] * rows, columns), -2)
    return entry.astype(np.int8)[:, None, :, None]


_max_pool.defvjp(_forward, _backward)


def _places(size: Pair) -> list[Pair]:
    return [(row, column) for row in range(size[0]) for column in range(size[1])]
