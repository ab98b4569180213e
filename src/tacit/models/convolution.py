"""A convolution of any stride and padding whose per-example gradients are matrix products.

A convolution multiplies each *patch* of the image, the entries under the kernel, with one matrix.
Its gradient for one example is therefore `patches^T slopes`, and XLA computes those products for
all examples as one batched matrix product. `vmap(grad)` asks for the same numbers by a grouped
convolution with one group for each example, for which CPUs have no fast kernel: five to nine
times the plain gradient on a small network, and a hundred times that inside a loop.

The patches are never laid out where the gradient itself is formed: for each entry of the kernel the
product of one shifted image with the slopes is that entry's part (64 images of 16x16x32 and 64
filters on two cores: 6 ms of processor time, 46 with patches). Nothing differentiates through the
shifts. The gradient in the image is written out below in the order of
dimensions that XLA's fast kernels take, because XLA brings a convolution into that order only in
the entry computation of a program and chunks of a large batch are a loop. With
`out[o] = sum_k image[s o + k - p] kernel[k]`, the image's gradient is the sum over all (o, k) with
`s o + k - p = i` of `slope[o] kernel[k]`: the slopes set s apart, correlated with the kernel turned
by 180 degrees, `rows - 1 - p` zeros before and as many after as return the image's height.
"""

from functools import partial
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.models.per_example import (
    Instances,
    Outer,
    PerExample,
    added,
    contract,
    factors_are_smaller,
)

Pair = tuple[int, int]
_ORDER = ("NHWC", "HWIO", "NHWC")


@final
class Convolution(eqx.Module):
    """Correlates an image with a kernel: `[height, width, channels]` to `[.., .., filters]`.

    **Error**: equal to `lax.conv_general_dilated` and its gradient up to the order of summation.

    Args:
      channels: of the image.
      filters: of the output.
      size: rows and columns of the kernel.
      stride: between patches, in pixels, by rows and by columns.
      padding: zeros beyond the top and bottom edge, and beyond the left and right one.

    Raises:
      ValueError: if a size or stride is below 1, or a padding is negative.
    """

    kernel: Float[Array, "rows columns channels filters"]
    bias: Float[Array, " filters"]
    stride: Pair = eqx.field(static=True)
    padding: Pair = eqx.field(static=True)

    def __init__(
        self,
        channels: int,
        filters: int,
        size: Pair,
        key: PRNGKeyArray,
        stride: Pair = (1, 1),
        padding: Pair = (0, 0),
    ):
        if not min(*size, *stride) >= 1:
            raise ValueError(f"size and stride must be at least 1, got {size} and {stride}")
        if not min(padding) >= 0:
            raise ValueError(f"padding must be at least 0, got {padding}")
        self.kernel = jax.nn.initializers.he_normal()(key, (*size, channels, filters))
        self.bias = jnp.zeros(filters)
        self.stride, self.padding = stride, padding

    def __call__(
        self, image: Float[Array, "height width channels"], *, key: Any = None
    ) -> Float[Array, "rows columns filters"]:
        return _forward(image[None], self.kernel, self.stride, self.padding)[0] + self.bias

    def tap(self, image: Array) -> tuple[int, ...]:
        spans = [
            (image.shape[axis] + 2 * self.padding[axis] - self.kernel.shape[axis])
            // self.stride[axis]
            + 1
            for axis in (0, 1)
        ]
        return (*spans, self.bias.size)

    def recorded(self, tap: Array, image: Array) -> tuple[Array, Array]:
        output: Array = _convolve(self.stride, self.padding, image[None], self.kernel)
        return output[0] + self.bias + tap, image

    def gradients(self, record: Array, slope: Array) -> "Convolution":
        spans = (slope.shape[1], slope.shape[2])
        slopes = slope.reshape(len(slope), -1, slope.shape[-1])
        to_kernel = self._kernel_gradients(self._shifted(record, spans), slopes)
        to_bias = added(jnp.sum(slopes, axis=1))
        return eqx.tree_at(lambda own: (own.kernel, own.bias), self, (to_kernel, to_bias))

    def _kernel_gradients(self, shifted: list[Array], slopes: Array) -> PerExample:
        """One small product for each entry of the kernel, or the patches as factors."""
        batch, positions, filters = slopes.shape
        columns = [part.reshape(batch, positions, -1) for part in shifted]
        if factors_are_smaller(positions, self.kernel.size // filters, filters):
            return Outer(jnp.concatenate(columns, axis=2), slopes, self.kernel.shape)
        products = [contract("btc,btf->bcf", part, slopes) for part in columns]
        return Instances(jnp.stack(products, axis=1).reshape(batch, *self.kernel.shape))

    def _shifted(
        self, images: Float[Array, "batch height width channels"], spans: Pair
    ) -> list[Float[Array, "batch rows columns channels"]]:
        """For each entry of the kernel, the pixels it is multiplied with."""
        (top, left), (down, across) = self.padding, self.stride
        padded = jnp.pad(images, ((0, 0), (top, top), (left, left), (0, 0)))
        return [
            padded[:, row::down, column::across][:, : spans[0], : spans[1]]
            for row in range(self.kernel.shape[0])
            for column in range(self.kernel.shape[1])
        ]


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _convolve(stride: Pair, padding: Pair, images: Array, kernel: Array) -> Array:
    """The convolution, differentiated in the images alone."""
    return _forward(images, kernel, stride, padding)


def _forward(images: Array, kernel: Array, stride: Pair, padding: Pair) -> Array:
    edges = [(edge, edge) for edge in padding]
    return lax.conv_general_dilated(images, kernel, stride, edges, dimension_numbers=_ORDER)


def _kept(stride: Pair, padding: Pair, images: Array, kernel: Array) -> tuple[Array, tuple]:
    return _forward(images, kernel, stride, padding), (images.shape, kernel)


def _image_gradient(stride: Pair, padding: Pair, kept: tuple, slopes: Array) -> tuple:
    shape, kernel = kept
    before = [reach - 1 - edge for reach, edge in zip(kernel.shape, padding, strict=False)]
    after = [
        size + reach - 1 - (span - 1) * step - 1 - margin
        for size, reach, span, step, margin in zip(
            shape[1:3], kernel.shape[:2], slopes.shape[1:3], stride, before, strict=True
        )
    ]
    to_images = lax.conv_general_dilated(
        slopes,
        jnp.flip(kernel, (0, 1)).swapaxes(2, 3),
        window_strides=(1, 1),
        padding=list(zip(before, after, strict=True)),
        lhs_dilation=stride,
        dimension_numbers=_ORDER,
    )
    return to_images, jnp.zeros_like(kernel)


_convolve.defvjp(_kept, _image_gradient)
