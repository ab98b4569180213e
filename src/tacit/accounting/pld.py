"""Privacy loss distributions on a grid: how losses are rounded, composed and read, all upwards.

The privacy loss of a pair (P, Q) is log P(o)/Q(o) for o drawn from P; losses of composed releases
add, so composition is convolution, and delta(epsilon) = E[1 - e^(epsilon - loss)]_+.

Why the rounding is safe: an outcome with loss l between two grid points is *split* into one
outcome on each of them so that its P-mass and its Q-mass are both kept. Merging the two gives the
original back, so the original is a post-processing of the split pair and no more revealing. Mass
that is cut off counts as an infinite loss. Because P- and Q-mass are kept the error of one split is
of second order in the grid ("connect the dots").

Convolution is by FFT in double precision, whose rounding is an absolute error in delta; that error
is bounded by `_ROUNDING` a composition, and the delta that is asked for is lowered by it first.

References:
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), "Connect the Dots: Tighter Discrete
    Approximations of Privacy Loss Distributions", Algorithm 1.
"""

import math
from collections.abc import Iterable
from functools import reduce

import numpy as np
from dp_accounting.pld.pld_pmf import DensePLDPmf
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from jaxtyping import Float

_ROUNDING = 1e-16
_ROUNDING_FLOOR = 1e-14


def on_grid(
    losses: Float[np.ndarray, " outcomes"],
    masses: Float[np.ndarray, " outcomes"],
    infinite: float,
    interval: float,
) -> PrivacyLossDistribution:
    """The distribution of the given losses, split onto the multiples of `interval`.

    **Guarantee.** Its delta is at least that of the given losses at every epsilon.

    Args:
        losses: finite losses of the pair, in both directions alike (a symmetric pair).
        masses: the P-mass of each.
        infinite: the P-mass that was cut off.
        interval: distance of the grid's points, in nats.
    """
    cells = np.floor(losses / interval).astype(np.int64)
    inside = np.clip(losses - cells * interval, 0.0, interval)
    upper = masses * (np.expm1(-inside) / math.expm1(-interval))
    lowest = int(cells.min())
    size = int(cells.max()) - lowest + 2
    probabilities = np.bincount(cells - lowest, masses - upper, size)
    probabilities += np.bincount(cells - lowest + 1, upper, size)
    return PrivacyLossDistribution(DensePLDPmf(interval, lowest, probabilities, infinite, True))


def compose(terms: Iterable[tuple[PrivacyLossDistribution, int]]) -> PrivacyLossDistribution:
    """The distribution of the sum of losses, each given with how often it occurs."""
    powers = (one if count == 1 else one.self_compose(count) for one, count in terms)
    return reduce(lambda left, right: left.compose(right), powers)


def epsilon_at(pld: PrivacyLossDistribution, delta: float, count: int) -> float:
    """The smallest certified epsilon at `delta` of a distribution composed from `count` terms.

    **Error.** Infinite when `delta` is within the rounding error of the convolution.
    """
    certain = delta - rounding(count)
    return pld.get_epsilon_for_delta(certain) if certain > 0 else math.inf


def rounding(count: int) -> float:
    """A bound on what double-precision convolution of `count` terms can add to delta."""
    return _ROUNDING_FLOOR + _ROUNDING * count


def interval_for(spread: float) -> float:
    """A grid fine enough that splitting a loss of this standard deviation adds below 0.1%."""
    return min(1e-4, spread / 20)
