"""What a secret sample adds to a Gaussian release, as exact privacy losses.

*Poisson sampling* (each person joins independently with probability q): the neighbours of
add/remove differ by one person who is in the cohort with probability q, so the pair is
(1-q) N(0,1) + q N(1/z,1) against N(0,1), in both directions.

*Sampling without replacement* (exactly m of n, q = m/n, replace-one):

1. a person who is not drawn is replaced by someone else who is, so against a release that is
   f-private the sampled one is C_q(f)-private, the convex hull of min(f_q, f_q^-1) with
   f_q = q f + (1-q) Id;
2. for the Gaussian f = G_mu the hull has a closed form: above loss 0 the loss is that of
   q N(mu,1) + (1-q) N(0,1) against N(0,1) at y > mu/2, and below 0 it is the mirror image (the pair
   is symmetric);
3. the straight piece in between, of slope -1, is an atom of mass (1-q)(2 Phi(mu/2) - 1) at loss 0.

References:
    Abadi et al. (2016), Section 3; Dong, Roth, Su (2022), "Gaussian differential privacy",
    Theorem 4.2 (C_p(f)) and Section 4.
"""

import logging
import math

import numpy as np
from jaxtyping import Float

from tacit.accounting.loss.pld import Directions, on_grid
from tacit.borrowed import (
    DpEvent,
    NeighboringRelation,
    PoissonSampledDpEvent,
    RdpAccountant,
    SampledWithoutReplacementDpEvent,
)
from tacit.late import norm

# Six nodes in a quarter of a deviation: off by less than 1e-18 of a Gaussian.
_WIDEST = 0.25
# Of (a-1) R, the logarithm of a sum whose terms are given up below e^-30 = 9.4e-14: more than twice
# that. What is lost besides are its last digits; the tests lay it beside the integral.
_SUM_ROUNDING = 2.0**-42
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
Nodes = Float[np.ndarray, " nodes"]


def spread(rate: float, multiplier: float) -> float:
    """The standard deviation of one sampled release's privacy loss, the person present."""
    shift = 1 / multiplier
    outcomes = np.linspace(-7.0, shift + 7.0, 400)
    losses = np.asarray(_loss(rate, shift, outcomes))
    masses = (1 - rate) * norm.pdf(outcomes) + rate * norm.pdf(outcomes - shift)
    masses /= masses.sum()
    return math.sqrt(masses @ (losses - masses @ losses) ** 2)


def poisson_losses(rate: float, multiplier: float, interval: float, tail: float) -> Directions:
    """The losses of one Poisson-sampled Gaussian release; at rate 1, of a plain one.

    **Guarantee.** Both directions, removing a person and adding one; outcomes in the far tails, of
    mass `tail` together, count as an infinite loss.

    Why quadrature: a cell's mass as a difference of normal distribution functions would lose to
    cancellation what the grid gains; Gauss-Legendre nodes are positive and exact to rounding.
    """
    shift, reach = 1 / multiplier, _reach(tail)
    absent, present, losses = _pair(rate, shift, (-reach, shift + reach), interval)
    removed = on_grid(losses, present, tail, interval)
    return removed, on_grid(-losses, absent, tail, interval)


def without_replacement_losses(
    rate: float, multiplier: float, interval: float, tail: float
) -> Directions:
    """The losses of one Gaussian release on a sample of fixed size, replacing a person.

    **Guarantee.** The pair is C_rate(G_mu) of step 1, mu = 1/multiplier, which is symmetric;
    outcomes in the far tails, of mass `tail` together, count as an infinite loss.
    """
    shift = 1 / multiplier
    absent, present, losses = _pair(rate, shift, (shift / 2, shift + _reach(tail)), interval)
    # Step 3.
    at_zero = (1 - rate) * (norm.cdf(shift / 2) - norm.cdf(-shift / 2))
    both = on_grid(
        np.concatenate([losses, -losses, [0.0]]),
        np.concatenate([present, absent, [at_zero]]),
        tail,
        interval,
    )
    return both, both


def poisson_renyi(
    event: PoissonSampledDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one Poisson-sampled Gaussian release, adding or removing a person.

    **Guarantee**: upper bounds, all rounding included.

    References:
        Mironov, Talwar, Zhang (2019), "Renyi differential privacy of the sampled Gaussian
        mechanism".
    """
    return _peer_renyi(event, orders, NeighboringRelation.ADD_OR_REMOVE_ONE)


def without_replacement_renyi(
    event: SampledWithoutReplacementDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one Gaussian release on a sample of fixed size, replacing a person.

    References:
        Wang, Balle, Kasiviswanathan (2019), Theorem 27; it is computed up to order 256.
    """
    divergences = np.full(len(orders), np.inf)
    known = orders <= 256
    relation = NeighboringRelation.REPLACE_ONE
    divergences[known] = _peer_renyi(event, orders[known], relation)
    return divergences


def _reach(tail: float) -> float:
    """How many standard deviations leave out a mass of `tail` on both sides together."""
    return -float(norm.ppf(tail / 2))


def _loss(rate: float, shift: float, outcome: Nodes | float) -> Nodes | float:
    """log of ((1 - rate) N(0,1) + rate N(shift,1)) / N(0,1) at `outcome`."""
    absent = -math.inf if rate == 1 else math.log1p(-rate)
    return np.logaddexp(absent, math.log(rate) + shift * outcome - shift**2 / 2)


def _pair(
    rate: float, shift: float, ends: tuple[float, float], interval: float
) -> tuple[Nodes, Nodes, Nodes]:
    """Masses of N(0,1) and of the mixture, and the losses, at nodes between the ends."""
    outcomes, widths = _quadrature(rate, shift, ends, interval)
    absent = widths * norm.pdf(outcomes)
    present = (1 - rate) * absent + rate * widths * norm.pdf(outcomes - shift)
    return absent, present, np.asarray(_loss(rate, shift, outcomes))


def _quadrature(
    rate: float, shift: float, ends: tuple[float, float], interval: float
) -> tuple[Nodes, Nodes]:
    """Nodes and weights that never reach across a point where the loss meets the grid."""
    bottom, top = ends
    low, high = _loss(rate, shift, bottom) / interval, _loss(rate, shift, top) / interval
    grid = np.arange(math.floor(low), math.ceil(high) + 1) * interval
    grid = grid[np.exp(-grid) * (1 - rate) < 1]
    meets = (grid - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-grid))) / shift + shift / 2
    regular = np.linspace(bottom, top, math.ceil((top - bottom) / _WIDEST) + 1)
    edges = np.union1d(regular, meets[(meets > bottom) & (meets < top)])
    half = np.diff(edges) / 2
    outcomes = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    return outcomes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def _peer_renyi(
    event: DpEvent, orders: Float[np.ndarray, " orders"], relation: NeighboringRelation
) -> Float[np.ndarray, " orders"]:
    """What dp_accounting's Renyi code says of one simple event, raised, without its warnings.

    Its sums stand for e^((a-1) R), which is near one where the rate is tiny: what is lost there of
    the last digits may be all that R has.
    """
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        found = RdpAccountant(orders.tolist(), relation).compose(event).rdp
        return found + _SUM_ROUNDING * (1 / (orders - 1) + found)
    finally:
        logger.setLevel(level)
