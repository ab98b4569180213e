"""Several quantiles at once: JointExp over a public grid, for a declared or noisy number of people.

A list of points y_1 <= ... <= y_m is as likely as the numbers of people between its points are near
to `targets`, the law of `tacit.mechanisms.rows.joint_law`: weight rate^wrong, where the cost of the
list is |d| + 2 wrong, and d the people who are there beyond those declared. (Published, targets
are shares of the number of *these* people, and move when somebody comes.)

**Privacy.** One person more moves every list's cost by 1 at most, and one changed by 2.

* *Add/remove*: times rate^(|d|/2), the same for all lists, the weight is rate^(cost/2), which moves
  by a factor of rate^(-1/2) at most, and so does the sum of all weights: a chance moves by 1/rate.
* *Replace-one*: d stays, so `wrong` moves by 1, weights by 1/rate and a chance by 1/rate^2.

So rate = e^-x, where x is epsilon in the first and epsilon/2 in the second, less 2^-16 = `SPARE`.
How many people there are is public in the second. In the first it is declared, or asked for with a
part of epsilon: N + Laplace noise is private with that part, and with what it says declared the
list is with the rest; the whole is their composition.

**Far lists.**

1. All lists have a weight of phi more, 2^-40/V, V = binom(C + m, m) lists: with probability
   2^-40/(Z + 2^-40), Z the sum of the others' weights and 1 at least, a uniform list comes instead.
   (Times rate^(|d|/2) both weights move by 1/rate^(1/2) at most, so their sum does.)
2. Lists of which rate^wrong is below 2^-20 phi may then be left out, which changes a weight by a
   factor of 1 - 2^-20 at most: `wrong` is above `reach` there. So no list is impossible, none costs
   a delta, and only ranks near to the targets are looked at.
3. A float below 2^-1022 belongs to such lists, as V is at most 2^900: all ways of beginning a list
   weigh their rate^wrong at least.
4. With 2^-26 for sums (step 5 of `joint_law`), two data sets cost 4 (2^-20 + 2^-26), below 2^-16 =
   `SPARE`.

**Error.** A list with `wrong` = 0 weighs 1, so `wrong` is k or more with probability V rate^k +
2^-40 at most. Deviations of ranks from targets are then within k of those from 0 to d, so for a
share q of the people there are a rank is off by k + |d| max(q, 1 - q) + 1/2 at most, a half for
whole targets. Where people are asked for, |d| is above i with probability e^(-i asking) at most,
and k above what it is with that of the list, whatever |d| is: the sum has the tail of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float64, PRNGKeyArray

from tacit.argument import (
    got,
    listed,
    refuse_negative,
    refuse_not_counted,
    refuse_outside,
    takes_numpys,
)
from tacit.mechanisms.rows.decays import STEEPEST
from tacit.mechanisms.rows.joint_law import JointLaw
from tacit.mechanisms.rows.ordered_points import InOrder, OrderedPoints
from tacit.mechanisms.rows.predicted_ranks import together
from tacit.mechanisms.rows.public_grid import PublicGrid, refuse_no_shares
from tacit.mechanisms.selection.exponential import LEAST_EPSILON, MOST_EPSILON, SPARE
from tacit.noise.exact import laplace, stream
from tacit.noise.host_choice import chosen, multiset

# Of a uniform list, and of what is left out of it; and the most lists there may be: steps 1 to 3.
_UNIFORM, _LEFT_OUT, _MOST_LISTS = 40 * math.log(2), 20 * math.log(2), 900 * math.log(2)
# What step 5 of `joint_law` counts roundings for.
MOST_SHARES = 256


@final
@dataclass(frozen=True)
class JointQuantiles:
    """The `shares`-quantiles on a grid. Build it with `declared`, `counted` or `replace_one`.

    **Guarantee**: pure `epsilon`-differential privacy of all quantiles together, in the relation of
    the constructor; all rounding included.

    **Error**: `rank_error(t)`, in ranks.

    | values | effect |
    | --- | --- |
    | those of `PublicGrid` | count as it says |
    | none at all | points that are likely where nobody is |
    | of many equal | likely their own number, if their ranks hold the quantile's |
    | in any order | the order does not matter |
    | other than the number of people declared | every count between points may differ |

    Args:
      shares: from 0 to 1, rising, at most 256.
      epsilon: the promise.
      grid: of the quantiles.
      exponent: x; what one person too many or too few costs.
      asking: the part of epsilon that the number of people is asked with; 0 if it is not.
      people: the number declared, where it is.

    References:
        Gillenwater, Joseph and Kulesza 2021, "Differentially private quantiles".
    """

    shares: tuple[float, ...]
    epsilon: float
    grid: PublicGrid
    exponent: float
    asking: float = 0.0
    people: int | None = None

    def __post_init__(self):
        _refuse(self.shares, self.epsilon)
        for name in ("exponent", "asking"):
            refuse_negative(name, getattr(self, name))
        if self.people is not None:
            refuse_not_counted("people", self.people, 0)
        if not 0 < self.exponent <= self.epsilon - self.asking:
            raise ValueError(f"asking must leave some of {self.epsilon}, got {self.asking}")
        if not self.log_lists <= _MOST_LISTS:
            raise ValueError(
                "shares must be so few that there are at most 2^900 lists of points, got "
                f"{len(self.shares)} of {self.grid.cells + 1} points"
            )

    @classmethod
    @takes_numpys
    def declared(
        cls, shares: tuple[float, ...], epsilon: float, grid: PublicGrid, people: int
    ) -> JointQuantiles:
        """For neighbours of which one has a person more, and so many `people` or about as many."""
        _refuse(shares, epsilon)
        refuse_not_counted("people", people, 0)
        return cls(shares, epsilon, grid, _exponent(epsilon), people=people)

    @classmethod
    @takes_numpys
    def counted(cls, shares: tuple[float, ...], epsilon: float, grid: PublicGrid) -> JointQuantiles:
        """For neighbours of which one has a person more; how many there are is asked for.

        The part f of epsilon for that makes the predicted error least: the variance of a rank is as
        8 (m + 1)/(1 - f)^2 + 2/(f^2 (m + 2)), for the people miscounted spread over all gaps.
        """
        _refuse(shares, epsilon)
        m = len(shares)
        asking = epsilon / (1 + (4 * (m + 1) * (m + 2)) ** (1 / 3))
        return cls(shares, epsilon, grid, _exponent(epsilon - asking), asking)

    @classmethod
    @takes_numpys
    def replace_one(
        cls, shares: tuple[float, ...], epsilon: float, grid: PublicGrid
    ) -> JointQuantiles:
        """For neighbours of the same number of people, one of whom changed."""
        _refuse(shares, epsilon)
        return cls(shares, epsilon, grid, _exponent(epsilon) / 2)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> Float64[np.ndarray, " shares"]:
        """The quantiles, in order.

        Raises:
          ValueError: if `values` are not a vector.
        """
        words, ordered = stream(key), OrderedPoints.of(self.grid, values)
        law = self.law(ordered, self._declared(words, len(ordered)))
        weights = np.array([law.total, math.exp(-_UNIFORM)])
        if chosen(words, weights) == 1:
            found = multiset(words, self.grid.cells + 1, len(self.shares))
        else:
            found = law.sample(words)
        return self.grid.numbers(np.array(found))

    def law(self, ordered: InOrder, people: int) -> JointLaw:
        """Of the list, for people at these points, `people` of them declared."""
        targets = [round(Fraction(share) * people) for share in self.shares]
        rate = math.exp(-self.exponent) * (1 + 1e-12)
        return JointLaw(ordered, self.grid.cells, (*targets, people), rate, self.reach)

    def rank_error(self, t: float) -> float:
        """With probability 1 - e^-`t` - 2^-40, how many ranks any is off at most.

        As for `ExponentialQuantile`. Where the number of people is declared and off, add how many
        it is off.
        """
        alone = (self.log_lists + t) / self.exponent
        if not self.asking:
            return alone * (1 + 1e-9) + 0.5
        side = max(max(share, 1 - share) for share in self.shares)
        # Each e times as unlikely as both may be: one or the other is not likelier.
        low, high = alone, alone + (1 / self.exponent + side / self.asking) * (t + 1)
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self._beyond(middle, side) <= -t else (middle, high)
        return high * (1 + 1e-9) + side + 0.5

    def _beyond(self, far: float, side: float) -> float:
        """The log of a bound of the probability that `wrong` + `side` i is above this, for people
        miscounted by i or i + 1."""
        spare = self.log_lists - self.exponent * far
        sure = math.ceil(max(-spare, 0.0) / (self.exponent * side))
        each = np.arange(sure) * (self.exponent * side - self.asking) + spare
        geometric = math.log(-math.expm1(-self.asking))
        return float(np.logaddexp.reduce(each + geometric, initial=-self.asking * sure))

    def ranks(self, confidence: float) -> float:
        """`rank_error` with this probability; infinite where a uniform list is likelier than
        is left."""
        left = 1 - confidence - 2.0**-40
        return self.rank_error(-math.log(left)) if left > 0 else math.inf

    def predicted(self, people: int) -> float:
        """How many ranks one is off on average, of so many who stand for all."""
        miscounted = 1 / self.asking if self.asking else 0.0
        # One moved the wrong way is one too many and one too few.
        return together(self.shares, self.exponent, people, miscounted)

    @property
    def log_lists(self) -> float:
        """ln V."""
        points, m = self.grid.cells + 1, len(self.shares)
        return sum(math.log((points + place) / (place + 1)) for place in range(m))

    @property
    def reach(self) -> int:
        """How far lists may go the wrong way before they may be left out: step 2."""
        return math.ceil((self.log_lists + _UNIFORM + _LEFT_OUT) / self.exponent) + 1

    def _declared(self, words: Iterator[int], people: int) -> int:
        if self.asking:
            return max(people + laplace(words, 1 / Fraction(self.asking)), 0)
        return people if self.people is None else self.people


def _refuse(shares: tuple[float, ...], epsilon: float) -> None:
    many = listed(shares)
    if many is None or not 1 <= len(many) <= MOST_SHARES:
        said = got(shares) if many is None else len(many)
        raise ValueError(f"shares must be from 1 to 256, got {said}")
    refuse_no_shares(many)
    refuse_outside("epsilon", epsilon, LEAST_EPSILON, MOST_EPSILON)


def _exponent(epsilon: float) -> float:
    return min(epsilon - SPARE, STEEPEST)
