"""Even steps between two bounds that are written as people write numbers.

Quantiles are chosen from them, so whole numbers, cents or minutes come out as they went in.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import final

import numpy as np
from jaxtyping import Float

# Of a step's number: a million decimal steps at most.
MOST_DIGITS = 6
# Where no decimal steps fit.
EVEN_STEPS = 2**20


@final
@dataclass(frozen=True)
class DecimalSteps:
    """So many even steps, from the lower bound on."""

    lower: Decimal
    width: Decimal
    count: int

    @property
    def step(self) -> float:
        """How far apart they are."""
        return float(self.width / self.count)

    def at(self, places: Float[np.ndarray, " shares"]) -> Float[np.ndarray, " shares"]:
        """The numbers of the steps nearest to these places, from -1 to 1 between the bounds."""
        nearest = np.rint((places + 1) / 2 * self.count)
        each = [float(self.lower + self.width * int(step) / self.count) for step in nearest]
        return np.array(each)


def steps_of(bounds: tuple[float, float]) -> DecimalSteps:
    """The finest decimal steps that both bounds are multiples of, at most a million."""
    lower, upper = (Decimal(repr(bound)) for bound in bounds)
    width = upper - lower
    step = Decimal(10) ** (math.ceil(width.log10()) - MOST_DIGITS)
    if width % step or lower % step:
        return DecimalSteps(lower, width, EVEN_STEPS)
    return DecimalSteps(lower, width, int(width / step))
