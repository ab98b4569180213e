"""How far off in rank quantiles will be, on average, of people who stand for all: before any data.

It is known for people whose numbers fill the middle eighth of the bounds, at equal distances, and
this is what mechanisms are compared by. Gaps between people are equal then, and a rank is off

* **alone**, by a rate t for each rank: two-sided geometrically, 1/sinh t on average;
* **together**: as `rank_bridges` says, exactly but for its units and for three shares and more of
  nearly one rank, and averaged over how many people are miscounted where they are asked for;
* **by halving**: as `rank_halvings` says, which makes the choices, one after another.

Where the number of people is asked for, d of `RankBridges` is floor(b L) for L of the Laplace law:
at three points of either side, of Gauss and Laguerre's rule, errors are averaged; they hardly bend
with d, so more points move the average by less than a hundredth.

Beside people there is room, with a side's 7/16 of the bounds, and what is so far from its rank that
all of that room is likelier comes from there. `bench/quantiles.py` prints how good this is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float64

from tacit.mechanisms.rows.rank_bridges import FILLED, RankBridges

# Of people miscounted, on either side.
_POINTS = 3


def alone(shares: Sequence[float], rates: Sequence[float], people: int) -> float:
    """The mean over shares, each drawn on its own at its rate a rank."""
    each = [_one(share, rate, people) for share, rate in zip(shares, rates, strict=True)]
    return float(np.mean(each))


def together(shares: Sequence[float], cost: float, people: int, miscounted: float) -> float:
    """The mean over shares of a joint draw; `miscounted` is the scale of the noise of people."""
    q, off = np.array(shares), off_together(tuple(shares), cost, people, miscounted)
    return float(np.mean(np.minimum(off, people * np.maximum(q, 1 - q))))


@lru_cache(64)
def off_together(
    shares: tuple[float, ...], cost: float, people: int, miscounted: float = 0.0
) -> Float64[np.ndarray, " shares"]:
    """Of lists in which one person too many, or too few, costs so much; `miscounted` is b."""
    people = max(people, 1)
    ends, weights = _beyond(miscounted) if miscounted else ([0], [1.0])
    within = (min(max(end, -people), people) for end in ends)
    each = [RankBridges(shares, cost / 2, people, end).off() for end in within]
    off = np.average(each, axis=0, weights=weights)
    off.flags.writeable = False
    return off


def _beyond(scale: float) -> tuple[list[int], Float64[np.ndarray, " ends"]]:
    """People miscounted, and how often."""
    points, weights = np.polynomial.laguerre.laggauss(_POINTS)
    ends = [math.floor(side * scale * point) for side in (-1, 1) for point in points]
    return ends, np.tile(weights, 2)


def _one(share: float, rate: float, people: int) -> float:
    sides = share * people, (1 - share) * people
    odds = [_room(rate, people) * math.exp(-min(rate * side, 700.0)) for side in sides]
    near = 1 / math.sinh(min(rate, 700.0))
    far = sum(each * side for each, side in zip(odds, sides, strict=True))
    return min((near + far) / (1 + sum(odds)), max(sides))


def _room(rate: float, people: int) -> float:
    """A side's room over that of the ranks nearby."""
    nearby = 1 / math.tanh(min(rate, 700.0) / 2) * FILLED / max(people, 1)
    return (1 - FILLED) / 2 / nearby
