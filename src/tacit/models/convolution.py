"""A convolution layer whose per-example gradients are matrix products.

A convolution multiplies each *patch* of the image, the entries under the kernel, with one matrix.
Its gradient for one example is therefore `patches^T slopes`, and XLA computes those products for
all examples as one batched matrix product. `vmap(grad)` asks for the same numbers by a grouped
convolution with one group for each example, for which CPUs have no fast kernel: five to nine
times the plain gradient on a small network, and a hundred times that inside a loop.

The patches are never laid out where the gradient itself is formed: for each entry of the kernel the
product of one shifted image with the slopes is that entry's part (64 images of 16x16x32 and 64
filters on two cores: 6 ms of processor time, 46 with patches). Nothing differentiates through the
shifts. The gradient in the image, and the plain gradient of one call on many images, are those of
`correlation`.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.models.correlation import Pair, Sliding, correlate
from tacit.models.per_example import (
    Instances,
    OuterProducts,
    PerExample,
    added,
    contract,
    factors_are_smaller,
)


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
      ValueError: if a size or stride is below 1, or a padding is negative.
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
        if not min(*size, *stride) >= 1:
            raise ValueError(f"size and stride must be at least 1, got {size} and {stride}")
        if not min(padding) >= 0:
            raise ValueError(f"padding must be at least 0, got {padding}")
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
        slopes = slope.reshape(len(slope), -1, slope.shape[-1])
        columns = [part.reshape(*slopes.shape[:2], -1) for part in self._shifted(record)]
        to_kernel = self._kernel_gradients(columns, slopes)
        to_bias = added(jnp.sum(slopes, axis=1))
        return eqx.tree_at(lambda own: (own.kernel, own.bias), self, (to_kernel, to_bias))

    def _kernel_gradients(self, columns: list[Array], slopes: Array) -> PerExample:
        """One small product for each entry of the kernel, or the patches as factors."""
        batch, positions, filters = slopes.shape
        if factors_are_smaller(positions, self.kernel.size // filters, filters):
            return OuterProducts(jnp.concatenate(columns, axis=2), slopes, self.kernel.shape)
        products = [contract("btc,btf->bcf", part, slopes) for part in columns]
        return Instances(jnp.stack(products, axis=1).reshape(batch, *self.kernel.shape))

    def _shifted(self, record: Array) -> list[Float[Array, "images rows columns channels"]]:
        """For each entry of the kernel, the pixels it is multiplied with."""
        images = _one_batch(record)
        spans = self._spans((images.shape[1], images.shape[2]))
        (down, across), (top, left) = self.sliding
        padded = jnp.pad(images, ((0, 0), (top, top), (left, left), (0, 0)))
        return [
            padded[:, row::down, column::across][:, : spans[0], : spans[1]]
            for row in range(self.kernel.shape[0])
            for column in range(self.kernel.shape[1])
        ]

    def _spans(self, size: Pair) -> Pair:
        return self.sliding.spans(size, (self.kernel.shape[0], self.kernel.shape[1]))


def _one_batch(images: Array) -> Float[Array, "images height width channels"]:
    return images.reshape(-1, *images.shape[-3:])
