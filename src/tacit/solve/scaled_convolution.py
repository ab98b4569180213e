"""Prefix sums from sums that need no matrix: a convolution between two scalings, in whole numbers.

With T the lower triangular matrix of f_(i-j), f_k = (2k choose k)/4^k, T T is the matrix W of all
prefix sums: f are the coefficients of (1 - x)^(-1/2). So noise added to Th cancels in prefix sums
nearly as well as it can (`solve.strategies`): root mean squared errors are 5% above the least. Here
the sums have weights r before, and the cells weights d,

    K = R T D,    y_i = r_i sum over j <= i of f_(i-j) d_j h_j,

with d such that all columns are equally long; that alone leaves 1%. What is left is in r, which was
fitted to prefix sums of 256 to 4,096 cells (`question.objectives` has it): 1.001 times the least
root mean squared error for every number of cells, 1.006 of the least worst one. Nothing rests on
that fit: what K reaches is computed from K, and compared with the dual bound.

**Whole numbers.** r, f and d are rounded to whole numbers *before* they are multiplied, so K is
made of them exactly, and so are y and the lengths of K's columns, in linear space. d are cut
towards zero, so that no column is longer than 2^28. That costs 0.1% once more.

**Answers.** K has an inverse of the same kind, so prefix sums W K^-1 y are, with A_k the sums of
the first coefficients of 1/f(x), which are positive and fall,

    s_i = sum over j <= i of A_(i-j) y_j / r_j,    answer_i = s_i/d_i + sum over j < i of
                                                              s_j (1/d_j - 1/d_(j+1)):

W D^-1 by summation by parts. s are nearly the prefix sums of d_j h_j; as d hardly ever falls, what
is added up has one sign, and floats of 32 bits are enough.

References:
    Fichtenberger, Henzinger and Upadhyay 2023, "Constant matters: fine-grained error bound on
        differentially private continual observation" (f, for the worst error).
    Henzinger, Upadhyay and Upadhyay 2023, "Almost tight error bounds on differentially private
        continual counting" (f, for the mean square).
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int64

from tacit.late import fftconvolve

# Of r's largest, of f's first, and of the longest column of K.
_ROW_BITS, _FALLING_BITS, BITS = 7, 10, 28

Whole = Int64[np.ndarray, " cells"]
Numbers = Float[np.ndarray, " cells"]


@final
@dataclass(frozen=True, eq=False)
class ScaledConvolution:
    """K in whole numbers.

    Args:
      rows: r, up to 2^7.
      falling: f, up to 2^10.
      columns: d, up to 2^18.
    """

    rows: Whole
    falling: Whole
    columns: Whole

    @classmethod
    def of(cls, squares: Numbers) -> "ScaledConvolution":
        """For these squares of the sums' weights, in any unit."""
        share = np.sqrt(squares / squares.max())
        rows = _whole(np.maximum(np.round(2**_ROW_BITS * share), 1))
        falling = _whole(np.round(2**_FALLING_BITS * roots(len(squares))))
        unscaled = np.sqrt(_squared_lengths(rows, falling))
        return cls(rows, falling, _whole(np.floor(2**BITS / unscaled)))

    @property
    def cells(self) -> int:
        return len(self.rows)

    def squared_lengths(self) -> Whole:
        """Of the columns of K, exactly: at most 2^56."""
        return self.columns**2 * _squared_lengths(self.rows, self.falling)

    def partial_inverse(self) -> Numbers:
        """A: sums of the first coefficients of 1/f(x)."""
        return np.cumsum(_reciprocal(self.falling.astype(np.float64)))

    def variances(self) -> Numbers:
        """Of all prefix sums, if y has noise of variance one: the squared rows of W K^-1.

        Row i is row i - 1 and the inverse convolution's row i over d_i; all of it over r.
        """
        cells, backwards = self.cells, _reciprocal(self.falling.astype(np.float64))[::-1].copy()
        shares, found = 1 / self.rows.astype(np.float64) ** 2, np.empty(cells)
        row, work = np.zeros(cells), np.empty(cells)
        for place, each in enumerate(1 / self.columns):
            begun, own = row[: place + 1], work[: place + 1]
            begun += np.multiply(backwards[cells - 1 - place :], each, out=own)
            # Not by BLAS, whose threads would take longer to wake than to add.
            found[place] = np.einsum("i,i", np.multiply(begun, begun, out=own), shares[: place + 1])
        return found


def roots(cells: int) -> Numbers:
    """The first coefficients of (1 - x)^(-1/2)."""
    twice = 2.0 * np.arange(1, cells)
    return np.concatenate([[1.0], np.cumprod((twice - 1) / twice)])


def _squared_lengths(rows: Whole, falling: Whole) -> Whole:
    """Of the columns of R T."""
    return np.correlate(rows**2, falling**2, "full")[len(rows) - 1 :]


def _whole(numbers: Numbers) -> Whole:
    return numbers.astype(np.int64)


def _reciprocal(series: Numbers) -> Numbers:
    """The coefficients of 1 over a power series, by Newton's method: twice as many in each step."""
    found = np.array([1 / series[0]])
    while len(found) < len(series):
        many = min(2 * len(found), len(series))
        left = -fftconvolve(series[:many], found)[:many]
        left[0] += 2
        found = fftconvolve(found, left)[:many]
    return found
