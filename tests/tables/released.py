"""Noisy sums of many groups at once, made on the host: what aggregates read, without an engine."""

import numpy as np

import tacit
from tacit.contribution import Contribution
from tacit.mechanisms.additive.laplace import Laplace
from tacit.tables.asked import Noisy
from tacit.tables.laid import LaidOut


def noisy(
    shape: Contribution, exact: np.ndarray, trust: tacit.Central, groups: int, larger: float = 1.0
) -> Noisy:
    """So many groups with these exact sums, and the noise of a plan of them; or larger noise."""
    server = trust.plan(tacit.Mean(shape, tacit.Everyone(), 1, 10_000_000)).server
    rng, size = np.random.default_rng(11), (groups, len(exact))
    law = server.mechanism
    if isinstance(law, Laplace):
        stay = 1 - np.exp(-law.noise.parameter)
        own = (rng.geometric(stay, size) - rng.geometric(stay, size)) * law.step
    else:
        own = np.round(rng.normal(0, law.sigma, size) / law.step) * law.step
    return Noisy(exact + np.round(larger * own), server, 0.05)


def counted(laid: LaidOut, places: np.ndarray) -> np.ndarray:
    """The exact counts of all nodes, of rows in these cells."""
    sizes = np.cumprod(laid.tree.branches)
    each = [np.bincount(places // (sizes[-1] // size), minlength=size) for size in sizes]
    return np.concatenate(each)
