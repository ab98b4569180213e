"""How far off ranks are in lists of quantiles drawn together, of people at equal distances.

A list's weight is e^(-t moves), the moves those of its deviations D_j from D_0 = 0 to D_(m+1) = -d
for d people declared who are not there (`joint_law` has d of who is there and was not declared).
Gaps between people are equal, so D_1, ..., D_m is a walk with steps of weight e^(-t |step|), none
down beyond where the points would cross. A deviation's law is the product of what comes to it from
the walk's beginning, step by step, and what comes from its end.

**Not exact** is one thing: two points in one gap are in order in half of the cases, and k are held
to be so in 1/2^(k-1) where it is 1/k!, which a step does not know. So ranks come out too near where
three and more have one target: at t = 1 a twelfth too near of three, a quarter of five; at t = 3,
where hardly anybody is off, two thirds of five. Where five have targets of their own it is 1%.

**Miscounted.** D_j is from a share of those declared; from that of who is there a rank is off by
D_j + Q_j - Q'_j, Q'_j the target where d = 0. Walks far away are unlikely, and right all the same:
`decays` sums without a subtraction.

**Room.** Beside people there is a side's 7/16 of the bounds, R times a gap. If the lowest i points
are there their ranks are 0, at a weight of R^i/i! e^(-t Q_i); the walk goes on from -Q_i. Likewise
the highest k. Each pair (i, k) has its weight, and its own walks. Pairs are looked at in the order
of what they can weigh at most, until that is e^9 times as little as the likeliest weighs: each of
those that are left out is rarer than one list in eight thousand. The most: walks of steps w from A
to B weigh e^(u (A - B)) times the product of sums of w e^(u step) at most, whichever u (Chernoff).

**Units.** Where t is small so many ranks are one that t is not, and the laws are nearly the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float64
from scipy import special

from tacit.mechanisms.rows.decays import decayed, later

FILLED = 1 / 8  # Of the bounds, by people: **Room** has the rest.
_UNLIKELY = 9.0  # A pair e^9 times as rare as the likeliest is left out: **Room**.
# Of rates: a sum of weights is bounded by tilted ones, nearly as well by one of these as by any.
_TILTS = np.concatenate([1 - 0.5 ** np.arange(8), 0.5 ** np.arange(1, 8) - 1])
# A rate in units, at least: of mean deviations, 1/sinh(t), a 600th less than of any finer. And one
# above which nobody goes the wrong way: one in ten millions is off by one.
_RATE, _STEEPEST = 0.1, 16.0
# Units a share's part of people has, so that rounding moves a target by a twentieth of it at most.
_FINE = 10

Walk = Float64[np.ndarray, " deviations"]


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
        m = len(self.shares)
        found = np.where(np.arange(m) < low, self._wanted, self._people - self._wanted)
        if left := m - high - low:
            law = np.stack(self._before(low, left)[1:]) * np.stack(self._after(high, left)[:0:-1])
            off = np.einsum("pd,pd->p", law, self._distances[low : m - high])
            found[low : m - high] = off / np.maximum(law.sum(axis=1), 1e-300)
        return found

    @cached_property
    def _distances(self) -> Float64[np.ndarray, "shares deviations"]:
        """From each share of who is there."""
        return np.abs(self._far + (self._marks - self._wanted)[:, None])

    def _chances(self) -> dict[tuple[int, int], float]:
        """Of pairs, over that of the likeliest."""
        logs, top = {}, -math.inf
        for at in np.argsort(-self._bounds, axis=None, kind="stable"):
            low, high = map(int, divmod(at, len(self.shares) + 1))
            if self._bounds[low, high] < top - _UNLIKELY:
                break
            logs[low, high] = self._log_chance(low, high)
            top = max(top, logs[low, high])
        return {pair: math.exp(log - top) for pair, log in logs.items() if log > top - _UNLIKELY}

    @cached_property
    def _bounds(self) -> Float64[np.ndarray, "lows highs"]:
        """Of logs of pairs' weights; none of more points than there are."""
        m = len(self.shares)
        gone, least = np.arange(m + 1), np.full((m + 1, m + 1), math.inf)
        downs, ups = (np.array([*map(each, gone.tolist())]) for each in (self._low, self._high))
        for tilt in self._own_rate * _TILTS:
            done = np.cumsum([0.0, *self._log_sums(tilt)])
            walks = done[::-1][:-1] - done[:-1, None] - tilt * (ups - downs[:, None])
            least = np.minimum(least, walks)
        own = gone * math.log(self._room) - special.gammaln(gone + 1)
        paid = own[:, None] + own - self._own_rate * (np.abs(self._end - ups) - downs[:, None])
        return np.where(gone[:, None] + gone <= m, least + paid, -math.inf)

    def _log_sums(self, tilt: float) -> Float64[np.ndarray, " steps"]:
        """Of each step's weights, e^(tilt) times as large for each rank it rises."""
        rise, fall = math.exp(tilt - self._own_rate), math.exp(-tilt - self._own_rate)
        falls = fall ** np.array(self._steps, np.float64)
        return np.log(rise / (1 - rise) + (1 - falls) / (1 - fall) + 0.5 * falls)

    def _log_chance(self, low: int, high: int) -> float:
        down, up = self._low(low), self._high(high)
        gone = (low + high) * math.log(self._room) - math.lgamma(low + 1) - math.lgamma(high + 1)
        log = gone - self._own_rate * (abs(self._end - up) + abs(down))
        if low + high == len(self.shares):
            return log - self._own_rate * abs(up - down)
        after = self._after(high, len(self.shares) - high + 1 - low)[-1]
        walks = after[self._place(down)] if -down <= self._most else 0.0
        return log + math.log(max(walks, 1e-300))

    def _low(self, gone: int) -> float:
        """The deviation of the last of the lowest."""
        return -float(self._marks[gone - 1]) if gone else 0.0

    def _high(self, gone: int) -> float:
        """The deviation of the first of the highest."""
        return float(self._people - self._marks[len(self.shares) - gone]) if gone else self._end

    def _before(self, low: int, many: int) -> list[Walk]:
        """What comes from the last of the lowest to itself and to so many places after it."""
        walks = self._begun.setdefault(low, [self._spike(self._low(low))])
        while len(walks) <= many:
            walks.append(self._stepped(walks[-1], self._steps[low + len(walks) - 1]))
        return walks[: many + 1]

    def _after(self, high: int, many: int) -> list[Walk]:
        """What comes to the first of the highest from itself and from so many places before it."""
        walks = self._ended.setdefault(high, [self._spike(self._high(high))])
        while len(walks) <= many:
            step = self._steps[len(self.shares) - high + 1 - len(walks)]
            walks.append(self._stepped(walks[-1], step, back=True))
        return walks[: many + 1]

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
        return max(1, min(int(_RATE / self.rate), self.people // (_FINE * len(self.shares))))

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
        # Twelve deviations of a walk whose ends are held, and e^-20 of one step.
        near = math.ceil(6 * spread + 20 / self._own_rate + self._reached + abs(self._end))
        return min(max(self._people, self._declared), near)

    @property
    def _reached(self) -> float:
        """How far walks of likely pairs begin or end: a bound is a walk's spread too large."""
        slack = _UNLIKELY + math.log(2 * len(self.shares) + 20) - math.log(self._own_rate)
        lows, highs = np.nonzero(self._bounds > self._bounds.max() - slack)
        return max(-self._low(int(lows.max())), abs(self._high(int(highs.max()))))

    @cached_property
    def _far(self) -> np.ndarray:
        return np.arange(-self._most, self._most + 1)

    @cached_property
    def _begun(self) -> dict[int, list[Walk]]:
        return {}

    @cached_property
    def _ended(self) -> dict[int, list[Walk]]:
        return {}
