"""Report noisy max: noise on every score, and the name of the highest.

Three noises are usual. Two give mechanisms that stand in files of their own, and so have no second
implementation: with Gumbel noise of scale 2D/epsilon the winner's law is the exponential
mechanism's, P[i wins] = e^(epsilon s_i / 2D) / sum_j e^(epsilon s_j / 2D); with exponential noise
of that scale it is permute-and-flip's (Ding et al. 2021). The third is Laplace, here in integers.

**Law.** Scores become integers u that move by at most k between neighbours, and distances
d_i = max u - u_i, cut at `reach`, as in `exponential`. Z_i are independent with
P[Z = z] proportional to x^|z|, x = e^-a. Chosen is the highest Z_i - d_i, ties uniformly at random.

**Privacy.** Let v_i = u_i + z_i. Move the scores to u' and, for one candidate i, its noise from z_i
to z_i + 2k.

1. If i was among the highest, it is still: for any other j

       v'_i = u'_i + z_i + 2k >= v_i + k >= v_j + k >= v'_j.

2. v'_j = v'_i forces v_j = v_i, so it shares the place with no more candidates than before. So its
   chance given the noise has not fallen.
3. The moved noise was at least e^-2ka times as likely: P'[i] >= e^-2ka P[i]. So a = epsilon/2k
   gives pure epsilon.
4. If between neighbours all scores rise, or all fall (*monotone*: counts, as one person joins or
   leaves), moving z_i by k does: u' >= u gives v'_i >= v_i + k and v'_j <= v_j + k, u' <= u gives
   v'_i >= v_i and v'_j <= v_j, and ties as before. So a = epsilon/k gives pure epsilon.
5. The cut keeps all these inequalities: it moves scores by k at most, and the same way.

**Distance.** The sampler's noise is within `noise.tv_distance` of its law, a draw, in total
variation, so n candidates within n times that. Ties are at most 2^24 ones whose float sums are
exact, and the choice among them is uniform within 2^-128.

**Error.** A choice falls short by r steps or more if some candidate at distance d_j >= r reaches
all nearer ones. Moving every candidate but the b best to distance exactly r only helps that, so
with M the highest noise of b and N = n - b the chance is at most E min(1, N P[Z >= M + r | M]).
`shortfall` takes the least r for which this is at most e^-t. The sum over M is taken in cells, each
at its lower end, which rounds up.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, Int32, PRNGKeyArray
from scipy.special import log_expit

from tacit.argument import refuse_negative, refuse_not_counted, refuse_not_whole, takes_numpys
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.selection.exponential import Exponential, ScoreGrid, choose
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.noise.discrete import DiscreteLaplaceLaw

# Sums of this many ones are exact floats.
MOST_CANDIDATES = 2**24
# Noise is drawn for so many candidates at a time.
BLOCK = 2**16
# Beyond 60 scales on either side nothing of M is left; cells are 1/256 of a scale.
SCALES, CELLS = 60, 256

GumbelMax = Exponential
"""The noisy maximum with Gumbel noise of scale 2 sensitivity / epsilon, by its law."""

ExponentialMax = PermuteAndFlip
"""The noisy maximum with exponential noise of scale 2 sensitivity / epsilon, by its law."""


@final
class LaplaceMax(eqx.Module):
    """The noisy maximum with discrete Laplace noise. Build it with `of` or `monotone`.

    **Guarantee**: `epsilon`-differential privacy of the index, in the relation in which no score
    moves by more than `sensitivity` (and, for `monotone`, all in one direction); rounding to the
    grid included. The law is pure; the sampler is within `tv_distance(candidates)` of it in total
    variation, the reserve of which is its delta (`accounting.reserve`). It is not of bounded range
    `epsilon` as the exponential mechanism is: compose it by `events.epsilon_delta`.

    **Error**: `shortfall(candidates, best, t)`, certified, and attained up to the union bound when
    all but the `best` highest are equally low. Monotone scores need half the noise.

    | scores | effect |
    | --- | --- |
    | NaN | counts as -2^80, so as the lowest |
    | infinite, or above 2^80 in size | count as 2^80 with their sign |
    | equal | equally likely |
    | one candidate | it is chosen |
    | more than `grid.reach` steps below the highest | count as at `reach` |

    The sensitivity is that of the scores after the first row; the second moves no two apart.

    References:
        Dwork and Roth 2014, "The algorithmic foundations of differential privacy", Claim 3.9.
        Ding, Kifer, Sayed, Steinke, Wang, Xiao and Zhang 2021, "The permute-and-flip mechanism is
        identical to report-noisy-max with exponential noise".
    """

    grid: ScoreGrid
    noise: DiscreteLaplaceLaw

    @classmethod
    @takes_numpys
    def of(cls, epsilon: float, sensitivity: float) -> LaplaceMax:
        """For any scores, each moving by at most `sensitivity`.

        Args:
          epsilon: From 0.01 to 1000.
          sensitivity: From 2^-30 to 2^30, in the unit of the scores.
        """
        grid = ScoreGrid(epsilon, sensitivity)
        # Step 3.
        return cls(grid, _noise(epsilon, 2 * grid.steps))

    @classmethod
    @takes_numpys
    def monotone(cls, epsilon: float, sensitivity: float) -> LaplaceMax:
        """For scores that between neighbours all rise, or all fall, by at most `sensitivity`.

        Args:
          epsilon: From 0.01 to 1000.
          sensitivity: From 2^-30 to 2^30, in the unit of the scores.
        """
        grid = ScoreGrid(epsilon, sensitivity)
        # Step 4.
        return cls(grid, _noise(epsilon, grid.steps))

    @property
    def epsilon(self) -> float:
        return self.grid.epsilon

    def tv_distance(self, candidates: int) -> float:
        """The sampler's total variation distance from the law."""
        return math.nextafter(candidates * self.noise.tv_distance + 2.0**-128, math.inf)

    def sample(self, key: PRNGKeyArray, scores: Float32[Array, " n"]) -> Int32[Array, ""]:
        """The index of the candidate chosen, among at most 2^24."""
        return self.sample_distances(key, self.grid.distances(self.grid.scores(scores)))

    @per_shape
    def sample_distances(
        self, key: PRNGKeyArray, distances: Int32[Array, " n"]
    ) -> Int32[Array, ""]:
        """The same from exact integers: how many whole steps each candidate is below the highest.

        The promise needs what `Exponential.sample_distances` does.

        Raises:
          ValueError: if there are more than 2^24.
        """
        if len(distances) > MOST_CANDIDATES:
            raise ValueError(f"there must be at most 2^24 candidates, got {len(distances)}")
        for_noise, for_ties = jax.random.split(key)
        noisy = self._draws(for_noise, len(distances)) - distances
        return choose(for_ties, (noisy == jnp.max(noisy)).astype(jnp.float32))

    def shortfall(self, candidates: int, best: int, t: float) -> float:
        """With probability 1 - e^-`t` the chosen score is within this of the highest.

        Args:
          candidates: How many there are.
          best: How many of them attain the highest score.
          t: At least zero. Infinite is returned where `grid.reach` or the sampler's distance is
            passed.
        """
        refuse_not_counted("candidates", candidates)
        refuse_not_whole("best", best, 1, candidates)
        refuse_negative("t", t)
        allowed = math.exp(-t) - self.tv_distance(candidates)
        reach = int(self.grid.reach)

        def enough(steps: int) -> bool:
            return self._short(steps, candidates - best, best) <= allowed

        if not enough(reach):
            return math.inf
        # One step less is the most d can be; one more is for the floors.
        return (1 + bisect_left(range(1, reach), True, key=enough)) * self.grid.step

    def _draws(self, key: PRNGKeyArray, count: int) -> Int32[Array, " n"]:
        blocks = -(-count // BLOCK)
        size = min(count, BLOCK)
        drawn = jax.lax.map(
            lambda one: self.noise.sample(one, (size,)), jax.random.split(key, blocks)
        )
        return drawn.reshape(-1)[:count]

    def _short(self, steps: int, others: int, best: int) -> float:
        """A bound on the chance that one of `others`, all `steps` below, reaches all the best."""
        rate = self.noise.parameter
        wide = math.ceil(SCALES / rate)
        stride = max(1, math.floor(1 / (CELLS * rate)))
        lower_ends = np.arange(-wide, wide + stride, stride, dtype=np.float64)
        reached = np.minimum(1.0, others * np.exp(_log_at_least(rate, lower_ends + steps)))
        # Summed by parts: P[M < m] times what is lost at m.
        below = np.exp(best * _log_at_least(rate, 1 - lower_ends))
        return float(below @ -np.diff(reached, prepend=1.0) + reached[-1])


def _noise(epsilon: float, steps: int) -> DiscreteLaplaceLaw:
    """The law whose parameter times `steps` is at most `epsilon`."""
    return DiscreteLaplaceLaw.of(math.nextafter(epsilon / steps, 0.0))


def _log_at_least(rate: float, z: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """ln P[Z >= z] at whole numbers: x^z/(1+x) from z = 1 on, and 1 - x^(1-z)/(1+x) up to 0."""
    far = log_expit(rate) - rate * np.maximum(z, 1)
    near = np.log1p(-np.exp(log_expit(rate) - rate * np.maximum(1 - z, 1)))
    return np.where(z >= 1, far, near)
