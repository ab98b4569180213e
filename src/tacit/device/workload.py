"""Local reports for a workload of linear queries: one of R outputs, by a public table of chances.

The table is the best that was found for the queries (`solve.local_reports`), in whole numbers.

**Whole numbers.**

1. Column x has T_yx of 2^32 words for the output y; the device draws a uniform word and reports the
   output whose words it is among. Columns sum to 2^32.
2. The largest and the least entry of every row are compared as whole numbers with a fraction at or
   below e^epsilon: so the law of a report is `epsilon`-private exactly, with nothing left to
   rounding.
3. Chances are found for a slightly smaller epsilon, so that rounding has room, and for less where
   that was not enough. Of a budget above 12 no more than 12 is used, and promised: words would not
   tell more apart.

A table of many cells takes long to find and is kept on the disk (`device.kept_tables`). One from
there is used only where all of this is verified of it again.

The server's answers are unbiased for this table, whose variances are those stated.
"""

import functools
import hashlib
import math
from decimal import Decimal
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Int32, PRNGKeyArray, UInt32, UInt64

from tacit.accounting.decimals import exp_down
from tacit.contribution import OneHot
from tacit.device import kept_tables
from tacit.facts import ReportFacts
from tacit.question.workloads import Workload
from tacit.solve import local_reports

# Of a uniform number of 32 bits: step 1.
WORDS = 2**32
# Of more cells a table takes too much room; with larger budgets its rounding would show.
MOST_CELLS, MOST_EPSILON = 1025, 12.0
# From here on people hardly randomise at all, and no descent finds better than saying so.
_MOST_DESCENDED = 8.0
# Of more cells a descent takes many minutes, and caps are reported; of fewer than the last number,
# a table is found anew in a second.
_MOST_DESCENT, _FEW_CELLS = 513, 64
_STEPS = 600  # Of a descent, a choice, not measured: wherever it ends, the table keeps epsilon.
# A table of a condition beyond this tells no cells apart, whatever else it is.
_APART = 1e5
# A row whose least entry has fewer words than this is left out: its ratio would be rounding's.
_FEW = 2**9
# The share of randomised response's blanket that whole numbers may take.
_TAKEN = 2.0**-8


@final
class OnWorkload(eqx.Module):
    """Reports an output of the table's column for the cell a person is in; of the first, for none.

    **Guarantee**: epsilon-local differential privacy of one report, exactly: the table's ratios are
    at most e^epsilon as whole numbers.

    **Error**: `worst_error` is the sum of all queries' variances by one report, at the worst cell.

    Args:
      epsilon: of one report.
      workload: the queries.
      table: words, a row for each output, a column for each cell; its digest is what is recorded.
      worst_error: as above.
      digest: of the table.
    """

    epsilon: float = eqx.field(static=True)
    workload: Workload = eqx.field(static=True)
    table: UInt32[np.ndarray | Array, "outputs cells"] = eqx.field(metadata={"recorded": False})
    worst_error: float = eqx.field(static=True)
    digest: str = eqx.field(static=True)

    @classmethod
    def of(cls, workload: Workload, epsilon: float) -> "OnWorkload":
        """With the table of little variance, for as much of this epsilon as tables are for.

        Raises:
          ValueError: if it has too many cells, or epsilon is not positive.
        """
        _refuse_too_many(workload)
        return _best(workload, min(epsilon, MOST_EPSILON))

    @classmethod
    def by_response(cls, workload: Workload, epsilon: float) -> "OnWorkload":
        """With the table of randomised response: the own cell, or any.

        Raises:
          ValueError: as `of`.
        """
        _refuse_too_many(workload)
        within = min(epsilon, MOST_EPSILON)
        return _serving(workload, within, _response(workload.cells, within))

    @property
    def outputs(self) -> int:
        return self.table.shape[0]

    @property
    def facts(self) -> ReportFacts:
        table = np.asarray(self.table, np.float64) / WORDS
        bits = max(1, math.ceil(math.log2(self.outputs)))
        blanket = float(table.min(1).sum())
        return ReportFacts(self.epsilon, OneHot(self.outputs), self.worst_error, bits, blanket)

    @property
    def decoder(self) -> Float[np.ndarray, "basis outputs"]:
        """From the shares of outputs to the answers to the workload's basis."""
        back = local_reports.decoder(np.asarray(self.table, np.float64) / WORDS)
        return self.workload.basis() @ back

    def sample(self, key: PRNGKeyArray, terms: Int[Array, " people"]) -> Int32[Array, " people"]:
        # Row y ends where the words of the rows up to it do; the last one ends beyond all words.
        ends = jnp.cumsum(jnp.asarray(self.table), axis=0, dtype=jnp.uint32)[:-1]
        words = jax.random.bits(key, terms.shape, jnp.uint32)
        cells = jnp.maximum(terms, 0)
        place = jnp.zeros(terms.shape, jnp.int32)
        for half in reversed(range(max(1, (self.outputs - 1).bit_length()))):
            ahead = place + 2**half
            inside = ahead < self.outputs
            beyond = ends[jnp.minimum(ahead, self.outputs - 1) - 1, cells] <= words
            place = jnp.where(inside & beyond, ahead, place)
        return place


def fits(workload: Workload) -> bool:
    """Whether there is a table for these queries."""
    return workload.cells <= MOST_CELLS


def _refuse_too_many(workload: Workload) -> None:
    if not fits(workload):
        raise ValueError(f"a workload's own reports are for up to {MOST_CELLS:,} cells")


@functools.lru_cache(maxsize=32)
def _best(workload: Workload, epsilon: float) -> OnWorkload:
    tables = [_response(workload.cells, epsilon)]
    if epsilon <= _MOST_DESCENDED:
        tables.append(_found(workload.gram().dense(), epsilon))
    ways = [_serving(workload, epsilon, table) for table in tables]
    return min(ways, key=lambda way: way.worst_error)


def _response(cells: int, epsilon: float) -> UInt64[np.ndarray, "rows cells"]:
    """The own cell e^epsilon times as likely as any other."""
    response = np.ones((cells, cells)) + math.expm1(epsilon) * np.eye(cells)
    return whole(response / response.sum(0), epsilon)


def response_blanket(cells: int, epsilon: float) -> float:
    """No more than the blanket of `by_response`: nearly cells / (cells - 1 + e^epsilon)."""
    within = min(epsilon, MOST_EPSILON)
    return (1 - _TAKEN) * cells / (cells - 1 + math.exp(within))


def _serving(
    workload: Workload, epsilon: float, table: UInt64[np.ndarray, "rows cells"]
) -> OnWorkload:
    """A table's device, with the error it has in these queries."""
    worst = float(local_reports.variances(table / WORDS, workload.gram().dense()).max())
    words = table.astype(np.uint32)
    digest = hashlib.sha256(words.tobytes()).hexdigest()
    return OnWorkload(epsilon, workload, words, worst, digest)


def _found(
    squares: Float[np.ndarray, "cells cells"], epsilon: float
) -> UInt64[np.ndarray, "rows cells"]:
    """The table that is found for the queries, or was found on this machine before."""
    cells = len(squares)
    if not cells <= _MOST_DESCENT:
        return whole(local_reports.caps(squares, epsilon, 4 * cells), epsilon)
    outputs = max(16, 4 * cells if cells <= 129 else 2 * cells)
    many = cells >= _FEW_CELLS
    path = kept_tables.place(squares, epsilon, outputs, _STEPS) if many else None
    before = None if path is None else kept_tables.kept(path)
    if before is not None and _serves(before, squares, epsilon):
        return before
    found = whole(local_reports.least_variance(squares, epsilon, outputs, _STEPS), epsilon)
    if not _serves(found, squares, epsilon):
        raise ValueError(_too_small(epsilon))
    if path is not None:
        kept_tables.keep(path, found)
    return found


def _serves(
    table: UInt64[np.ndarray, "rows cells"],
    squares: Float[np.ndarray, "cells cells"],
    epsilon: float,
) -> bool:
    """Whether what was kept is private, and tells all cells apart."""
    right = table.shape[1] == len(squares) <= table.shape[0] and private(table, epsilon)
    return right and bool(np.linalg.cond(table / WORDS) < _APART)


def whole(
    chances: Float[np.ndarray, "outputs cells"], epsilon: float
) -> UInt64[np.ndarray, "rows cells"]:
    """Nearly these chances in words, with columns of 2^32 and no ratio above e^epsilon: step 3."""
    within = epsilon * (1 - 2.0**-20)
    while within > epsilon / 2:
        rounded = _rounded(chances, math.exp(within))
        if private(rounded, epsilon):
            return rounded
        within -= epsilon * 2.0**-8
    raise ValueError(_too_small(epsilon))


def _too_small(epsilon: float) -> str:
    return (
        "a report's epsilon must be larger, 0.001 of up to 32 cells and more of more: its chances "
        f"are whole numbers of 2^-32, which tell no cells apart at {epsilon:g}"
    )


def private(table: UInt64[np.ndarray, "rows cells"], epsilon: float) -> bool:
    """Whether columns are of 2^32 words and each row's ratio at most e^epsilon, exactly: step 2."""
    ratio = Fraction(exp_down(Decimal(epsilon)))
    pairs = zip(table.max(1).tolist(), table.min(1).tolist(), strict=True)
    kept = all(0 < low and most * ratio.denominator <= low * ratio.numerator for most, low in pairs)
    return kept and (table.sum(0) == WORDS).all().item()


def _rounded(
    chances: Float[np.ndarray, "outputs cells"], ratio: float
) -> UInt64[np.ndarray, "rows cells"]:
    """Rows of enough words, brought within the ratio, rounded down; what is left goes to rows with
    most words, one each."""
    kept = chances[chances.min(1) * WORDS >= _FEW]
    least = np.maximum(kept.min(1), kept.max(1) / ratio)
    least = least * min(1, 0.9999 / least.sum())
    least = least * max(1, 1.0001 / (ratio * least.sum()))
    table = np.floor(local_reports.projected(kept, least, ratio) * WORDS).astype(np.uint64)
    for column in table.T:
        missing = max(0, int(WORDS - int(column.sum())))
        order = np.argsort(column)[::-1]
        column += np.uint64(missing // len(column))
        column[order[: missing % len(column)]] += np.uint64(1)
    return table
