"""Masses in a row, each with all before it, discounted at every step.

SciPy's recursion is quicker, but importing `scipy.signal` takes longer than the few short rows of a
plan do here. So it is asked where somebody has imported it already, or rows are long. Both are the
same to the bit: one product and one sum a step.
"""

import math
import sys
from itertools import accumulate

import numpy as np
from jaxtyping import Float

from tacit.late import lfilter

# A row that Python adds in a few milliseconds; to import SciPy's recursion takes hundreds.
SHORT = 2**14


def discounted(
    masses: Float[np.ndarray, " outcomes"], interval: float
) -> Float[np.ndarray, " outcomes"]:
    """For each, the sum of it and of all before it, times e^-interval for each step between."""
    factor = math.exp(-interval)
    if len(masses) > SHORT or "scipy.signal" in sys.modules:
        return np.asarray(lfilter([1.0], [1.0, -factor], masses))
    return np.fromiter(accumulate(masses.tolist(), lambda y, x: x + factor * y), np.float64)
