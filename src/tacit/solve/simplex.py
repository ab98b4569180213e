"""The nearest point of the probability simplex, with a proof of how near the answer is to it.

The simplex is the set of x with no negative coordinate and sum one. The point of it nearest to v is

    x_i = max(v_i - s, 0),   with s the only shift for which these add up to one:

x - v + s is zero where x is positive and at least zero elsewhere, which is what optimality of the
convex problem asks (Karush, Kuhn, Tucker). Let v be sorted downwards. The number of positive
coordinates is the largest m for which v_m > (v_1 + ... + v_m - 1)/m, and that quotient is s:
k log k steps.

**Certificate.** Write u = 2^-53.

1. For any shift s the vectors max(v - s, 0) and the exact answer lie on one curve, on which all
   coordinates rise or fall together. So their L1 distance is the difference of their sums, and the
   L2 distance is not larger, whatever mistake was made in finding s:

       |x(s) - x*| <= |sum of x(s) - 1|.

2. The largest v is subtracted from all first, which changes neither answer. Coordinates one or more
   below the largest are zero in both, so the subtraction errs by at most u in each of those that
   matter, which projection does not enlarge, thus by k^(1/2) u in norm.
3. The differences v_i - s are rounded by a relative u, by u in norm.
4. The sum is rounded once (`math.fsum`); with the addition of these terms that is 3u.

References:
    Held, Wolfe and Crowder 1974, "Validation of subgradient optimization".
    Duchi, Shalev-Shwartz, Singer and Chandra 2008, "Efficient projections onto the l1-ball for
        learning in high dimensions" (Figure 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

# u, of float64.
_UNIT = 2.0**-53


@final
@dataclass(frozen=True)
class Projection:
    """A point of the simplex, and its proof.

    Args:
      point: No coordinate is negative, and they add up to one within `distance`.
      distance: At least the L2 distance from the exact projection.
    """

    point: Float[np.ndarray, " k"]
    distance: float


def project(values: Float[np.ndarray, " k"]) -> Projection:
    """The nearest point of the probability simplex.

    | values | what happens |
    | --- | --- |
    | a point of the simplex | itself, within rounding |
    | one | the point 1 |
    | all equal | 1/k each |
    | any finite size | the same accuracy: only differences count |
    | NaN, infinite, or none | refused |

    Raises:
      ValueError: if there are no values, or one is not finite.
    """
    if not (values.ndim == 1 and values.size and np.isfinite(values).all()):
        raise ValueError(f"values must be one or more finite numbers, got {values}")
    # Differences beyond the largest float are infinite, and never near the largest value.
    with np.errstate(over="ignore"):
        below = values.astype(np.float64) - values.max()
    ordered = -np.sort(-below[below > -1])
    sums, counts = np.cumsum(ordered), np.arange(1, len(ordered) + 1)
    positive = int(counts[ordered * counts > sums - 1][-1])
    shift = (math.fsum(ordered[:positive]) - 1) / positive
    point = np.maximum(below - shift, 0.0)
    kept = below[below > shift]
    # Step 1, and then the roundings of steps 2 to 4.
    total = math.fsum([*kept, *np.full(len(kept), -shift)])
    rounding = (math.sqrt(len(values)) + 4) * _UNIT
    return Projection(point, abs(total - 1) + rounding)
