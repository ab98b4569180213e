"""Shuffled local reports: the clone pair, its exact privacy losses, and their Renyi divergences.

1. An e0-locally-private randomiser run on anyone's data behaves, with probability e^-e0, like the
   randomiser run on one of the two values the observed person may hold (a *clone*, of either value
   with equal probability). So the shuffled reports of n people are a post-processing of two counts.
   With C ~ Bin(n-1, e^-e0), A ~ Bin(C, 1/2) and D ~ Bernoulli(e^e0 / (e^e0 + 1)), the pair is

       P = (A + D, C - A + 1 - D)   against   Q = (A + 1 - D, C - A + D),

   which is valid for any randomisers, different for each person and chosen adaptively.
2. Writing E = e^e0, the counts (a, b) have loss log (E a + b)/(a + E b): of Bin(C, 1/2) the masses
   at a - 1 and a are as a to b. C = a + b - 1 is seen. The pair is symmetric. Rounds compose.
3. The pair with more clones is a post-processing of the pair with fewer (add clones), so C may be
   rounded down.
4. A tail of A that is cut off gets the largest loss, e0: that only raises delta.

References:
    Feldman, McMillan, Talwar (2021), "Hiding among the clones", Theorem 3.1 and its reduction. The
    "stronger" analysis of 2022 is not used: its errata restrict it to some randomisers.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float
from scipy.special import expit, logsumexp

from tacit.accounting.events import ShuffledDpEvent
from tacit.accounting.loss import successes
from tacit.accounting.loss.pld import Directions, Masses, on_grid

# At the loss e0 it weighs at most e^((a-1) e0) 1e-21 in the moment of order a.
_RENYI_TAIL = 1e-21
# Of all numbers of clones together: arrays of a few megabytes.
_OUTCOMES = 600_000


def spread(event: ShuffledDpEvent) -> float:
    """The standard deviation of one pass's privacy loss, to leading order."""
    clones = (event.people - 1) * math.exp(-event.local_epsilon)
    tilt = math.tanh(event.local_epsilon / 2)
    return min(event.local_epsilon, 2 * tilt / math.sqrt(clones + 1))


def pure_epsilon(event: ShuffledDpEvent) -> float:
    """The epsilon at delta = 0: shuffling is a post-processing of the reports."""
    return event.local_epsilon


def losses(event: ShuffledDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one pass, split onto a grid.

    **Guarantee.** Its delta is at least that of the clone pair at every epsilon; what is cut off,
    of mass at most `tail`, has the largest loss.
    """
    pairs = list(_outcomes(event, 256, tail))
    every_loss = np.concatenate([loss for loss, _ in pairs])
    every_mass = np.concatenate([mass for _, mass in pairs])
    both = on_grid(every_loss, every_mass, 0.0, interval)
    return both, both


def renyi(
    event: ShuffledDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one pass's clone pair, by direct summation.

    **Guarantee.** Each is at least the divergence of the clone pair.
    """
    pairs = [
        (loss, np.log(mass[mass > 0]), mass > 0) for loss, mass in _outcomes(event, 24, _RENYI_TAIL)
    ]
    sums = [
        logsumexp([logsumexp((order - 1) * loss[kept] + log) for loss, log, kept in pairs])
        for order in orders
    ]
    return np.maximum(np.array(sums) / (orders - 1), 0.0)


def _outcomes(event: ShuffledDpEvent, finest: int, tail: float) -> Iterator[tuple[Masses, Masses]]:
    """The losses and P-masses of every pair of counts, for each of a few numbers of clones."""
    for clones, weight in _clones(event, finest, tail):
        yield _given_clones(event.local_epsilon, clones, weight, tail)


def _clones(event: ShuffledDpEvent, finest: int, tail: float) -> Iterator[tuple[int, float]]:
    """At most about `finest` numbers of clones, rounded down (step 3), and their probabilities."""
    others, chance = event.people - 1, math.exp(-event.local_epsilon)
    counts = range(others)
    low = bisect_left(counts, True, key=lambda c: successes.up_to(c, others, chance) > tail)
    high = bisect_left(counts, True, key=lambda c: successes.above(c, others, chance) <= 1e-12)
    across = _reach(max(high, 1), tail) * 2 + 3
    steps = max(8, min(finest, int(_OUTCOMES / across)))
    starts = np.unique(np.linspace(low, max(low, high), steps).astype(np.int64))
    starts = np.unique(np.concatenate([[0], starts]))
    below = successes.up_to(starts - 1, others, chance)
    above = successes.above(starts - 1, others, chance)
    left = np.diff(np.append(below, 1.0))
    right = -np.diff(np.append(above, 0.0))
    weights = np.where(below < 0.5, left, right)
    yield from zip(starts.tolist(), weights.tolist(), strict=True)


def _given_clones(
    local_epsilon: float, clones: int, weight: float, tail: float
) -> tuple[Masses, Masses]:
    """The losses and P-masses of the counts (a, clones + 1 - a)."""
    low, probabilities = _fair_coins(clones, tail)
    masses = np.append(expit(-local_epsilon) * probabilities, 0.0)
    masses[1:] += expit(local_epsilon) * probabilities
    first = low + np.arange(len(masses), dtype=float)
    loss = _losses(local_epsilon, first, clones + 1 - first)
    # Step 4.
    return np.append(loss, local_epsilon), weight * np.append(masses, tail)


def _losses(local_epsilon: float, first: Masses, second: Masses) -> Masses:
    """The losses of step 2, without digits lost where a = b or where one of them is 0."""
    lie, larger = math.exp(-local_epsilon), np.maximum(first, second)
    smaller = np.minimum(first, second)
    size = np.log1p((1 - lie) * (larger - smaller) / (smaller + lie * larger))
    return np.where(first >= second, size, -size)


def _reach(tosses: int, tail: float) -> int:
    """How far from the middle Bin(tosses, 1/2) lies with probability at most `tail` (Hoeffding)."""
    return int(math.sqrt(tosses * math.log(2 / tail) / 2)) + 1


def _fair_coins(tosses: int, tail: float) -> tuple[int, Masses]:
    """The probabilities of Bin(tosses, 1/2), all but `tail` of them."""
    reach = _reach(tosses, tail)
    low, high = max(tosses // 2 - reach, 0), min(tosses // 2 + reach + 1, tosses)
    return low, successes.exactly(np.arange(low, high + 1), tosses, 0.5)
