"""Thresholds from sums over dyadic ranges: the factorisation of the textbook, beside the best one.

With phi_(s:t)(x) = 1 for s < x <= t, and N a power of two, A has the rows

    phi_(0:N);  phi_(0:N/2), phi_(N/2:N);  phi_(0:N/4), ..., phi_(3N/4:N);  ...;  phi_(N-1:N),

and phi_(0:j) is the sum of at most log2(N) of them, or the first: one for each one among the binary
digits of j. So 7 = 4 + 2 + 1, and phi_(0:7) = phi_(0:4) + phi_(4:6) + phi_(6:7). Every cell is in
log2(N) + 1 of the ranges, so that the norm is sqrt(log2(N) (log2(N) + 1)), where gamma_2 is about
log(N)/pi + 1: 7.48 for 128, where 2.32 is the least.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.argument import counted, got, is_whole

# Its matrix of 4,096 x 8,191 numbers is 256 MiB.
_MOST_CELLS = 4096


@final
@dataclass(frozen=True, eq=False)
class Factorisation:
    """W = RA.

    Args:
      left: R.
      right: A, what is asked of people.
    """

    left: Float[np.ndarray, "queries sums"]
    right: Float[np.ndarray, "sums cells"]

    @property
    def norm(self) -> float:
        """The longest row of R times the longest column of A: gamma_2 at least."""
        rows, columns = (self.left**2).sum(1), (self.right**2).sum(0)
        return float(np.sqrt(rows.max() * columns.max()))


def dyadic(cells: int) -> Factorisation:
    """Thresholds at 1, ..., N from sums over dyadic ranges.

    Args:
      cells: N, a power of two from 2 to 4096.

    Raises:
      ValueError: otherwise.
    """
    whole = counted(cells)
    if not (is_whole(whole) and 2 <= whole <= _MOST_CELLS and whole.bit_count() == 1):
        raise ValueError(f"cells must be a power of two from 2 to 4,096, got {got(cells)}")
    levels = whole.bit_length()
    right = [np.kron(np.eye(2**k), np.ones(whole >> k)) for k in range(levels)]
    left = np.zeros((whole, 2 * whole - 1))
    for j in range(1, whole + 1):
        left[j - 1, _ranges(j, levels)] = 1
    return Factorisation(left, np.concatenate(right))


def _ranges(j: int, levels: int) -> list[int]:
    """The rows of A that add up to the first j cells."""
    rows, begun = [], 0
    for level in range(levels):
        size = 2 ** (levels - 1 - level)
        if j & size:
            rows.append(2**level - 1 + begun // size)
            begun += size
    return rows
