"""The exponential mechanism over an interval, for a score that is constant on pieces of it.

A price, a quantile or a threshold is chosen among all points of an interval, and the data cut it
into pieces of equal score. The points are those of a public grid, at most 2^30 of them, so that a
piece is a whole number l of points. Every point is a candidate: point y has probability
proportional to w(d(y)), with d the distance in steps of its score from the highest any point has,
and w the weights of `tacit.mechanisms.selection.exponential`.

**Privacy** is that file's, point by point; the pieces need not be the same for two neighbours, as
they are only how the sum over points is written. A piece is chosen in proportion to l w, then a
point of it uniformly, so a point has l w / (sum of l w) times 1/l.

**Distance.** Let u = 2^-24 be the unit roundoff.

1. The float l w is right within 16u for w, one u for l and one for the product.
2. Its sum over all pieces is at most 2^30 2^64, below the 2^95 that `choose` adds up exactly from
   at most 256 floats; 24u are for the sums of each path (step 10 of `exponential`).
3. So a point's chance is the law's times e^±84u, and two data sets cost 168u, below 2^-16 =
   `SPARE`, which epsilon contains. The uniform point's 2^-161 is in that too.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32, PRNGKeyArray

from tacit.mechanisms.alone import numbers, per_shape
from tacit.mechanisms.selection.exponential import ScoreGrid, choose, uniform_below

# Step 2; and whole numbers of 32 bits count them.
MOST_POINTS = 2**30


@final
class IntervalChoice(eqx.Module):
    """Chooses point y with probability proportional to e^(`epsilon` s(y) / 2 `sensitivity`).

    **Guarantee**: pure `epsilon`-differential privacy of the point, in the relation in which the
    score at no point moves by more than `sensitivity`; all rounding included. The log-probabilities
    move within a range of `epsilon` (bounded range), so `events.exponential_mechanism` may compose
    it.

    **Error**: `shortfall(points, best, t)`, where `best` of the points attain the highest score.

    | pieces | effect |
    | --- | --- |
    | of length zero | not there: their score counts for nothing |
    | scores NaN | count as -2^80, so as the lowest |
    | scores infinite, or above 2^80 in size | count as 2^80 with their sign |
    | one piece | a uniform point |

    Args:
      epsilon: From 0.01 to 1000.
      sensitivity: From 2^-30 to 2^30, in the unit of the scores.

    References:
        McSherry and Talwar 2007, "Mechanism design via differential privacy".
        Smith 2011, "Privacy-preserving statistical estimation with optimal convergence rates"
        (Algorithm 2: quantiles, piece by piece).
    """

    grid: ScoreGrid

    def __init__(self, epsilon: float, sensitivity: float):
        self.grid = ScoreGrid(epsilon, sensitivity)

    @property
    def epsilon(self) -> float:
        return self.grid.epsilon

    def sample(
        self, key: PRNGKeyArray, lengths: Int32[Array, " pieces"], scores: Float32[Array, " pieces"]
    ) -> Int32[Array, ""]:
        """The number of the point chosen, counted from 0 over all pieces in their order.

        Args:
          key: The randomness.
          lengths: The pieces' numbers of points: none negative, and from 1 to 2^30 together.
          scores: The pieces' scores.
        """
        if isinstance(scores, jax.Array):
            there = jnp.where(lengths > 0, scores, -jnp.inf)
        else:
            there = np.where(numbers(lengths) > 0, numbers(scores), -np.inf)
        return self.sample_distances(key, lengths, self.grid.distances(self.grid.scores(there)))

    @per_shape
    def sample_distances(
        self,
        key: PRNGKeyArray,
        lengths: Int32[Array, " pieces"],
        distances: Int32[Array, " pieces"],
    ) -> Int32[Array, ""]:
        """The same from exact integers: how many whole steps each piece is below the highest.

        The promise needs what `Exponential.sample_distances` does, at every point; the highest is
        that of the pieces with a point.
        """
        for_piece, for_point = jax.random.split(key)
        piece = choose(for_piece, lengths.astype(jnp.float32) * self.grid.weights(distances))
        first = jnp.cumsum(lengths)[piece] - lengths[piece]
        return first + uniform_below(for_point, lengths[piece])

    def shortfall(self, points: int, best: int, t: float) -> float:
        """With probability 1 - e^-`t` the chosen point's score is within this of the highest."""
        return self.grid.shortfall(points, best, t)
