"""A convolution whose gradient is fast on CPUs, inside loops too.

A federated round walks over people and over their steps, so its convolutions run inside `lax.scan`
and `lax.fori_loop`. There JAX's own gradient is slow on CPUs, for two reasons. The numbers are for
100 images of 14x14, a 5x5 kernel and 32 to 64 channels on two cores with jaxlib 0.10.2; the peak
of a large matrix product, 190 GFLOP/s, sets a floor of 11 ms for each of the three convolutions.

* XLA rewrites a convolution into the order of dimensions that its fast kernels accept (images:
  batch, rows, columns, channels; kernel: rows, columns, channels, filters) only in the entry
  computation of a program, never in the body of a loop. The gradient in the kernel comes in
  another order: 22 ms outside a loop, 1,000 ms inside. Here each convolution is *written* in that
  order, by transposing its operands: 25 ms in both places.
* XLA prefers a kernel that runs on one thread (20 ms, at the peak of one core). It does not take
  convolutions of dilated images, and those go to a kernel that uses every thread (12 ms). In
  `out[i] = sum_k image[i + k - p] kernel[k]` write 2i, 2k and 2p for i, k and p: the dilations of
  image and kernel, the stride and the padding have doubled, and every product pairs the entries
  it paired before. Below 32 channels or filters the one-thread kernel wins and is kept.

Both are choices of form: another version of XLA computes the same numbers at its own speed.
Platforms other than the CPU get the convolution and the gradient of JAX unchanged.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

_ORDER = ("NHWC", "HWIO", "NHWC")
_WIDE_ENOUGH_FOR_THREADS = 32


@jax.custom_vjp
def convolve(
    images: Float[Array, "batch height width channels"],
    kernel: Float[Array, "rows columns channels filters"],
) -> Float[Array, "batch height width filters"]:
    """Correlates images with a kernel of odd size, zeros beyond the edges, one output per pixel.

    **Error**: equal to `lax.conv_general_dilated` and its gradient up to the order of summation.
    Under `vmap` over kernels it stays correct and becomes a grouped convolution, which is slow.

    Raises:
        ValueError: if the kernel has an even number of rows or columns.
    """
    return lax.platform_dependent(images, kernel, cpu=_on_cpu, default=_same)


def _forward(images: Array, kernel: Array) -> tuple[Array, tuple[Array, Array]]:
    return convolve(images, kernel), (images, kernel)


def _backward(saved: tuple[Array, Array], cotangent: Array) -> tuple[Array, Array]:
    images, kernel = saved
    to_images = lax.platform_dependent(
        images, kernel, cotangent, cpu=_image_gradient_on_cpu, default=_image_gradient
    )
    to_kernel = lax.platform_dependent(
        images, kernel, cotangent, cpu=_kernel_gradient_on_cpu, default=_kernel_gradient
    )
    return to_images, to_kernel


convolve.defvjp(_forward, _backward)


def _on_cpu(images: Array, kernel: Array) -> Array:
    return _correlate(images, kernel, _margins(kernel))


def _image_gradient_on_cpu(images: Array, kernel: Array, cotangent: Array) -> Array:
    """The cotangent correlated with the kernel turned by 180 degrees, channels for filters."""
    turned = jnp.flip(kernel, (0, 1)).swapaxes(2, 3)
    return _correlate(cotangent, turned, _margins(kernel))


def _kernel_gradient_on_cpu(images: Array, kernel: Array, cotangent: Array) -> Array:
    """The images correlated with the cotangent: channels act as batch, the batch as channels."""
    by_channel = images.transpose(3, 1, 2, 0)
    as_kernel = cotangent.transpose(1, 2, 0, 3)
    return _correlate(by_channel, as_kernel, _margins(kernel)).transpose(1, 2, 0, 3)


def _correlate(images: Array, kernel: Array, margins: tuple[int, int]) -> Array:
    """`out[i] = sum_k image[i + k - margin] kernel[k]`, by the fast kernel that suits its width."""
    if min(kernel.shape[2:]) < _WIDE_ENOUGH_FOR_THREADS:
        return _convolution(images, kernel, margins, spacing=1)
    return _convolution(images, kernel, margins, spacing=2)


def _convolution(images: Array, kernel: Array, margins: tuple[int, int], spacing: int) -> Array:
    """The convolution written with its rows `spacing` apart; the numbers do not depend on it."""
    (rows, columns) = margins
    return lax.conv_general_dilated(
        images,
        kernel,
        window_strides=(spacing, 1),
        padding=[(spacing * rows, spacing * rows), (columns, columns)],
        lhs_dilation=(spacing, 1),
        rhs_dilation=(spacing, 1),
        dimension_numbers=_ORDER,
    )


def _same(images: Array, kernel: Array) -> Array:
    return _convolution(images, kernel, _margins(kernel), spacing=1)


def _image_gradient(images: Array, kernel: Array, cotangent: Array) -> Array:
    return jax.vjp(lambda x: _same(x, kernel), images)[1](cotangent)[0]


def _kernel_gradient(images: Array, kernel: Array, cotangent: Array) -> Array:
    return jax.vjp(lambda w: _same(images, w), kernel)[1](cotangent)[0]


def _margins(kernel: Array) -> tuple[int, int]:
    rows, columns = kernel.shape[:2]
    if rows % 2 == 0 or columns % 2 == 0:
        raise ValueError(f"a kernel's rows and columns must be odd, got {rows}x{columns}")
    return rows // 2, columns // 2
