"""Features of pictures, ready for a private linear classifier: scattering, groups, whitening.

    image -> `Scattering` -> `group_normalised` -> `Whitening` by `dead_leaves` -> a row

Noise is spread over few weights then, and few steps are needed: with 60,000 people, epsilon 3 and
delta 1e-5 a linear classifier reads 98.7% of MNIST's test digits (`bench/mnist.py`).

**Guarantee**: nothing of it is estimated from people. The filters are constants, the whitening is
that of pictures drawn from one fixed key, and a row depends on one image. So rows cost nothing, and
a person still moves one row. Its norm is `length`, up to the rounding of float32.

| image | row |
| --- | --- |
| constant, black too | of norm `length` like any other |
| with a pixel that is not finite | NaN, which counts as zero in every mean |

References: Tramer and Boneh. Differentially private learning needs better features (or much more
data). ICLR 2021 (without the whitening).
"""

from typing import final

import equinox as eqx
import jax
import numpy as np
from jax import random
from jaxtyping import Array, Float, Float32, Key

from tacit.argument import refuse_not_counted
from tacit.features.chunks import Heard, in_chunks
from tacit.features.dead_leaves import dead_leaves
from tacit.features.scattering import Scattering, group_normalised
from tacit.features.whitening import Whitening

# What the two steps are fastest with on a CPU: images side by side in cache, rows in one solve.
_IMAGES, _ROWS = 60, 1920


@final
class ScatteringFeatures(eqx.Module):
    """Images of one size, with values in [0, 1], to rows: `ScatteringFeatures(28, 28)(images)`.

    Making it draws and transforms the dead leaves: for 28 x 28 a quarter of a minute on two cores.
    After that an image takes half a millisecond. Memory is twice that of the rows.

    Args:
      height, width: of an image in pixels, multiples of 4 and at least 8.
      length: the norm of every row.
      pictures: dead leaves that the whitening is estimated on.
      groups: of the 81 channels of scattering, normalised together.
      ridge: of the whitening, as a share of all variance.
      heard: asked before every few pictures, here and of rows; what it raises ends all.

    Raises:
      ValueError: if the sides do not fit, the groups do not divide the channels, the pictures are
        fewer than two, or length or ridge is not positive and finite.
    """

    transform: Scattering
    groups: int = eqx.field(static=True)
    whitening: Whitening

    def __init__(
        self,
        height: int,
        width: int,
        length: float = 1.0,
        pictures: int = 12_000,
        groups: int = 27,
        ridge: float = 3e-4,
        heard: Heard = lambda: None,
    ):
        refuse_not_counted("pictures", pictures, 2)
        self.transform, self.groups = Scattering(height, width), groups
        keys = random.split(random.key(0), pictures)
        rows = in_chunks(
            lambda some: _of_leaves(some, self.transform, groups), keys, _IMAGES, heard
        )
        self.whitening = Whitening.of(rows, ridge, length)

    @property
    def features(self) -> int:
        """How many numbers a row has."""
        return self.whitening.mean.size

    def __call__(
        self, images: Float[np.ndarray, "people height width"], heard: Heard = lambda: None
    ) -> Float32[np.ndarray, "people features"]:
        height, width = self.transform.height, self.transform.width
        if not (len(images) >= 1 and images.shape[1:] == (height, width)):
            raise ValueError(
                f"images must be one or more of {height} x {width}, without colours "
                f"(for those there is ColourFeatures), got shape {images.shape}"
            )
        return in_chunks(lambda some: self._white(some, heard), images, _ROWS)

    def _white(
        self, images: Float[np.ndarray, "some height width"], heard: Heard
    ) -> Float[Array, "some features"]:
        rows = in_chunks(
            lambda few: _scattered(few, self.transform, self.groups), images, _IMAGES, heard
        )
        return _applied(self.whitening, rows)


@eqx.filter_jit
def _of_leaves(keys: Key[Array, " some"], transform: Scattering, groups: int) -> Array:
    draw = jax.vmap(lambda key: dead_leaves(key, transform.height, transform.width))
    return _scattered(draw(keys), transform, groups)


@eqx.filter_jit
def _scattered(
    images: Float[Array, "some height width"], transform: Scattering, groups: int
) -> Float[Array, "some features"]:
    normal = group_normalised(transform(images), groups)
    return normal.reshape(len(images), -1) / np.sqrt(np.prod(transform.shape))


@eqx.filter_jit
def _applied(whitening: Whitening, rows: np.ndarray) -> Array:
    return whitening(rows)
