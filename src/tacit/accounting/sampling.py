"""What a secret sample adds to a Gaussian release, as exact privacy losses.

*Poisson sampling* (each person joins independently with probability q): the neighbours of
add/remove differ by one person who is in the cohort with probability q, so the pair is
(1-q) N(0,1) + q N(1/z,1) against N(0,1), in both directions.

*Sampling without replacement* (exactly m of n, q = m/n, replace-one): a person who is not drawn is
replaced by someone else who is, so against a release that is f-private the sampled one is
C_q(f)-private, the convex hull of min(f_q, f_q^-1) with f_q = q f + (1-q) Id. For the Gaussian
f = G_mu the hull has a closed form: above loss 0 the loss is that of q N(mu,1) + (1-q) N(0,1)
against N(0,1) at y > mu/2, below 0 it is the mirror image (the pair is symmetric), and the straight
piece in between, of slope -1, is an atom of mass (1-q)(2 Phi(mu/2) - 1) at loss 0.

References:
    Abadi et al. (2016), Section 3; Dong, Roth, Su (2022), "Gaussian differential privacy",
    Theorem 4.2 (C_p(f)) and Section 4.
"""

import math

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from scipy.stats import binom, norm

from tacit.accounting.pld import on_grid

_REACH = 9.5
_CELLS = 200_000
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def spread(rate: float, noise_multiplier: float) -> float:
    """The standard deviation of one sampled release's privacy loss, to leading order."""
    return rate * math.sqrt(math.expm1(min(1 / noise_multiplier**2, 50.0)))


def poisson_losses(rate: float, multiplier: float, interval: float) -> PrivacyLossDistribution:
    """The losses of one Poisson-sampled Gaussian release, adding and removing a person."""
    return privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=multiplier,
        sampling_prob=rate,
        value_discretization_interval=interval,
    )


def without_replacement_losses(
    rate: float, multiplier: float, interval: float
) -> PrivacyLossDistribution:
    """The losses of one Gaussian release on a sample of fixed size, replacing a person.

    **Guarantee.** The pair is C_rate(G_mu), mu = 1/multiplier, which is symmetric; mass beyond
    9.5 standard deviations counts as an infinite loss.

    Why quadrature: a cell's mass as a difference of normal distribution functions would lose to
    cancellation what the grid gains; ten Gauss-Legendre nodes a cell are positive and exact to
    rounding.
    """
    shift = 1 / multiplier
    top = shift + _REACH
    outcomes, widths = _quadrature(rate, shift, top, interval)
    absent = widths * norm.pdf(outcomes)
    present = (1 - rate) * absent + rate * widths * norm.pdf(outcomes - shift)
    losses = _loss(rate, shift, outcomes)
    at_zero = (1 - rate) * (norm.cdf(shift / 2) - norm.cdf(-shift / 2))
    cut = rate * norm.sf(_REACH) + (2 - rate) * norm.sf(top)
    return on_grid(
        np.concatenate([losses, -losses, [0.0]]),
        np.concatenate([present, absent, [at_zero]]),
        cut,
        interval,
    )


def overflow_delta(epsilon: float, people: int, rate: float, capacity: int, rounds: int) -> float:
    """What a Poisson cohort cut at `capacity` adds to the delta of the uncut release.

    **Guarantee.** The cut and the uncut release agree unless some cohort overflows, which happens
    with probability at most p = rounds * Pr[Bin(people, rate) > capacity] on either neighbour; so
    P'(S) <= P(S) + p <= e^epsilon Q(S) + delta + p <= e^epsilon Q'(S) + delta + (1 + e^epsilon) p.

    Args:
        people: the larger of the two neighbours' numbers of people.
    """
    return (1 + math.exp(epsilon)) * rounds * float(binom.sf(capacity, people, rate))


def finest_interval(rate: float, multiplier: float) -> float:
    """The finest grid on which the losses of one release stay within a bounded number of cells."""
    return float(_loss(rate, 1 / multiplier, 1 / multiplier + _REACH)) / _CELLS


def _loss(rate: float, shift: float, outcome: np.ndarray | float) -> np.ndarray | float:
    absent = -math.inf if rate == 1 else math.log1p(-rate)
    return np.logaddexp(absent, math.log(rate) + shift * outcome - shift**2 / 2)


def _quadrature(
    rate: float, shift: float, top: float, interval: float
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [shift/2, top], never across a point where the loss meets the grid."""
    grid = np.arange(math.ceil(_loss(rate, shift, top) / interval) + 1) * interval
    scaled = grid - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-grid))
    edges = np.unique(np.clip(scaled / shift + shift / 2, shift / 2, top))
    half = np.diff(edges) / 2
    middle = edges[:-1] + half
    outcomes = middle[:, None] + half[:, None] * _NODES
    return outcomes.ravel(), (half[:, None] * _WEIGHTS).ravel()
