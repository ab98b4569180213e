"""Privacy losses on a grid: how they are rounded, composed and read, all upwards.

The privacy loss of a pair (P, Q) is log P(o)/Q(o) for o drawn from P; losses of composed releases
add, so composition is convolution, and delta(epsilon) = E[1 - e^(epsilon - loss)]_+.

Why the rounding is safe: an outcome with loss l between two grid points is *split* into one
outcome on each of them so that its P-mass and its Q-mass are both kept. Merging the two gives the
original back, so the original is a post-processing of the split pair and no more revealing. Mass
that is cut off counts as an infinite loss. Because P- and Q-mass are kept, the error of one split
is of second order in the grid ("connect the dots").

Convolution is by FFT in double precision, whose rounding is an absolute error in delta. The delta
that is asked for is first lowered by `rounding`: at least five times the shortfall measured against
tilted convolutions, whose error is relative, up to a million compositions.

References:
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), "Connect the Dots: Tighter Discrete
    Approximations of Privacy Loss Distributions", Algorithm 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from dp_accounting.pld.common import self_convolve
from jaxtyping import Float
from scipy.signal import fftconvolve

_TAIL = 1e-15
_ROUNDING = 1e-16
_ROUNDING_FLOOR = 1e-14
Masses = Float[np.ndarray, " outcomes"]


@dataclass(frozen=True)
class Losses:
    """P-masses of the losses (lowest + i) * interval, and of an infinite loss."""

    interval: float
    lowest: int
    masses: Masses
    infinite: float


Directions = tuple[Losses, Losses]
"""The losses of (P, Q) and of (Q, P): a promise is the worse of the two, each composed alone."""


def on_grid(losses: Masses, masses: Masses, infinite: float, interval: float) -> Losses:
    """The given losses, split onto the multiples of `interval`.

    **Guarantee.** Its delta is at least that of the given losses at every epsilon.

    Args:
        losses: finite losses.
        masses: the P-mass of each.
        infinite: the P-mass that was cut off.
        interval: distance of the grid's points, in nats.
    """
    cells = np.floor(losses / interval).astype(np.int64)
    inside = np.clip(losses - cells * interval, 0.0, interval)
    upper = masses * (np.expm1(-inside) / math.expm1(-interval))
    lowest = int(cells.min())
    size = int(cells.max()) - lowest + 2
    split = np.bincount(cells - lowest, masses - upper, size)
    split += np.bincount(cells - lowest + 1, upper, size)
    return Losses(interval, lowest, split, infinite)


def compose(terms: Sequence[tuple[Directions, int]]) -> Directions:
    """The losses of all terms together, each occurring as often as its count."""
    forth = _sum([(one[0], count) for one, count in terms])
    if all(one[0] is one[1] for one, _ in terms):
        return forth, forth
    return forth, _sum([(one[1], count) for one, count in terms])


def epsilon_at(both: Directions, delta: float, count: int) -> float:
    """The smallest certified epsilon at `delta` of losses composed from `count` terms.

    **Error.** Infinite where `delta` is within the rounding of the convolution.
    """
    certain = delta - rounding(count)
    directions = both[:1] if both[0] is both[1] else both
    return max(_epsilon(losses, certain) for losses in directions)


def rounding(count: int) -> float:
    """An allowance for what double-precision convolution of `count` terms does to delta."""
    return _ROUNDING_FLOOR + _ROUNDING * count


def interval_for(spread: float) -> float:
    """A grid fine enough that splitting losses of this standard deviation adds below 0.1%."""
    return min(1e-4, spread / 20)


def smallest_epsilon(losses: Masses, upper: Masses, lower: Masses, delta: float) -> float:
    """The smallest epsilon >= 0 at which delta is met, from cumulated masses.

    Why a formula: delta(e) = max over the losses l of U(l) - e^e L(l), with U and L the P- and
    Q-masses of the losses from l upwards, and each term alone is solved by hand. A term whose
    solution lies above its own loss is dominated by its neighbour, so it may be cut there.

    Args:
        losses: the losses, largest first.
        upper: the P-mass of every loss at least as large as each.
        lower: the Q-mass of the same.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        solved = np.log(np.maximum(upper - delta, 0.0)) - np.log(lower)
    return max(float(np.nanmax(np.minimum(solved, losses), initial=0.0)), 0.0)


def _sum(terms: Sequence[tuple[Losses, int]]) -> Losses:
    return reduce(_add, (_power(one, count) for one, count in terms))


def _power(one: Losses, count: int) -> Losses:
    """The sum of `count` independent losses; what FFT wraps around counts as infinite too."""
    if count == 1:
        return one
    shift, masses = self_convolve(one.masses, count, _TAIL)
    infinite = _TAIL - math.expm1(count * math.log1p(-one.infinite))
    masses = np.maximum(masses, 0.0)
    return Losses(one.interval, one.lowest * count + shift, masses, infinite)


def _add(one: Losses, other: Losses) -> Losses:
    masses = np.maximum(fftconvolve(one.masses, other.masses), 0.0)
    infinite = one.infinite + other.infinite
    return Losses(one.interval, one.lowest + other.lowest, masses, infinite)


def _epsilon(losses: Losses, delta: float) -> float:
    if losses.infinite >= delta:
        return math.inf
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))[::-1]
    above = values > 0
    values, masses = values[above], losses.masses[::-1][above]
    upper = losses.infinite + np.cumsum(masses)
    return smallest_epsilon(values, upper, np.cumsum(masses * np.exp(-values)), delta)
