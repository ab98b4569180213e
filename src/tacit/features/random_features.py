"""Random Fourier features: a Gaussian kernel as an inner product of short, bounded vectors.

A kernel machine's model is a sum over its training rows: released, it holds their data. With
public random frequencies instead, the model is one weight for each feature and nothing else:

    phi(x) = m^(-1/2) (cos <w_1, x>, ..., cos <w_m, x>, sin <w_1, x>, ..., sin <w_m, x>),

w_j normal of covariance 2 gamma 1. Then |phi(x)| = 1, whatever x is: no bound on x is needed. And
<phi(x), phi(y)> is the mean of m cosines cos <w_j, x - y>, each of mean k(x, y) = exp(-gamma |x -
y|²), so by Hoeffding it is off by more than t with chance at most 2 exp(-m t²/2).

The frequencies are drawn before any data is seen and from nothing of it; they are public.

References:
    Rahimi and Recht 2007, "Random features for large-scale kernel machines".
    Rubinstein, Bartlett, Huang and Taft 2012, "Learning in a large function space: privacy-
        preserving mechanisms for SVM learning" (for privacy).
"""

import math
from typing import Any, final

import equinox as eqx
import numpy as np
from jax import random
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import refuse_not_counted, refuse_not_positive

# Of NumPy or JAX, one row or several.
Rows = Any


@final
class RandomFourier(eqx.Module):
    """Rows of `inputs` numbers to features of norm one, for the kernel exp(-gamma |x - y|²).

    **Guarantee**: features have norm one up to the rounding of their cosines; a row that is not
    finite has features NaN, which every contribution's projection counts as zero.

    **Error**: of an inner product, more than t with chance 2 exp(-pairs t²/2) at most.

    Args:
      inputs: how many numbers a row has.
      pairs: m, half as many as features.
      gamma: positive and finite.
      key: a public one.

    Raises:
      ValueError: if a number is out of its range.
    """

    frequencies: Float[np.ndarray, "inputs pairs"]

    def __init__(self, inputs: int, pairs: int, gamma: float, key: PRNGKeyArray):
        refuse_not_counted("inputs", inputs)
        refuse_not_counted("pairs", pairs)
        refuse_not_positive("gamma", gamma)
        drawn = np.asarray(random.normal(key, (int(inputs), int(pairs))), np.float64)
        self.frequencies = math.sqrt(2 * gamma) * drawn

    @property
    def features(self) -> int:
        """How many numbers phi has."""
        return 2 * self.frequencies.shape[1]

    def __call__(self, rows: Rows) -> Rows:
        """phi of one row or of several; arrays of NumPy or of JAX."""
        xp = rows.__array_namespace__()
        angles = rows @ self.frequencies
        both = xp.concat([xp.cos(angles), xp.sin(angles)], axis=-1)
        return both / math.sqrt(self.frequencies.shape[1])
