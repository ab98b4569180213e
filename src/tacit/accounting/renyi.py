"""Renyi accounting: the second accountant, and the one that still works at tiny delta.

A bound on the Renyi divergences of a release at every order composes by addition and converts to
(epsilon, delta) at the best order. It shares no step with a privacy loss distribution: no grid, no
convolution, no truncated tail. That independence is what makes it a check, and its looseness is the
price: it is never below the truth.

Gaussian and sampled releases are bounded by dp_accounting, one simple event at a time with its
count, so that nothing nested reaches it; randomised response and the clone pair by their own sums.

References:
    Mironov (2017), "Renyi differential privacy"; Mironov, Talwar, Zhang (2019), for Poisson
    sampling; Wang, Balle, Kasiviswanathan (2019), Theorem 27, for sampling without replacement;
    Canonne, Kamath, Steinke (2020), Proposition 12, for the conversion.
"""

import logging
import math
from collections import Counter

import numpy as np
from dp_accounting import DpEvent, NeighboringRelation, SampledWithoutReplacementDpEvent
from dp_accounting.rdp import RdpAccountant
from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon
from jaxtyping import Float

from tacit.accounting import local, shuffling
from tacit.accounting.events import LocalDpEvent, ShuffledDpEvent
from tacit.accounting.relation import Relation

_ORDERS = np.concatenate(
    [np.arange(1.1, 11, 0.1), np.arange(11, 64), [80, 96, 128, 192, 256, 512, 1024, 4096, 16384]]
)
_FEW_ORDERS = np.array(
    [
        1.1,
        1.3,
        1.6,
        2,
        2.5,
        3,
        3.5,
        4,
        5,
        6,
        7,
        8,
        10,
        12,
        15,
        20,
        25,
        32,
        45,
        63,
        96,
        256,
        1024,
        4096,
        16384,
        65536,
    ]
)
_NEIGHBOURS = {
    Relation.ADD_REMOVE: NeighboringRelation.ADD_OR_REMOVE_ONE,
    Relation.REPLACE_ONE: NeighboringRelation.REPLACE_ONE,
    Relation.ZERO_OUT: NeighboringRelation.REPLACE_SPECIAL,
}


def renyi_epsilon(events: Counter, delta: float, relation: Relation) -> float:
    """An upper bound on epsilon at `delta` through Renyi divergences.

    | delta | result |
    | --- | --- |
    | 0, local and shuffled events only | the plain sum of the local epsilons |
    | 0, otherwise | infinity: no Gaussian release is purely private |

    Args:
        events: simple events and how often each occurs.
    """
    pure = all(isinstance(event, LocalDpEvent | ShuffledDpEvent) for event in events)
    if delta == 0:
        return local.plain_sum(events) if pure else math.inf
    orders = _orders(events)
    divergences = sum(
        count * _divergences(event, orders, relation) for event, count in events.items()
    )
    return max(0.0, float(_silently(compute_epsilon, orders, divergences, delta)[0]))


def _orders(events: Counter) -> Float[np.ndarray, " orders"]:
    """Every order is a bound; fewer where one costs much, none where it is long useless."""
    if any(isinstance(event, SampledWithoutReplacementDpEvent) for event in events):
        return _FEW_ORDERS[_FEW_ORDERS <= 256]
    if any(isinstance(event, ShuffledDpEvent) for event in events):
        return _FEW_ORDERS
    return _ORDERS


def _divergences(
    event: DpEvent, orders: Float[np.ndarray, " orders"], relation: Relation
) -> Float[np.ndarray, " orders"]:
    if isinstance(event, LocalDpEvent):
        return local.renyi(event, orders)
    if isinstance(event, ShuffledDpEvent):
        return shuffling.renyi(event, orders)
    accountant = RdpAccountant(orders.tolist(), _NEIGHBOURS[relation])
    return _silently(accountant.compose, event).rdp


def _silently(call, *arguments):
    """dp_accounting's Renyi code warns through absl about orders that lose anyway."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return call(*arguments)
    finally:
        logger.setLevel(level)
