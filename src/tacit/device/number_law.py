"""The law of a number's report, where there are finitely many: the chance of each, by grid point.

All reports of numbers put the number on a grid first, without bias, and randomise which of its
points it is. So the law at a number between two points is a mix of theirs, and rows for the points
say all: what is largest or smallest over all numbers is so at a point.

| mechanism | points | reports | law |
| --- | --- | --- | --- |
| ScalarDP, ScalarRelDP | k + 1 levels | a level | 1 - q for the own one, q/k for each other |
| Piecewise | k + 1 | k + w places | (1 - q)/w for the w from the own one on, q/k for others |
| Hybrid | those of its wide part | the wide one's, then both of the bit's | each by the coin |

The coin of a hybrid is part of the report, as it may be known. What is proved of a report's privacy
rests on its own file and not on this law.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64

from tacit.argument import got
from tacit.mechanisms.local.piecewise import Hybrid, Piecewise
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import ScalarRelDP
from tacit.noise import words

PointLaw = Float64[np.ndarray, "points reports"]
# 128 MiB of floats.
MOST_CHANCES = 2**24


def number_law(scalar: Any) -> PointLaw:
    """The chance of each report, a row for each point of the grid.

    Raises:
      ValueError: if there are infinitely many reports, or more than 2^24 chances.
    """
    match scalar:
        case ScalarDP(levels=levels, lie=lie) | ScalarRelDP(levels=levels, lie=lie):
            return _windows(levels, 1, words.integer(lie) / words.SIZE)
        case Piecewise(levels=levels, width=width, miss=miss):
            return _windows(levels, width, words.integer(miss) / words.SIZE)
        case Hybrid(wide=wide, bit=bit):
            return _mixed(number_law(wide), number_law(bit), scalar.chance)
    raise ValueError(
        "only reports of a category, and of a number on a grid, have a law that can be listed, got "
        f"{type(scalar).__name__}"
    )


def _windows(levels: int, width: int, missed: float) -> PointLaw:
    """Uniform among so many places from one's own on, or among the others."""
    places = levels + width
    if not (levels + 1) * places <= MOST_CHANCES:
        raise ValueError(
            f"at most 2^24 chances can be listed, got {got((levels + 1) * places)}: take a smaller "
            "epsilon"
        )
    ahead = np.arange(places) - np.arange(levels + 1)[:, None]
    inside = (ahead >= 0) & (ahead < width)
    return np.where(inside, (1 - missed) / width, missed / levels)


def _mixed(wide: PointLaw, bit: PointLaw, chance: float) -> PointLaw:
    """By the coin; the bit's law at a point is a mix of those at both ends."""
    share = np.linspace(0.0, 1.0, len(wide))[:, None]
    own = (1 - share) * bit[0] + share * bit[1]
    return np.hstack([chance * wide, (1 - chance) * own])
