"""Sums of privacy losses: tilted to where they matter, and certified whatever the rounding.

The losses of composed releases add, so their law is a convolution and delta(epsilon) =
E[1 - e^(epsilon - loss)]_+.

1. *Tilted.* A plain FFT has an absolute error near 1e-16, which drowns a delta of 1e-30. So m(l)
   first becomes m(l) e^(theta l) / M(theta), with log moment K(theta) the sum of the terms' log M,
   and theta chosen so that the tilted sum lies about epsilon.
2. *Back.* There the error is relative to the tilted total, 1, and undoing the tilt multiplies it by
   e^(K - theta epsilon), which is Chernoff's bound on delta: a small fraction of any delta, however
   small.
3. *Added* is to delta, so that it stays an upper bound:

   | source | bound |
   | --- | --- |
   | losses above the window of the transform | Chernoff's e^(K(t) - t top), smallest over some t |
   | losses below it, where epsilon lies there too | 1e-14 e^(K - theta epsilon), likewise |
   | what wraps into the window from above | nothing: it only adds mass |
   | rounding of the transforms and of their powers | step 4 |
   | rounding of each mass and of its tilt | 4u of its exponents, in the mean |
   | masses cut off or infinite in one term | 1 - product of (1 - infinite)^count |

4. *Rounding.* By Cauchy and Schwarz, delta errs by at most the transform's error in L2
   (`transform`) times the L2 norm of what each point counts for (`window`).

**Slack.**

5. Where rounding onto the grid moved a loss by x in an interval h, the moves of T terms exceed
   their mean by h sqrt(T ln(1/eta) / 2) with probability at most eta (Hoeffding, conditional on the
   losses).
6. Their mean is at most T h^2 / 8. So what the given losses themselves cost lies at most that far
   below.

References:
    Gopi, Lee, Wutschitz (2021), Section 5, for the coupling behind the slack.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int

from tacit.accounting.kind import MOST_WINDOW
from tacit.accounting.loss.pld import UNIT, Directions, Losses, Masses, coarser, deltas_at
from tacit.accounting.loss.transform import tilted_sum
from tacit.accounting.loss.window import WRAPPED, Window

# For the rounding of a mass as it was given, of some products and an exponential.
_MASS_ROUNDING = 16 * UNIT
# For the sums that a term's infinite mass is of, two logarithms, and products with counts.
_MASS_SUMS = 64
# Of delta: what may lie above the window, and what slack may fail for. Neither shows in epsilon.
_TAIL_SHARE = 1e-7
_COUPLING_SHARE = 1e-3
# The steepest tilts of one attempt after the other, a cell, and the doubt that ends them.
_STEEPEST = (0.5, 0.1, 0.01, 0.0, 8.0, 128.0)
_NOTICED = 1e-5
# Deviations about which an end of the window is looked for: 11 is where e^-(x²/2) is 1e-26.
_STEPS = (2.0, 4.0, 6.0, 8.0, 11.0)

Cells = Int[np.ndarray, " terms"]
Terms = Sequence[tuple[Directions, int]]


@dataclass(frozen=True)
class Bound:
    """An upper bound, and how far at most the losses' own value lies below it."""

    value: float
    slack: float


def epsilon_at(terms: Terms, delta: float) -> Bound:
    """The smallest certified epsilon of all terms together, each as often as its count.

    **Error.** Infinite where the terms' own infinite losses have a mass of `delta` or more.
    """
    return _worst(sums.epsilon(delta) for sums in _directions(terms))


def delta_at(terms: Terms, epsilon: float) -> Bound:
    """The smallest certified delta of all terms together."""
    return _worst(sums.delta(epsilon) for sums in _directions(terms))


def curve_at(terms: Terms, epsilons: Masses) -> Masses:
    """Certified deltas at many epsilons from one plain transform, absolute error about 1e-9."""
    return np.maximum.reduce([sums.deltas(epsilons) for sums in _directions(terms)])


def _resolved(bound_at: Callable[[float], tuple[Bound, float]]) -> Bound:
    """The smallest of the bounds with tilts up to ever other steepness, until no doubt is left.

    Every one of them is a bound. Chernoff's best tilt is the first; where it isolates the largest
    losses, and drowns those that decide, the gentler ones are right; near a gap between losses the
    steeper ones.
    """
    best = Bound(math.inf, math.inf)
    for steepest in _STEEPEST:
        bound, doubt = bound_at(steepest)
        best = min(best, bound, key=lambda each: each.value)
        if doubt < _NOTICED or best.value == 0:
            break
    return best


def _worst(bounds: Iterable[Bound]) -> Bound:
    """The larger bound; the larger of the two lower bounds holds for both."""
    bounds = list(bounds)
    value = max(bound.value for bound in bounds)
    if not math.isfinite(value):
        return Bound(value, math.inf)
    return Bound(value, min(value - (bound.value - bound.slack) for bound in bounds))


def _directions(terms: Terms) -> "list[_Sum]":
    forth = _Sum(tuple((one[0], count) for one, count in terms))
    if all(one[0] is one[1] for one, _ in terms):
        return [forth]
    return [forth, _Sum(tuple((one[1], count) for one, count in terms))]


@dataclass(frozen=True)
class _Sum:
    """One direction of a composition: each term's losses, and how often they occur.

    Args:
      finer: the interval of the grid that these losses had before they were put on a coarser one.
    """

    terms: tuple[tuple[Losses, int], ...]
    finer: float = 0.0

    def epsilon(self, delta: float) -> Bound:
        if not delta > self._infinite:
            return Bound(math.inf, math.inf)
        return _resolved(lambda steepest: self._epsilon(delta, steepest))

    def delta(self, epsilon: float) -> Bound:
        return _resolved(lambda steepest: self._delta(epsilon, steepest))

    def _epsilon(self, delta: float, steepest: float) -> tuple[Bound, float]:
        """A bound, and the part of delta in doubt, with a tilt up to this steep."""
        room = delta - self._infinite
        log_room = math.log(room)
        theta = self._tilt(lambda t: (self._log_moment(t) - log_room) / t, steepest)
        log_tail = math.log(_TAIL_SHARE) + log_room
        sums, window = self._seen(theta, log_tail)
        rounding = window.rounding(window.epsilon(room - window.above))
        if not room > window.above + rounding:
            largest = sums._support[1] * window.interval
            return Bound(largest, largest), 1.0
        value = window.epsilon(room - window.above - rounding)
        share = _COUPLING_SHARE * delta
        low = window.lower(delta + self._infinite + share, value) - sums._moved(share)
        cut = value <= window.losses[0] and window.bottom > sums._support[0]
        doubt = math.inf if cut else rounding + window.wrapped(value)
        return Bound(value, value - max(low, 0.0)), doubt / room

    def _delta(self, epsilon: float, steepest: float) -> tuple[Bound, float]:
        """As `_epsilon`, the other way round."""
        theta = self._tilt(lambda t: self._log_moment(t) - t * epsilon, steepest)
        chernoff = min(0.0, self._log_moment(theta) - theta * epsilon)
        log_tail = math.log(_TAIL_SHARE) + chernoff - 5.0
        sums, window = self._seen(theta, log_tail)
        doubt = window.rounding(epsilon) + window.wrapped(epsilon)
        added = self._infinite + window.above + doubt
        value = min(1.0, window.delta(epsilon) + added)
        share = _COUPLING_SHARE * value
        low = window.delta(epsilon + sums._moved(share)) - added - share
        return Bound(value, value - max(low, 0.0)), doubt / max(value, 1e-300)

    def deltas(self, epsilons: Masses) -> Masses:
        _, window = self._seen(0.0, math.log(1e-12))
        lowest = float(window.losses[0])
        found = deltas_at(lowest, window.interval, window.masses, epsilons)
        outside = window.above + WRAPPED
        added = self._infinite + outside + window.l2_rounding * math.sqrt(len(window.losses))
        return np.clip(found + added, 0.0, 1.0)

    @cached_property
    def _count(self) -> int:
        return sum(count for _, count in self.terms)

    @cached_property
    def _interval(self) -> float:
        return self.terms[0][0].interval

    @cached_property
    def _infinite(self) -> float:
        found = -math.expm1(sum(count * math.log1p(-one.infinite) for one, count in self.terms))
        return min(found * (1 + (len(self.terms) + _MASS_SUMS) * UNIT), 1.0)

    @cached_property
    def _mass_rounding(self) -> float:
        """A relative bound for each mass; on a coarser grid one is the sum of many."""
        if self.finer == 0:
            return _MASS_ROUNDING
        return 2 * _MASS_ROUNDING + UNIT * self._interval / self.finer

    @cached_property
    def _flat(self) -> tuple[Masses, Masses, Cells, Cells]:
        """All terms' losses and log masses end to end, where each begins, and their counts."""
        kept = [(one, one.masses > 0, count) for one, count in self.terms]
        losses = np.concatenate([one.values[at] for one, at, _ in kept])
        logs = np.concatenate([np.log(one.masses[at]) for one, at, _ in kept])
        sizes = [int(at.sum()) for _, at, _ in kept]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return losses, logs, starts, np.array([count for _, _, count in kept])

    def _log_moment(self, theta: float) -> float:
        return float(self._moments(theta)[0] @ self._flat[3]) + self._count * self._mass_rounding

    def _moments(self, theta: float) -> tuple[Masses, Masses]:
        """Every term's log moment, and all tilted masses end to end, each term's adding to 1."""
        losses, logs, starts, _ = self._flat
        exponents = theta * losses + logs
        tops = np.maximum.reduceat(exponents, starts)
        sizes = np.diff(np.append(starts, len(losses)))
        tilted = np.exp(exponents - np.repeat(tops, sizes))
        totals = np.add.reduceat(tilted, starts)
        return tops + np.log(totals), tilted / np.repeat(totals, sizes)

    def _deviation(self, theta: float) -> float:
        """The standard deviation of the tilted sum; at least one cell."""
        losses, _, starts, counts = self._flat
        weights = self._moments(theta)[1]
        means = np.add.reduceat(weights * losses, starts)
        squares = np.add.reduceat(weights * losses**2, starts)
        variance = float(np.maximum(squares - means**2, 0.0) @ counts)
        return max(math.sqrt(variance), self._interval)

    def _moved(self, chance: float) -> float:
        """How far the grid can have moved the sum up, except with this chance: steps 5 and 6."""
        interval = math.hypot(self._interval, self.finer)
        spread = interval * math.sqrt(self._count * -math.log(max(chance, 1e-300)) / 2)
        return spread + self._count * interval**2 / 8

    def _tilt(self, objective: Callable[[float], float], steepest: float) -> float:
        """The theta, up to `steepest` a cell, at which a function with one valley is least."""
        most = steepest / self._interval
        if most == 0:
            return 0.0
        here = min(1 / self._deviation(0.0), most)
        best = objective(here)
        for stride in (2.0, 0.5):
            while 1e-9 < here * stride <= most and (there := objective(here * stride)) < best:
                here, best = here * stride, there
        for stride in (1.4, 1 / 1.4, 1.15, 1 / 1.15):
            if here * stride <= most and (there := objective(here * stride)) < best:
                here, best = here * stride, there
        return here

    def _seen(self, theta: float, log_tail: float) -> "tuple[_Sum, Window]":
        """The tilted sum on a window that all but e^log_tail of the mass lies below the top of.

        Step 1; where that is too large for one transform, losses are first put on a coarser grid.
        """
        sums, times = self, 1
        while (extent := sums._extent(theta, log_tail))[1] > MOST_WINDOW:
            times *= extent[1] // MOST_WINDOW
            terms = tuple((coarser(one, times), count) for one, count in self.terms)
            sums = _Sum(terms, self._interval)
        return sums, sums._window(theta, log_tail, *extent)

    def _window(self, theta: float, log_tail: float, bottom: int, size: int) -> Window:
        moment = self._log_moment(theta)
        tilted, rounding = tilted_sum(self.terms, theta, size)
        tilted = np.roll(tilted, -(bottom % size))[: self._support[1] - bottom + 1]
        cut = 0.0 if bottom + size > self._support[1] else math.exp(log_tail)
        moment += self._rounded_exponents(theta)
        return Window(theta, moment, self._interval, bottom, tilted, rounding, cut)

    def _extent(self, theta: float, log_tail: float) -> tuple[int, int]:
        """The window's lowest cell, and how many cells it has.

        Why gentler steps: each end is best at one step and worse the farther from it. About a few
        deviations, that is at those of `_STEPS`; where far rarer losses are far larger, below them.
        """
        moment, deviation = self._log_moment(theta), self._deviation(theta)
        ends = np.array([self._reach(theta, moment, s / deviation, log_tail) for s in _STEPS])
        best, last, step = ends.min(axis=0), None, _STEPS[0]
        while last is None or (best[:2] < last[:2]).any():
            step, last = step / 2, best
            best = np.minimum(best, self._reach(theta, moment, step / deviation, log_tail))
        lowest, above, rare = best / self._interval
        top = min(self._support[1], math.ceil(max(above, rare)))
        bottom = min(max(self._support[0], math.floor(-lowest)), top)
        return bottom, max(2, 1 << (top - bottom).bit_length())

    def _rounded_exponents(self, theta: float) -> float:
        """How much the rounding of masses' logarithms and tilts can change that of one: step 3."""
        losses, logs, starts, counts = self._flat
        exponents = np.abs(theta * losses) + np.abs(logs)
        means = np.add.reduceat(self._moments(theta)[1] * exponents, starts)
        return 4 * UNIT * float(means @ counts)

    def _reach(
        self, theta: float, moment: float, step: float, log_tail: float
    ) -> tuple[float, float, float]:
        """Losses beyond which next to nothing of the tilted mass lies, and above which of the mass.

        By Chernoff: below minus the first and above the second lies at most a fraction 1e-14 of the
        tilted mass, so that what wraps is harmless, and above the third at most e^log_tail.
        """
        higher, lower = self._log_moment(theta + step), self._log_moment(theta - step)
        below = (lower - moment - math.log(WRAPPED)) / step
        above = (higher - moment - math.log(WRAPPED)) / step
        return below, above, (higher - log_tail) / (theta + step)

    @cached_property
    def _support(self) -> tuple[int, int]:
        """The lowest and the highest cell of the sum that can have mass."""
        ends = [(one.lowest + np.flatnonzero(one.masses)[[0, -1]], k) for one, k in self.terms]
        lowest, highest = np.sum([cells * count for cells, count in ends], axis=0)
        return int(lowest), int(highest)
