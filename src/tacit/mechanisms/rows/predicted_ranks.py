"""How far off in rank quantiles will be, on average, of people who stand for all: before any data.

It is known for people whose numbers fill the middle eighth of the bounds, at equal distances, and
this is what mechanisms are compared by. Gaps between people are equal then, and a rank is off

* **alone**, by a rate t for each rank: two-sided geometrically, 1/sinh t on average;
* **together**: as `rank_bridges` says, exactly but for its units, and averaged over how many people
  are miscounted where they are asked for;
* **by halving**: as `rank_halvings` says, which makes the choices, one after another.

Beside people there is room, with a side's 7/16 of the bounds, and what is so far from its rank that
all of that room is likelier comes from there. `bench/quantiles.py` prints how good this is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tacit.mechanisms.rows.rank_bridges import FILLED, off_together


def alone(shares: Sequence[float], rates: Sequence[float], people: int) -> float:
    """The mean over shares, each drawn on its own at its rate a rank."""
    each = [_one(share, rate, people) for share, rate in zip(shares, rates, strict=True)]
    return float(np.mean(each))


def together(shares: Sequence[float], cost: float, people: int, miscounted: float) -> float:
    """The mean over shares of a joint draw; `miscounted` is the scale of the noise of people."""
    q, off = np.array(shares), off_together(tuple(shares), cost, people, miscounted)
    return float(np.mean(np.minimum(off, people * np.maximum(q, 1 - q))))


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
