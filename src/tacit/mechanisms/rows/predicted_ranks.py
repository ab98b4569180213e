"""How far off in rank quantiles will be, on average, of people who stand for all: before any data.

It is known for people whose numbers fill the middle eighth of the bounds, at equal distances, and
this is what mechanisms are compared by. Gaps between people are equal then, and a rank is off

* **alone**, by a rate t for each rank: two-sided geometrically, 1/sinh t on average;
* **together**: the m + 1 counts are off independently, given that they add up. So a rank's
  deviation is that of a bridge of m + 1 steps, each of variance v = 2 l/(1 - l)^2, l = e^(-x/2) for
  a cost x of a person too many; people miscounted spread over all gaps;
* **by halving**: a rank inherits the deviations of both ends of its part in proportion, and has one
  of its own, of variance v at a level's rate.

Deviations of known variance count as normal: sqrt(2/pi) of their root. Beside people there is room,
with a side's 7/16 of the bounds, and what is so far from its rank that all of that room is likelier
comes from there: i quantiles together, i of them as likely as room^i/i! times what that costs.
These are approximations; `bench/quantiles.py` prints how good they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

FILLED = 1 / 8
_NORMAL = math.sqrt(2 / math.pi)


def alone(shares: Sequence[float], rates: Sequence[float], people: int) -> float:
    """The mean over shares, each drawn on its own at its rate a rank."""
    each = [_one(share, rate, people) for share, rate in zip(shares, rates, strict=True)]
    return float(np.mean(each))


def together(shares: Sequence[float], cost: float, people: int, miscounted: float) -> float:
    """The mean over shares of a joint draw; `miscounted` is how many people, root mean square."""
    m, q = len(shares), np.array(shares)
    place = np.arange(1, m + 1) / (m + 1)
    bridge = place * (1 - place)
    inner = (m + 1) * bridge * _variance(cost / 2)
    inner += miscounted**2 * ((place - q) ** 2 + bridge / (m + 2))
    both = [_beyond(shares, cost, people), _beyond([1 - s for s in shares[::-1]], cost, people)]
    outer = both[0] + both[1][::-1]
    return float(
        np.mean(np.minimum(_NORMAL * np.sqrt(inner) + outer, people * np.maximum(q, 1 - q)))
    )


def halved(
    parts: Sequence[tuple[int, int, int, float, float, float]], rates: Sequence[float], people: int
) -> float:
    """The mean over shares of one choice after another.

    Args:
        parts: of each choice, after those it depends on: the first place of its part, its own, the
            place past its part, the shares at both ends, and its own.
        rates: of each, a rank.
    """
    most, found = max(middle for _, middle, *_ in parts), {}
    for (first, middle, past, low, high, share), rate in zip(parts, rates, strict=True):
        own = (share - low) / (high - low)
        ends = found.get(first - 1, 0.0), found.get(past, 0.0)
        variance = _variance(rate) + (1 - own) ** 2 * ends[0] + own**2 * ends[1]
        inside = max(people * (high - low), 1.0)
        for open_end, side in ((first == 0, own), (past == most + 1, 1 - own)):
            if open_end:
                odds = _room(rate, people) * math.exp(-rate * side * inside)
                variance += odds / (1 + odds) * (side * inside) ** 2
        found[middle] = variance
    return float(np.mean(_NORMAL * np.sqrt(np.array(list(found.values())))))


def _one(share: float, rate: float, people: int) -> float:
    sides = share * people, (1 - share) * people
    odds = [_room(rate, people) * math.exp(-min(rate * side, 700.0)) for side in sides]
    near = 1 / math.sinh(min(rate, 700.0))
    far = sum(each * side for each, side in zip(odds, sides, strict=True))
    return min((near + far) / (1 + sum(odds)), max(sides))


def _beyond(shares: Sequence[float], cost: float, people: int) -> np.ndarray:
    """What is added below all people: of each share, by how many the lowest i have gone there."""
    m, ranks = len(shares), people * np.array(shares)
    gone = np.arange(m + 1)
    log = gone * math.log(_room(cost / 2, people))
    log = log - np.array([math.lgamma(i + 1) for i in gone]) - cost * np.append(0.0, ranks)
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    off = np.zeros(m)
    for i in range(1, m + 1):
        back = ranks[i - 1] * (m + 1 - np.arange(i + 1, m + 1)) / (m + 1 - i)
        off += chance[i] * np.append(ranks[:i], back)
    return off


def _room(rate: float, people: int) -> float:
    """A side's room over that of the ranks nearby."""
    nearby = 1 / math.tanh(min(rate, 700.0) / 2) * FILLED / max(people, 1)
    return (1 - FILLED) / 2 / nearby


def _variance(rate: float) -> float:
    """Of the two-sided geometric law."""
    left = math.exp(-min(rate, 700.0))
    return 2 * left / math.expm1(-min(rate, 700.0)) ** 2
