"""Whole tables as Barak et al. 2007 find them, and the error that their theorem promises.

Binary columns, and f Fourier coefficients (`weighting.Even`), each with Laplace noise of scale
f/epsilon where one record comes or goes.

1. Any of them is off by more than t with chance e^(-t epsilon/f); so with probability 1 - beta none
   is by more than `coefficient` = (f/epsilon) ln(f/beta).
2. *Consistency*: a linear program finds counts of all columns together, none negative, whose
   coefficients are off from those released by the least maximum. People's own counts are such, so
   the least is no more than `coefficient`, and what is found is off from people's by twice that.
3. A cell of a table of k columns is 2^-k times a sum of 2^k coefficients, so all its 2^k cells
   together are off by at most `table` = 2^k times that.
4. *Integrality*: a corner of the program has at most f counts that are not zero, and rounding moves
   each by one half at most: `whole` = `table` + f/2.

(The paper counts a record replaced by another, and writes 8 for what is 2 here.)

Least squares (`whole_table.LeastSquaresFit`) come as near to people's tables or nearer, see
`bench/queries.py`.

References:
    Barak, Chaudhuri, Dwork, Kale, McSherry and Talwar 2007, "Privacy, accuracy, and consistency
        too: a holistic solution to contingency table release", Theorem 7.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import optimize, sparse

from tacit.argument import refuse_no_share, refuse_not_counted, refuse_not_positive
from tacit.queries.closure import Tables
from tacit.queries.nonnegative_tables import unit_of
from tacit.queries.whole_table import AllColumns
from tacit.solve.combination import Combination
from tacit.solve.nonnegative import Numbers

# Of the program's matrix, which is laid out with either sign: 32 MiB.
MOST_ENTRIES = 2**21


@final
@dataclass(frozen=True)
class LeastMaximumFit:
    """Counts of all columns together, whose contrasts are off by the least maximum."""

    def fit(self, tables: Tables, sums: Numbers, deviation: float) -> Combination:
        """Not yet whole; the `distance` is how far the maximum may be above the least.

        Raises:
          ValueError: if the columns together have too many cells, or the tables too many contrasts.
        """
        everything, unit = AllColumns(tables), unit_of(tables, deviation)
        cells, numbers = math.prod(tables.sizes), len(sums)
        _refuse_too_many(cells, numbers)
        matrix, apart = everything.columns(np.arange(cells)) / unit, -np.ones((numbers, 1))
        ends = np.concatenate([sums, -sums]) / unit
        found = optimize.linprog(
            np.concatenate([np.zeros(cells), [1.0]]),
            A_ub=sparse.csr_array(np.block([[matrix, apart], [-matrix, apart]])),
            b_ub=ends,
            method="highs-ds",
        )
        if found.x is None:
            raise ValueError(f"the linear program was not solved: {found.message}")
        gap = float(found.fun - found.ineqlin.marginals @ ends)
        return Combination(np.maximum(found.x[:-1], 0.0), max(0.0, gap))


def _refuse_too_many(cells: int, numbers: int) -> None:
    if not cells * numbers <= MOST_ENTRIES:
        raise ValueError(
            f"a linear program is of at most {MOST_ENTRIES:,} cells times contrasts, and these are "
            f"{cells:,} times {numbers:,}: use LeastSquaresFit()"
        )


@final
@dataclass(frozen=True)
class FourierError:
    """What the theorem promises, for records that come or go.

    Args:
      coefficients: f.
      epsilon: of the whole release, pure.

    Raises:
      ValueError: if one of them is no such number.
    """

    coefficients: int
    epsilon: float

    def __post_init__(self):
        refuse_not_counted("coefficients", self.coefficients)
        refuse_not_positive("epsilon", self.epsilon)

    def coefficient(self, beta: float) -> float:
        """No coefficient is off by more, with probability 1 - beta (and half a step of the
        noise's grid)."""
        refuse_no_share("beta", beta)
        return self.coefficients / self.epsilon * math.log(self.coefficients / beta)

    def table(self, columns: int, beta: float) -> float:
        """The cells of no table of so many columns are off by more, all together, once it is
        consistent."""
        refuse_not_counted("columns", columns)
        return 2**columns * 2 * self.coefficient(beta)

    def whole(self, columns: int, beta: float) -> float:
        """And once it is whole."""
        return self.table(columns, beta) + self.coefficients / 2
