"""Privacy losses on a grid: how they are rounded and read, upwards.

The privacy loss of a pair (P, Q) is log P(o)/Q(o) for o drawn from P, and delta(epsilon) =
E[1 - e^(epsilon - loss)]_+. How losses of several releases are added is `convolution`.

Why the rounding is safe: an outcome with loss l between two grid points is *split* into one
outcome on each of them so that its P-mass and its Q-mass are both kept. Merging the two gives the
original back, so the original is a post-processing of the split pair and no more revealing. Mass
that is cut off counts as an infinite loss. Because P- and Q-mass are kept, the error of one split
is of second order in the grid ("connect the dots").

References:
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), "Connect the Dots: Tighter Discrete
    Approximations of Privacy Loss Distributions", Algorithm 1.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Masses = Float[np.ndarray, " outcomes"]


@dataclass(frozen=True)
class Losses:
    """P-masses of the losses (lowest + i) * interval, and of an infinite loss."""

    interval: float
    lowest: int
    masses: Masses
    infinite: float

    @property
    def values(self) -> Masses:
        """The losses themselves, in nats."""
        return self.interval * (self.lowest + np.arange(len(self.masses)))


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


def trimmed(both: Directions, tail: float) -> Directions:
    """The same losses with the largest ones, of mass at most `tail` together, made infinite.

    Why: a few far outcomes of negligible mass would steer a tilt that is meant for the rest.
    """
    forth = _trimmed(both[0], tail)
    return forth, forth if both[1] is both[0] else _trimmed(both[1], tail)


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


def _trimmed(losses: Losses, tail: float) -> Losses:
    from_above = np.cumsum(losses.masses[::-1])
    cut = int(np.searchsorted(from_above, tail, side="right"))
    kept = max(len(losses.masses) - cut, 1)
    infinite = losses.infinite + float(losses.masses[kept:].sum())
    return Losses(losses.interval, losses.lowest, losses.masses[:kept], infinite)
