"""A Gaussian sum over draws with replacement: one person may be drawn more than once.

m draws out of n people, under replace-one; z is the noise multiplier over the distance that
replacing *one* occurrence moves the sum by. The person is drawn k ~ Bin(m, 1/n) times, at least
once with probability q = 1 - (1 - 1/n)^m.

**The bound.**

1. Let A and A' be the release given that the one or the other neighbour's person is drawn at least
   once, and B given that neither is. Drawing others in place of the k occurrences couples A, A' and
   B so that k occurrences differ.
2. k replaced occurrences move the sum by at most k of those distances: with delta_k the profile of
   N(k/z, 1) against N(0, 1) and b_k = Bin(m, 1/n)(k), by advanced joint convexity as in
   `subsampled`,

       delta'(log(1 + q (e^epsilon - 1))) <= q sum_k (b_k / q) delta_k(epsilon).

**Its pair.**

3. On the right stands the profile of the union of Gaussian pairs, k drawn with the chance b_k / q
   and told, sampled without replacement at the rate q.
4. That sampling acts on each part of a union by itself, as what it does to a profile is affine: so
   it is the union, with the same chances, of `without_replacement_losses` at the rate q and the
   multiplier z/k. It is a true pair, and composes.

**Its Renyi divergences.** Let r = 1 - q + q e^l at the base's loss l > 0.

5. Losses are log r with P-density r N(0, 1), -log r with P-density N(0, 1), or 0; so part k has the
   moment

       E[e^((a-1) loss)] - 1 = integral over y > k/2z of (r^(a-1) - 1) (r - r^(1-a)) N(0, 1)(y) dy,

   a positive integrand.
6. That is at most the integral of r^a, as r >= 1; by Minkowski's inequality it is at most
   (1 - q + q exp((a-1) k^2 / 2z^2))^a.

References:
    Balle, Barthe, Gaboardi (2018), Theorem 10.
"""

import math

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from tacit.accounting.loss.pld import Directions, Losses, Masses, on_grid
from tacit.accounting.pairs import sampled_gaussian
from tacit.accounting.pairs.records import most_drawn
from tacit.accounting.pairs.subsampled import union
from tacit.borrowed import GaussianDpEvent, SampledWithReplacementDpEvent
from tacit.late import binom, norm

# Six nodes in a cell of at most a fifth of a deviation.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
# Deviations beyond the highest point of an integrand, and the cells of a range that is integrated.
_REACH = 14.0
_CELLS = 4000
# Of the losses of one number of occurrences: beyond, its grid is coarser than the others'.
_POINTS = 100_000
# Up to so many step 5 is computed, and beyond only step 6: of one draw a person 1e-10 of the chance
# lies there.
_OCCURRENCES = 12
# Numbers of occurrences summed one by one: each of the rest counts as if all draws were the person.
# Twice as many are twice the numbers held for each order. A choice, not measured.
_TERMS = 20_000
# Relative, for the quadrature: it adds as much over (order - 1) to a divergence, at most. A choice,
# not measured.
_MARGIN = 1e-9
Orders = Float[np.ndarray, " orders"]


def spread(event: SampledWithReplacementDpEvent) -> float:
    """The standard deviation of one release's loss, to leading order."""
    rate, multiplier, chances, _ = _parts(event, 1e-9)
    parts = zip(range(1, len(chances) + 1), chances, strict=True)
    variances = [w * sampled_gaussian.spread(rate, multiplier / k) ** 2 for k, w in parts]
    return math.sqrt(math.fsum(variances))


def losses(event: SampledWithReplacementDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one release, replacing a person.

    **Guarantee.** The symmetric pair's delta is at least the release's at every epsilon.

    **Error.** That of the theorem (the number of occurrences is told), and second order in
    `interval`, or in 1/100,000 of the range where that is wider; at most `tail` of the mass counts
    as an infinite loss.

    | case | result |
    | --- | --- |
    | one draw | sampling without replacement of one person out of n |
    | one person | the Gaussian whose sum moves by all m draws |

    Raises:
      ValueError: if the event inside is not Gaussian, or `tail` not in (0, 1).
    """
    if not 0 < tail < 1:
        raise ValueError(f"tail must be in (0, 1), got {tail}")
    rate, multiplier, chances, rare = _parts(event, tail / 2)
    # A number of occurrences that is rare may have more of its own tail cut off.
    share = tail / (2 * len(chances))
    parts = [
        (chance, _fixed(rate, multiplier / k, interval, min(0.1, share / chance)))
        for k, chance in enumerate(chances, start=1)
        if chance > 0
    ]
    # More occurrences than that: no promise while they are drawn, a perfect one otherwise.
    nothing = on_grid(np.zeros(1), np.array([1 - rate]), rate, interval)
    # Step 4.
    both = union([*parts, (rare / rate, (nothing, nothing))])[0]
    return both, both


def renyi(event: SampledWithReplacementDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one release's pair; no grid is used.

    **Guarantee.** Upper bounds: quadrature raised by a relative 1e-9 for few occurrences,
    Minkowski's inequality for many, so that no number of occurrences is left out.
    """
    draws, people = event.sample_size, event.source_dataset_size
    rate, multiplier = float(binom.sf(0, draws, 1 / people)), _multiplier(event)
    few = list(range(1, min(draws, _OCCURRENCES) + 1))
    logs = binom.logpmf(few, draws, 1 / people) - math.log(rate)
    terms = [
        log + _log_excess(rate, k / multiplier, orders)
        for k, log in zip(few, logs.tolist(), strict=True)
        if log > -math.inf
    ]
    if draws > _OCCURRENCES:
        terms.append(_many(event, rate, orders))
    excess = np.logaddexp.reduce(terms, axis=0)
    return np.logaddexp(0.0, excess) / (orders - 1)


def pure_epsilon(event: SampledWithReplacementDpEvent) -> float:
    """Infinite: no Gaussian release is purely private."""
    return math.inf


def _fixed(rate: float, multiplier: float, interval: float, tail: float) -> Directions:
    """One number of occurrences; if its losses reach far, on every few points of the grid only."""
    farthest = (0.5 / multiplier + float(norm.isf(tail / 2))) / multiplier
    step = max(1, math.ceil(farthest / (_POINTS * interval)))
    fixed = sampled_gaussian.without_replacement_losses
    coarse, _ = fixed(rate, multiplier, step * interval, tail)
    masses = np.zeros(step * (len(coarse.masses) - 1) + 1)
    masses[::step] = coarse.masses
    both = Losses(interval, step * coarse.lowest, masses, coarse.infinite)
    return both, both


def _parts(event: SampledWithReplacementDpEvent, tail: float) -> tuple[float, float, Masses, float]:
    """The rate, the multiplier, the chances of 1, 2, ... occurrences, and of more than those."""
    draws, chance = event.sample_size, 1 / event.source_dataset_size
    rate = float(binom.sf(0, draws, chance))
    most = max(most_drawn(tail, draws, chance), 1)
    chances = binom.pmf(np.arange(1, most + 1), draws, chance) / rate
    return rate, _multiplier(event), chances, float(binom.sf(most, draws, chance))


def _multiplier(event: SampledWithReplacementDpEvent) -> float:
    if not isinstance(event.event, GaussianDpEvent):
        name = type(event.event).__name__
        raise ValueError(f"draws with replacement must be of a GaussianDpEvent, got {name}")
    return event.event.noise_multiplier


def _log_excess(rate: float, shift: float, orders: Orders) -> Orders:
    """log of the moment less one, for one number of occurrences."""
    result = _minkowski(rate, np.array([shift]), orders)[:, 0]
    width = min(0.2, 1 / shift)
    for i, order in enumerate(orders):
        bottom, top = shift / 2, order * shift + _REACH
        if top - bottom <= _CELLS * width:
            exact = _integral(rate, shift, order, np.arange(bottom, top + width, width))
            result[i] = min(result[i], exact)
    return result


def _integral(rate: float, shift: float, order: float, edges: Masses) -> float:
    half = np.diff(edges) / 2
    outcomes = ((edges[:-1] + half)[:, None] + half[:, None] * _NODES).ravel()
    logs = norm.logpdf(outcomes) + np.log((half[:, None] * _WEIGHTS).ravel())
    base = shift * outcomes - shift**2 / 2
    absent = math.log1p(-rate) if rate < 1 else -math.inf
    found = np.logaddexp(absent, math.log(rate) + base)
    small = base < 1
    found[small] = np.log1p(rate * np.expm1(base[small]))
    # Step 5.
    rising = (order - 1) * found + np.log(-np.expm1(-(order - 1) * found))
    falling = found + np.log(-np.expm1(-order * found))
    return float(np.asarray(logsumexp(logs + rising + falling))) + _MARGIN


def _many(event: SampledWithReplacementDpEvent, rate: float, orders: Orders) -> Orders:
    """log of the moments of more occurrences than `_OCCURRENCES`, weighted and summed."""
    draws, chance, multiplier = event.sample_size, 1 / event.source_dataset_size, _multiplier(event)
    counts = np.arange(_OCCURRENCES + 1, min(draws, _TERMS) + 1)
    logs = binom.logpmf(counts, draws, chance)
    if draws > _TERMS:
        # The rest: each no likelier than the last one counted, as if every draw were the person.
        beyond = draws * chance < _TERMS
        log = binom.logpmf(_TERMS, draws, chance) + math.log(draws) if beyond else 0.0
        counts, logs = np.append(counts, draws), np.append(logs, log)
    moments = _minkowski(rate, counts / multiplier, orders)
    return np.asarray(logsumexp(logs - math.log(rate) + moments, axis=1))


def _minkowski(rate: float, shifts: Masses, orders: Orders) -> Masses:
    """Upper bounds on the log of the moment less one, of step 6: a row for each order."""
    absent = math.log1p(-rate) if rate < 1 else -math.inf
    powers = (orders[:, None] - 1) * shifts**2 / 2
    return orders[:, None] * np.logaddexp(absent, math.log(rate) + powers)
