"""The discrete Laplace mechanism: whole numbers in, whole numbers out, pure epsilon.

Each of the numbers gets independent noise k of mass proportional to e^(-a |k|), a = epsilon /
sensitivity rounded down. The proof is that of `mechanisms.additive.laplace`, on a grid of step one.
Of one number it is the two-sided geometric mechanism.
"""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import numpy as np
from jaxtyping import ArrayLike, Int64, PRNGKeyArray

from tacit.accounting import events
from tacit.argument import got, is_whole, takes_numpys
from tacit.borrowed import DpEvent
from tacit.mechanisms.additive.laplace import UNRECORDED, Laplace
from tacit.mechanisms.alone import whole_numbers
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import joined


@final
class DiscreteLaplace(eqx.Module):
    """Adds discrete Laplace noise to whole numbers.

    **Guarantee**: pure `epsilon`-differential privacy of one release, under any relation in which
    neighbouring vectors are within `sensitivity` in L1; up to `tv_distance(dim)` in total
    variation, the reserve of which is its delta (`accounting.reserve`). Composed by `event(dim)`.

    **Error**: `variance` a number, `error(dim)` = dim `variance`, exact.

    | numbers | effect |
    | --- | --- |
    | none, or not whole by their type | ValueError |
    | beyond 2^63 with their noise | wrap around: a function of the release |

    Args:
      epsilon: Positive and finite; at least 2^-40 of the sensitivity.
      sensitivity: In L1, a whole number from 1.

    References:
        Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy
        mechanisms".
    """

    epsilon: float
    sensitivity: int
    noise: DiscreteLaplaceLaw = eqx.field(metadata=UNRECORDED)

    @takes_numpys
    def __init__(self, epsilon: float, sensitivity: int = 1):
        if not (is_whole(sensitivity) and sensitivity >= 1):
            raise ValueError(f"sensitivity must be a whole number from 1, got {got(sensitivity)}")
        self.noise = Laplace.calibrate(epsilon, sensitivity, 1.0).noise
        self.epsilon, self.sensitivity = float(epsilon), int(sensitivity)

    def event(self, dim: int) -> DpEvent:
        """Of `dim` numbers at once; of one the tighter curve of its own law."""
        if dim == 1:
            return events.discrete_laplace(self.noise.parameter, self.sensitivity)
        return events.k_norm(self.epsilon)

    @property
    def variance(self) -> float:
        """Of the noise on one number."""
        return self.noise.variance

    def error(self, dim: int) -> float:
        """The mean squared L2 error of `dim` numbers."""
        return dim * self.variance

    def reach(self, chance: float) -> float:
        """How far the noise moves one number, at most, but for this chance: it is farther than t
        with 2 x^(t+1)/(1 + x), x = e^-a."""
        rate = self.noise.parameter
        many = math.log(2 / (1 + math.exp(-rate)) / chance) / rate
        return max(0.0, math.ceil(many) - 1.0)

    def tv_distance(self, dim: int) -> float:
        """How far the noise of `dim` numbers is from its law, at most, in total variation."""
        return dim * self.noise.tv_distance * (1 + 2.0**-52)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> Int64[np.ndarray, "*shape"]:
        """The numbers with their noise, as NumPy's 64-bit integers, in the same shape."""
        exact = whole_numbers(values)
        return np.asarray(exact + joined(self.noise.limbs(key, exact.shape)))
