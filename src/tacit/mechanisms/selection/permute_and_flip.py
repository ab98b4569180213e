"""Permute-and-flip: the exponential mechanism's coins, tossed once for each candidate.

Candidates are visited in random order, and the first whose coin shows heads is chosen. Candidate
i's coin does so with probability q_i = e^(-epsilon (max s - s_i) / 2D): the best one's always.

**All coins at once.** The coins do not depend on the order, and given which of them are heads the
first of these in a uniform order is uniform among them. So: toss every coin, and choose uniformly
among the heads. There is no permutation to draw and no noise to compare; the law is also that of
the noisy maximum with exponential noise (Ding et al.).

**Distance.**

1. Scores become integers, and integers weights within 16u of 2^64 q_i (step 7 of `exponential`). A
   coin compares 96 random bits with that float, exactly.
2. Chance i is q_i E[1/(1 + N)] with N the number of other heads. Lowering each q_j by a factor of
   at least 1 - a keeps a head with at least that probability, and E[1/(1 + Bin(N, 1 - a))] <=
   1/((1 - a)(1 + N)), so the expectation moves by a factor of e^±16u at most.
3. With q_i's own 16u, and the float sums of up to 2^30 heads (48u; none up to 2^24), a chance is
   right within e^±81u. Two data sets cost 162u, below 2^-16 = `SPARE`, which epsilon contains.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, PRNGKeyArray, UInt32

from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.selection.exponential import ScoreGrid, choose

# The largest float below one, for coins; the best candidate does not depend on its own.
ALMOST_ONE = 1 - 2.0**-24


@final
class PermuteAndFlip(eqx.Module):
    """Chooses by permute-and-flip with coins e^(-`epsilon` (max s - s_i) / 2 `sensitivity`).

    **Guarantee**: pure `epsilon`-differential privacy of the index, in the relation in which no
    score moves by more than `sensitivity`; all rounding included. It is not of bounded range
    `epsilon`, as the exponential mechanism is: compose it by `events.permute_and_flip`.

    **Error**: `shortfall(candidates, best, t)`, the exponential mechanism's. The chance that the
    chosen score falls short of the highest by more than any amount is never above that
    mechanism's.

    | scores | effect |
    | --- | --- |
    | NaN | counts as -2^80, so as the lowest |
    | infinite, or above 2^80 in size | count as 2^80 with their sign |
    | equal | equally likely, within the same rounding |
    | one candidate | it is chosen |
    | more than `reach` steps below the highest | as likely heads as at `reach`: e^-44 |

    The sensitivity is that of the scores after the first row; the second moves no two apart.

    Args:
      epsilon: From 0.01 to 1000.
      sensitivity: From 2^-30 to 2^30, in the unit of the scores.

    References:
        McKenna and Sheldon 2020, "Permute-and-flip: a new mechanism for differentially private
        selection".
        Ding, Kifer, Sayed, Steinke, Wang, Xiao and Zhang 2021, "The permute-and-flip mechanism is
        identical to report-noisy-max with exponential noise".
    """

    grid: ScoreGrid

    def __init__(self, epsilon: float, sensitivity: float):
        self.grid = ScoreGrid(epsilon, sensitivity)

    @property
    def epsilon(self) -> float:
        return self.grid.epsilon

    def sample(self, key: PRNGKeyArray, scores: Float32[Array, " n"]) -> Int32[Array, ""]:
        """The index of the candidate chosen."""
        return self.sample_distances(key, self.grid.distances(self.grid.scores(scores)))

    @per_shape
    def sample_distances(
        self, key: PRNGKeyArray, distances: Int32[Array, " n"]
    ) -> Int32[Array, ""]:
        """The same from exact integers: how many whole steps each candidate is below the highest.

        The promise needs what `Exponential.sample_distances` does; the least must be zero.
        """
        for_coins, for_choice = jax.random.split(key)
        chances = jnp.minimum(self.grid.weights(distances) * 2.0**-64, ALMOST_ONE)
        heads = (distances == 0) | _coins(for_coins, chances)
        return choose(for_choice, heads.astype(jnp.float32))

    def shortfall(self, candidates: int, best: int, t: float) -> float:
        """With probability 1 - e^-`t` the chosen score is within this of the highest."""
        return self.grid.shortfall(candidates, best, t)


def _coins(key: PRNGKeyArray, chances: Float32[Array, " n"]) -> Bool[Array, " n"]:
    """Independent events of exactly these probabilities, from 2^-64 to `ALMOST_ONE` (step 1).

    Such a float is a multiple of 2^-88, thus of a unit in 96 bits. The first 32 decide unless they
    equal the chance's own, once in 2^32; only then the others are drawn.
    """
    for_first, for_rest = jax.random.split(key)
    high, rest = _leading(chances)
    first = jax.random.bits(for_first, chances.shape, jnp.uint32)
    tied = first == high

    def settled() -> Bool[Array, " n"]:
        middle, last = _leading(rest)
        second, third = jax.random.bits(for_rest, (2, *chances.shape), jnp.uint32)
        under = (second < middle) | ((second == middle) & (third < _leading(last)[0]))
        return (first < high) | (tied & under)

    return lax.cond(jnp.any(tied), settled, lambda: first < high)


def _leading(part: Float32[Array, " n"]) -> tuple[UInt32[Array, " n"], Float32[Array, " n"]]:
    """The first 32 bits of a number of [0, 1), and the fraction that follows them."""
    scaled = part * 2.0**32
    whole = jnp.floor(scaled)
    return whole.astype(jnp.uint32), scaled - whole
