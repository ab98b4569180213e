"""A workload of queries about one column of a table: prefix sums, ranges, any sums of cells.

    days = tables.linear(visits, "days", Prefix(30), bins=range(31))
    print(days.run(tacit.Central(1.0, 1e-6)))

The engine counts, as for a histogram, how many people are in each cell; the noise is that of
`tacit.queries.linear`, and cancels in the answers. One row of a person counts, so that nobody is in
two cells; which one is told by a digest, as wherever rows of a person are too many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from tacit.argument import got, is_made
from tacit.facts import stated
from tacit.ledger.ledger import opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.plan import Plan
from tacit.population.grant import Grant
from tacit.population.release import Release
from tacit.population.totals import NoisySums
from tacit.queries.linear_answer import LinearAnswer
from tacit.queries.linear_counts import LinearCounts
from tacit.question.objectives import ErrorObjective, MeanError
from tacit.question.workloads import Workload
from tacit.server.factorised import FactorisedMean
from tacit.tables.ask import Ask
from tacit.tables.bins import ColumnHistogram, histogram
from tacit.tables.caps import Caps
from tacit.tables.granting import granted_of
from tacit.tables.keys import DeclaredKeys
from tacit.tables.planned import TablePlan
from tacit.tables.rowwise import Said
from tacit.trust.central import Central

if TYPE_CHECKING:
    from tacit.tables.table import Table

# Of sums of a thousand products of 64 bits.
_ROUNDING = 2.0**-40


@final
@dataclass(frozen=True, eq=False, repr=False)
class WorkloadAsk:
    """A workload about the cells of a column. Build it with `linear`.

    Args:
      cells: how many people are in each, as an engine is asked.
      workload: the queries.
      objective: whose error is to be least.
    """

    cells: Ask
    workload: Workload
    objective: ErrorObjective

    def __repr__(self) -> str:
        return f"WorkloadAsk({self.words}; of {self.cells.table.name})"

    @property
    def words(self) -> str:
        """What is asked, to be read."""
        return f"{self.workload.queries:,} linear queries of {self.cells.words}"

    def plan(self, trust: Central) -> TablePlan:
        """What `trust` promises for the answers, and how wide intervals will be; reads nothing.

        Raises:
          ValueError: if it is no `Central`, or has no such plan.
        """
        plan, asked = self._plan(trust), self.cells
        server: Any = plan.server
        far, kind = server.reach(1 - asked.confidence), type(server.mechanism).__name__
        noise = f"{kind}, on sums of the counts; how far it moves answers is below"
        rmse = stated(self._counts(trust).rmse)
        off = f"± {np.max(far):,.3g} or less; off by {rmse:,.3g} as root mean square of all answers"
        told = {"people": off}, asked.kept, asked.confidence, noise
        unread = asked.statement.unread(asked.table.joined)
        return TablePlan(self.words, plan, *told, missing=unread)

    def _plan(self, trust: Central) -> Plan:
        return self._counts(trust).plan.per(self.cells.table.whose.unit)

    def grant(
        self,
        trust: Central,
        *,
        grant_id: str | None = None,
        seed: int | None = None,
        note: str | None = None,
    ) -> Grant:
        """Reads the exact counts, and charges the ledger; as `Ask.grant`."""
        plan = self._plan(trust)
        said = {"asked": self.words, "note": note, "question": self.cells.digest}
        staged = self.cells.table, plan, lambda: self.cells.staged_as(plan)
        return granted_of(*staged, grant_id=grant_id, seed=seed, **said)

    def run(
        self, trust: Central, *, seed: int | None = None, note: str | None = None
    ) -> LinearAnswer:
        """Asks, charges and answers; arguments as of `grant`."""
        with closed_if_cut_off(opened(self.cells.table.ledger)) as (name,):
            return self.read(trust, self.grant(trust, grant_id=name, seed=seed, note=note).run())

    def read(self, trust: Central, release: Release) -> LinearAnswer:
        """What a release of this question says."""
        sums: NoisySums = release.state
        server: Any = release.plan.server
        basis = np.asarray(server.decoder, np.float64) @ sums.answer[0]
        answers = np.asarray(self.workload.answers(basis), np.float64)
        return self._counts(trust).read(answers, release, _ROUNDING)

    def _counts(self, trust: Central) -> LinearCounts:
        if not isinstance(trust, Central):
            raise ValueError(
                "a table is held by a curator, who sees it: trust must be Central(epsilon, delta), "
                f"got {got(trust)}"
            )
        table, sure = self.cells.table, self.cells.confidence
        asked = LinearCounts(self.workload, trust, table.people, sure, self.objective)
        if not isinstance(asked.plan.server, FactorisedMean):
            raise ValueError("a workload of a table is of at most 1,024 cells")
        return asked


def linear(
    table: "Table",
    column: Said,
    workload: Workload,
    *,
    categories: Sequence[Any] | None = None,
    bins: Sequence[float] | None = None,
    objective: ErrorObjective = MeanError(),
    confidence: float = 0.95,
) -> WorkloadAsk:
    """A workload about the people in each cell of a column, one row each.

    Args:
      table: whose rows.
      column: its name; with bins, an expression of one row may stand for it.
      workload: the queries, e.g. `Prefix(30)` of 30 cells.
      categories: the cells are these values; or
      bins: they lie between these edges, as for `histogram`.
      objective: whose error is to be least: `MeanError()`, or `MaxError()`.
      confidence: of each interval.

    Raises:
      ValueError: if an argument is not of its kind, or the cells are not the workload's.
    """
    counted = histogram(column, categories=categories, bins=bins)
    _refuse_other_cells(counted, workload)
    caps = Caps.of(1, None, None)
    return WorkloadAsk(
        Ask(table, DeclaredKeys(()), {"people": counted}, caps, confidence), workload, objective
    )


def _refuse_other_cells(counted: ColumnHistogram, workload: Any) -> None:
    if not is_made(workload, Workload):
        raise ValueError(
            f"a workload is Prefix(cells), Ranges(cells) or Queries(matrix), got {got(workload)}"
        )
    cells = len(counted.kinds.labels)
    if not workload.cells == cells:
        raise ValueError(
            f"a workload of {workload.cells:,} cells is about as many values or bins, got {cells:,}"
        )
