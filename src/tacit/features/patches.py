"""How like each part of a photograph is to each of a few hundred little pictures.

Every window x of 6x6 pixels, less its mean and over its deviation, is compared with patches w_k:

    z_k = <w_k, C^(-1/2) x>,      then max(0, z_k - t) and max(0, -z_k - t),

averaged over the windows of each of 3x3 fields, and the root of that. With C the covariance of
windows of pictures in general, a product is about what is rare in a window, edges and colours, and
not about its brightness. The threshold t of one and a half deviations leaves most responses at
zero. The patches are windows of dead leaves, those with most in them, made as long as each other.

Learned from photographs, patches would be theirs, and a release. Windows taken at random do nearly
as well (Coates and Ng), and these are nobody's.

**Guarantee**: what an image becomes depends on that image and on public pictures.

| image | result |
| --- | --- |
| constant | zeros |
| with a pixel that is not finite | not finite |

References: Coates and Ng. The importance of encoding versus training with sparse coding and vector
quantization. ICML 2011 (random patches, this rectifier, fields).
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float
from numpy.lib.stride_tricks import sliding_window_view

from tacit.argument import got, is_whole

# Pixels of a window, fields a side, deviations: as the opening says, and Coates and Ng have them.
_SIDE, _FIELDS, _THRESHOLD = 6, 3, 1.5
# Of the variance of a window's pixels, and of whitened ones: what is fainter is taken for noise.
_FAINT, _RIDGE = 1e-3, 0.1
# How many windows the covariance is of, and twice as many as there can be patches: doubled, it is
# twice the memory, and patches are others. A choice, not measured.
_WINDOWS = 40_000


@final
class Patches(eqx.Module):
    """The comparison, made by `of`. Best under `jax.jit`, a few images at a time.

    Args:
      kernel: the patches under the whitening, so long that responses to public windows deviate by
        one.
    """

    kernel: Float[Array, "6 6 colours patches"]

    @staticmethod
    def of(pictures: Float[np.ndarray, "public height width colours"], patches: int) -> "Patches":
        """So many windows of these pictures.

        Args:
          pictures: public.
          patches: at least 1, and at most half as many as windows are looked at.

        Raises:
          ValueError: if patches are out of their range, or pictures are smaller than a window.
        """
        height, width = pictures.shape[1:3]
        if not min(height, width) >= _SIDE + _FIELDS - 1:
            raise ValueError(
                f"pictures must be of {_SIDE + _FIELDS - 1} pixels a side or more, "
                f"got {height} x {width}"
            )
        if not (is_whole(patches) and 1 <= patches <= _WINDOWS // 2):
            raise ValueError(f"patches must be from 1 to {_WINDOWS // 2}, got {got(patches)}")
        windows = _standard(_windows(pictures))
        variances, axes = np.linalg.eigh(windows.T @ windows / len(windows))
        root = (axes / np.sqrt(variances + _RIDGE)) @ axes.T
        chosen = _with_most(windows @ root, patches) @ root
        kernel = chosen / np.std(windows @ chosen.T)
        shape = (patches, _SIDE, _SIDE, pictures.shape[3])
        return Patches(jnp.asarray(kernel.reshape(shape).transpose(1, 2, 3, 0), jnp.float32))

    def __call__(
        self, images: Float[Array, "some height width colours"]
    ) -> Float[Array, "some 3 3 responses"]:
        even = jnp.full((*self.kernel.shape[:3], 1), 1 / self.kernel[..., 0].size)
        mean = _slid(images, even)
        deviation = jnp.sqrt(_slid(jnp.square(images), even) - jnp.square(mean) + _FAINT)
        like = _slid(images, self.kernel) / deviation
        both = jnp.concatenate([like, -like], axis=-1)
        down, across = (_fields(side) for side in like.shape[1:3])
        excess = jax.nn.relu(both - _THRESHOLD)
        return jnp.sqrt(jnp.einsum("nhwk,rh,cw->nrck", excess, down, across))


def _windows(pictures: np.ndarray) -> Float[np.ndarray, "windows numbers"]:
    every = sliding_window_view(pictures, (_SIDE, _SIDE), (1, 2))
    places = np.random.default_rng(0).integers(0, every.shape[:3], (_WINDOWS, 3)).T
    return every[tuple(places)].transpose(0, 2, 3, 1).reshape(_WINDOWS, -1).astype(float)


def _standard(windows: Float[np.ndarray, "windows numbers"]) -> Float[np.ndarray, "windows n"]:
    centred = windows - windows.mean(axis=1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=1, keepdims=True) + _FAINT)


def _with_most(
    white: Float[np.ndarray, "windows numbers"], patches: int
) -> Float[np.ndarray, "patches numbers"]:
    """The first that are longer than half of all, made of length one."""
    norms = np.linalg.norm(white, axis=1)
    chosen = np.flatnonzero(norms >= np.median(norms))[:patches]
    return white[chosen] / norms[chosen, None]


def _slid(images: Array, kernel: Array) -> Float[Array, "some rows columns filters"]:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(images, kernel, (1, 1), "VALID", dimension_numbers=numbers)


def _fields(windows: int) -> Float[np.ndarray, "3 windows"]:
    """The means over three stretches of a line, about as long as each other."""
    parts = np.array_split(np.eye(windows, dtype=np.float32), _FIELDS)
    return np.stack([part.mean(axis=0) for part in parts])
