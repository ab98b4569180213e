"""How far Laplace noise moves many weighted sums: a bound of each by its length and largest weight.

Let X = sum of w_j L_j for independent L_j of density e^-|x|/2. With u = s² max w_j², for s max|w_j|
below 1, and because -log(1 - x)/x rises,

    log E e^(sX) = -sum log(1 - s² w_j²) <= -|w|_2²/max w_j² log(1 - u),

so P(|X| > t) <= 2 exp(-st - |w|_2²/max w_j² log(1 - u)): for a chance c, X is within the least

    t = (log(2/c) - |w|_2²/max w_j² log(1 - u)) / s.

On a grid noise is k = G - G' for geometric numbers of rate r. Y = sum of w_j k_j is beyond t with
no more than the chance that |X|/r is beyond t - c, over P(V >= -c), where that is 1/2 for c = 0,
1 - e^-3 for c = |w|_2, and 1 for c = |w|_1 (`server.laplace_sum`). The least of the three holds.
"""

import math

import numpy as np
from jaxtyping import Float

from tacit.mechanisms.additive.laplace import Laplace

# Of s max|w_j|: the least t is within 1.4 per cent of that over all of them.
_PLACES = np.arange(1, 100) / 100
# Far above what floats round a reach by.
_ROUNDING = 1 + 1e-9
# P(V >= -c) for c = 0 and |w|_2.
_NOT_BELOW, _NOT_FAR_BELOW = 0.5, 1 - math.exp(-3)

Lengths = Float[np.ndarray, " sums"]


def laplace_reach(
    noise: Laplace, chance: float, length: Lengths, largest: Lengths, size: Lengths
) -> Lengths:
    """How far the noise moves each weighted sum, at most, but for this chance each.

    Args:
      noise: on each number.
      chance: not above zero, nothing is known.
      length: of each sum's weights, the L2 norm.
      largest: no smaller than the largest weight.
      size: no smaller than the L1 norm.
    """
    if not chance > 0:
        return np.full(np.shape(length), np.inf)
    rate = noise.noise.parameter
    ways = [
        _reach(chance * _NOT_BELOW, length, largest) / rate,
        _reach(chance * _NOT_FAR_BELOW, length, largest) / rate + length,
        _reach(chance, length, largest) / rate + size,
    ]
    return noise.step * np.min(ways, axis=0) * _ROUNDING


def _reach(chance: float, length: Lengths, largest: Lengths) -> Lengths:
    """Of X."""
    # Of no weights at all no noise is left.
    wide = np.maximum(largest, 1e-150)
    spread, sure = (length / wide) ** 2, math.log(2 / chance)
    ways = [(sure - spread * math.log1p(-(place**2))) / place for place in _PLACES.tolist()]
    return wide * np.min(ways, axis=0)
