"""How to weigh groups of answers so that the largest of their variances is least.

Let a convex set of tuples (V_1, ..., V_m) of variances be reachable, and for importances u >= 0 of
sum one let V(u) be one that has the least sum u_i V_i.

1. For every reachable V then max_i V_i >= sum u_i V_i >= sum u_i V_i(u), so the last sum is a lower
   bound of the least largest variance, whatever u is, and max_i V_i(u) is reached.
2. The two meet at the best u (the set is convex), where all that u does not leave out have the
   largest variance; so importances are multiplied by variances, in turns, and the bounds say when
   that is enough.

References:
    Arora, Hazan and Kale 2012, "The multiplicative weights update method: a meta-algorithm and
        applications".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

# The most steps, and the power of the variances: the bounds say what was reached.
_STEPS, _POWER = 200, 1.0

PerGroup = Float[np.ndarray, " groups"]


@final
@dataclass(frozen=True)
class LeastLargest:
    """Importances whose largest variance is nearly the least, and between which bounds that is.

    Args:
      importances: u, of sum one.
      lower: no largest variance is smaller.
      upper: the largest variance with these importances.
    """

    importances: PerGroup
    lower: float
    upper: float


def least_largest(
    variances: Callable[[PerGroup], PerGroup], groups: int, gap: float = 5e-3
) -> LeastLargest:
    """The importances for the least largest variance, within a relative `gap` or nearly.

    Args:
      variances: V(u), at importances of sum one.
      groups: how many there are.
      gap: where 200 steps do not bring the bounds so near, they are those of the best steps.
    """
    u = np.full(groups, 1 / groups)
    best, lower, upper = u, 0.0, np.inf
    for _ in range(_STEPS):
        own = variances(u)
        lower = max(lower, float(u @ own))
        if own.max() < upper:
            best, upper = u, float(own.max())
        if upper <= (1 + gap) * lower:
            break
        u = u * (own / own.max()) ** _POWER
        u = u / u.sum()
    return LeastLargest(best, lower, upper)
