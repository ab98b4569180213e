"""The best k candidates: the exponential mechanism k times, each time without those chosen.

This is peeling, and in law the one-shot mechanism that adds Gumbel noise of scale 2kD/epsilon to
every score once and names the k highest in order (Durfee and Rogers). No noise is drawn
here, so none is rounded.

**Privacy.** Given the earlier answers, a pick is the exponential mechanism of epsilon/k among the
candidates left, with their own highest score and its own rounding paid for in
`exponential`; a candidate already named has weight zero whatever the data are. So
a pick is pure epsilon/k and of bounded range epsilon/k, adaptively: the k of them are pure epsilon,
and `events.repeated(events.exponential_mechanism(epsilon/k), k)` says more of them than that.

**Error.** After r - 1 picks the best one left is no worse than the r-th highest score. Each pick is
within the exponential mechanism's bound of it but for a chance e^-t / k, with t + ln k for t.

**Cost.** A pick reads all scores once more: with the highest gone, weights from its distance would
say nothing of the rest (they end at e^-44).
"""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float32, Int32, PRNGKeyArray

from tacit.argument import got, is_whole, refuse_negative, refuse_outside, takes_numpys
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.selection.exponential import LEAST_EPSILON, MOST_EPSILON, ScoreGrid, choose


@final
class TopK(eqx.Module):
    """Names `picks` candidates, best first, by the exponential mechanism without replacement.

    **Guarantee**: pure `epsilon`-differential privacy of the ordered list, in the relation in which
    no score moves by more than `sensitivity`; all rounding included. It composes as `picks` choices
    of bounded range `epsilon` / `picks`.

    **Error**: `shortfall(candidates, t)`, for all picks at once.

    | scores | effect |
    | --- | --- |
    | NaN | counts as -2^80, so as the lowest |
    | infinite, or above 2^80 in size | count as 2^80 with their sign |
    | equal | equally likely, within the same rounding |
    | as many candidates as picks | all are named, in random order |
    | far below the highest left | as likely as at `grid.reach` steps: e^-44 of the best |

    The sensitivity is that of the scores after the first row; the second moves no two apart.

    Args:
      epsilon: From 0.01 `picks` to 1000 `picks`, for all picks together.
      sensitivity: From 2^-30 to 2^30, in the unit of the scores.
      picks: k, at least 1.

    References:
        Durfee and Rogers 2019, "Practical differentially private top-k selection with
        pay-what-you-get composition".
        McSherry and Talwar 2007, "Mechanism design via differential privacy".
    """

    grid: ScoreGrid
    epsilon: float
    picks: int = eqx.field(static=True)

    @takes_numpys
    def __init__(self, epsilon: float, sensitivity: float, picks: int):
        if not (is_whole(picks) and picks >= 1):
            raise ValueError(f"picks must be a whole number from 1, got {got(picks)}")
        refuse_outside("epsilon", epsilon, picks * LEAST_EPSILON, picks * MOST_EPSILON)
        self.grid = ScoreGrid(epsilon / picks, sensitivity)
        self.epsilon, self.picks = float(epsilon), int(picks)

    def sample(self, key: PRNGKeyArray, scores: Float32[Array, " n"]) -> Int32[Array, " picks"]:
        """The indices of the candidates chosen, in order.

        Raises:
          ValueError: if there are fewer candidates than `picks`.
        """
        if len(scores) < self.picks:
            raise ValueError(f"there must be at least {self.picks} scores, got {len(scores)}")
        return self._named(key, self.grid.scores(scores))

    @per_shape
    def _named(self, key: PRNGKeyArray, scores: Float32[Array, " n"]) -> Int32[Array, " picks"]:
        """One choice after another, each without those before."""

        def pick(left: tuple[Array, Array], turn: tuple[Array, Array]):
            scores, named = left
            place, key = turn
            weights = self.grid.weights(self.grid.distances(scores))
            index = choose(key, weights.at[named].set(0.0, mode="drop"))
            # The lowest there is, so that it is nobody's highest.
            return (scores.at[index].set(-jnp.inf), named.at[place].set(index)), None

        nobody = jnp.full(self.picks, len(scores), jnp.int32)
        turns = jnp.arange(self.picks), jax.random.split(key, self.picks)
        return lax.scan(pick, (scores, nobody), turns)[0][1]

    def shortfall(self, candidates: int, t: float) -> float:
        """With probability 1 - e^-`t`, for every r the r-th choice is within this of the r-th best.

        More exactly, of the best of those not yet chosen.
        """
        if not (is_whole(candidates) and self.picks <= candidates):
            raise ValueError(f"candidates must be at least {self.picks}, got {got(candidates)}")
        refuse_negative("t", t)
        return self.grid.shortfall(candidates, 1, t + math.log(self.picks))
