"""Maximum over windows that may overlap, with a gradient of one comparison per window entry.

The forward pass notes in one byte which entry of its window attained the maximum, the first in
reading order among equals. The backward pass then asks, for each entry k of a window, which windows
chose it, and lays their slopes where that entry stood: the slopes set `stride` apart and shifted by
k. XLA adds these shifted pieces in one loop over the image. The gradient of `lax.reduce_window`
searches every window again instead.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

Pair = tuple[int, int]


def max_pool(
    images: Float[Array, "*batch height width channels"], size: Pair, stride: Pair
) -> Float[Array, "*batch rows columns channels"]:
    """Takes the maximum of every whole window; rows and columns left over are dropped.

    Raises:
      ValueError: if a window has more than 127 entries or none, exceeds the image, or does not
        move.
    """
    if not (min(*size, *stride) >= 1 and size[0] * size[1] <= 127):
        raise ValueError(
            f"a window must have 1 to 127 entries and a stride of at least 1, "
            f"got {size} and {stride}"
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
    total = jnp.zeros(shape, slopes.dtype)
    for place, start in enumerate(_places(size)):
        chosen = jnp.where(attained == place, slopes, 0)
        along = zip(start, shape[-3:], slopes.shape[-3:], stride, strict=False)
        edges = [
            (first, whole - first - (span - 1) * step - 1, step - 1)
            for first, whole, span, step in along
        ]
        untouched = [(0, 0, 0)] * (slopes.ndim - 3)
        places = [*untouched, *edges, (0, 0, 0)]
        total = total + lax.pad(chosen, jnp.zeros((), slopes.dtype), places)
    return (total,)


_max_pool.defvjp(_forward, _backward)


def _places(size: Pair) -> list[Pair]:
    return [(row, column) for row in range(size[0]) for column in range(size[1])]
