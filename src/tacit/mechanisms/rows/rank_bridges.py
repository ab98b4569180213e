"""How far off ranks are in lists of quantiles drawn together, of people at equal distances.

A list's weight is e^(-t moves), the moves those of its deviations D_j from D_0 = 0 to D_(m+1) = -d
(`joint_law`), for d people declared who are not there. Gaps between people are equal, so D_1, ...,
D_m is a walk with steps of weight e^(-t |step|), none down beyond where the points would cross; two
points in one gap are in order in half of the cases. A deviation's law is the product of what comes
to it from the walk's beginning, step by step, and what comes from its end.

**Miscounted.** D_j is from a share of those declared; from that of who is there a rank is off by
D_j + Q_j - Q'_j, Q'_j the target where d = 0. Where the number of people is asked for, d is floor(b
L) for L of the Laplace law: at three points of either side, of Gauss and Laguerre's rule, errors
are averaged; they hardly bend with d, so more points move the average by less than a hundredth.
Walks far away are unlikely, and right all the same: `decays` sums without a subtraction.

**Room.** Beside people there is a side's 7/16 of the bounds, R times a gap. If the lowest i points
are there their ranks are 0, at a weight of R^i/i! e^(-t Q_i); the walk goes on from -Q_i, and all
its ways back that rise cost the same. Likewise the highest k. Each pair (i, k) has its weight, and
its own walks. More than `MOST_GONE` on a side are not looked at, nor pairs e^9 times as unlikely as
the likeliest. Logs of these weights are concave in i and k but for rounding: after a k whose best
pair is so unlikely, none is looked at.

**Units.** Where t is small so many ranks are one that t is not, and the laws are nearly the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np
from jaxtyping import Float64

from tacit.mechanisms.rows.decays import decayed, later

FILLED = 1 / 8
MOST_GONE, _UNLIKELY = 32, 9.0
# Of people miscounted, on either side.
_POINTS = 3
# In units of ranks, at least; and a rate above which nobody goes the wrong way.
_RATE, _STEEPEST = 0.1, 16.0

Walk = Float64[np.ndarray, " deviations"]
Walks = Float64[np.ndarray, "places deviations"]


@final
@dataclass(frozen=True)
class RankBridges:
    """Lists of `shares`-quantiles of so many people.

    Args:
        shares: rising.
        rate: t.
        people: at least 1.
        beyond: d.
    """

    shares: tuple[float, ...]
    rate: float
    people: int
    beyond: int = 0

    def off(self) -> Float64[np.ndarray, " shares"]:
        """By how many ranks each is off on average."""
        chances = self._chances()
        each = np.stack([self._off(*gone) for gone in chances])
        return self._unit * np.average(each, axis=0, weights=[*chances.values()])

    def _off(self, low: int, high: int) -> Float64[np.ndarray, " shares"]:
        """With so many points of the list in the rooms."""
        m, there = len(self.shares), slice(low, len(self.shares) - high)
        found = np.where(np.arange(m) < low, self._wanted, self._people - self._wanted)
        law = self._before(low)[1 : m - high - low + 1] * self._after(high)[low + 1 : m - high + 1]
        off = np.einsum("pd,pd->p", law, self._distances[there])
        found[there] = off / np.maximum(law.sum(axis=1), 1e-300)
        return found

    @cached_property
    def _distances(self) -> Float64[np.ndarray, "shares deviations"]:
        """From each share of who is there."""
        return np.abs(self._far + (self._marks - self._wanted)[:, None])

    def _chances(self) -> dict[tuple[int, int], float]:
        """Of pairs, over that of the likeliest."""
        m, logs = len(self.shares), {}
        most, top = min(m, MOST_GONE), -math.inf
        for high in range(most + 1):
            each = {
                (low, high): self._log_chance(low, high) for low in range(min(most, m - high) + 1)
            }
            best = max(each.values())
            logs, top = logs | each, max(top, best)
            if best < top - _UNLIKELY:
                break
        return {pair: math.exp(log - top) for pair, log in logs.items() if log > top - _UNLIKELY}

    def _log_chance(self, low: int, high: int) -> float:
        down, up = self._low(low), self._high(high)
        gone = (low + high) * math.log(self._room) - math.lgamma(low + 1) - math.lgamma(high + 1)
        log = gone - self._own_rate * (abs(self._end - up) + abs(down))
        if low + high == len(self.shares):
            return log - self._own_rate * abs(up - down)
        walks = self._after(high)[low][self._place(down)] if -down <= self._most else 0.0
        return log + math.log(max(walks, 1e-300))

    def _low(self, gone: int) -> float:
        """The deviation of the last of the lowest."""
        return -float(self._marks[gone - 1]) if gone else 0.0

    def _high(self, gone: int) -> float:
        """The deviation of the first of the highest."""
        return float(self._people - self._marks[len(self.shares) - gone]) if gone else self._end

    def _before(self, low: int) -> Walks:
        """What comes to each place after the lowest, from the last of these."""
        if low not in self._begun:
            walks = [self._spike(self._low(low))]
            for place in range(low, len(self.shares)):
                walks.append(self._stepped(walks[-1], self._steps[place]))
            self._begun[low] = np.stack(walks)
        return self._begun[low]

    def _after(self, high: int) -> Walks:
        """What comes from each place, to the first of the highest."""
        if high not in self._ended:
            walks = [self._spike(self._high(high))]
            for place in reversed(range(len(self.shares) - high + 1)):
                walks.append(self._stepped(walks[-1], self._steps[place], back=True))
            self._ended[high] = np.stack(walks[::-1])
        return self._ended[high]

    def _stepped(self, walk: Walk, step: int, back: bool = False) -> Walk:
        walk = walk[::-1] if back else walk
        each = math.exp(-self._own_rate)
        rise = each * later(decayed(walk, each, len(walk)), -1)
        fall = decayed(walk[::-1], each, min(step, len(walk)))[::-1]
        found = rise + fall + 0.5 * each**step * later(walk, step)
        return found[::-1] if back else found

    def _spike(self, at: float) -> Walk:
        walk = np.zeros(len(self._far))
        if abs(at) <= self._most:
            walk[self._place(at)] = 1.0
        return walk

    def _place(self, at: float) -> int:
        return self._most + round(at)

    @cached_property
    def _unit(self) -> int:
        return max(1, min(int(_RATE / self.rate), self.people // (10 * len(self.shares))))

    @cached_property
    def _own_rate(self) -> float:
        return min(self.rate * self._unit, _STEEPEST)

    @cached_property
    def _people(self) -> int:
        return max(1, round(self.people / self._unit))

    @cached_property
    def _declared(self) -> int:
        return max(0, self._people + round(self.beyond / self._unit))

    @property
    def _end(self) -> float:
        """-d."""
        return float(self._people - self._declared)

    @cached_property
    def _marks(self) -> Float64[np.ndarray, " shares"]:
        """Q_1 to Q_m."""
        return np.round(self._declared * np.array(self.shares, np.float64))

    @cached_property
    def _wanted(self) -> Float64[np.ndarray, " shares"]:
        """Of who is there: between two ranks where it is no whole number."""
        return self._people * np.array(self.shares, np.float64)

    @cached_property
    def _steps(self) -> list[int]:
        return [*map(int, np.diff([0.0, *self._marks, float(self._declared)]))]

    @cached_property
    def _room(self) -> float:
        """R."""
        return (1 - FILLED) / 2 / FILLED * self._people

    @cached_property
    def _most(self) -> int:
        """The farthest deviation that is looked at."""
        many, left = len(self.shares) + 1, math.exp(-self._own_rate)
        spread = math.sqrt(many * 2 * left) / (1 - left)
        far = min(many, MOST_GONE) * math.log1p(self._room) / self._own_rate
        near = math.ceil(6 * spread + 20 / self._own_rate + far / 2 + abs(self._end))
        return min(max(self._people, self._declared), near)

    @cached_property
    def _far(self) -> np.ndarray:
        return np.arange(-self._most, self._most + 1)

    @cached_property
    def _begun(self) -> dict[int, Walks]:
        return {}

    @cached_property
    def _ended(self) -> dict[int, Walks]:
        return {}


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
