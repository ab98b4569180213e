"""A convolution layer whose per-example gradients are matrix products.

A convolution multiplies each *patch* of the image, the entries under the kernel, with one matrix.
Its gradient for one example is therefore `patches^T slopes`, and XLA computes those products for
all examples as one batched matrix product. `vmap(grad)` asks for the same numbers by a grouped
convolution with one group for each example, for which CPUs have no fast kernel: five to nine
times the plain gradient on a small network, and a hundred times that inside a loop.

Where a gradient is formed, patches are laid out: first what lies beside one another, then rows of
that, which costs a fraction of the same from `rows x columns` shifted images. CPUs take as many
examples together as have two megabytes of patches: they stay in a core's cache, and a step's room
below what is mapped anew at every call. Other platforms take all at once: short patches, and of
longer ones for each entry of the kernel the product of one shifted image with the slopes. Nothing
differentiates through patches or shifts. The gradient in the image, and the plain gradient of one
call on many images, are those of `correlation`.
"""

import math
from functools import partial
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import refuse_not_counted
from tacit.models.correlation import Pair, Sliding, at_once, correlate, patches, under
from tacit.models.layers import by_position
from tacit.models.per_example import (
    Instances,
    OuterProducts,
    PerExample,
    contract,
    factors_are_cheaper,
)
from tacit.models.pooling import are_two, in_words
from tacit.models.rearranged import Rearranged


@final
class Convolution(eqx.Module):
    """Correlates images with a kernel: `[.., height, width, channels]` to `[.., .., .., filters]`.

    **Error**: equal to `lax.conv_general_dilated` and its gradient up to the order of summation.

    Args:
      channels: of the image.
      filters: of the output.
      size: rows and columns of the kernel.
      stride: between patches, in pixels, by rows and by columns.
      padding: zeros beyond the top and bottom edge, and beyond the left and right one.

    Raises:
      ValueError: if a size or stride is below 1, or a padding is negative; of a call, if images
        with their padding are smaller than the kernel.
    """

    kernel: Float[Array, "rows columns channels filters"]
    bias: Float[Array, " filters"]
    sliding: Sliding = eqx.field(static=True)

    def __init__(
        self,
        channels: int,
        filters: int,
        size: Pair,
        key: PRNGKeyArray,
        stride: Pair = (1, 1),
        padding: Pair = (0, 0),
    ):
        refuse_not_counted("channels", channels)
        refuse_not_counted("filters", filters)
        if not (are_two(size, 1) and are_two(stride, 1)):
            raise ValueError(
                f"size and stride must be at least 1, two whole numbers each, got {in_words(size)} "
                f"and {in_words(stride)}"
            )
        if not are_two(padding, 0):
            raise ValueError(
                f"padding must be at least 0, two whole numbers, got {in_words(padding)}"
            )
        self.kernel = jax.nn.initializers.he_normal()(key, (*size, channels, filters))
        self.bias = jnp.zeros(filters)
        self.sliding = Sliding(stride, padding)

    def __call__(
        self, images: Float[Array, "*batch height width channels"], *, key: Any = None
    ) -> Float[Array, "*batch rows columns filters"]:
        output = correlate(_one_batch(images), self.kernel, self.sliding)
        return output.reshape(self.tap(images)) + self.bias

    def tap(self, images: Array) -> tuple[int, ...]:
        *batch, height, width, _ = images.shape
        return (*batch, *self._spans((height, width)), self.bias.size)

    def recorded(self, tap: Array, images: Array) -> tuple[Array, Array]:
        return self(images) + tap, images

    def gradients(self, record: Array, slope: Array) -> "Convolution":
        slopes = by_position(slope)
        to_kernel = self._kernel_gradients(record, slopes)
        to_bias = Instances(jnp.sum(slopes, axis=1))
        return eqx.tree_at(lambda own: (own.kernel, own.bias), self, (to_kernel, to_bias))

    def _kernel_gradients(self, record: Array, slopes: Array) -> PerExample:
        """The patches as factors, or the gradients that they form."""
        batch, positions, filters = slopes.shape
        if factors_are_cheaper(positions, self._fan_in, filters):
            shifted = jnp.concatenate(self._shifted(record), axis=-1)
            factors = shifted.reshape(batch, positions, self._fan_in)
            return OuterProducts(factors, slopes, self.kernel.shape)
        # No bound methods: they would be hashed, and the layer with them.
        of_class = Convolution._formed_in_turn, Convolution._formed_at_once
        on_cpu, elsewhere = (partial(way, self) for way in of_class)
        formed = lax.platform_dependent(record, slopes, cpu=on_cpu, default=elsewhere)
        if self._patches_are_short:
            return Instances(formed.reshape(batch, *self.kernel.shape))
        # The sum over examples is turned, and not each of them.
        return Rearranged(Instances(formed), (1, 0), self.kernel.shape)

    def _formed_in_turn(self, record: Array, slopes: Array) -> Float[Array, "batch least most"]:
        """The narrower of patches and slopes on the left, a few examples at a time."""
        batch, positions, _ = slopes.shape

        def formed(one: tuple[Array, Array]) -> Array:
            entries = self._patches(one[0]).reshape(positions, self._fan_in)
            narrow, wide = (entries, one[1]) if self._patches_are_short else (one[1], entries)
            return contract("tn,tw->nw", narrow, wide)

        together = at_once(batch, positions * self._fan_in)
        return lax.map(formed, (record, slopes), batch_size=together)

    def _formed_at_once(self, record: Array, slopes: Array) -> Float[Array, "batch least most"]:
        batch, positions, filters = slopes.shape
        is_short = self.kernel.size <= 2 * filters**2
        images = [self._patches(record)] if is_short else self._shifted(record)
        parts = (each.reshape(batch, positions, math.prod(each.shape[3:])) for each in images)
        order, along = ("bcf", 1) if self._patches_are_short else ("bfc", 2)
        return jnp.concatenate([contract(f"btc,btf->{order}", p, slopes) for p in parts], along)

    def _patches(self, record: Array) -> Float[Array, "images down across rows columns channels"]:
        return patches(_one_batch(record), self._reach, self.sliding)

    def _shifted(self, record: Array) -> list[Float[Array, "images down across channels"]]:
        """For each entry of the kernel, the pixels it is multiplied with."""
        edges = [(edge, edge) for edge in self.sliding.padding]
        padded = jnp.pad(_one_batch(record), ((0, 0), *edges, (0, 0)))
        along = partial(under, reach=self._reach, sliding=self.sliding)
        return [
            along(along(padded, 1, row), 2, column)
            for row in range(self._reach[0])
            for column in range(self._reach[1])
        ]

    @property
    def _fan_in(self) -> int:
        return self.kernel.size // self.bias.size

    @property
    def _patches_are_short(self) -> bool:
        """Shorter than there are filters: which factor is the narrower."""
        return self._fan_in < self.bias.size

    @property
    def _reach(self) -> Pair:
        return self.kernel.shape[0], self.kernel.shape[1]

    def _spans(self, size: Pair) -> Pair:
        return self.sliding.spans(size, self._reach)


def _one_batch(images: Array) -> Float[Array, "images height width channels"]:
    return images.reshape(-1, *images.shape[-3:])
