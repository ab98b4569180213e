"""The discrete Gaussian mechanism: whole numbers in, whole numbers out, concentrated privacy.

Each of the numbers gets independent noise k of mass proportional to e^(-k²/2sigma²), for any sigma.
For neighbours n = `sensitivity` apart in L2 and every order alpha > 1, the Renyi divergence
of the releases is at most alpha n²/2sigma², as of normal noise.

1. *One number*, and neighbours a whole m apart. Completing the square, the divergence is
   alpha m²/2sigma² and, divided by alpha - 1, the log of S(alpha m)/S(0), S(x) = sum_k
   e^(-(k - x)²/2sigma²). By Poisson's formula S is largest where x is whole, so that log is at most
   0.
2. *Several.* Divergences of independent coordinates add up, and the m² to n².
"""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import numpy as np
from jaxtyping import ArrayLike, Int64, PRNGKeyArray

from tacit.accounting import events
from tacit.argument import refuse_not_positive, takes_numpys
from tacit.borrowed import DpEvent
from tacit.mechanisms.additive.laplace import UNRECORDED
from tacit.mechanisms.alone import whole_numbers
from tacit.noise.discrete import LARGEST_SCALE, DiscreteGaussianLaw
from tacit.noise.fixed import joined


@final
class DiscreteGaussian(eqx.Module):
    """Adds discrete Gaussian noise to whole numbers.

    **Guarantee**: `rho`-zero-concentrated differential privacy of one release, rho =
    `sensitivity`² / 2 `sigma`², under any relation in which neighbouring vectors are within
    `sensitivity` in L2; but for the reserve of `tv_distance(dim)` that is to be added to delta
    (`accounting.reserve`). Composed by `event(dim)`.

    **Error**: `variance` a number, `error(dim)` = dim `variance`, exact; at most `sigma`² a number.

    | numbers | effect |
    | --- | --- |
    | none, or not whole by their type | ValueError |
    | beyond 2^63 with their noise | wrap around: a function of the release |

    Args:
      sigma: Positive, at most 2^40.
      sensitivity: In L2, positive and finite: the root of a whole number.

    References:
        Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy",
        Theorem 4 and Algorithm 3's law.
    """

    sigma: float
    sensitivity: float
    noise: DiscreteGaussianLaw = eqx.field(metadata=UNRECORDED)

    @takes_numpys
    def __init__(self, sigma: float, sensitivity: float = 1.0):
        for name, value in (("sigma", sigma), ("sensitivity", sensitivity)):
            refuse_not_positive(name, value)
        if not sigma <= LARGEST_SCALE:
            raise ValueError(f"sigma must be at most 2^40, got {sigma}")
        self.sigma, self.sensitivity = float(sigma), float(sensitivity)
        self.noise = DiscreteGaussianLaw.of(self.sigma)

    @property
    def rho(self) -> float:
        """What a release costs in zero-concentrated privacy (steps 1 and 2), rounded up."""
        half = (self.sensitivity / self.sigma) ** 2 / 2
        return half * (1 + 2.0**-50)

    def event(self, dim: int) -> DpEvent:
        """Of `dim` numbers at once; of one, a whole number apart, the tighter curve of its law."""
        if dim == 1 and self.sensitivity.is_integer():
            return events.discrete_gaussian(self.sigma, int(self.sensitivity))
        return events.zcdp(self.rho)

    @property
    def variance(self) -> float:
        """Of the noise on one number."""
        return self.noise.variance

    def error(self, dim: int) -> float:
        """The mean squared L2 error of `dim` numbers."""
        return dim * self.variance

    def reach(self, chance: float) -> float:
        """How far the noise moves one number, at most, but for this chance: like normal noise, its
        e^(s k) is e^(s² sigma²/2) at most on average, so |k| > t has 2 e^(-t²/2 sigma²)."""
        return self.sigma * math.sqrt(2 * math.log(2 / chance))

    def tv_distance(self, dim: int) -> float:
        """How far the noise of `dim` numbers is from its law, at most, in total variation."""
        return dim * self.noise.tv_distance * (1 + 2.0**-52)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> Int64[np.ndarray, "*shape"]:
        """The numbers with their noise, as NumPy's 64-bit integers, in the same shape."""
        exact = whole_numbers(values)
        return np.asarray(exact + joined(self.noise.limbs(key, exact.shape)))
