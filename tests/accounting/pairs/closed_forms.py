"""Deltas of one release in closed form: what grids of losses are measured against."""

import math


def laplace_delta(noise_multiplier: float, epsilon: float) -> float:
    """The smallest delta for which one Laplace release is (epsilon, delta)-private."""
    return max(0.0, -math.expm1((epsilon - 1 / noise_multiplier) / 2))


def exponential_delta(bounded_range: float, epsilon: float) -> float:
    """The largest delta at `epsilon` of any choice with this bounded range.

    Met by a two-point pair (`tacit.accounting.pairs.exponential`, step 2), so it is the least bound
    for one choice.
    """
    if epsilon >= bounded_range:
        return 0.0
    return math.expm1((epsilon - bounded_range) / 2) ** 2 / -math.expm1(-bounded_range)
