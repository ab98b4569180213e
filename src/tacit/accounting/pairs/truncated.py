"""A Gaussian sum over a Poisson cohort that is cut at random to a capacity.

n people, the observed one among them, join independently with probability q; of a cohort larger
than B, a uniform B-subset is kept. Let c ~ Bin(n-1, q) be how many *others* join. Whether the
cohort is *full*, c >= B, depends on them alone, so both neighbours may be told.

1. *Not full.* Nobody is cut, with the person or without: the ordinary Poisson pair
   (1-q) N(0, 1) + q N(1/z, 1) against N(0, 1).
2. *Full.* Without the person, the sum is over a B-subset T of the others, uniform given c. With the
   person, it is over T too, unless the person joins and is kept, which given c has the probability
   q B / (c + 1); then the kept others are a uniform (B-1)-subset, or T with one uniform member
   replaced by the person.
3. Tell both neighbours T and who that member would be: they are uniform whatever c is, independent
   of whether the person is kept.
4. Averaged over c given that it is full, with
   P[Bin(n-1, q) = c] q / (c + 1) = P[Bin(n, q) = c + 1] / n, the person is kept with probability

       s = E[q B / (c + 1) | c >= B] = B P[Bin(n, q) > B] / (n p),     p = P[Bin(n-1, q) >= B].

5. Replacing a member moves the sum by at most 2: the pair (1-s) N(0, 1) + s N(2/z, 1) against
   N(0, 1). It only grows with s, so s may be rounded up, and s <= q B / (B + 1) always.
6. The release is the union of both pairs, with the weights 1 - p and p, in each direction.

References:
    "Tighter privacy analysis for truncated Poisson sampling" (2025), arXiv 2508.15089.
"""

import math

import numpy as np
from jaxtyping import Float

from tacit.accounting.loss.pld import Directions
from tacit.accounting.pairs import sampled_gaussian
from tacit.accounting.pairs.records import ShiftedGaussians, mixture_renyi
from tacit.accounting.pairs.subsampled import union
from tacit.borrowed import TruncatedSubsampledGaussianDpEvent
from tacit.late import binom

Orders = Float[np.ndarray, " orders"]
Piece = tuple[float, float, float]
"""How likely a cohort is of this kind, the person's rate in it, and the noise multiplier."""


def spread(event: TruncatedSubsampledGaussianDpEvent) -> float:
    """The standard deviation of one release's loss, the person present."""
    variances = [w * sampled_gaussian.spread(rate, z) ** 2 for w, rate, z in pieces(event)]
    return math.sqrt(math.fsum(variances))


def losses(event: TruncatedSubsampledGaussianDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one release: the person removed, and added.

    **Guarantee.** Add/remove, where the larger of the two data sets has `dataset_size` people. A
    different number of people is a different event: its epsilon may be larger or smaller.

    **Error.** None beyond the Poisson pair's own grid and tail.

    | capacity | result |
    | --- | --- |
    | at least `dataset_size` | plain Poisson sampling |
    | 1 | at most one person is in any sum |
    """
    return union(
        [
            (weight, sampled_gaussian.poisson_losses(rate, multiplier, interval, tail))
            for weight, rate, multiplier in pieces(event)
        ]
    )


def renyi(event: TruncatedSubsampledGaussianDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one release, the larger of both directions; no grid is used.

    **Guarantee.** Upper bounds. Which kind of cohort it was is told, so the moments are averaged.
    """
    moments = [
        math.log(weight) + (orders - 1) * mixture_renyi(_mixture(rate, multiplier), orders)
        for weight, rate, multiplier in pieces(event)
    ]
    return np.maximum(np.logaddexp.reduce(moments, axis=0), 0.0) / (orders - 1)


def pure_epsilon(event: TruncatedSubsampledGaussianDpEvent) -> float:
    """Infinite: no Gaussian release is purely private."""
    return math.inf


def pieces(event: TruncatedSubsampledGaussianDpEvent) -> list[Piece]:
    """The cohorts that are not full, and the full ones, as far as each can occur."""
    people, rate = event.dataset_size, event.sampling_probability
    capacity, multiplier = event.truncated_batch_size, event.noise_multiplier
    if capacity >= people:
        return [(1.0, rate, multiplier)]
    # A tail too small for a float is rounded up to the smallest that is not.
    full = max(float(binom.sf(capacity - 1, people - 1, rate)), np.finfo(float).tiny)
    # Steps 4 and 5.
    kept = binom.sf(capacity, people, rate) / full * (capacity / people) * (1 + 1e-12)
    most = rate * capacity / (capacity + 1)
    replaced = most if full < 1e-290 else min(float(kept), most)
    free = (float(binom.cdf(capacity - 1, people - 1, rate)), rate, multiplier)
    return [piece for piece in (free, (full, replaced, multiplier / 2)) if piece[0] > 0]


def _mixture(rate: float, multiplier: float) -> ShiftedGaussians:
    if rate == 1:
        return ShiftedGaussians(np.array([1 / multiplier]), np.zeros(1))
    logs = np.array([math.log1p(-rate), math.log(rate)])
    return ShiftedGaussians(np.array([0.0, 1 / multiplier]), logs)
