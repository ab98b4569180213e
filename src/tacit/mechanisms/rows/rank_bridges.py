"""How far off ranks are in lists of quantiles drawn together, of people at equal distances.

A list's weight is e^(-t moves), the moves those of its deviations D_j from D_0 = 0 to D_(m+1) = 0
(`joint_law`). Gaps between people are equal, so D_1, ..., D_m is a walk with steps of weight
e^(-t |step|), none down beyond where the points would cross; two points in one gap are in order in
half of the cases. What is left of a walk from each deviation on is a convolution, and a deviation's
law the product of what is before it and what is after.

**Room.** Beside people there is a side's 7/16 of the bounds, R times a gap. If the lowest i points
are there their ranks are 0, at a weight of R^i/i! e^(-t Q_i); the walk goes on from -Q_i, and all
its ways back that rise cost the same. Likewise the highest k. Each pair (i, k) has its weight, and
its own walks. More than `MOST_GONE` on a side are not looked at, nor pairs e^9 times as unlikely as
the likeliest.

**Units.** Where t is small so many ranks are one that t is not, and the laws are nearly the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np
from jaxtyping import Float64

FILLED = 1 / 8
MOST_GONE, _UNLIKELY = 32, 9.0
# In units of ranks, at least; and a rate above which nobody is off.
_RATE, _STEEPEST = 0.1, 350.0

Walk = Float64[np.ndarray, " deviations"]


@final
@dataclass(frozen=True)
class RankBridges:
    """Lists of `shares`-quantiles of so many people.

    Args:
        shares: rising.
        rate: t.
        people: at least 1.
    """

    shares: tuple[float, ...]
    rate: float
    people: int

    def off(self) -> Float64[np.ndarray, " shares"]:
        """By how many ranks each is off on average."""
        chances = self._chances()
        each = np.stack([self._off(*gone) for gone in chances])
        return self._unit * np.average(each, axis=0, weights=[*chances.values()])

    def _off(self, low: int, high: int) -> Float64[np.ndarray, " shares"]:
        """With so many points of the list in the rooms."""
        m, before, after = len(self.shares), self._before(low), self._after(high)
        found = np.minimum(self._marks, self._most)
        found[m - high :] = np.minimum(self._people - self._marks[m - high :], self._most)
        for place in range(low, m - high):
            law = before[place + 1 - low] * after[place + 1]
            found[place] = law @ np.abs(self._far) / max(law.sum(), 1e-300)
        return found

    def _chances(self) -> dict[tuple[int, int], float]:
        """Of pairs, over that of the likeliest."""
        most = min(len(self.shares), MOST_GONE)
        logs = {
            (low, high): self._log_chance(low, high)
            for high in range(most + 1)
            for low in range(min(most, len(self.shares) - high) + 1)
        }
        top = max(logs.values())
        return {pair: math.exp(log - top) for pair, log in logs.items() if log > top - _UNLIKELY}

    def _log_chance(self, low: int, high: int) -> float:
        down, up = self._low(low), self._high(high)
        gone = (low + high) * math.log(self._room) - math.lgamma(low + 1) - math.lgamma(high + 1)
        log = gone - self._own_rate * (up - down)
        if low + high == len(self.shares):
            return log - self._own_rate * (up - down)
        walks = self._after(high)[low][self._place(down)] if -down <= self._most else 0.0
        return log + math.log(walks) if walks > 0 else -math.inf

    def _low(self, gone: int) -> float:
        """The deviation of the last of the lowest."""
        return -float(self._marks[gone - 1]) if gone else 0.0

    def _high(self, gone: int) -> float:
        return float(self._people - self._marks[len(self.shares) - gone]) if gone else 0.0

    def _before(self, low: int) -> list[Walk]:
        """What comes to each place after the lowest, from the last of these."""
        if low not in self._begun:
            walks = [self._spike(self._low(low))]
            for place in range(low, len(self.shares)):
                walks.append(self._stepped(walks[-1], self._steps[place]))
            self._begun[low] = walks
        return self._begun[low]

    def _after(self, high: int) -> list[Walk]:
        """What comes from each place, to the first of the highest."""
        if high not in self._ended:
            walks = [self._spike(self._high(high))]
            for place in reversed(range(len(self.shares) - high + 1)):
                walks.append(self._stepped(walks[-1], self._steps[place], back=True))
            self._ended[high] = walks[::-1]
        return self._ended[high]

    def _stepped(self, walk: Walk, step: int, back: bool = False) -> Walk:
        kernel = np.conj(self._kernel(step)) if back else self._kernel(step)
        moved = np.fft.irfft(np.fft.rfft(walk, self._length) * kernel, self._length)
        return np.maximum(moved[: len(walk)], 0.0)

    def _kernel(self, step: int) -> np.ndarray:
        """A step's weights, around nothing."""
        if step not in self._kernels:
            weights = np.exp(-self._own_rate * np.abs(self._far))
            weights[self._far < -step] = 0.0
            weights[self._far == -step] /= 2
            around = np.zeros(self._length)
            around[self._far] = weights
            self._kernels[step] = np.fft.rfft(around)
        return self._kernels[step]

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
    def _marks(self) -> Float64[np.ndarray, " shares"]:
        """Q_1 to Q_m."""
        return np.round(self._people * np.array(self.shares, np.float64))

    @cached_property
    def _steps(self) -> list[int]:
        return [*map(int, np.diff([0.0, *self._marks, float(self._people)]))]

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
        return min(self._people, math.ceil(12 * spread + 40 / self._own_rate + far))

    @cached_property
    def _far(self) -> np.ndarray:
        return np.arange(-self._most, self._most + 1)

    @cached_property
    def _length(self) -> int:
        return 1 << (2 * len(self._far)).bit_length()

    @cached_property
    def _kernels(self) -> dict[int, np.ndarray]:
        return {}

    @cached_property
    def _begun(self) -> dict[int, list[Walk]]:
        return {}

    @cached_property
    def _ended(self) -> dict[int, list[Walk]]:
        return {}


@lru_cache(64)
def off_together(
    shares: tuple[float, ...], cost: float, people: int
) -> Float64[np.ndarray, " shares"]:
    """Of lists in which one person too many, or too few, costs so much."""
    off = RankBridges(shares, cost / 2, max(people, 1)).off()
    off.flags.writeable = False
    return off
