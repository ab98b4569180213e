"""The few directions in which public photographs vary most, as a classifier is to learn from them.

    image -> how like it is to windows of public photographs (`Patches`), and its mirror image
          -> the mean of both: 7,200 numbers for 400 windows
          -> the first principal directions of public photographs, white (`PrincipalWhitening`)
          -> a row of norm `length`

Where photographs of other things are public, nothing has to stand in for them, and what tells one
of them from another tells pictures of new things apart, too: `bench/finetune.py` asks people for a
linear classifier of five classes from 96 directions of five others. A report about few numbers has
little noise.

**Guarantee**: what an image becomes depends on that image and on public photographs. Its norm is
`length`, up to the rounding of float32.

| image | row |
| --- | --- |
| constant, black too | of norm `length` like any other |
| and its mirror image | the same, up to rounding |
| with a pixel that is not finite | NaN, which counts as zero in every mean |

References: Coates and Ng. The importance of encoding versus training with sparse coding and vector
quantization. ICML 2011 (patches).
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32

from tacit.argument import refuse_not_positive
from tacit.features.chunks import Heard, in_chunks
from tacit.features.patches import Patches
from tacit.features.principal_whitening import PrincipalWhitening

# Images side by side in cache.
_IMAGES = 10


@final
class PatchDirections(eqx.Module):
    """Images of one size in colours to rows, made by `of`.

    Args:
      patches: that images are compared with.
      white: the directions of what comes of that.
      length: the norm of every row.
    """

    patches: Patches
    white: PrincipalWhitening
    length: float

    @staticmethod
    def of(
        pictures: Float[np.ndarray, "public height width colours"],
        kept: int,
        length: float = 1.0,
        patches: int = 400,
        ridge: float = 1e-2,
        heard: Heard = lambda: None,
    ) -> "PatchDirections":
        """Directions of these photographs.

        Args:
          pictures: public.
          kept: how many directions.
          length: the norm of every row.
          patches: windows that images are compared with.
          ridge: of the whitening, as a share of all variance.
          heard: asked before every few pictures, here and of rows; what it raises ends all.

        Raises:
          ValueError: if length or ridge is not positive and finite, pictures are too small for
            windows or equal, or kept or patches are out of their range.
        """
        refuse_not_positive("length", length)
        made = Patches.of(pictures, patches)
        numbers = in_chunks(lambda some: _numbers(some, made), pictures, _IMAGES, heard)
        return PatchDirections(made, PrincipalWhitening.of(numbers, kept, ridge), length)

    def __call__(
        self, images: Float[np.ndarray, "people height width colours"], heard: Heard = lambda: None
    ) -> Float32[np.ndarray, "people kept"]:
        return in_chunks(lambda some: _rows(some, self), images, _IMAGES, heard)


@eqx.filter_jit
def _numbers(
    images: Float[Array | np.ndarray, "some height width colours"], patches: Patches
) -> Float[Array, "some numbers"]:
    images = jnp.asarray(images)
    both = (patches(images) + patches(images[:, :, ::-1])) / 2
    return both.reshape(len(images), -1)


@eqx.filter_jit
def _rows(
    images: Float[Array | np.ndarray, "some height width colours"], of: PatchDirections
) -> Float[Array, "some kept"]:
    rows = of.white(_numbers(images, of.patches))
    return of.length * rows / jnp.linalg.norm(rows, axis=1, keepdims=True)
