"""How far answers of people's own reports are from what is asked about these people.

Each of m people reports y with the chance T_yx of their cell x, and a query of weights w is
answered with the sum of decoded reports k_y, unbiased: sum_y T_yx k_y = w_x. So what the answer is
off by is a sum of m independent numbers of mean zero, each within b and of variance v at most,

    b = max(max_y k_y - min_x w_x, max_x w_x - min_y k_y),    v = max_x sum_y T_yx k_y² - w_x²,

and by Bernstein's inequality it is, but for the chance c, within

    t = b L/3 + sqrt((b L/3)² + 2 m v L),    L = log(2/c).

Shuffling reports changes nothing of that. Answers are sums of R products in floats of 32 bits, of
reports' shares that are one together: (R + 4) 2^-24 of the largest k_y, for each person.

| workload | limits |
| --- | --- |
| of so many queries that decoded reports fill 2^26 numbers | none are computed |

References:
    Boucheron, Lugosi and Massart 2013, "Concentration inequalities", Theorem 2.10.
"""

import math

import numpy as np
from jaxtyping import Float

from tacit.device.workload import WORDS, OnWorkload

# Numbers of decoded answers: half a GiB of floats.
_MOST = 2**26
# The unit roundoff of floats of 32 bits, which answers are decoded in.
_FLOAT = 2.0**-24
# What decoding in floats of 64 bits may have moved a variance by.
_ROUNDING = 1 + 1e-6


def reported_reach(
    device: OnWorkload, people: int, chance: float
) -> Float[np.ndarray, " queries"] | None:
    """How far each answer is from the sum over these people, at most, but for this chance each.

    Args:
      device: what each person runs, once.
      people: how many report.
      chance: above 0 and below 1.
    """
    workload = device.workload
    if workload.queries * max(device.outputs, workload.cells) > _MOST:
        return None
    decoded = workload.answers(device.decoder)
    weights = workload.answers(workload.basis())
    chances = np.asarray(device.table, np.float64) / WORDS
    variance = _ROUNDING * (decoded**2 @ chances - weights**2).max(1)
    above = decoded.max(1) - weights.min(1)
    farthest = _ROUNDING * np.maximum(above, weights.max(1) - decoded.min(1))
    rounded = people * (device.outputs + 4) * _FLOAT * np.abs(decoded).max(1)
    return _bernstein(people, variance, farthest, math.log(2 / chance)) + rounded


def _bernstein(
    people: int,
    variance: Float[np.ndarray, " queries"],
    farthest: Float[np.ndarray, " queries"],
    sure: float,
) -> Float[np.ndarray, " queries"]:
    third = farthest * sure / 3
    return third + np.sqrt(third**2 + 2 * people * np.maximum(variance, 0.0) * sure)
