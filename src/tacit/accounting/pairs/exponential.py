"""The exponential mechanism: one pair that dominates every choice of bounded range.

A choice has *bounded range* eta if, between any two neighbours, its log-probabilities move within
an interval of length eta: the loss lies in [t - eta, t] for some t. So does the exponential
mechanism's, with probabilities proportional to e^(eta score / 2 sensitivity).

**The worst of each range.** Let L = P/Q, between x/E and x with x = e^t, E = e^eta.

1. L has mean 1 under Q, so the Q-mean of a convex function of it is largest when L takes its two
   ends only, and then P(L = x) = (E - x) / (E - 1).
2. For the hockey stick (L - g)+ at g = e^e that is (E - x)(1 - g/x) / (E - 1) if x/E <= g <= x,
   largest at x = sqrt(E g), where it is (sqrt E - sqrt g)^2 / (E - 1); if g < x/E it is 1 - g,
   smaller by (1 - sqrt(E g))^2 / (E - 1); if g > x it is 0. So for |e| <= eta every such choice,
   of whatever t, is at most

       delta(e) = (e^(eta/2) - e^(e/2))^2 / (e^eta - 1),

   and for e < -eta it is 1 - g, as that of every pair without smaller losses.
3. That is itself the profile of one pair: the one whose loss has P-density
   e^(l/2) / (4 sinh(eta/2)) on [-eta, eta], as integrating (1 - e^(e - l)) against it from e to
   eta shows. The pair is symmetric, its Q-density being e^(-l/2) over the same.
4. A pair whose profile is nowhere below dominates, and dominating pairs compose, also when t is
   chosen anew and adaptively.

The worst t differs with e, so no single choice meets this profile everywhere, and many choices
composed cost less than this says: the pair's variance is eta^2 / 3 for small eta, where that of any
one choice is at most eta^2 / 4. A Renyi divergence has one convex function for each order and its
own worst t, which keeps the smaller variance. So of many small choices the Renyi bound is the
tighter one, and the smaller of the two holds.

References:
    Durfee, Rogers (2019), "Practical differentially private top-k selection with pay-what-you-get
    composition", for bounded range; Dong, Durfee, Rogers (2020), "Optimal differential privacy
    composition for exponential mechanisms", for the two-point pairs; Zhu, Dong, Wang (2022),
    "Optimal accounting of differential privacy via characteristic function", for domination.
"""

import math

import numpy as np
from jaxtyping import Float

from tacit.accounting.events import ExponentialMechanismDpEvent
from tacit.accounting.loss.pld import Directions, Masses, on_grid

# Where a Renyi divergence is its simple bound but for a millionth.
_SMALL = 1e-2
# Covers the rounding of six logarithms, none beyond 40 in size where the formula is used.
_ROUNDING = 2.0**-45
Orders = Float[np.ndarray, " orders"]


def spread(event: ExponentialMechanismDpEvent) -> float:
    """The standard deviation of one choice's loss: uniform if small, exponential if large."""
    return min(event.epsilon / math.sqrt(3), 2.0)


def losses(event: ExponentialMechanismDpEvent, interval: float, tail: float) -> Directions:
    """The losses of the dominating pair (step 3), split onto a grid.

    **Guarantee.** Its delta is at least that of every choice of bounded range `event.epsilon`, for
    any neighbours between which the range is bounded.

    **Error.** Second order in `interval`; P-mass of at most `tail` counts as an infinite loss.
    """
    values, masses, cut = half_tilted(event.epsilon, interval, tail)
    both = on_grid(values, masses, cut, interval)
    return both, both


def half_tilted(reach: float, interval: float, tail: float) -> tuple[Masses, Masses, float]:
    """The pair with P-density e^(l/2) / (4 sinh(reach/2)), cell by cell, and the P-mass cut off.

    Why a cell is one outcome: its P-mass over its Q-mass is e to its midpoint, exactly, and
    splitting keeps both masses, so to split the midpoint is to split all the cell's losses.
    """
    bottom = max(-reach, reach + 2 * math.log(tail))
    grid = np.arange(math.ceil(bottom / interval), math.floor(reach / interval) + 1) * interval
    inside = grid[(grid > bottom) & (grid < reach)]
    edges = np.concatenate([[bottom], inside, [reach]])
    middles, widths = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    whole = -math.expm1(-reach)
    masses = np.exp((middles - reach) / 2) * 2 * np.sinh(widths / 4) / whole
    cut = math.exp((bottom - reach) / 2) * -math.expm1(-(bottom + reach) / 2) / whole
    return middles, masses, cut


def renyi(event: ExponentialMechanismDpEvent, orders: Orders) -> Orders:
    """The largest Renyi divergences of any choice of this bounded range, in closed form.

    **Guarantee.** Upper bounds: met by a two-point pair for each order, but for `_ROUNDING`.

    1. The Q-mean of L^a for the two ends x and x/E is x^(a-1) (C - D x) / (E - 1) with
       r = E^-(a-1), C = E - r and D = 1 - r. It is largest at x = (a-1) C / (a D), which lies in
       [1, E] by Bernoulli's inequality, and there it is x^(a-1) C / (a (E - 1)).
    2. The log of that mean, as a function of a, is 0 at 0 and at 1, and its second derivatives are
       variances on a range eta, of at most eta^2/4. So the divergence is at most a eta^2 / 8.
    """
    eta, less = event.epsilon, orders - 1
    # The logs of x and of C/(a (E - 1)) in step 1, E taken out so that nothing overflows.
    rest = np.log(-np.expm1(-orders * eta))
    log_x = np.log(less / orders) + eta + rest - np.log(-np.expm1(-less * eta))
    log_scale = rest - np.log(orders) - np.log(-np.expm1(-eta))
    found = log_x + log_scale / less + _ROUNDING * (1 + 1 / less)
    # Step 2.
    simple = np.minimum(orders * eta**2 / 8, eta)
    return np.where(orders * eta < _SMALL, simple, np.minimum(found, simple))


def pure_epsilon(event: ExponentialMechanismDpEvent) -> float:
    """The epsilon at delta = 0: a loss of eta is reached in the limit of unlikely answers."""
    return event.epsilon
