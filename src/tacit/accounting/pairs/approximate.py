"""A release of which only (epsilon, delta) is known, at one epsilon and one delta.

Whatever the mechanism, it is a post-processing of four outcomes: with probability delta the
answer gives away which neighbour it is; otherwise it is randomised response with epsilon. In
P-mass, with E = e^epsilon: delta at an infinite loss, (1 - delta) E / (E + 1) at +epsilon and
(1 - delta) / (E + 1) at -epsilon; a fourth outcome has P-mass 0 and Q-mass delta. The pair is
symmetric, and composes exactly as four atoms do.

References:
    Kairouz, Oh, Viswanath (2015), "The composition theorem for differential privacy".
"""

import math

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from tacit.accounting.events import EpsilonDeltaDpEvent, local
from tacit.accounting.loss.pld import Directions, on_grid
from tacit.accounting.pairs import pure

Orders = Float[np.ndarray, " orders"]


def spread(event: EpsilonDeltaDpEvent) -> float:
    """The root mean square of one release's finite losses: each of them is epsilon or -epsilon."""
    return event.epsilon


def losses(event: EpsilonDeltaDpEvent, interval: float, tail: float) -> Directions:
    """The four atoms, split onto a grid; nothing is cut off, so `tail` is not used.

    **Guarantee.** Its delta is at least that of any (epsilon, delta)-private release, under the
    relation for which that was promised.
    """
    values = np.array([event.epsilon, -event.epsilon])
    both = on_grid(values, (1 - event.delta) * expit(values), event.delta, interval)
    return both, both


def renyi(event: EpsilonDeltaDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of the four atoms.

    | delta | result |
    | --- | --- |
    | 0 | those of randomised response |
    | above 0 | infinity, at every order |
    """
    if event.delta > 0:
        return np.full(len(orders), math.inf)
    return pure.renyi(local(event.epsilon), orders)


def pure_epsilon(event: EpsilonDeltaDpEvent) -> float:
    """The epsilon at delta = 0; infinity where the event's own delta is above."""
    return event.epsilon if event.delta == 0 else math.inf
