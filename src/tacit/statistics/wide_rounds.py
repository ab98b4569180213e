"""Rounds that find people in a ball where they are known to be: what each is asked for, and what
it leaves unknown.

The answer of a round is these people's mean with noise, of a variance that is known, and so is the
centre of the ball, of another: together they have less (`narrowing`). Then the ball is as large as
what is left makes it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from tacit.statistics.response import longest_normal

# The chance that a person is longer than a round allows for, and so clipped.
BEYOND = 0.01
# Deviations that a normal number exceeds with a chance of 0.00135.
SIDEWAYS = 3.0


class Wide(NamedTuple):
    """A round that hardly clips: within what radius the mean is known before it, its clip bound,
    and by how many times its answer the centre moves."""

    known: float
    bound: float
    part: float


class WideWay(NamedTuple):
    """To ask a wide round: of what comes out, `gain` times, the variance; and the clip bound."""

    variance: float
    bound: float
    gain: float


def surely(dim: int, known: float, noise: float) -> WideWay:
    """To ask for people who are hardly clipped, the mean known to be so near."""
    longest = longest_normal(dim, BEYOND)
    bound = min(math.sqrt(known**2 + 2 * SIDEWAYS * known + longest**2), known + longest)
    return WideWay((noise * bound) ** 2, bound, 1.0)


def wide_rounds(
    dim: int,
    people: int,
    radius: float,
    noises: tuple[float, ...],
    way: Callable[[float, float, float], WideWay],
) -> tuple[tuple[Wide, ...], float, float]:
    """Rounds of this noise; and after them, within what radius the mean is known to be, and V.

    Args:
      way: by what radius is known, V, and the noise, of each.
    """
    longest, known, noisy, found = longest_normal(dim, BEYOND), radius, math.inf, []
    for noise in noises:
        own = way(known, noisy, noise)
        part = part_of(noisy, own.variance)
        found.append(Wide(known, own.bound, part * own.gain))
        noisy = part * own.variance
        known = longest * math.hypot(1 / math.sqrt(people), math.sqrt(noisy))
    return tuple(found), known, noisy


def part_of(noisy: float, own: float) -> float:
    """What an answer of variance `own` is worth beside one of `noisy`; all, where both are none."""
    return 1.0 if own == 0 or noisy == math.inf else noisy / (noisy + own)
