"""Lists of points drawn in order, the likelier the nearer the counts between them to their targets.

n people have numbers among the points 0 to C of a grid. A list y_1 <= ... <= y_m of points has
ranks r_1, ..., r_m, r_j from #{x < y_j} to #{x <= y_j}: whoever is at a point of the list may count
as below it. With r_0 = 0, r_(m+1) = n and whole targets 0 = Q_0 <= Q_1 <= ... <= Q_(m+1), let

    cost = the least sum over j of |(r_(j+1) - r_j) - (Q_(j+1) - Q_j)| for such ranks.

1. *The best ranks* are the lazy ones: r_(j+1) is what is nearest to r_j + Q_(j+1) - Q_j in its
   range. For the least cost of coming to rank v is that of the lazy rank and |v - lazy| more, by
   induction: coming from u costs |u - lazy| more there and |v - u - step| then, least for u = lazy,
   and v and the nearest of a range are on one side of what it is nearest to. Lazy ranks rise.
2. *One person more* moves the cost of any list by 1 at most. Of the lazy ranks, those of points
   above the newcomer's rise by one; the others may stay. So one count between ranks rises by one,
   and no other moves. And from the newcomer's side, of the lazy ranks those of points above fall by
   one, and those of points equal to the newcomer's that are as high as they may be; these are the
   last ones, so one count falls by one. **One person changed** is one less and one more: 2.
3. *Moves.* With D_j = r_j - Q_j and d = n - Q_(m+1), D goes from D_0 = 0 to D_(m+1) = d; the cost
   is how far it goes up and down together: |d| + 2 `wrong`, with `wrong` how far it goes the way
   that d is not. Of some list it is |d|, for every rank from 0 to n is one of some point.
4. *Sums over lists.* A list is a path over *states*: a gap between two people's numbers, with so
   many points and one rank, or a number that c people have, with one of c + 1 ranks. In the order
   of points ranks rise by 0 or 1. Of rank r there are the last state of a number, the gap after it
   and the first state of the next number, or else one in the middle of a number. Let T(D) be the
   sum of rate^wrong over the lists' beginnings at a state of deviation D, a and b the rates of a
   move up and down, and s the next step. By the lazy rule there come from earlier states, or a
   number's own,

       to the first state of a number   rise(D) = sum over E <= D of a^(D-E) T(E),
       to one in its middle             T(D),
       to its last state                fall(D) = sum over D <= E < D + s of b^(E-D) T(E)
                                                  + b^s last(D + s),
       to the gap after it              a rise(D - 1) + fall(D):

   of rank E = D + s only that number's last state, whose T is `last`, is no later one. Of a gap
   with l points k of the list are binom(l + k - 1, k) lists, and enter it in one step. All sums are
   of positive numbers, windows by doubling, so nothing cancels.
5. *Distance.* A draw goes back from the end, to each state in exact proportion to its float, so a
   list's chance is a product of shares and off by what sums are off relatively. Powers of a rate
   above 2^-1074 have exponents below 2^18 for costs of 0.004 a move and more, and are right within
   2^-35; a sum over a range has less than 2^7 roundings. So of at most 256 points a list's chance
   is right within 2^-26, wherever no float is below 2^-1022 (`joint_quantiles` says what becomes of
   the rest).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float64, Int64

from tacit.mechanisms.rows.decays import decayed, later, powers
from tacit.mechanisms.rows.ordered_points import InOrder, ends_from
from tacit.noise.host_choice import chosen, multiset

Sums = Float64[np.ndarray, " deviations"]
# Kinds of states, in the order in which they are held (step 4).
LAST, GAP, FIRST = range(3)


class Beginnings(NamedTuple):
    """The sums of all beginnings of lists that end with one point, by its state's deviation.

    `states` are by kind; `entry` is what of the gap's comes from before, with this point the first.
    """

    states: Float64[np.ndarray, "kinds deviations"]
    entry: Sums


@final
@dataclass(frozen=True)
class JointLaw:
    """Lists of points from 0 to `top`, in proportion to rate^wrong; some, above `reach`, left out.

    Args:
      ordered: people's points, of which those of ranks near to targets are looked at; secret.
      top: C.
      targets: Q_1, ..., Q_(m+1), none below the one before or below 0.
      rate: below 1, what one move the wrong way multiplies a list's weight with.
      reach: at least 0.
    """

    ordered: InOrder
    top: int
    targets: Sequence[int]
    rate: float
    reach: int

    @cached_property
    def total(self) -> float:
        """The sum of all lists' weights."""
        return float(np.sum(self._levels[-1].states * self._ending))

    def sample(self, words: Iterator[int]) -> list[int]:
        """One list."""
        place, found, shares = len(self.targets) - 1, [], self._ending
        while place > 0:
            weights = self._levels[place].states * shares
            kind, at = divmod(chosen(words, weights.ravel()), self._size)
            before, after = map(int, self._ends[place][at : at + 2])
            if kind == GAP:
                stays, at = self._entered(words, place, at)
                points = multiset(words, after - before - 1, stays)
                found += [before + 1 + point for point in reversed(points)]
                place -= stays - 1
            else:
                found.append(after if kind == FIRST else before)
            shares = self._sources(kind, before == after, at, self._step(place))
            place -= 1
        return found[::-1]

    def _entered(self, words: Iterator[int], place: int, at: int) -> tuple[int, int]:
        """How many points of the list a gap has that ends with this, and where the first came."""
        ways = [float(each[at]) for each in self._stays(place)]
        stays = 1 + chosen(words, np.array(ways))
        return stays, at + self._marks[place] - self._marks[place - stays + 1]

    def _sources(
        self, kind: int, tied: bool, at: int, step: int
    ) -> Float64[np.ndarray, "kinds deviations"]:
        """What a beginning is multiplied with as it goes on to this state, by its own; the state
        may be of a rank in the middle of a number, which is `tied`."""
        up, down = self._powers
        shares = np.zeros((3, self._size))
        if kind == FIRST and tied:
            shares[:, at] = 1.0
            return shares
        if kind != LAST:
            below = at + (kind == FIRST)
            shares[:, :below] = up[at - np.arange(below)]
        if kind != FIRST:
            after = min(at + step, self._size)
            shares[:, at:after] = down[: after - at]
            if at + step < self._size:
                shares[LAST, at + step] = down[step]
        return shares

    @cached_property
    def _levels(self) -> list[Beginnings]:
        states = np.zeros((3, self._size))
        states[LAST, -self._least] = 1.0
        levels = [Beginnings(states, np.zeros(self._size))]
        for place in range(1, len(self.targets)):
            levels.append(self._after(levels, place))
        return levels

    def _after(self, levels: list[Beginnings], place: int) -> Beginnings:
        """Of one more point than `levels` are of."""
        up, down = self._rates
        step, (edge, middle, lowest, highest) = self._step(place), self._kinds(place)
        states = levels[-1].states
        total = states.sum(axis=0)
        rise = decayed(total, up, self._size)
        fall = decayed(total[::-1], down, min(step, self._size))[::-1]
        fall = fall + self._down(step) * later(states[LAST], step)
        entry = np.where(edge, up * later(rise, -1) + fall, 0.0)
        found = np.zeros_like(states)
        found[LAST] = np.where(edge & ~lowest, fall, 0.0)
        found[FIRST] = np.where(edge, rise, np.where(middle, total, 0.0))
        found[FIRST, highest] = 0.0
        found[GAP] = sum(self._stays(place, [*levels, Beginnings(found, entry)]))
        return Beginnings(found, entry)

    def _stays(self, place: int, levels: list[Beginnings] | None = None) -> Iterator[Sums]:
        """The sums of lists of which one, two, ... points to this one are in the same gap."""
        levels, marks = self._levels if levels is None else levels, self._marks
        lengths, ways = np.maximum(np.diff(self._ends[place]) - 1, 0), 1.0
        for stays in range(1, place + 1):
            ways = ways * (lengths + stays - 1) / stays
            moved = marks[place] - marks[place - stays + 1]
            if moved >= self._size:
                break
            yield ways * self._down(moved) * later(levels[place - stays + 1].entry, moved)

    def _kinds(self, place: int) -> tuple[Bool[np.ndarray, " deviations"], ...]:
        """Where ranks are between two numbers, within one, 0, and everybody's."""
        ranks = self._marks[place] + self._least + np.arange(self._size)
        there = (ranks >= 0) & (ranks <= len(self.ordered))
        edge = (np.diff(self._ends[place]) > 0) & there
        return edge, there & ~edge, ranks == 0, ranks == len(self.ordered)

    def _step(self, place: int) -> int:
        return self._marks[place] - self._marks[place - 1]

    def _down(self, moved: int) -> float:
        return float(self._powers[1][moved]) if moved < self._size else 0.0

    @cached_property
    def _marks(self) -> tuple[int, ...]:
        """Q_0 to Q_(m+1)."""
        return 0, *self.targets

    @property
    def _apart(self) -> int:
        return len(self.ordered) - self.targets[-1]

    @cached_property
    def _least(self) -> int:
        """The least deviation that is kept."""
        apart = self._apart
        return max(min(0, apart) - self.reach, min(0, apart, -self.targets[-2]))

    @cached_property
    def _size(self) -> int:
        """How many deviations are."""
        apart, people = self._apart, len(self.ordered)
        most = min(max(0, apart) + self.reach, max(0, apart, people - self.targets[0]))
        return most - self._least + 1

    @property
    def _rates(self) -> tuple[float, float]:
        """a and b: the way that d is costs nothing."""
        return (1.0, self.rate) if self._apart >= 0 else (self.rate, 1.0)

    @cached_property
    def _powers(self) -> tuple[Sums, Sums]:
        return powers(self._rates[0], self._size), powers(self._rates[1], self._size)

    @cached_property
    def _ending(self) -> Sums:
        """What a list is multiplied with as it ends, by its last point's deviation."""
        up, down = self._powers
        beyond = self._least + np.arange(self._size) - self._apart
        return np.where(beyond > 0, down[np.maximum(beyond, 0)], up[np.maximum(-beyond, 0)])

    @cached_property
    def _ends(self) -> list[Int64[np.ndarray, " ends"]]:
        """By place, the point below each deviation's rank, and of the last the one above."""
        many, past = self._size + 1, self.top + 1
        return [ends_from(self.ordered, mark + self._least, many, past) for mark in self._marks]
