"""PrivUnit with ScalarDP as it was first parametrised: bounds in the place of exact losses.

The cap's height gamma is one that a bound allows a budget e_1,

    gamma <= (e^e_1 - 1)/(e^e_1 + 1) (pi/(2 (d - 1)))^(1/2),                               (16a)
    or gamma >= (2/d)^(1/2) with
    e_1 >= log(d)/2 + log 6 - (d - 1)/2 log(1 - gamma²) + log gamma,                       (16b)

the cap is taken with p = e^e_0/(1 + e^e_0), and a report promises e_0 + e_1. Its loss is less: it
is log p(1 - q)/((1 - p) q) with q the cap's mass. The magnitude has k = ceil(e^(e_2/3)) levels. A
split of the whole budget gives 13/16 of it to gamma, 1/16 to p, 1/8 to the magnitude.

What is made here is the library's own mechanism at these numbers, whose promise is its loss.

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning", Algorithms 1 and 3, equation (16).
"""

import math
from typing import cast

from scipy.optimize import brentq

from tacit.device.vectors import OnBall
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated

# Of the whole budget, as above; a choice, for the source's split is lost.
FOR_HEIGHT, FOR_SIDE, FOR_MAGNITUDE = 13 / 16, 1 / 16, 1 / 8


def as_published(dim: int, epsilon: float, radius: float, typical: float) -> OnBall:
    """A device of vectors of norm `radius` at most, whose error is stated at `typical`."""
    gamma = cap.rounded(height(dim, FOR_HEIGHT * epsilon))
    log_mass = cap.log_mass(dim, gamma)
    loss = FOR_SIDE * epsilon - log_mass + math.log(-math.expm1(log_mass))
    unit = PrivUnit2.with_cap(dim, loss, gamma)
    magnitude = FOR_MAGNITUDE * epsilon
    scalar = ScalarDP.on_grid(magnitude, math.ceil(math.exp(magnitude / 3)), radius)
    return OnBall(dim, Separated(unit, scalar), typical)


def height(dim: int, epsilon: float) -> float:
    """The largest gamma that the bounds allow this budget."""
    low = math.tanh(epsilon / 2) * math.sqrt(math.pi / (2 * (dim - 1)))

    def spare(gamma: float) -> float:
        shrink = (dim - 1) / 2 * math.log1p(-gamma * gamma)
        return epsilon - math.log(dim) / 2 - math.log(6) + shrink - math.log(gamma)

    least = math.sqrt(2 / dim)
    if spare(least) < 0:
        return low
    return max(low, float(cast(float, brentq(spare, least, 1 - 1e-9))))
