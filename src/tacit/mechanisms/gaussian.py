"""The Gaussian mechanism: independent normal noise on an answer of bounded L2 sensitivity.

Noise of standard deviation sigma on an answer that one person moves by at most `sensitivity` is, up
to a rotation and a scale, N(0, s²) against N(1, s²) with s = sigma / sensitivity: only the noise
multiplier s matters to privacy. Its exact curve is in `tacit.accounting.gaussian`.

The normals are drawn by inversion. Phi^-1 of a float32 uniform on a grid of 2^-23 stops at 5.3
standard deviations, and the missing tail of 1e-7 would have to be added to delta; from a uniform
with 24 significant bits down to 2^-65 and a separate sign it reaches 9.2, and the missing tail is
under 6e-20.

A float32 normal is also too coarse: it has 24 bits, the sums have more, and the low bits of a sum
would show through untouched. So a second, independent normal of sigma / 2^12 is added, on the exact
grid of the sum: together they fill every cell of it, with a density off by a few parts in a
million, which is what a float32 inverse of Phi is accurate to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtri
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.accounting.gaussian import gaussian_delta, gaussian_noise_multiplier
from tacit.noise import words
from tacit.noise.fixed import Fixed

# The second normal's share: below the first one's resolution it takes over.
FINE = 2.0**-12


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Gaussian:
    """Adds N(0, `sigma`²) to each coordinate of an answer.

    **Guarantee**: (epsilon, `delta(epsilon)`)-differential privacy of one release, exact, under any
    relation in which neighbouring answers are within `sensitivity` in L2. Sums are exact, and the
    noise of each coordinate is normal up to a relative 1e-5 in density and a tail cut at 9.2
    `sigma`; a sampler with a proven distance is not this one.

    **Error**: `error(dim)` = dim `sigma`² in expected squared L2 norm.

    References:
        Balle and Wang 2018, "Improving the Gaussian mechanism for differential privacy".
    """

    sigma: float
    sensitivity: float

    @classmethod
    def calibrate(cls, epsilon: float, delta: float, sensitivity: float) -> Gaussian:
        """The least noise that is (`epsilon`, `delta`)-private, rounded up.

        Raises:
            ValueError: if `epsilon` is not in [0, inf), `delta` not in (0, 1), or `sensitivity` not
                positive and finite.
        """
        if not 0 < sensitivity < math.inf:
            raise ValueError(f"sensitivity must be positive and finite, got {sensitivity}")
        sigma = gaussian_noise_multiplier(epsilon, delta) * sensitivity
        while gaussian_delta(sigma / sensitivity, epsilon) > delta:
            sigma = math.nextafter(sigma, math.inf)
        return cls(sigma, float(sensitivity))

    @property
    def noise_multiplier(self) -> float:
        """The noise in units of the sensitivity."""
        return self.sigma / self.sensitivity

    def delta(self, epsilon: float) -> float:
        """The smallest delta at this epsilon."""
        return gaussian_delta(self.noise_multiplier, epsilon)

    def error(self, dim: int) -> float:
        """The expected squared L2 error of an answer with `dim` coordinates."""
        return dim * self.sigma**2

    def sample(self, key: PRNGKeyArray, total: Fixed) -> Fixed:
        """The sum with its noise, on the sum's own grid."""
        coarse, fine = (_normal(k, total.high.shape) for k in jax.random.split(key))
        noisy = total.plus(total.noise(self.sigma * coarse))
        return noisy.plus(total.noise(self.sigma * FINE * fine))


def _normal(key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "*shape"]:
    for_sign, for_tail = jax.random.split(key)
    sign = jax.random.rademacher(for_sign, shape, jnp.float32)
    return -sign * ndtri(0.5 * words.uniform(for_tail, shape))
