"""A person with several records, and several people together: mixtures of shifted Gaussians.

**The pair.**

1. A person's k records are drawn independently with probability q, each moves the sum by at most
   one unit and the noise has the standard deviation z: drawing j of them moves it by at most j. So
   the pair is, in both directions,

       P = sum_j Bin(k, q)(j) N(j/z, 1)   against   Q = N(0, 1).

2. It dominates: an event of Q-mass sf(t), sf the upper tail of N(0, 1), has at most the mass
   sf(t - |v|) under a Gaussian moved by the vector v, by Neyman and Pearson; that rises with
   |v| <= j/z, and the pair reaches the weighted sum of all of them at once, on x > t.

**Its losses.**

3. The loss is convex and rises with the outcome x, so it meets every point of the grid once: there
   the quadrature has its cell ends, found by Newton's method. An end that is off by e moves the
   masses by a term of order e^2 only.
4. What is dropped of P counts as an infinite loss: P exceeds g Q by no more than the rest does and
   what was dropped. Against Q the rest is smaller than P, so no loss is too small.

**Its Renyi divergences.**

5. With r = P/Q and s = a or 1 - a, the moment E_Q[r^s] - 1 equals the integral of
   r^s - 1 - s (r - 1), which is never negative: no outcome cancels another.
6. At one outcome that difference cancels where the loss is small, and so does the loss itself where
   the rate is: both are summed there as series, term by term.
7. In logarithms r^s Q has a slope between that of Q and that of Q moved by s k/z, so it falls like
   a Gaussian outside [min(0, s k/z), max(0, s k/z)], and 14 deviations beyond it is nothing.
8. Where the range is too wide for quadrature, Minkowski's inequality in L^a(Q) gives

       R_a(P, Q) <= a / (a-1) log sum_j Bin(k, q)(j) exp((a-1) (j/z)^2 / 2).

**Groups.** Against a group of g people, all present or all absent together, every distance between
sums is g times as large; under Poisson sampling the group is one person with g records.

References:
    Choquette-Choo, Ganesh, Steinke, Thakurta (2023), arXiv 2310.15526, Corollary 4.7; Bun and
    Steinke (2016), "Concentrated differential privacy", for groups under zCDP.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass

import attr
import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from tacit.accounting import events
from tacit.accounting.events import PoissonRecordsDpEvent
from tacit.accounting.loss.pld import Directions, Masses, on_grid
from tacit.argument import refuse_not_counted
from tacit.borrowed import (
    ComposedDpEvent,
    DiscreteLaplaceDpEvent,
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
    RandomizedResponseDpEvent,
    SelfComposedDpEvent,
    ZCDpEvent,
)
from tacit.late import binom, norm

# Cells of a tenth of a deviation, of four nodes: off by less than 1e-14 of a Gaussian.
_WIDEST = 0.1
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
# Of step 7; cells there are twice as wide.
_RENYI_NODES, _RENYI_WEIGHTS = np.polynomial.legendre.leggauss(6)
# A Gaussian has less than 1e-44 beyond it.
_RENYI_REACH = 14.0
# Outcomes times components, a second or so: beyond that step 8 answers alone.
_RENYI_WORK = 30_000_000
# Relative: the quadrature was off by up to 1e-11 against 30 digits.
_RENYI_MARGIN = 1e-9
# Newton's, which double the digits of what a tenth of a deviation interpolates.
_STEPS = 4
# A loss from which on e^loss swallows what is added to it.
_LARGE = 50.0
# Of step 6: below the first a gap loses digits, below the second a loss does.
_SMALL, _FEW_DIGITS = 1e-2, 0.25
_SCALED = (
    events.LocalDpEvent,
    events.KNormDpEvent,
    events.EuclideanNormDpEvent,
    events.ExponentialMechanismDpEvent,
    events.PermuteAndFlipDpEvent,
    events.SparseVectorDpEvent,
)
Orders = Float[np.ndarray, " orders"]
Outcomes = Float[np.ndarray, " outcomes"]


@dataclass(frozen=True)
class ShiftedGaussians:
    """sum_j e^logs[j] N(shifts[j], 1) against N(0, 1); the shifts rise from at least 0.

    The weights e^logs sum to one, less what was `dropped`.
    """

    shifts: Masses
    logs: Masses
    dropped: float = 0.0


def spread(event: PoissonRecordsDpEvent) -> float:
    """The standard deviation of one release's loss, the person present."""
    mixture = _kept(event, 1e-15)
    ends = -7.0, float(mixture.shifts[-1]) + 7.0
    outcomes, widths = _in_cells(_cells(*ends, 4 * _WIDEST), _NODES, _WEIGHTS)
    found, _ = _loss(mixture, outcomes)
    masses = np.exp(norm.logpdf(outcomes) + found) * widths
    masses /= masses.sum()
    return math.sqrt(masses @ (found - masses @ found) ** 2)


def losses(event: PoissonRecordsDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one release: the person's records removed, and added.

    **Guarantee.** Add/remove or zero-out of everything one person has; the noise multiplier is
    over the norm of one record.

    **Error.** Second order in `interval`; at most `tail` of the mass counts as an infinite loss.

    Raises:
      ValueError: if the event inside is not Gaussian, or `tail` not in (0, 1).
    """
    return mixture_losses(_kept(event, tail), interval, tail)


def renyi(event: PoissonRecordsDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one release, the larger of both directions.

    **Guarantee.** Upper bounds: quadrature raised by a relative 1e-9, or Minkowski's inequality.
    """
    return mixture_renyi(_every(event), orders)


def pure_epsilon(event: PoissonRecordsDpEvent) -> float:
    """Infinite: no Gaussian release is purely private."""
    return math.inf


def most_drawn(tail: float, draws: int, chance: float) -> int:
    """The least number that Bin(draws, chance) exceeds with probability at most `tail`.

    Why not SciPy's: below 1e-16 it answers with the largest number there is.
    """
    return bisect_left(range(draws), True, key=lambda n: binom.sf(n, draws, chance) <= tail)


def mixture_losses(mixture: ShiftedGaussians, interval: float, tail: float) -> Directions:
    """The losses of (P, Q) and of (Q, P), for P the mixture and Q = N(0, 1).

    **Guarantee.** As `losses`; besides `dropped`, at most half of `tail` is cut off.
    """
    if not 0 < tail < 1:
        raise ValueError(f"tail must be in (0, 1), got {tail}")
    reach = float(norm.isf(tail / 8))
    bottom, top = -reach, float(mixture.shifts[-1]) + reach
    outcomes, widths = _quadrature(mixture, bottom, top, interval)
    found, _ = _loss(mixture, outcomes)
    logs = norm.logpdf(outcomes) + np.log(widths)
    absent, present = np.exp(logs), np.exp(logs + found)
    cut = norm.cdf(bottom - mixture.shifts) + norm.sf(top - mixture.shifts)
    removed = on_grid(found, present, mixture.dropped + float(np.exp(mixture.logs) @ cut), interval)
    likely = outcomes <= reach
    left_out = float(absent[~likely].sum() + norm.cdf(bottom) + norm.sf(top))
    return removed, on_grid(-found[likely], absent[likely], left_out, interval)


def mixture_renyi(mixture: ShiftedGaussians, orders: Orders) -> Orders:
    """The larger of R_a(P, Q) and R_a(Q, P) at every order a > 1, for the whole mixture."""
    widest = float(mixture.shifts[-1])
    width = min(0.2, 1 / widest)
    most = _RENYI_WORK * width / (6 * len(mixture.shifts))
    near = orders * widest + 2 * _RENYI_REACH <= min(most, 20_000 * width)
    result = _minkowski(mixture, orders)
    if np.any(near):
        result[near] = np.minimum(result[near], _moments(mixture, orders[near], width))
    return result


def group_of(size: int, event: DpEvent) -> DpEvent:
    """The event that is for one person what `event` is for `size` people who change together.

    **Guarantee.** The result's promise holds for groups of up to `size` people, under the relation
    it is accounted for; under add/remove, for groups that join or leave as a whole.

    | event | for a group of g |
    | --- | --- |
    | Gaussian, Laplace of multiplier z | the same of z/g |
    | discrete noise of sensitivity s | the same of g s |
    | a norm, a choice or a report of epsilon | the same of g epsilon |
    | randomised response; PrivUnit | any local report of g epsilon |
    | (epsilon, delta) | (g epsilon, delta (e^(g epsilon) - 1) / (e^epsilon - 1)) |
    | zCDP of rho | zCDP of g^2 rho |
    | Poisson sampling of Gaussians | g records a person |
    | k Poisson-sampled records a person | g k records |
    | composed, repeated | the groups of the parts |

    Raises:
      ValueError: if nothing is known for groups, or what is known promises nothing.
    """
    refuse_not_counted("size", size)
    match event:
        case ComposedDpEvent():
            return events.composed([group_of(size, part) for part in event.events])
        case SelfComposedDpEvent():
            return events.repeated(group_of(size, event.event), event.count)
        case events.GroupDpEvent():
            return group_of(size * event.size, event.event)
        case PoissonSampledDpEvent() if _is_gaussian(event.event):
            return events.poisson_records(event.sampling_probability, size, event.event)
        case PoissonRecordsDpEvent() if _is_gaussian(event.event):
            return events.poisson_records(event.rate, size * event.records, event.event)
    return _group_of_one(size, event)


def _group_of_one(size: int, event: DpEvent) -> DpEvent:
    match event:
        case GaussianDpEvent() | LaplaceDpEvent():
            return attr.evolve(event, noise_multiplier=event.noise_multiplier / size)
        case DiscreteLaplaceDpEvent() | events.DiscreteGaussianDpEvent():
            return attr.evolve(event, sensitivity=size * event.sensitivity)
        case ZCDpEvent() if event.xi == 0:
            return events.zcdp(size**2 * event.rho)
        case events.EpsilonDeltaDpEvent():
            return _approximate(size, event)
        case RandomizedResponseDpEvent() if event.noise_parameter < 1:
            keep, categories = 1 - event.noise_parameter, event.num_buckets
            return events.local(size * math.log1p(keep * categories / event.noise_parameter))
        case events.PrivUnitDpEvent():
            return events.local(size * event.epsilon)
    if isinstance(event, _SCALED):
        return attr.evolve(event, epsilon=size * event.epsilon)
    raise ValueError(f"the privacy of groups is not known for {_described(event)}")


def _approximate(size: int, event: events.EpsilonDeltaDpEvent) -> DpEvent:
    # log of (e^(g e) - 1) / (e^e - 1), without a large or a small number on the way.
    log_growth = (size - 1) * event.epsilon + math.log(
        math.expm1(-size * event.epsilon) / math.expm1(-event.epsilon)
    )
    log_delta = (math.log(event.delta) if event.delta > 0 else -math.inf) + log_growth
    if not log_delta < 0:
        raise ValueError(f"for a group of {size} the (epsilon, delta) event promises nothing")
    return events.epsilon_delta(size * event.epsilon, math.exp(log_delta))


def _is_gaussian(event: DpEvent) -> bool:
    match event:
        case ComposedDpEvent():
            return all(_is_gaussian(part) for part in event.events)
        case SelfComposedDpEvent():
            return _is_gaussian(event.event)
    return isinstance(event, GaussianDpEvent)


def _described(event: DpEvent) -> str:
    name = type(event).__name__
    inner = getattr(event, "event", None)
    return name if inner is None else f"{name} of {type(inner).__name__}"


def _moments(mixture: ShiftedGaussians, orders: Orders, width: float) -> Orders:
    reach = float(orders.max() * mixture.shifts[-1]) + _RENYI_REACH
    outcomes, widths = _in_cells(_cells(-reach, reach, width), _RENYI_NODES, _RENYI_WEIGHTS)
    found = _near_zero(mixture, outcomes, _loss(mixture, outcomes)[0])
    logs = norm.logpdf(outcomes) + np.log(widths)
    powers = np.stack([orders, 1 - orders], axis=1)
    excess = np.array([[logsumexp(logs + _log_gap(found, s)) for s in two] for two in powers])
    return np.logaddexp(0.0, excess.max(axis=1) + _RENYI_MARGIN) / (orders - 1)


def _log_gap(losses: Outcomes, power: float) -> Outcomes:
    """log of r^s - 1 - s (r - 1) at r = e^loss; where r or r^s is huge, of r^s + |s| r."""
    huge = np.maximum(losses, power * losses) > _LARGE
    safe = np.where(huge, 0.0, losses)
    gap = np.expm1(power * safe) - power * np.expm1(safe)
    near = max(1.0, abs(power)) * np.abs(safe) < _SMALL
    gap[near] = _series(safe[near], power)
    small = np.log(np.maximum(gap, np.finfo(float).tiny))
    return np.where(huge, np.logaddexp(power * losses, math.log(abs(power)) + losses), small)


def _series(losses: Outcomes, power: float) -> Outcomes:
    """The same gap (step 6), s (s - 1) sum_n (1 + s + .. + s^(n-2)) l^n / n!, up to n = 6.

    Where |l| and |s l| are below `_SMALL`, what is left out is less than 1e-12 of it.
    """
    whole, powers, term = np.zeros(len(losses)), 1.0, losses**2 / 2
    for n in range(3, 8):
        whole += powers * term
        powers, term = powers * power + 1, term * losses / n
    return power * (power - 1) * whole


def _near_zero(mixture: ShiftedGaussians, outcomes: Outcomes, losses: Outcomes) -> Outcomes:
    """The losses, and where they are small log1p of P/Q - 1, summed term by term (step 6)."""
    near = np.abs(losses) < _FEW_DIGITS
    excess = np.full(int(near.sum()), -mixture.dropped)
    for log, shift in zip(mixture.logs.tolist(), mixture.shifts.tolist(), strict=True):
        exponents = shift * (outcomes[near] - shift / 2)
        small = math.exp(log) * np.expm1(np.minimum(exponents, 1.0))
        large = np.exp(log + np.maximum(exponents, 1.0)) - math.exp(log)
        excess += np.where(exponents < 1, small, large)
    losses[near] = np.log1p(excess)
    return losses


def _minkowski(mixture: ShiftedGaussians, orders: Orders) -> Orders:
    # Step 8.
    squares = mixture.shifts**2 / 2
    sums = np.array([logsumexp(mixture.logs + (order - 1) * squares) for order in orders])
    # A Renyi divergence is convex in its second measure, hence the mean for the way back.
    return np.maximum(orders / (orders - 1) * sums, orders * (np.exp(mixture.logs) @ squares))


def _loss(mixture: ShiftedGaussians, outcomes: Outcomes) -> tuple[Outcomes, Outcomes]:
    """log P/Q at each outcome, and its slope."""
    offsets = mixture.logs - mixture.shifts**2 / 2
    lines = list(zip(offsets.tolist(), mixture.shifts.tolist(), strict=True))
    top = np.full(len(outcomes), -math.inf)
    for offset, shift in lines:
        np.maximum(top, offset + shift * outcomes, out=top)
    total, tilted = np.zeros(len(outcomes)), np.zeros(len(outcomes))
    for offset, shift in lines:
        term = np.exp(offset + shift * outcomes - top)
        total += term
        tilted += shift * term
    return top + np.log(total), tilted / total


def _quadrature(
    mixture: ShiftedGaussians, bottom: float, top: float, interval: float
) -> tuple[Outcomes, Outcomes]:
    """Nodes and weights in cells of step 3."""
    regular = _cells(bottom, top, _WIDEST)
    table, _ = _loss(mixture, regular)
    first, last = math.floor(table[0] / interval) + 1, math.ceil(table[-1] / interval)
    grid = np.arange(first, last) * interval
    cells = np.clip(np.searchsorted(table, grid), 1, len(table) - 1)
    left, right = regular[cells - 1], regular[cells]
    meets = np.interp(grid, table, regular)
    for _ in range(_STEPS):
        found, slopes = _loss(mixture, meets)
        meets = np.clip(meets - (found - grid) / np.maximum(slopes, 1e-300), left, right)
    return _in_cells(np.union1d(regular, meets), _NODES, _WEIGHTS)


def _cells(bottom: float, top: float, widest: float) -> Outcomes:
    return np.linspace(bottom, top, math.ceil((top - bottom) / widest) + 1)


def _in_cells(edges: Outcomes, nodes: Masses, weights: Masses) -> tuple[Outcomes, Outcomes]:
    half = np.diff(edges) / 2
    outcomes = (edges[:-1] + half)[:, None] + half[:, None] * nodes
    return outcomes.ravel(), (half[:, None] * weights).ravel()


def _every(event: PoissonRecordsDpEvent) -> ShiftedGaussians:
    counts = np.arange(event.records + 1)
    return _mixture(event, counts, 0.0)


def _kept(event: PoissonRecordsDpEvent, tail: float) -> ShiftedGaussians:
    """All but the least likely numbers of drawn records, of `tail` / 4 in all."""
    low = int(binom.ppf(tail / 8, event.records, event.rate))
    high = most_drawn(tail / 8, event.records, event.rate)
    dropped = binom.cdf(low - 1, event.records, event.rate)
    dropped += binom.sf(high, event.records, event.rate)
    return _mixture(event, np.arange(low, high + 1), float(dropped))


def _mixture(event: PoissonRecordsDpEvent, counts: Masses, dropped: float) -> ShiftedGaussians:
    if not isinstance(event.event, GaussianDpEvent):
        name = type(event.event).__name__
        raise ValueError(f"records are sampled for a GaussianDpEvent only, got {name}")
    logs = binom.logpmf(counts, event.records, event.rate)
    some = logs > -math.inf
    return ShiftedGaussians(counts[some] / event.event.noise_multiplier, logs[some], dropped)
