"""Shuffled reports of one randomiser: the worst pair for its privacy blanket, and its losses.

n people run the same e0-private randomiser R. Its *blanket* inf_x R(x) is the part of a report
that tells nothing, and gamma is its mass. Write E = e^e0 and g = e^epsilon <= E; for g > E both
sides below are 0.

1. Let r_x = R(x) / inf R in [1, E] under the blanket, and r_x = 0 on the mass 1 - gamma left over,
   so that E[r_x] = 1. When one person's value changes from x to x',
   delta(epsilon) <= E[G_1 + .. + G_n]_+ / n with G_i independent copies of r_x - g r_x'
   (Balle et al. 2019), so E[G] = 1 - g. The right side grows whenever G is spread out with its mean
   kept (the convex order), because [.]_+ is convex.

2. Spread (r_x, r_x') to the corners of [1, E]². Both means are 1, so the corners (E, 1) and (1, E)
   get the same mass m - t and (1, 1) gets gamma - 2m + t, with t the mass of (E, E) and
   m = (1 - gamma) / (E - 1). There G is u = E - g, v = 1 - E g, 1 - g and E (1 - g). As
   u + v = (1 - g) + E (1 - g), with both terms between v and u, mass t at each of these two spreads
   to mass t at each of u and v. If gamma >= 2 / (E + 1), mass t is there, so t = 0 is the worst:
   the law is m at u, m at v, gamma - 2m at 1 - g, and 1 - gamma at 0.
   *A smaller gamma is worse:* it takes mass from 1 - g and puts it on u, v and 0.
   *Below 2 / (E + 1)* the law of 2 / (E + 1) is worse: pair all of (1, 1) as above. What is left
   at E (1 - g), mass 2m - gamma, and mass 2 / (E + 1) - gamma at 0 have the mean (u + v) / 2
   together, so equal masses at u and v spread them. Hence gamma = 2 / (E + 1) covers every
   e0-private randomiser.

3. This worst law is that of randomised response among k = gamma (E - 1) / (1 - gamma) symbols,
   fractional or not, for which step 1 is the divergence of a pair: of C + 1 reports, C ~ Bin(n-1,
   gamma) are symbol 1, 2 or other with chances (1, 1, k - 2) / k each, and one with chances
   (E, 1, k - 2) / (E + k - 1) or (1, E, k - 2) / (E + k - 1); seen are the numbers a, b and r of
   the symbols among the C + 1, and the loss is log (E a + b + r) / (a + E b + r). So this pair
   dominates every pair of neighbours at every epsilon, and rounds compose adaptively (Zhu et al.
   2022): everyone runs one randomiser, fixed before the round. For k = 3 two people attain it.

The pair weighs counts (a, b, r) ~ Multinomial(n; m, m, gamma - 2m) by (E a + b + r) / n against
(a + E b + r) / n. Both weights are linear, so *spreading the counts with their mean kept* gives a
dominating pair. That is the only rounding here, of second order in the grids except for the first:
a block of s = a + b in [low, high] flips low coins, not s (the share of heads among fewer is a
spread of that among more).

The clone pair (`clones`) is weaker but also covers randomisers that differ between the people of
one round and are chosen as its reports come in.

References:
    Balle, Bell, Gascon, Nissim (2019), "The privacy blanket of the shuffle model".
    Zhu, Dong, Wang (2022), "Optimal accounting of differential privacy via characteristic
    function", for the composition of dominating pairs. Steps 2 and 3 are proved above.
"""

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from tacit.accounting.events import BlanketDpEvent
from tacit.accounting.loss.pld import Directions, Losses, Masses, on_grid
from tacit.argument import got, is_number, refuse_not_positive

# Points a standard deviation, for losses and divergences: a spread costs their inverse square.
_FINE, _COARSE = 26, 5
# What may be cut off where nothing else is added to delta: above the smallest float.
_RENYI_TAIL = 1e-290
# Eight units in the last place, for the five roundings of a ratio (`_binomial`).
_ROUNDED = 2.0**-50
# Of the grid of divergences, from 0 to e0: a few megabytes.
_MOST_INTERVALS = 500_000


def binary_response(local_epsilon: float) -> float:
    """The blanket of randomised response between two values, the least there is to account for.

    **Guarantee.** Covers every local_epsilon-private randomiser, also one whose blanket is smaller.
    """
    return randomised_response(local_epsilon, 2)


def randomised_response(local_epsilon: float, categories: int) -> float:
    """The blanket of randomised response among `categories` symbols: k / (E + k - 1), exactly."""
    if not (is_number(categories) and categories >= 2):
        raise ValueError(f"categories must be at least 2, got {got(categories)}")
    shrink = math.exp(-_positive(local_epsilon))
    return categories * shrink / (1 + (categories - 1) * shrink)


def laplace(local_epsilon: float) -> float:
    """The blanket of a number in [0, 1] with Laplace noise of scale 1 / local_epsilon.

    The least density at y is that of the farther end of [0, 1], and its integral e^(-e0 / 2).
    """
    return math.exp(-_positive(local_epsilon) / 2)


def priv_unit(local_epsilon: float, cap: float) -> float:
    """The blanket of PrivUnit, which falls in a cap around the truth with probability `cap`.

    The density is c1 in the cap and c2 = c1 / E outside. Every point lies outside some cap, so the
    blanket is c2 everywhere: 1 - p + p / E, from p = rho c1 and 1 - p = (1 - rho) c2 for a cap of
    measure rho. The cap is at most half the sphere: p <= E / (E + 1).
    """
    shrink = math.exp(-_positive(local_epsilon))
    if not (is_number(cap) and 0 < cap * (1 + shrink) <= 1 + 1e-12):
        raise ValueError(f"cap must be in (0, e^e0 / (e^e0 + 1)], got {got(cap)}")
    return 1 - cap * (1 - shrink)


def spread(event: BlanketDpEvent) -> float:
    """The standard deviation of one pass's loss, to leading order: √(2 (1 - gamma) (E - 1) / n)."""
    if event.blanket == 1:
        return event.local_epsilon
    variance = 2 * (1 - event.blanket) * math.expm1(event.local_epsilon) / event.people
    return min(event.local_epsilon, math.sqrt(variance))


def losses(event: BlanketDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one pass, split onto a grid; the pair is symmetric.

    **Guarantee.** At every epsilon, its delta is at least that of the pass between neighbours that
    differ in one person's value, for any e0-private randomiser whose blanket has at least the mass
    `event.blanket`, or any at all if that is 2 / (E + 1).

    **Error.** About 0.1% of the worst law's epsilon.

    Args:
      event: the pass.
      interval: distance of the grid's points, in nats.
      tail: P-mass that may be cut off, all of which is counted as an infinite loss.
    """
    both = _on_grid(event, interval, tail, _FINE)
    return both, both


def renyi(
    event: BlanketDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one pass, by summation; what is cut off has the largest loss, e0.

    **Guarantee.** Each is at least the divergence of the pass.

    **Error.** About 1%, and some percent at large orders; above 600 / e0 what is cut off governs.
    """
    interval = max(spread(event) / _FINE, event.local_epsilon / _MOST_INTERVALS)
    one = _on_grid(event, interval, _RENYI_TAIL, _COARSE)
    kept = one.masses > 0
    values = one.values[kept]
    # Once more the tail, for products of probabilities below the smallest float.
    values = np.append(values, event.local_epsilon)
    logs = np.log(np.append(one.masses[kept], 2 * one.infinite))
    sums = np.array([logsumexp((order - 1) * values + logs) for order in orders])
    return np.clip(sums / (orders - 1), 0.0, event.local_epsilon)


def pure_epsilon(event: BlanketDpEvent) -> float:
    """The epsilon at delta = 0: everyone else may report the third symbol, which hides nothing."""
    return 0.0 if event.blanket == 1 else event.local_epsilon


def _on_grid(event: BlanketDpEvent, interval: float, tail: float, points: int) -> Losses:
    outcomes = list(_outcomes(event, tail, points))
    every_loss = np.concatenate([loss for loss, _ in outcomes])
    every_mass = np.concatenate([mass for _, mass in outcomes])
    return on_grid(every_loss, every_mass, tail, interval)


def _outcomes(event: BlanketDpEvent, tail: float, points: int) -> Iterator[tuple[Masses, Masses]]:
    """The losses and P-masses of all counts, a block of numbers of symbols 1 and 2 at a time.

    Cut off are three two-sided tails of a third of `tail` each, relaxed within a block as far as
    the block is rare. The weight (E a + b + r) / n turns Bin(n, .) into Bin(n - 1, .) plus at most
    one, which the margin of the ranges allows for. The grids have `points` cells a standard
    deviation of the heads, which matter most; in the other directions they add less than that.
    """
    growth = math.expm1(event.local_epsilon)
    either, other = _shares(event)
    numbers, chances = _binomial(event.people, either, tail)
    if numbers[0] == 0:
        yield np.zeros(1), chances[:1] * other
        numbers, chances = numbers[1:], chances[1:]
    weighed = chances * ((1 + growth / 2) * numbers + other * (event.people - numbers))
    width = max(1, round(event.people * either / (25 * points)))
    for start in range(0, len(numbers), width):
        block = slice(start, start + width)
        low = int(numbers[start])
        share = max(weighed[block].sum() / event.people * len(numbers), 2 * tail)
        others = _binomial(event.people - int(numbers[block][-1]), other, tail / share)
        ratios, weights = _ratios(numbers[block], chances[block], others, other)
        heads, coins = _heads(low, tail / share, points)
        finest = 0.5 / points * (1 + ratios.min() + growth * heads[0] / low)
        ratios, weights = _coarse(ratios, weights, max(finest, 1 / low))
        first = 1 + ratios[:, None] + growth * heads / low
        second = 1 + ratios[:, None] + growth * (low - heads) / low
        mass = (weights / event.people)[:, None] * coins * first
        yield np.log(first / second).ravel(), mass.ravel()


def _shares(event: BlanketDpEvent) -> tuple[float, float]:
    """The chance of symbol 1 or 2 in a person's place, and of another symbol if it is neither."""
    growth = math.expm1(event.local_epsilon)
    least = 2 / (growth + 2)
    if event.blanket <= least * (1 + 1e-12):
        return least, 0.0
    either = 2 * (1 - event.blanket) / growth
    return either, (event.blanket - either) / (1 - either)


def _ratios(
    numbers: Masses, chances: Masses, others: tuple[Masses, Masses], other: float
) -> tuple[Masses, Masses]:
    """Values of r / s for one block of s, and the mean of s on each of them.

    r is a count among n - high people, which is given, and B ~ Bin(high - s, other). The point
    (s, B) lies in the triangle of (low, 0), (low, high - low) and (high, 0), and is spread to its
    corners.
    """
    low, high = numbers[0], numbers[-1]
    upper = float(chances @ (numbers - low)) / max(high - low, 1.0)
    lower = float(chances @ (high - numbers)) / (high - low) if high > low else chances[0]
    rest, likely = others
    ratios = np.concatenate([rest / low, (rest + high - low) / low, rest / high])
    sides = [lower * (1 - other) * low, lower * other * low, upper * high]
    weights = np.concatenate([side * likely for side in sides])
    return ratios, weights


def _heads(tosses: int, tail: float, points: int) -> tuple[Masses, Masses]:
    """The heads of `tosses` fair coins, spread onto a coarser grid where there are many."""
    numbers, chances = _binomial(tosses, 0.5, tail)
    return _coarse(numbers, chances, max(1.0, math.sqrt(tosses) / 2 / points))


def _binomial(trials: int, chance: float, tail: float) -> tuple[Masses, Masses]:
    """The numbers of successes, but for a probability of tail / 3, by Bernstein's inequality.

    Every chance comes from its neighbour's, outwards from the likeliest, by five roundings of 2^-53
    each, and all are divided by their sum, at most what it should be. So with 2^-50 more for every
    number none is too small.
    """
    mean, rare = trials * chance, math.log(6 / tail)
    reach = rare / 3 + math.sqrt(rare**2 / 9 + 2 * rare * mean * (1 - chance)) + 1
    low, high = max(math.floor(mean - reach), 0), min(math.ceil(mean + reach), trials)
    likeliest = min(math.floor((trials + 1) * chance), trials)
    below, beyond = np.arange(likeliest, low, -1.0), np.arange(likeliest, high, 1.0)
    falling = below * (1 - chance) / ((trials + 1 - below) * chance)
    rising = (trials - beyond) * chance / ((beyond + 1) * (1 - chance))
    masses = np.concatenate([falling.cumprod()[::-1], [1.0], rising.cumprod()])
    numbers = np.arange(low, high + 1, dtype=float)
    return numbers, masses * ((1 + _ROUNDED * len(numbers)) / masses.sum())


def _coarse(values: Masses, masses: Masses, step: float) -> tuple[Masses, Masses]:
    """The masses on at most as many points, evenly spaced by about `step`, with their mean kept."""
    low, high = values.min(), values.max()
    cells = max(math.ceil((high - low) / step), 1)
    gap = max((high - low) / cells, np.finfo(float).tiny)
    places = (values - low) / gap
    left = np.minimum(places.astype(np.int64), cells - 1)
    right = np.clip(places - left, 0.0, 1.0)
    split = np.bincount(left, masses * (1 - right), cells + 1)
    split += np.bincount(left + 1, masses * right, cells + 1)
    kept = split > 0
    return (low + gap * np.arange(cells + 1))[kept], split[kept]


def _positive(local_epsilon: float) -> float:
    refuse_not_positive("local_epsilon", local_epsilon)
    return local_epsilon
