"""Reports that leave most of their answers equally likely: k-ary randomised response, PrivUnit.

Generic randomised response is the worst report for its epsilon because every answer tells all it
may. These two tell nothing with some answers, and their pair has three atoms: loss +epsilon with
probability p, -epsilon with probability p e^-epsilon, and 0 otherwise. The pair is symmetric.

*k-ary randomised response* answers uniformly with probability c and truly otherwise. A value's own
answer has probability 1 - c + c/k, any other c/k; two people's values differ in two answers and
agree on the other k - 2. So e^epsilon = 1 + k (1 - c)/c and p = 1 - c + c/k.

*PrivUnit* answers in the cap around its direction, of measure m, with probability p and otherwise
outside, uniformly both times: densities c1 = p/m and c2 = (1 - p)/(1 - m), c1 = e^epsilon c2.

1. Two directions whose caps overlap in measure t have, for 0 <= e <= epsilon, the hockey stick
   (m - t)(c1 - e^e c2), since P exceeds e^e Q on its own cap less the other's only.
2. It is largest for disjoint caps, t = 0; and for e < 0 too, as a symmetric pair has
   delta(e) = 1 - e^e + e^e delta(-e).
3. Disjoint caps have loss +epsilon with P-mass m c1 = p, -epsilon with m c2 = p e^-epsilon, and 0
   elsewhere. (That needs m <= 1/2, that is p <= e^epsilon / (1 + e^epsilon); directions may but
   need not be so far apart.)

References:
    Warner (1965); Kairouz, Bonawitz, Ramage (2016), "Discrete distribution estimation under local
    privacy"; Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), "Protection against reconstruction
    and its applications in private federated learning", Algorithm 1.
"""

import math
from decimal import Decimal

import numpy as np
from jaxtyping import Float

from tacit.accounting.decimals import ONE, UP, at_least, log_up
from tacit.accounting.events import PrivUnitDpEvent
from tacit.accounting.loss.pld import UNIT, Directions, on_grid
from tacit.borrowed import RandomizedResponseDpEvent

# Of the logarithms that are added: four, of a few roundings each, and of the probability itself.
_LOG_ROUNDING = 16 * UNIT

Orders = Float[np.ndarray, " orders"]


def randomized_response_spread(event: RandomizedResponseDpEvent) -> float:
    """The root mean square of one report's loss; 0 where the report says nothing."""
    return _spread(randomized_response_pure_epsilon(event), _truthful(event))


def randomized_response_losses(
    event: RandomizedResponseDpEvent, interval: float, tail: float
) -> Directions:
    """The three atoms of one k-ary report; nothing is cut off, so `tail` is not used.

    **Guarantee.** Exact atoms, split onto a grid, between any two values of one person.

    | noise_parameter | losses |
    | --- | --- |
    | 1 | 0 only: the report says nothing |
    | below 1, two buckets | +epsilon and -epsilon |
    """
    share = event.noise_parameter / event.num_buckets
    masses = np.array([_truthful(event), share, (event.num_buckets - 2) * share])
    return _atoms(randomized_response_pure_epsilon(event), masses, interval)


def randomized_response_renyi(event: RandomizedResponseDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one k-ary report, exact and in closed form."""
    epsilon = randomized_response_pure_epsilon(event)
    return (
        two_sided_renyi(epsilon, _truthful(event), orders) if epsilon > 0 else np.zeros(len(orders))
    )


def randomized_response_pure_epsilon(event: RandomizedResponseDpEvent) -> float:
    """The epsilon at delta = 0: log(1 + k (1 - c)/c), rounded up."""
    anew = Decimal(event.noise_parameter)
    truly = UP.multiply(Decimal(event.num_buckets), UP.subtract(ONE, anew))
    return at_least(log_up(UP.add(ONE, UP.divide(truly, anew))))


def priv_unit_spread(event: PrivUnitDpEvent) -> float:
    """The root mean square of one report's loss."""
    return _spread(event.epsilon, event.cap)


def priv_unit_losses(event: PrivUnitDpEvent, interval: float, tail: float) -> Directions:
    """The three atoms of one PrivUnit report (step 3); nothing is cut off, so `tail` is not used.

    **Guarantee.** Its delta is at least that of the report between any two directions (step 2).
    """
    other = event.cap * math.exp(-event.epsilon)
    masses = np.array([event.cap, other, max(1 - event.cap - other, 0.0)])
    return _atoms(event.epsilon, masses, interval)


def priv_unit_renyi(event: PrivUnitDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one PrivUnit report with disjoint caps, in closed form."""
    return two_sided_renyi(event.epsilon, event.cap, orders)


def priv_unit_pure_epsilon(event: PrivUnitDpEvent) -> float:
    """The epsilon at delta = 0."""
    return event.epsilon


def two_sided_renyi(epsilon: float, truthful: float, orders: Orders) -> Orders:
    """The Renyi divergences of a loss of epsilon (probability p), -epsilon (p e^-epsilon) or 0.

    log(1 + p (e^((a-1) epsilon) - 1)(1 - e^(-a epsilon))) / (a - 1) is the log of the P-mean of
    e^((a-1) loss), whose masses sum to 1: no term cancels another, however small epsilon is.

    **Guarantee.** Upper bounds: each logarithm is raised by what rounding may have taken of it.
    """
    kept = (orders - 1) * epsilon
    logs = math.log(truthful), kept, np.log(-np.expm1(-kept)), np.log(-np.expm1(-orders * epsilon))
    lost = _LOG_ROUNDING * (1 + sum(map(np.abs, logs)))
    return np.logaddexp(0.0, sum(logs) + lost) * (1 + _LOG_ROUNDING) / (orders - 1)


def _truthful(event: RandomizedResponseDpEvent) -> float:
    return 1 - event.noise_parameter + event.noise_parameter / event.num_buckets


def _spread(epsilon: float, truthful: float) -> float:
    return epsilon * math.sqrt(truthful * (1 + math.exp(-epsilon)))


def _atoms(epsilon: float, masses: Float[np.ndarray, " three"], interval: float) -> Directions:
    both = on_grid(np.array([epsilon, -epsilon, 0.0]), masses, 0.0, interval)
    return both, both
