"""The Laplace mechanism: exact losses, in closed form on every cell of the grid.

The pair is Lap(0, b) against Lap(1, b), b the noise multiplier; with eta = 1/b the loss of z is
eta (|z - 1| - |z|). It is +eta for z <= 0, with P-mass 1/2; -eta for z >= 1, with P-mass
e^-eta / 2; and in between its P-density is e^((l - eta)/2) / 4. So the pair is a mixture whose
component is seen and is as likely under P as under Q: randomised response with eta, of
probability (1 + e^-eta)/2, or else the pair of the exponential mechanism with bounded range eta.

**Why distance exactly 1 is the worst**, and why a vector with independent noise and L1 distance 1
is no worse than one number. Let f be the noise's density, log-concave and even.

1. The hockey stick between f and its translate by v is 1 minus the integral over z of
   min(f(z), e^e f(z - v)).
2. The integrand is log-concave in (z, v), so its integral is log-concave in v (Prekopa), and the
   hockey stick is quasi-convex: over a convex set of v it is largest at an extreme point.
3. The extreme points of the L1 ball are one coordinate moved by 1, either way, and f is even.

References:
    Dwork, McSherry, Nissim, Smith (2006), for the mechanism; Mironov (2017), "Renyi differential
    privacy", for the divergences; Prekopa (1973), "On logarithmic concave measures and functions".
"""

import math
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from tacit.accounting.decimals import at_least
from tacit.accounting.loss.pld import UNIT, Directions, on_grid
from tacit.accounting.pairs.exponential import half_tilted
from tacit.borrowed import LaplaceDpEvent

# What is left of eta once its like is taken off errs by sixteen roundings of it at most.
_CANCELLED = 16 * UNIT
Orders = Float[np.ndarray, " orders"]


def spread(event: LaplaceDpEvent) -> float:
    """The standard deviation of one release's loss: of its atoms if small, of its slope if not."""
    return min(1 / event.noise_multiplier, math.sqrt(3))


def losses(event: LaplaceDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one release, split onto a grid.

    **Guarantee.** Its delta is at least that of the mechanism at every epsilon, under every
    relation: the multiplier is over the distance between neighbours (step 3).

    **Error.** Second order in `interval`; P-mass of at most `tail` counts as an infinite loss.
    """
    eta = 1 / event.noise_multiplier
    between, masses, cut = half_tilted(eta, interval, tail)
    weight = -math.expm1(-eta) / 2
    bottom = math.exp(-eta) / 2
    infinite = weight * cut
    if cut > 0:
        infinite, bottom = infinite + bottom, 0.0
    atoms = [eta, float(between[0])] if cut > 0 else [eta, -eta]
    values = np.concatenate([between, atoms])
    both = on_grid(values, np.append(weight * masses, [0.5, bottom]), infinite, interval)
    return both, both


def renyi(event: LaplaceDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one release, in closed form.

    **Guarantee.** Upper bounds: of order a, log(a e^((a-1) eta) + (a-1) e^(-a eta)) - log(2a - 1),
    over a - 1. With e^((a-1) eta) taken out it does not overflow; what is left cancels eta, and is
    right to a few units of it, which are added.
    """
    eta, less, twice = pure_epsilon(event), orders - 1, 2 * orders - 1
    rest = np.log1p(less / twice * np.expm1(-twice * eta))
    return np.minimum(eta + rest / less + _CANCELLED * eta, eta)


def pure_epsilon(event: LaplaceDpEvent) -> float:
    """The epsilon at delta = 0, rounded up."""
    return at_least(1 / Fraction(event.noise_multiplier))
