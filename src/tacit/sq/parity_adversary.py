"""Who answers statistical queries about a parity so that nearly all parities stay possible.

Bits x are uniform, and labels are signs y = chi_S(x), S one of 2^d sets. A query is a function of
both in [-1, 1], and so phi(x, y) = a(x) + y b(x) with |a| + |b| <= 1. Its mean, if S is the truth,
is E a + b^(S), with b^(S) = E b chi_S. By Parseval the squares of all b^(S) add up to E b^2, one at
most. So E a is an answer within t for all but 1/t^2 sets, and **after m such answers at least
2^d - m/t^2 sets are still true to all of them**. Two sets that are agree on half of all x exactly:
whoever has to learn S to less than half an error needs

    m >= (2^d - 1) t^2

queries. With t = 2^(-d/3) these are about 2^(d/3). `ParityAdversary` gives these answers to any
queries, adaptive ones too, and says which sets are left.

References:
    Blum, Furst, Jackson, Kearns, Mansour and Rudich 1994, "Weakly learning DNF and characterizing
    statistical query learning using Fourier analysis" (a bound of the same kind).
"""

import math
from typing import final

import numpy as np
from jaxtyping import Bool, Float

from tacit.argument import got, is_number, is_whole

# A query is a transform of 2^20 numbers.
MOST_DIM = 20
# Of a query, at each x (its bits those of the number of the row): for a label of 0, and of 1.
AskedOfParity = Float[np.ndarray, "bits two"]


@final
class ParityAdversary:
    """Answers, and remembers which parities none of its answers is against.

    It is made to be asked: each answer changes what is left.

    Args:
      dim: how many bits, from 1 to 20.
      tolerance: t, in (0, 1]: how far an answer may be from the truth.
    """

    def __init__(self, dim: int, tolerance: float):
        if not (is_whole(dim) and 1 <= dim <= MOST_DIM):
            raise ValueError(f"dim must be a whole number from 1 to 20, got {got(dim)}")
        if not (is_number(tolerance) and 0 < tolerance <= 1):
            raise ValueError(f"tolerance must be in (0, 1], got {got(tolerance)}")
        self.dim, self.tolerance = int(dim), float(tolerance)
        self.asked = 0
        self._alive = np.ones(2**self.dim, bool)

    def answer(self, query: AskedOfParity) -> float:
        """Of a query's values, each from -1 to 1.

        Raises:
          ValueError: if they are not, or not as many as there are bits and labels.
        """
        values = np.asarray(query, np.float64)
        if not (values.shape == (2**self.dim, 2) and np.abs(values).max(initial=0) <= 1):
            raise ValueError(
                f"a query must have a value from -1 to 1 for each of {2**self.dim} bits and two "
                "labels"
            )
        # A label of 0 is the sign +1.
        own = walsh((values[:, 0] - values[:, 1]) / 2) / 2**self.dim
        self._alive &= np.abs(own) <= self.tolerance
        self.asked += 1
        return float(values.mean())

    @property
    def alive(self) -> Bool[np.ndarray, " parities"]:
        """Of each parity, by the number that its bits make, whether it may still be the truth."""
        return self._alive.copy()

    @property
    def least_alive(self) -> float:
        """How many there are at least, whatever was asked: 2^d - m/t^2."""
        return 2**self.dim - self.asked / self.tolerance**2


def queries_needed(dim: int, tolerance: float) -> int:
    """How many queries leave one parity at most: (2^d - 1) t^2, rounded up.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    ParityAdversary(min(dim, 1) if is_whole(dim) else dim, tolerance)
    return math.ceil((2**dim - 1) * tolerance**2)


def walsh(values: Float[np.ndarray, " bits"]) -> Float[np.ndarray, " parities"]:
    """Sums of values times each parity's signs, in d 2^d additions."""
    sums = values
    for bit in range(len(values).bit_length() - 1):
        pairs = sums.reshape(-1, 2, 2**bit)
        sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
    return sums
