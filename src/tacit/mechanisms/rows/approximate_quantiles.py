"""Several quantiles by halving: the middle one first, then each half of the people by themselves.

The middle share's quantile v of some people is chosen by the exponential mechanism. Those below v
are asked for the shares before, all others for those after, each as a share of what their part of
all people should be; so each person takes part once a level, and m shares have floor(log2 m) + 1.

**Score.** Of n people of a part, point y is max(#{x < y} - q n, q n - #{x <= y}, 0) ranks off, as
in `tacit.mechanisms.rows.quantile`, in whole steps of 1/S, S = 256, with floor(S q n) for the
target. A newcomer moves it by k = max(ceil(S q), ceil(S (1 - q))) steps, one who changes within the
part by S. A point's chance is in proportion to e^-(rate steps).

**Privacy of a level**, the parts being given by levels before.

* *Add/remove*: the newcomer is in one part, whose chances move by 2 k rate. rate = e/2k.
* *Replace-one*: a person changes within one part, at a cost of 2 S rate; or leaves one and joins
  another, at 2 k rate of the one and 2 k' rate' of the other, their sizes moving as if one had gone
  and one had come. With rate = e/4k, of each part's own k, both cost e/2; and within a part it is
  e S/2k, which is e at most, as k >= S/2. Where a level chooses in one part alone, rate = e/2S: a
  person who leaves it joins nobody who is asked, and costs e k/S, which is e at most. No half of e
  is lost first.

e is an equal part of epsilon for each level, less 2^-16 = `SPARE` for floats: weights are right
within 2^-40, draws in exact proportion to them.

**Ties.** Each person's point is first spread over 2^b public parts of a step, uniformly, by draws
of their own. Whatever these are the law is private, so on average over them it is. People of one
number are then halved as others are: nobody's half is empty because a number is common. At a part
that several share, all of them go right (< v left, >= v right). What is released is the step.

**Error.** If every answer is within g of its target among its part, and no part of a step has more
than w people, the ranks of a part's ends are off by g + w a level, and a target between them by the
larger of both. So the last level's answers are off by at most the sum of g and w over levels. Of N
people w + 1 share a part of a step with probability N (e N/w 2^b)^w at most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float64, Int64, PRNGKeyArray

from tacit.argument import got, is_number, is_whole, keep_pythons, takes_numpys
from tacit.mechanisms.rows.halving import Halving, halvings_of, pieces_of
from tacit.mechanisms.rows.public_grid import PublicGrid, refuse_no_shares
from tacit.mechanisms.rows.rank_halvings import RankHalvings
from tacit.mechanisms.selection.exponential import LEAST_EPSILON, MOST_EPSILON, SPARE
from tacit.noise.exact import stream
from tacit.noise.host_choice import below, chosen

# Of a rank: k is within 1/128 of the most that a score moves by then.
STEPS = 256
# The farthest piece's weight is e^-64 of a point's of the best, or what is nearest to it.
_DEEPEST = 64.0
# Parts of a step are 16 a person or more, and 2^30 at most.
_PARTS, _MOST_PARTS = 4, 30


@final
@dataclass(frozen=True)
class ApproximateQuantiles:
    """The `shares`-quantiles on a grid. Build it with `add_remove` or `replace_one`.

    **Guarantee**: pure `epsilon`-differential privacy of all quantiles together, in the relation of
    the constructor's name; all rounding included.

    **Error**: `rank_error(t)`, in ranks.

    | values | effect |
    | --- | --- |
    | those of `PublicGrid` | count as it says |
    | none at all, or none in a half | a uniform point of what is left of the interval |
    | of many equal | most likely their own number, if their ranks hold the quantile's |
    | in any order | the order does not matter |

    Args:
      shares: from 0 to 1, rising.
      epsilon: the promise.
      grid: of the quantiles.
      people: about how many they are; for how finely ties are spread.
      replaced: whether neighbours are of the same number of people.

    References:
        Kaplan, Schnapp and Stemmer 2022, "Differentially private approximate quantiles".
    """

    shares: tuple[float, ...]
    epsilon: float
    grid: PublicGrid
    people: int
    replaced: bool

    def __post_init__(self):
        keep_pythons(self, "epsilon", "people")
        refuse_no_shares(self.shares)
        if not all(one < other for one, other in zip(self.shares, self.shares[1:], strict=False)):
            raise ValueError(f"shares must rise, got {self.shares}")
        least = LEAST_EPSILON * self.levels
        if not (is_number(self.epsilon) and least <= self.epsilon <= MOST_EPSILON):
            raise ValueError(
                f"epsilon must be between {least} and {MOST_EPSILON} for "
                f"{self.levels} levels, got {got(self.epsilon)}"
            )
        if not (is_whole(self.people) and self.people >= 1):
            raise ValueError(f"people must be at least 1, got {got(self.people)}")

    @classmethod
    @takes_numpys
    def add_remove(
        cls, shares: tuple[float, ...], epsilon: float, grid: PublicGrid, people: int
    ) -> ApproximateQuantiles:
        """For neighbours of which one has a person more."""
        return cls(shares, epsilon, grid, people, False)

    @classmethod
    @takes_numpys
    def replace_one(
        cls, shares: tuple[float, ...], epsilon: float, grid: PublicGrid, people: int
    ) -> ApproximateQuantiles:
        """For neighbours of the same number of people, one of whom changed."""
        return cls(shares, epsilon, grid, people, True)

    @property
    def levels(self) -> int:
        """floor(log2 m) + 1."""
        return len(self.shares).bit_length()

    @property
    def bits(self) -> int:
        """b: of the parts of a step."""
        return min(self.people.bit_length() + _PARTS, _MOST_PARTS)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> Float64[np.ndarray, " shares"]:
        """The quantiles, in order.

        Raises:
          ValueError: if `values` are not a vector.
        """
        words, points = stream(key), self.grid.points(values)
        own = np.fromiter(islice(words, len(points)), np.uint64, len(points))
        spread = (points << self.bits) + (own >> np.uint64(64 - self.bits)).astype(np.int64)
        found = self.chosen_parts(words, np.sort(spread), self.grid.cells + 1 << self.bits)
        return self.grid.numbers(np.array(found) >> self.bits)

    def chosen_parts(
        self, words: Iterator[int], ordered: Int64[np.ndarray, " people"], size: int
    ) -> list[int]:
        """The quantiles among the points 0 to `size` - 1, in order."""
        ends = {-1: (0, 0), len(self.shares): (size - 1, len(ordered))}
        for halving in self.halvings:
            (lower, start), (upper, stop) = ends[halving.first - 1], ends[halving.past]
            part = ordered[start:stop]
            point = self._middle(words, halving, part, lower, upper)
            ends[halving.middle] = point, start + int(np.searchsorted(part, point))
        return [ends[place][0] for place in range(len(self.shares))]

    def _middle(
        self,
        words: Iterator[int],
        halving: Halving,
        part: Int64[np.ndarray, " people"],
        lower: int,
        upper: int,
    ) -> int:
        """A point from `lower` to `upper`, by the ranks of these people."""
        target = math.floor(STEPS * halving.share(self.shares) * len(part))
        starts, lengths, under, up_to = pieces_of(part, lower, upper)
        steps = np.maximum(np.maximum(STEPS * under - target, target - STEPS * up_to), 0)
        steps = steps - steps[lengths > 0].min()
        rate = self.rates[halving]
        weights = lengths * np.exp(-np.minimum(rate * np.maximum(steps, 0), _DEEPEST))
        piece = chosen(words, weights)
        return int(starts[piece]) + below(words, int(lengths[piece]))

    @cached_property
    def halvings(self) -> tuple[Halving, ...]:
        """All choices, each after those of the levels before."""
        return halvings_of(self.shares)

    @cached_property
    def rates(self) -> dict[Halving, float]:
        """What one step off costs in each."""
        own = (self.epsilon / self.levels - SPARE) * (1 - 1e-12)
        moves = {each: _moved(each.share(self.shares)) for each in self.halvings}
        if not self.replaced:
            return {each: own / (2 * steps) for each, steps in moves.items()}
        parts = Counter(each.level for each in self.halvings)
        return {
            each: own / (2 * STEPS if parts[each.level] == 1 else 4 * steps)
            for each, steps in moves.items()
        }

    def rank_error(self, t: float) -> float:
        """With probability 1 - e^-`t`, how many ranks any is off, if they are 2 `people` at most.

        Infinite where the cut weights are passed.
        """
        sure = t + math.log(2 * len(self.shares))
        nats = math.log(self.grid.cells + 1) + self.bits * math.log(2) + sure
        if not nats < _DEEPEST:
            return math.inf
        least = [math.inf] * self.levels
        for each, rate in self.rates.items():
            least[each.level] = min(least[each.level], rate)
        shared = (self.levels - 1) * self._sharing(t + math.log(2))
        return sum((nats / rate + 1) / STEPS for rate in least) + shared

    def ranks(self, confidence: float) -> float:
        """`rank_error` with this probability."""
        return self.rank_error(-math.log(1 - confidence))

    def predicted(self, people: int) -> float:
        """How many ranks one is off on average, of so many who stand for all."""
        rates = [STEPS * self.rates[each] for each in self.halvings]
        return float(RankHalvings(self.shares, self.halvings, rates, people).off().mean())

    def _sharing(self, t: float) -> int:
        """w, with probability 1 - e^-`t`."""
        people, shared = 2 * self.people, 1
        each = math.log(people) + 1 - self.bits * math.log(2)
        while math.log(people) + shared * (each - math.log(shared)) > -t:
            shared += 1
        return shared


def _moved(share: Fraction) -> int:
    """k: how many steps a newcomer moves a score by."""
    return max(math.ceil(STEPS * share), math.ceil(STEPS * (1 - share)))
