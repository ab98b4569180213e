"""How far off in rank quantiles will be, on average, of people who stand for all: before any data.

It is known for people whose numbers fill the middle eighth of the bounds, at equal distances, and
this is what mechanisms are compared by. Gaps between people are equal then, and a rank is off

* **alone**, by a rate t for each rank: two-sided geometrically, 1/sinh t on average;
* **together**: as `rank_bridges` says, exactly but for its units; people miscounted spread over all
  gaps, and count as normal;
* **by halving**: a rank inherits the deviations of both ends of its part in proportion, and has one
  of its own, two-sided geometric at a level's rate.

Of such a sum the variance and the fourth cumulant are known, and it is off by sqrt(2/pi) of its
deviation, less .114 of that if it is Laplace's, in proportion to its excess kurtosis between.
Beside people there is room, with a side's 7/16 of the bounds, and what is so far from its rank that
all of that room is likelier comes from there. `bench/quantiles.py` prints how good this is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tacit.mechanisms.rows.rank_bridges import FILLED, off_together

_NORMAL = math.sqrt(2 / math.pi)
# By which part Laplace's mean deviation is below a normal law's of its variance.
_LAPLACE = 1 - math.sqrt(math.pi) / 2


def alone(shares: Sequence[float], rates: Sequence[float], people: int) -> float:
    """The mean over shares, each drawn on its own at its rate a rank."""
    each = [_one(share, rate, people) for share, rate in zip(shares, rates, strict=True)]
    return float(np.mean(each))


def together(shares: Sequence[float], cost: float, people: int, miscounted: float) -> float:
    """The mean over shares of a joint draw; `miscounted` is how many people, root mean square."""
    m, q = len(shares), np.array(shares)
    place = np.arange(1, m + 1) / (m + 1)
    spread = np.sqrt((place - q) ** 2 + place * (1 - place) / (m + 2))
    off = np.hypot(off_together(tuple(shares), cost, people), _NORMAL * miscounted * spread)
    return float(np.mean(np.minimum(off, people * np.maximum(q, 1 - q))))


def halved(
    parts: Sequence[tuple[int, int, int, float, float, float]], rates: Sequence[float], people: int
) -> float:
    """The mean over shares of one choice after another.

    Args:
        parts: of each choice, after those it depends on: the first place of its part, its own, the
            place past its part, the shares at both ends, and its own.
        rates: of each, a rank.
    """
    most, found, fourth = max(middle for _, middle, *_ in parts), {}, {}
    for (first, middle, past, low, high, share), rate in zip(parts, rates, strict=True):
        own = (share - low) / (high - low)
        sides = (first - 1, 1 - own), (past, own)
        variance = _variance(rate) + sum(part**2 * found.get(end, 0.0) for end, part in sides)
        inherited = sum(part**4 * fourth.get(end, 0.0) for end, part in sides)
        fourth[middle] = 3 * _variance(rate) ** 2 + inherited
        inside = max(people * (high - low), 1.0)
        for open_end, side in ((first == 0, own), (past == most + 1, 1 - own)):
            if open_end:
                odds = _room(rate, people) * math.exp(-rate * side * inside)
                variance += odds / (1 + odds) * (side * inside) ** 2
        found[middle] = variance
    return _mean_of_sums(list(found.values()), list(fourth.values()))


def _mean_of_sums(variances: Sequence[float], cumulants: Sequence[float]) -> float:
    """The mean deviation of such variances and fourth cumulants."""
    squares = np.maximum(np.array(variances), 1e-300)
    excess = np.array(cumulants) / squares**2
    return float(np.mean(_NORMAL * np.sqrt(squares) * (1 - _LAPLACE * excess / 3)))


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


def _variance(rate: float) -> float:
    """Of the two-sided geometric law."""
    left = math.exp(-min(rate, 700.0))
    return 2 * left / math.expm1(-min(rate, 700.0)) ** 2
