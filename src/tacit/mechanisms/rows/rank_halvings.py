"""How far off ranks are where one choice follows another, of people at equal distances.

A choice is made between two answers of levels before. Both are off, not independently of one
another; how many people are between them is off too, and with that the target; and no answer is
beyond them, which cuts its law off where few people are between. So a rank's law has no short form,
and is averaged over: choices are made as `ApproximateQuantiles` makes them, for `RUNS` people's
answers at once.

**A choice** between the places a and b, of n people at equal distances, at a rate t a rank: the gap
that is k ranks from the target has weight e^(-t k), and gaps have length one, but for those at both
ends, which begin or end where a and b are. From the gap at the target on, weights are a geometric
series on either side, so the place to a chance u has a closed form (`_Side`).

**Chances** are public: of run i on level l the fractional part of i times the root of the l-th
prime, which fills the cube of all levels evenly (Kronecker's sequence). Choices of one level share
them, since a rank depends on one choice a level. What is averaged is within a hundredth of the
law's own mean.

**Room.** Beside people there is a side's 7/16 of the bounds; an answer there has nobody, or all of
its part, on one side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64

from tacit.mechanisms.rows.halving import Halving
from tacit.mechanisms.rows.rank_bridges import FILLED

# Averaged over: within a hundredth, as **Chances** says.
RUNS = 2048
# A rate above which nobody is off.
_STEEPEST = 350.0

Places = Float64[np.ndarray, " runs"]


@final
@dataclass(frozen=True)
class RankHalvings:
    """Lists of `shares`-quantiles of so many people.

    Args:
      shares: rising.
      halvings: all choices, each after those it depends on.
      rates: of each, a rank.
      people: at least 1.
    """

    shares: tuple[float, ...]
    halvings: Sequence[Halving]
    rates: Sequence[float]
    people: int

    def off(self) -> Float64[np.ndarray, " shares"]:
        """By how many ranks each is off on average."""
        room = (1 - FILLED) / 2 / FILLED * self.people
        ends = {-1: np.full(RUNS, -room), len(self.shares): np.full(RUNS, self.people + room)}
        for each, rate in zip(self.halvings, self.rates, strict=True):
            between = ends[each.first - 1], ends[each.past]
            share = float(each.share(self.shares))
            ends[each.middle] = self._chosen(_chances(each.level), between, share, rate)
        found = np.stack([ends[place] for place in range(len(self.shares))])
        wanted = self.people * np.array(self.shares)
        return np.abs(self._below(found) - wanted[:, None]).mean(axis=1)

    def _chosen(
        self, chances: Places, between: tuple[Places, Places], share: float, rate: float
    ) -> Places:
        """A place of each run, of the share of those who are between two."""
        (lower, upper), rate = between, min(rate, _STEEPEST)
        start, stop = self._below(lower), self._below(upper)
        people = stop - start
        target = share * people
        whole = np.minimum(np.floor(target), people - 1)
        border = np.where(people > 0, start + whole + 0.5, lower)
        nearest = np.minimum(target - whole, whole + 1 - target)
        down = _side(target - whole - nearest, whole, border - lower)
        up = _side(whole + 1 - target - nearest, people - 1 - whole, upper - border)
        left = down.mass(rate)
        mass = chances * (left + up.mass(rate)) - left
        place = border + np.where(mass < 0, -down.reached(rate, -mass), up.reached(rate, mass))
        return np.clip(place, lower, upper)

    def _below(self, places: Float64[np.ndarray, " *shape"]) -> Float64[np.ndarray, " *shape"]:
        """How many people are below each: they stand at a half, one and a half, and so on."""
        return np.clip(np.ceil(places - 0.5), 0, self.people)


class _Side(NamedTuple):
    """Gaps from the target's on, to one side.

    Args:
      near: how many ranks the first is farther than the nearest of both sides.
      whole: how many have length one.
      rest: the length of the one after them.
    """

    near: Places
    whole: Places
    rest: Places

    def mass(self, rate: float) -> Places:
        """The weight of all."""
        return self._inner(rate) + self.rest * np.exp(-rate * (self.near + self.whole))

    def reached(self, rate: float, mass: Places) -> Places:
        """How far away the place is with so much weight before it; that is 0 at least there."""
        first, inner, mass = np.exp(-rate * self.near), self._inner(rate), np.maximum(mass, 0)
        left = np.clip(1 + mass / first * math.expm1(-rate), 1e-300, 1)
        whole, part = np.divmod(-np.log(left) / rate, 1)
        near = np.minimum(whole + np.expm1(-rate * part) / math.expm1(-rate), self.whole)
        last = np.maximum(np.exp(-rate * (self.near + self.whole)), 1e-300)
        return np.where(mass < inner, near, self.whole + np.maximum(mass - inner, 0) / last)

    def _inner(self, rate: float) -> Places:
        """The weight of those of length one."""
        series = np.expm1(-rate * self.whole) / math.expm1(-rate)
        return series * np.exp(-rate * self.near)


def _side(near: Places, whole: Places, length: Places) -> _Side:
    whole = np.maximum(whole, 0)
    return _Side(near, whole, np.maximum(length - whole, 0))


def _chances(level: int) -> Places:
    """Of all runs, on this level."""
    return np.arange(1, RUNS + 1) * math.sqrt(_prime(level)) % 1


def _prime(place: int) -> int:
    """The primes from 2 on."""
    found = [2]
    while len(found) <= place:
        found.append(next(n for n in range(found[-1] + 1, 2 * found[-1]) if _is_next(n, found)))
    return found[place]


def _is_next(n: int, primes: Sequence[int]) -> bool:
    return all(n % each for each in primes)
