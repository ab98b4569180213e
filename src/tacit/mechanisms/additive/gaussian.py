"""The Gaussian mechanism: independent normal noise on an answer of bounded L2 sensitivity.

Noise of standard deviation sigma on an answer that one person moves by at most `sensitivity` is, up
to a rotation and a scale, N(0, s²) against N(1, s²) with s = sigma / sensitivity: only the noise
multiplier s matters to privacy. Its exact curve is in `tacit.accounting.loss.gaussian`.

**On a grid.** The answer is a whole number t of steps, and so must the noise be: floats would show
what t was. Let c be sigma in steps.

1. Rounding t + N(0, c²) is post-processing of the mechanism above; and as t is whole, that is t
   plus a rounded normal.
2. What is added here is not a rounded normal but a discrete Gaussian, which `noise.discrete` draws
   exactly, of variance c² + 1/12. Why the twelfth: rounding is a convolution with the uniform law
   mu of [-1/2, 1/2]. With phi the density of N(0, c²) and nu = N(0, 1/12), a rounded normal has
   mass (phi * mu)(k), the discrete Gaussian is proportional to (phi * nu)(k), and mu and nu agree
   in their first three moments.
3. By Taylor's formula to the fourth order |phi * (mu - nu)| integrates to at most

       (E_mu x⁴ + E_nu x⁴)/24 |phi''''|_1 <= (1/80 + 1/48)/24 sqrt(24)/c⁴ < 0.0069/c⁴,

   and its derivative, likewise, to sqrt(120)/sqrt(24) < 2.3 times 1/c of that.
4. A sum over whole numbers is at most the integral plus the derivative's, so from c = 16 on the two
   laws are within 0.004/c⁴ in total variation (the discrete law's constant is off by
   2 e^(-2 pi² c²), which the rounding up covers): 2^-71 a coordinate from c = 2^16 on.
5. A variance above c² + 1/12, as it is rounded up, is that of a larger c: more noise of the same
   kind, and post-processing.

The distance of step 4 and the tables' own are `tv_distance`; they are added to delta.

So one theorem serves every shape, every sampling and every accountant of normal noise, on numbers
and on counts alike; nothing has to be proved of discrete Gaussians themselves.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import final

import equinox as eqx
from jaxtyping import PRNGKeyArray

from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_noise_multiplier
from tacit.argument import got, is_number, refuse_not_positive, takes_numpys
from tacit.mechanisms.additive.laplace import on_grid
from tacit.mechanisms.alone import per_grid
from tacit.noise.discrete import DiscreteGaussianLaw
from tacit.noise.fixed import FixedPoint

# The least deviation in steps: where the fourth-order bound is proved and already small.
LEAST_STEPS = 2.0**10


def normal_distance(deviation: float) -> float:
    """Of a rounded normal of so many steps and a discrete Gaussian of 1/12 more variance: step 4.

    In total variation, at most.
    """
    return 0.004 / deviation**4


def rounded_variance(sigma: float, step: float) -> Fraction:
    """Of a normal that is rounded to whole steps, in squared steps (step 2)."""
    return (Fraction(sigma) / Fraction(step)) ** 2 + Fraction(1, 12)


def no_narrower(variance: Fraction) -> DiscreteGaussianLaw:
    """The discrete Gaussian whose deviation is a float, and its square no smaller (step 5)."""
    root = math.sqrt(variance)
    while Fraction(root) ** 2 < variance:
        root = math.nextafter(root, math.inf)
    return DiscreteGaussianLaw.of(root)


@final
class Gaussian(eqx.Module):
    """Adds N(0, `sigma`²), rounded to whole steps, to each coordinate of an answer.

    **Guarantee**: (epsilon, `delta(epsilon)`)-differential privacy of one release under any
    relation in which neighbouring answers are within `sensitivity` in L2, but for the reserve of
    `tv_distance(dim)` that is to be added to delta (`accounting.reserve`).

    **Error**: `error(dim)` = dim `variance` in mean squared L2 norm; the variance is `sigma`²
    and 1/12 of a squared step.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    Args:
      sigma: The normal's standard deviation, in the unit of the answer; at least 1024 steps.
      sensitivity: In the unit of the answer.
      step: Of the answer's grid, from 2^-100 to 2^100; the law of the noise depends on it, its
        privacy does not.

    References:
        Balle and Wang 2018, "Improving the Gaussian mechanism for differential privacy".
        Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy".
    """

    sigma: float
    sensitivity: float
    step: float
    steps: DiscreteGaussianLaw = eqx.field(metadata={"recorded": False})

    @takes_numpys
    def __init__(self, sigma: float, sensitivity: float, step: float):
        for name, value in (("sigma", sigma), ("sensitivity", sensitivity)):
            refuse_not_positive(name, value)
        if not (is_number(step) and 2.0**-100 <= step <= 2.0**100):
            raise ValueError(f"step must be from 2^-100 to 2^100, got {got(step)}")
        if not sigma / step >= LEAST_STEPS:
            raise ValueError(f"sigma must be at least {LEAST_STEPS:g} steps of {step}, got {sigma}")
        self.sigma, self.sensitivity, self.step = float(sigma), float(sensitivity), float(step)
        self.steps = no_narrower(rounded_variance(sigma, step))

    @classmethod
    @takes_numpys
    def calibrate(cls, epsilon: float, delta: float, sensitivity: float, step: float) -> Gaussian:
        """The least noise that is (`epsilon`, `delta`)-private, rounded up.

        Raises:
          ValueError: if `epsilon` is not in [0, inf), `delta` not in (0, 1), or another argument
            is out of range.
        """
        refuse_not_positive("sensitivity", sensitivity)
        sigma = gaussian_noise_multiplier(epsilon, delta) * sensitivity
        while gaussian_delta(sigma / sensitivity, epsilon) > delta:
            sigma = math.nextafter(sigma, math.inf)
        return cls(sigma, sensitivity, step)

    @property
    def noise_multiplier(self) -> float:
        """The noise in units of the sensitivity."""
        return self.sigma / self.sensitivity

    @property
    def variance(self) -> float:
        """Of the noise on one coordinate."""
        return self.sigma**2 + self.step**2 / 12

    def delta(self, epsilon: float) -> float:
        """The smallest delta at this epsilon, without the distance."""
        return gaussian_delta(self.noise_multiplier, epsilon)

    def tv_distance(self, dim: int) -> float:
        """How far a release of `dim` coordinates is from one with rounded normals, at most."""
        return dim * (self.steps.tv_distance + normal_distance(self.sigma / self.step))

    def error(self, dim: int) -> float:
        """The mean squared L2 error of an answer with `dim` coordinates."""
        return dim * self.variance

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        return on_grid(total, self.step).shifted(self.steps.limbs(key, total.high.shape))
