"""Wavelet scattering: public features of an image on which a linear classifier does well.

With wavelets psi of about 2^j pixels, a Gaussian phi of about 2^J and samples every 2^J pixels, the
channels are

    order 0    x * phi                            1
    order 1    |x * psi_1| * phi                  J L              each j, each angle
    order 2    ||x * psi_1| * psi_2| * phi        L^2 J (J-1)/2    j_2 > j_1, both angles

so 81 for J = 2 and L = 8. Morlet wavelets: a Gaussian of deviation 0.8 2^j times a wave of
frequency 3 pi / 2^(j+2), less the multiple of the Gaussian that makes the mean zero; across the
wave the Gaussian is L/4 times as long. They are written down in frequency, where sampling them in
space is a sum over aliases. A modulus is kept at every 2^j-th pixel. Seen from that coarser grid
the later wavelets are those of scale J - j again.

**Guarantee**: the filters are constants and every function here reads one image, so a person's
features are of that person alone. They cost no privacy, and one person still moves one row.

**Energy**: on each grid the wavelets are scaled by one number, the largest with

    |phi(w)|^2 + sum (|psi(w)|^2 + |psi(-w)|^2)/2 <= 1    at every frequency w,

which bounds the energy of all filtered copies of a real image by its own. A modulus and leaving out
pixels bring two images no further apart. By induction over the orders the transform of the padded
image is a contraction. Padding by reflection shows a pixel at most three times along each axis: two
images' features are at most three times as far apart as the images, up to float32 rounding.

| case | result |
| --- | --- |
| a shift by a few pixels, fewer than 2^J | features move little |
| a constant image | order 0 constant, all other channels zero |
| a pixel that is not finite | features that are not finite: they count as zero in every mean |

References: Mallat. Group invariant scattering. CPAM 2012. Bruna and Mallat. Invariant scattering
convolution networks. TPAMI 2013. Andreux et al. Kymatio: scattering transforms in Python. JMLR 2020
(these constants). Tramer and Boneh. Differentially private learning needs better features (or much
more data). ICLR 2021 (under a private linear classifier, with group normalisation).
"""

import itertools
from functools import lru_cache
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from tacit.argument import counted, got, is_whole, refuse_not_counted

# Kymatio's, of the first wavelet: in pixels, and in radians a pixel.
_DEVIATION, _FREQUENCY = 0.8, 3 * np.pi / 4
# Kymatio's too. Of four angles or more, another alias of any wave is below e^-33 of its peak:
# (4 pi - 3 pi/4)^2 0.8^2/2 is more than 33.
_ALIASES = 2 * np.pi * np.arange(-2, 3)
# Of the variance of a group, so that a group that is constant becomes zero.
_SMALL = 1e-5


@final
class Scattering(eqx.Module):
    """The transform of images of one size: `Scattering(28, 28)(images)`, best under `jax.jit`.

    Leading axes may run over people, colours or both; each plane is transformed by itself. A few
    dozen images at a time are fastest on a CPU.

    Args:
      height, width: of an image in pixels, multiples of 2^scale and at least twice that.
      scale: J.
      angles: L, of the half circle.

    Raises:
      ValueError: if the scale is below 1, the angles below 2, or the sides do not fit the scale.
    """

    height: int = eqx.field(static=True, converter=counted)
    width: int = eqx.field(static=True, converter=counted)
    scale: int = eqx.field(static=True, converter=counted, default=2)
    angles: int = eqx.field(static=True, converter=counted, default=8)

    def __check_init__(self):
        refuse_not_counted("scale", self.scale)
        refuse_not_counted("angles", self.angles, 2)
        refuse_not_counted("height", self.height)
        refuse_not_counted("width", self.width)
        if any(side % self.step or side < 2 * self.step for side in (self.height, self.width)):
            raise ValueError(
                f"sides must be multiples of {self.step} and at least {2 * self.step}, "
                f"got {self.height} x {self.width}"
            )

    @property
    def step(self) -> int:
        """Pixels between neighbouring features, and the width of the padding: 2^scale."""
        return 2**self.scale

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one plane's features: channels, rows, columns."""
        pairs = self.scale * (self.scale - 1) // 2
        channels = 1 + self.scale * self.angles + pairs * self.angles**2
        return channels, self.height // self.step, self.width // self.step

    def __call__(
        self, images: Float[Array, "*planes height width"]
    ) -> Float[Array, "*planes channels rows columns"]:
        if images.shape[-2:] != (self.height, self.width):
            raise ValueError(
                f"images must be {self.height} x {self.width}, got shape {images.shape}"
            )
        margins = [(0, 0)] * (images.ndim - 2) + [(self.step, self.step)] * 2
        padded = jnp.pad(images, margins, mode="reflect")[..., None, :, :]
        first = [_moduli(padded, self._wavelets(padded, 0)[j], 2**j) for j in range(self.scale)]
        orders = [self._averaged(each) for each in (padded, *first)]
        for j, later in itertools.combinations(range(self.scale), 2):
            grown = self._wavelets(first[j], j)[later - j]
            second = _moduli(first[j][..., None, :, :], grown, 2 ** (later - j))
            joined = second.reshape(*second.shape[:-4], -1, *second.shape[-2:])
            orders.append(self._averaged(joined))
        return jnp.concatenate(orders, axis=-3)

    def _wavelets(self, signal: Array, coarser: int) -> np.ndarray:
        return wavelets(*signal.shape[-2:], self.scale - coarser, self.angles)

    def _averaged(self, signal: Float[Array, "*n h w"]) -> Float[Array, "*n rows columns"]:
        down, across = (
            _averages(side, self.scale, pixels)
            for side, pixels in zip((self.height, self.width), signal.shape[-2:], strict=True)
        )
        return jnp.einsum("...hw,rh,cw->...rc", signal, down, across)


def group_normalised(
    features: Float[Array, "*people channels rows columns"], groups: int
) -> Float[Array, "*people channels rows columns"]:
    """Mean zero and variance one over each group of channels and all pixels of one image.

    **Guarantee**: it reads one image, unlike batch normalisation, whose statistics are a release
    of their own. The features of an image are at most as long as the root of their number.

    Raises:
      ValueError: if the channels do not divide into the groups.
    """
    channels = features.shape[-3]
    if not (is_whole(groups) and groups >= 1 and channels % groups == 0):
        raise ValueError(f"groups must divide the {channels} channels, got {got(groups)}")
    grouped = features.reshape(*features.shape[:-3], groups, -1)
    return jax.nn.standardize(grouped, axis=-1, epsilon=_SMALL).reshape(features.shape)


@lru_cache
def wavelets(
    height: int, width: int, scale: int, angles: int
) -> Float[np.ndarray, "scale angles height width"]:
    """The wavelets in frequency on a periodic grid; real numbers, and public constants."""
    bank = _bank(height, width, scale, angles)
    deviation = _DEVIATION * 2 ** (scale - 1)
    average = np.outer(_gaussian(height, deviation), _gaussian(width, deviation))
    energy = np.sum(np.square(bank), axis=(0, 1))
    energy = (energy + np.roll(energy[::-1, ::-1], 1, axis=(0, 1))) / 2
    room = (1 - np.square(average)).ravel()[1:] / energy.ravel()[1:]
    constants = (bank * np.sqrt(np.min(room))).astype(np.float32)
    constants.setflags(write=False)
    return constants


def _bank(
    height: int, width: int, scale: int, angles: int
) -> Float[np.ndarray, "scale angles height width"]:
    """Of all scales and angles, before they are scaled by one number."""
    return np.array(
        [
            [
                _morlet(height, width, j, np.pi * angle / angles, angles / 4)
                for angle in range(angles)
            ]
            for j in range(scale)
        ]
    )


def _morlet(height: int, width: int, j: int, angle: float, longer: float) -> np.ndarray:
    y, x = (2 * np.pi * np.arange(side) / side for side in (height, width))
    y, x = np.add.outer(_ALIASES, y)[:, None, :, None], np.add.outer(_ALIASES, x)[:, None, :]
    along = np.cos(angle) * y + np.sin(angle) * x
    across = longer * (np.cos(angle) * x - np.sin(angle) * y)

    def gaussian(frequency: float) -> np.ndarray:
        squares = np.square(along - frequency) + np.square(across)
        return np.sum(np.exp(-np.square(_DEVIATION * 2**j) / 2 * squares), axis=(0, 1))

    wave, plain = gaussian(_FREQUENCY / 2**j), gaussian(0.0)
    return wave - wave[0, 0] / plain[0, 0] * plain


def _gaussian(length: int, deviation: float) -> Float[np.ndarray, " length"]:
    frequencies = np.add.outer(_ALIASES, 2 * np.pi * np.arange(length) / length)
    total = np.sum(np.exp(-np.square(deviation * frequencies) / 2), axis=0)
    return total / total[0]


@lru_cache
def _averages(side: int, scale: int, pixels: int) -> Float[np.ndarray, "samples pixels"]:
    """The matrix from a padded and already coarser line to its smoothed samples."""
    step = 2**scale
    coarser = (side + 2 * step) // pixels
    kernel = np.fft.ifft(_gaussian(pixels, _DEVIATION * 2 ** (scale - 1) / coarser)).real
    places = np.arange(step, step + side, step) // coarser
    return np.array([np.roll(kernel, place) for place in places], np.float32)


def _moduli(
    signal: Float[Array, "*n 1 h w"], filters: Float[np.ndarray, "angles h w"], step: int
) -> Float[Array, "*n angles rows columns"]:
    """The moduli of a signal under each filter, at every `step`-th pixel along both axes."""
    product: Complex[Array, "*n angles h w"] = jnp.fft.fft2(signal) * filters
    *lead, height, width = product.shape
    aliased = product.reshape(*lead, step, height // step, step, width // step)
    return jnp.abs(jnp.fft.ifft2(jnp.mean(aliased, axis=(-4, -2))))
