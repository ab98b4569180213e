"""One device's share of Gaussian noise: so many of them together are the noise of a curator.

Devices whose sum alone is seen, and none of their reports, can make its noise themselves. Each adds
a little to its own term, before anybody sees it. The proof is about the noise that `shares` of them
add up to; whatever more there is in the sum is independent of it, hence post-processing.

1. *Two sums.* A share is a discrete Gaussian of variance s². Let X be one of variance j s² and Y
   another share. By step 2 of `noise.discrete` with b = 1, X + Y is a discrete Gaussian of variance
   (j + 1) s² but for a distance of `JOINT`, if t² >= 3, and

       t² = 1/(1/(j s²) + 1/s²) = s² j/(j + 1) >= s²/2,

   which is at least 3 from s² = `LEAST_VARIANCE` on.
2. *All of them.* So h shares add up to a discrete Gaussian of variance h s², within h - 1 joints
   and the distances of h draws. Total variation adds up.
3. *A normal.* A discrete Gaussian of variance c² + 1/12 is a rounded normal of deviation c within
   0.004/c⁴ (step 4 of `mechanisms.additive.gaussian`). With h s² >= c² + 1/12, c being sigma in
   steps, the sum is a whole number plus a rounded normal of deviation sigma, or more: the Gaussian
   mechanism.

Who knows some of the shares, because they added them, knows the sum without them; so `shares` is to
count only those who keep theirs to themselves, and report.

References:
    Kairouz, Liu and Steinke 2021, "The distributed discrete Gaussian mechanism for federated
    learning with secure aggregation", whose Proposition 7 bounds the same distance.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
from jaxtyping import PRNGKeyArray

from tacit.argument import got, is_number, is_whole, refuse_not_positive, takes_numpys
from tacit.mechanisms.additive.gaussian import (
    LEAST_STEPS,
    no_narrower,
    normal_distance,
    rounded_variance,
)
from tacit.mechanisms.additive.laplace import UNRECORDED, on_grid
from tacit.mechanisms.alone import per_grid
from tacit.noise.discrete import JOINT, SMOOTH, DiscreteGaussianLaw
from tacit.noise.fixed import FixedPoint

# Of a share, in squared steps: step 1.
LEAST_VARIANCE = 2 * SMOOTH


@final
class NoiseShare(eqx.Module):
    """Adds one device's share of N(0, `sigma`²), rounded to whole steps, to each number.

    **Guarantee**: of a sum in which `shares` devices have one each that nobody else knows, that of
    `Gaussian(sigma, ...)`: the Gaussian mechanism at this sigma, under any relation, but for the
    reserve of `tv_distance(dim)` that is to be added to delta (`accounting.reserve`). One number
    with one share is promised nothing here.

    **Error**: `variance` for each number and share, exact; h shares have sigma² and 1/12 of a
    squared step together, with the h of `shares`.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | fewer than `shares` | less noise: the promise is void |
    | beyond 2^46 steps with its noise | wraps around: a function of the release |

    Args:
      sigma: The normal's deviation, in the unit of the answer; at least 1024 steps.
      step: Of the grid, from 2^-100 to 2^100.
      shares: How many suffice, at least 1; a share has a variance of at least 6 squared steps.

    Raises:
      ValueError: if a number is out of range.
    """

    sigma: float
    step: float
    shares: int
    law: DiscreteGaussianLaw = eqx.field(metadata=UNRECORDED)

    @takes_numpys
    def __init__(self, sigma: float, step: float, shares: int):
        _refuse_no_share(sigma, step, shares)
        own = rounded_variance(sigma, step) / int(shares)
        if not own >= LEAST_VARIANCE:
            most = int(own * int(shares) / LEAST_VARIANCE)
            raise ValueError(
                f"a deviation of {sigma / step:g} steps has at most {most} shares, got {shares}; "
                "on a finer grid it has more"
            )
        self.sigma, self.step, self.shares = float(sigma), float(step), int(shares)
        self.law = no_narrower(own)

    @property
    def variance(self) -> float:
        """Of one share of the noise on one number."""
        return self.law.variance * self.step**2

    def tv_distance(self, dim: int, many: int | None = None) -> float:
        """How far the sum of `many` shares of `dim` numbers, the least that suffice unless told, is
        from rounded normals, at most."""
        summed = self.shares if many is None else many
        return dim * (summed * (self.law.tv_distance + float(JOINT)) + self._from_normal)

    @property
    def _from_normal(self) -> float:
        """Step 3, for `shares` of them; more have a larger deviation, and are nearer."""
        return normal_distance(self.sigma / self.step)

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """Each number with a share of its own, on its own grid."""
        return on_grid(total, self.step).shifted(self.law.limbs(key, total.high.shape))


def _refuse_no_share(sigma: float, step: float, shares: int) -> None:
    refuse_not_positive("sigma", sigma)
    if not (is_number(step) and 2.0**-100 <= step <= 2.0**100):
        raise ValueError(f"step must be from 2^-100 to 2^100, got {got(step)}")
    if not sigma / step >= LEAST_STEPS:
        raise ValueError(f"sigma must be at least {LEAST_STEPS:g} steps of {step}, got {sigma}")
    if not (is_whole(shares) and shares >= 1):
        raise ValueError(f"shares must be a positive whole number, got {got(shares)}")
