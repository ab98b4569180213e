"""A convolution of any stride and padding whose gradients are fast on CPUs, inside loops too.

A round walks over people, their steps or chunks of a batch, so its convolutions run inside
`lax.scan` and `lax.fori_loop`. There JAX's own gradient is slow on CPUs, for these reasons. The
numbers are for 100 images of 14x14, a 5x5 kernel and 32 to 64 channels on two cores with jaxlib
0.10.2; the peak of a large matrix product, 190 GFLOP/s, sets a floor of 11 ms for each of the three
convolutions.

* XLA rewrites a convolution into the order of dimensions that its fast kernels accept (images:
  batch, rows, columns, channels; kernel: rows, columns, channels, filters) only in the entry
  computation of a program, never in the body of a loop. The gradient in the kernel comes in
  another order: 22 ms outside a loop, 1,000 ms inside. Here each convolution is *written* in that
  order, by transposing its operands: 25 ms in both places.
* XLA prefers a kernel that runs on one thread (20 ms, at the peak of one core). It does not take
  convolutions of dilated images, and those go to a kernel that uses every thread (12 ms). In
  `out[o] = sum_k image[s o + k - p] kernel[k]` write 2s, 2k and 2p for s, k and p, and set the
  image's rows two apart: every product pairs the entries it paired before. Below 32 channels or
  filters the one-thread kernel wins and is kept; and on a device that has one core to itself.
* The gradient in the kernel is of transposed operands, and XLA computes what made them again in the
  transposed order, which on images beyond a core's cache takes half as long as the convolution. On
  one core a few images are taken at a time, from memory (decision 34).
* Images of few channels are slow in either. There patches are laid out and multiplied as one
  matrix, of a few images at a time, while they are in a core's cache (decision 33). Under `vmap`
  over images those of all are laid out: a round takes few people at a time.

All are choices of form: another version of XLA computes the same numbers at its own speed.
Platforms other than the CPU get JAX's own form.

**The gradients** are correlations as well. The image's is the sum over all (o, k) with
`s o + k - p = i` of `slope[o] kernel[k]`: the slopes set s apart, correlated with the kernel turned
by 180 degrees, `rows - 1 - p` zeros before and as many after as return the image's height. The
kernel's is `sum_o image[s o + k - p] slope[o]`: the images, channels in the place of the batch,
correlated with the slopes set s apart.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from tacit.cores import cores
from tacit.models.few_at_a_time import in_parts

Pair = tuple[int, int]
_ORDER = ("NHWC", "HWIO", "NHWC")
# Channels and filters from which on the kernel of every thread is asked for: see above.
_WIDE_ENOUGH_FOR_THREADS = 32
# Channels of which patches are multiplied: decision 33.
_FEW = 4
# Numbers in the patches that are laid out together: two megabytes.
_TOGETHER = 2**19
# Images of which the kernel's gradient is taken together on one core.
_IN_CACHE = 10
_ONES = (1, 1)


class Sliding(NamedTuple):
    """How a kernel moves: between patches in pixels, and over zeros beyond each pair of edges."""

    stride: Pair = _ONES
    padding: Pair = (0, 0)

    def spans(self, size: Pair, reach: Pair) -> Pair:
        """The rows and columns of the output, for images of `size` and a kernel of `reach`."""
        along = zip(size, reach, self.stride, self.padding, strict=True)
        rows, columns = ((n + 2 * p - k) // s + 1 for n, k, s, p in along)
        if not min(rows, columns) >= 1:
            raise ValueError(
                f"images and {self.padding} zeros on each side of them must be as large as the "
                f"kernel, {reach}, got {size}"
            )
        return rows, columns


def correlate(
    images: Float[Array, "batch height width channels"],
    kernel: Float[Array, "rows columns channels filters"],
    sliding: Sliding,
) -> Float[Array, "batch _ _ filters"]:
    """Multiplies each patch of the images with the kernel.

    **Error**: equal to `lax.conv_general_dilated` and its gradient up to the order of summation.
    Under `vmap` over kernels it stays correct and becomes a grouped convolution, which is slow,
    but for images of few channels. Images of another type are made of the kernel's.

    Raises:
      ValueError: if the images, with their zeros, are smaller than the kernel.
    """
    # It refuses images that are smaller than the kernel.
    sliding.spans((images.shape[1], images.shape[2]), (kernel.shape[0], kernel.shape[1]))
    return _correlate(sliding, images.astype(kernel.dtype), kernel)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _correlate(sliding: Sliding, images: Array, kernel: Array) -> Array:
    edges = [(edge, edge) for edge in sliding.padding]
    written = partial(_written, edges, stride=sliding.stride)
    if kernel.shape[2] <= _FEW:
        by_patches = partial(_by_patches, sliding)
        return lax.platform_dependent(images, kernel, cpu=by_patches, default=written)
    return _by_platform(written, images, kernel)


def _by_patches(sliding: Sliding, images: Array, kernel: Array) -> Array:
    """A product of the kernel with patches, of a few images at a time; under `vmap` of all."""
    reach, fan_in = (kernel.shape[0], kernel.shape[1]), kernel.size // kernel.shape[3]
    spans = sliding.spans((images.shape[1], images.shape[2]), reach)

    def multiplied(image: Array) -> Array:
        entries = patches(image[None], reach, sliding).reshape(-1, fan_in)
        return entries @ kernel.reshape(fan_in, -1)

    together = at_once(len(images), spans[0] * spans[1] * fan_in)
    found = lax.map(multiplied, images, batch_size=together)
    return found.reshape(len(images), *spans, kernel.shape[3])


def patches(
    images: Float[Array, "batch height width channels"], reach: Pair, sliding: Sliding
) -> Float[Array, "batch down across rows columns channels"]:
    """For every position the entries under the kernel: rows of what lies beside one another."""
    edges = [(edge, edge) for edge in sliding.padding]
    padded = jnp.pad(images, ((0, 0), *edges, (0, 0)))
    along = partial(under, reach=reach, sliding=sliding)
    beside = jnp.stack([along(padded, 2, column) for column in range(reach[1])], axis=3)
    return jnp.stack([along(beside, 1, row) for row in range(reach[0])], axis=3)


def under(padded: Array, axis: int, first: int, reach: Pair, sliding: Sliding) -> Array:
    """The pixels that a kernel's row, or column, is multiplied with."""
    step, last = sliding.stride[axis - 1], padded.shape[axis] - reach[axis - 1] + first
    return lax.slice_in_dim(padded, first, last + 1, step, axis)


def at_once(images: int, entries: int) -> int:
    """Of how many images the patches are laid out together, of so many numbers each."""
    return max(1, min(images, _TOGETHER // max(1, entries)))


def _forward(sliding: Sliding, images: Array, kernel: Array) -> tuple[Array, tuple]:
    return _correlate(sliding, images, kernel), (images, kernel)


def _backward(sliding: Sliding, kept: tuple, slopes: Array) -> tuple[Array, Array]:
    images, kernel = kept
    to_kernel = lax.platform_dependent(
        images,
        kernel,
        slopes,
        cpu=partial(_kernel_gradient_on_cpu, sliding),
        default=partial(_kernel_gradient, sliding),
    )
    size = images.shape[1], images.shape[2]
    return _image_gradient(sliding, size, kernel, slopes), to_kernel


_correlate.defvjp(_forward, _backward)


def _image_gradient(sliding: Sliding, size: Pair, kernel: Array, slopes: Array) -> Array:
    before = [reach - 1 - edge for reach, edge in zip(kernel.shape, sliding.padding, strict=False)]
    along = zip(size, kernel.shape, slopes.shape[1:], sliding.stride, before, strict=False)
    after = [n + k - 1 - (span - 1) * s - 1 - first for n, k, span, s, first in along]
    turned = jnp.flip(kernel, (0, 1)).swapaxes(2, 3)
    edges = list(zip(before, after, strict=True))
    return _by_platform(partial(_written, edges, apart=sliding.stride), slopes, turned)


def _kernel_gradient_on_cpu(sliding: Sliding, images: Array, kernel: Array, slopes: Array) -> Array:
    """The sum over images, a few of them at a time where one core does all."""
    own = partial(_gradient_of_few, sliding)
    if _has_several_cores() or len(images) <= _IN_CACHE:
        return own(images, kernel, slopes)

    def add(total: Array, few: tuple[Array, Array]) -> tuple[Array, None]:
        return total + own(few[0], kernel, few[1]), None

    # Images that are not there are black, and without slopes: they add nothing.
    parts = in_parts(images, _IN_CACHE), in_parts(slopes, _IN_CACHE)
    return lax.scan(add, jnp.zeros_like(kernel), parts)[0]


def _gradient_of_few(sliding: Sliding, images: Array, kernel: Array, slopes: Array) -> Array:
    sizes = zip(images.shape[1:], kernel.shape, slopes.shape[1:], strict=False)
    edges = [
        (edge, k + (span - 1) * s - n - edge)
        for (n, k, span), s, edge in zip(sizes, sliding.stride, sliding.padding, strict=False)
    ]
    by_channel, as_kernel = images.transpose(3, 1, 2, 0), slopes.transpose(1, 2, 0, 3)
    form = partial(_written, edges, reach=sliding.stride)
    return _suited(form, by_channel, as_kernel).transpose(1, 2, 0, 3)


def _kernel_gradient(sliding: Sliding, images: Array, kernel: Array, slopes: Array) -> Array:
    edges = [(edge, edge) for edge in sliding.padding]
    plain = partial(_written, edges, images, stride=sliding.stride)
    return jax.vjp(plain, kernel)[1](slopes)[0]


def _by_platform(form, images: Array, kernel: Array) -> Array:
    return lax.platform_dependent(images, kernel, cpu=partial(_suited, form), default=form)


def _suited(form, images: Array, kernel: Array) -> Array:
    """In the form whose kernel on CPUs suits the widths, and the cores there are."""
    is_wide = min(kernel.shape[2:]) >= _WIDE_ENOUGH_FOR_THREADS
    return form(images, kernel, spacing=2 if is_wide and _has_several_cores() else 1)


def _has_several_cores() -> bool:
    """Whether a device can use more than one of those that this process may run on."""
    return (cores() or 1) > jax.local_device_count(backend="cpu")


def _written(
    edges: list[Pair],
    images: Array,
    kernel: Array,
    *,
    stride: Pair = _ONES,
    apart: Pair = _ONES,
    reach: Pair = _ONES,
    spacing: int = 1,
) -> Array:
    """The correlation in the order of the fast kernels.

    Args:
      edges: zeros before and after the rows, and the columns; fewer than none cuts off.
      images, kernel: as `_ORDER` says.
      stride: of the kernel over the images.
      apart: how far the images' pixels are set apart.
      reach: how far the kernel's entries are.
      spacing: what all rows are multiplied by; the numbers do not depend on it.
    """
    (before, after), columns = edges
    return lax.conv_general_dilated(
        images,
        kernel,
        window_strides=(spacing * stride[0], stride[1]),
        padding=[(spacing * before, spacing * after), columns],
        lhs_dilation=(spacing * apart[0], apart[1]),
        rhs_dilation=(spacing * reach[0], reach[1]),
        dimension_numbers=_ORDER,
    )
