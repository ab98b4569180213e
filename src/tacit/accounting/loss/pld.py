"""Privacy losses on a grid: how they are rounded and read, upwards.

The privacy loss of a pair (P, Q) is log P(o)/Q(o) for o drawn from P, and delta(epsilon) =
E[1 - e^(epsilon - loss)]_+. How losses of several releases are added is `convolution`.

1. An outcome with loss l between two grid points is *split* into one outcome on each of them so
   that its P-mass and its Q-mass are both kept.
2. Merging the two gives the original back, so the original is a post-processing of the split pair
   and no more revealing: rounding is safe.
3. Mass that is cut off counts as an infinite loss, which only raises delta.
4. Because P- and Q-mass are kept, the error of one split is of second order in the grid ("connect
   the dots").
5. Sums of masses are read up, and what is taken from them down. With u = 2^-53, a running sum errs
   by at most u times the sum of its values so far. One that is discounted errs at each value by 4u
   of it (a product, a sum, and a factor of two roundings), which is discounted from there on.

References:
    Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), "Connect the Dots: Tighter Discrete
    Approximations of Privacy Loss Distributions", Algorithm 1.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int

from tacit.accounting.loss.discounted import discounted

# How far at most a float rounds, as a part of the number.
UNIT = 2.0**-53
# The least float above zero, which a product that no float holds counts as at most.
LEAST = 2.0**-1074
# Cells of a grid, which is refused before it is made: half a gibibyte of masses.
_FARTHEST = 2**26
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

    Raises:
      ValueError: a loss is not finite, or the grid would have too many points.
    """
    span = (losses.max() - losses.min()) / interval
    if not (np.isfinite(losses).all() and span < _FARTHEST):
        raise ValueError(f"losses must be finite and span fewer than {_FARTHEST} cells, got {span}")
    cells = np.floor(losses / interval).astype(np.int64)
    inside = np.clip(losses - cells * interval, 0.0, interval)
    return _split(cells, inside, masses, infinite, interval)


def coarser(losses: Losses, times: int) -> Losses:
    """The same losses, split onto every `times`-th point of the grid's.

    **Guarantee.** Its delta is at least theirs at every epsilon.
    """
    cells, steps = np.divmod(losses.lowest + np.arange(len(losses.masses)), times)
    inside, interval = steps * losses.interval, times * losses.interval
    return _split(cells, inside, losses.masses, losses.infinite, interval)


def trimmed(both: Directions, tail: float) -> Directions:
    """The same losses with the largest ones, of mass at most `tail` together, made infinite.

    Why: a few far outcomes of negligible mass would steer a tilt that is meant for the rest.
    """
    forth = _trimmed(both[0], tail)
    return forth, forth if both[1] is both[0] else _trimmed(both[1], tail)


def above(masses: Masses, interval: float) -> tuple[Masses, Masses]:
    """For each of rising losses, the mass U of all larger ones, and their mass B discounted to the
    next, n: the sum of m e^(n - loss). The former rounded up, the latter down (step 5).

    So delta(e) = U - e^(e - n) B from each loss up to the next, with no large factor anywhere.
    """
    falling = masses[::-1]
    upper, below = np.cumsum(falling), discounted(falling, interval)
    upper = upper + 2 * UNIT * np.cumsum(upper)
    below = np.maximum(below - 6 * UNIT * discounted(below, interval), 0.0)
    return np.append(0.0, upper[:-1])[::-1], np.append(0.0, below[:-1])[::-1]


@dataclass(frozen=True)
class Tail:
    """delta at each of rising losses, for those who ask for epsilon at one delta after another.

    Args:
      lowest: the smallest loss; the others follow it at `interval`.
      upper: the mass of all larger losses, for each.
      discounted: the same mass, discounted to the next (`above`).
      worst: from the largest loss down, the largest delta there or above. Why not delta itself,
        which falls: as it was computed, it need not.
    """

    lowest: float
    interval: float
    upper: Masses
    discounted: Masses
    worst: Masses

    @classmethod
    def of(cls, lowest: float, interval: float, masses: Masses) -> Self:
        """Of the P-mass of each loss."""
        upper, below = above(masses, interval)
        there = upper - math.exp(-interval) * below
        return cls(lowest, interval, upper, below, np.maximum.accumulate(there[::-1]))

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 from which on delta is met, and at least the lowest loss."""
        met = int(np.searchsorted(self.worst, delta, side="right"))
        last = len(self.worst) - met - 1
        loss = self.lowest + self.interval * last
        if last < 0 or not loss > -self.interval:
            return max(0.0, self.lowest)
        back = math.log((self.upper[last] - delta) / self.discounted[last])
        following = loss + self.interval
        # Of losses and their sums, and of the quotient: however small epsilon is, it moves by that.
        sizes = abs(self.lowest) + self.interval * last + 4 * max(abs(loss), abs(following)) + 4
        return max(0.0, following + min(back, 0.0) + UNIT * sizes)


def smallest_epsilon(lowest: float, interval: float, masses: Masses, delta: float) -> float:
    """The smallest epsilon >= 0 from which on delta is met, and at least the lowest loss.

    Args:
      lowest: the smallest loss; the others follow it at this interval.
      masses: the P-mass of each.
    """
    return Tail.of(lowest, interval, masses).epsilon(delta)


def deltas_at(lowest: float, interval: float, masses: Masses, epsilons: Masses) -> Masses:
    """delta at many epsilons of finite losses alone: the smallest, their interval, their masses."""
    upper, below = above(np.append(0.0, masses), interval)
    nexts = lowest + interval * np.arange(len(masses) + 1)
    at = np.minimum(np.searchsorted(nexts, epsilons, side="right"), len(masses))
    back = np.minimum(epsilons - nexts[at], 0.0)
    return np.maximum(upper[at] - np.exp(back) * below[at], 0.0)


def _split(
    cells: Int[np.ndarray, " outcomes"],
    inside: Masses,
    masses: Masses,
    infinite: float,
    interval: float,
) -> Losses:
    """Each mass on the ends of its cell, by how far inside it lies: step 1."""
    upper = masses * (np.expm1(-inside) / math.expm1(-interval))
    lowest = int(cells.min())
    size = int(cells.max()) - lowest + 2
    split = np.bincount(cells - lowest, masses - upper, size)
    split += np.bincount(cells - lowest + 1, upper, size)
    return Losses(interval, lowest, split, infinite)


def _trimmed(losses: Losses, tail: float) -> Losses:
    from_above = np.cumsum(losses.masses[::-1])
    cut = int(np.searchsorted(from_above, tail, side="right"))
    kept = max(len(losses.masses) - cut, 1)
    infinite = losses.infinite + float(losses.masses[kept:].sum())
    return Losses(losses.interval, losses.lowest, losses.masses[:kept], infinite)
