"""Linear queries about categories: answers that share their noise, so that it is small in them all.

A histogram answers every linear query, but badly: the noise of a sum of 500 counts is that of 500
numbers. Asked as what it is, a set of queries gets noise that cancels in its answers
(`server.factorised`), from a curator; elsewhere people report by a table
that is made for the queries, or of up to thousands of cells for their histogram.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from tacit.argument import got, is_made
from tacit.contribution import OneHot
from tacit.contribution.words import in_words
from tacit.question.composed_workloads import WithNone
from tacit.question.objectives import ErrorObjective, MeanError
from tacit.question.sums import Mean, refuse_no_mean
from tacit.question.workloads import Workload


@final
@dataclass(frozen=True)
class Linear:
    """The answers to a workload about a histogram, over the expected cohort.

    Args:
      sums: which of the workload's cells each person is in: a `Mean` of a `OneHot`.
      workload: the queries.
      objective: whose error is to be least: `MeanError()`, or `MaxError()` from a curator.
    """

    sums: Mean
    workload: Workload
    objective: ErrorObjective = field(default_factory=MeanError)

    of_means = False

    def __post_init__(self):
        refuse_no_mean(self.sums)
        _refuse_no_workload(self.workload)
        refuse_no_objective(self.objective)
        shape: Any = self.sums.contribution
        if not (isinstance(shape, OneHot) and shape.categories == self.workload.cells):
            raise ValueError(
                f"a workload of {self.workload.cells:,} cells is about "
                f"OneHot({self.workload.cells}), got {got(shape)}"
            )

    @property
    def words(self) -> str:
        asked = self.workload
        # Without the cell of those who are in none.
        kind = asked.workload if isinstance(asked, WithNone) else asked
        queries = f"{asked.queries:,} linear queries ({type(kind).__name__})"
        return f"{queries} of {in_words(self.sums.contribution)}"


def _refuse_no_workload(given: Any) -> None:
    if not is_made(given, Workload):
        raise ValueError(
            f"a workload is Prefix(cells), Ranges(cells) or Queries(matrix), got {got(given)}"
        )


def refuse_no_objective(given: Any) -> None:
    if not is_made(given, ErrorObjective):
        raise ValueError(f"an objective is MeanError() or MaxError(), got {got(given)}")
