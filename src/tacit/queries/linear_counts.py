"""A workload's answers about one column of cells, in one call, in every trust model.

A curator's noise is added to sums of the counts (`server.factorised`), and each answer is a
weighted sum <w, y + z> of these; so its limits are those that hold for <w, z> (`server.reach`).
Answers are float32: limits are moved outwards by 2^-20 of the most that an answer can be, if all
people are in the cell of the largest weight. Elsewhere the answers come from people's own reports:
by a table made for the queries, with limits too (`queries.reported_reach`), or of a histogram.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int32

from tacit.argument import got, keep_pythons
from tacit.contribution import OneHot
from tacit.device.workload import OnWorkload
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.linear_answer import LinearAnswer
from tacit.queries.reported_reach import reported_reach
from tacit.question.composed_workloads import WithNone
from tacit.question.linear import Linear
from tacit.question.objectives import ErrorObjective, MeanError
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.question.workloads import Workload
from tacit.server.convolved import ConvolvedMean
from tacit.server.factorised import FactorisedMean
from tacit.statistics.answer import refuse_no_terms, released
from tacit.statistics.average import Average
from tacit.statistics.between import numbers_of
from tacit.statistics.limits import Limits
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Reported, Trust, people_of
from tacit.trust.shuffled import Shuffled

# Sixteen roundings of a float of 32 bits, at an answer's largest.
_FLOAT32 = 2.0**-20
# A query that weighs nothing says nothing of how many people there are.
_LEAST = 1e-30


@final
@dataclass(frozen=True)
class LinearCounts:
    """The answers to a workload; `plan` and `rmse` are known before the data are.

    Args:
      workload: the queries, about how many people are in each of its cells.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      confidence: of each interval.
      objective: whose error is to be least: `MeanError()`, or `MaxError()` from a curator.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    workload: Workload
    trust: Trust
    people: int
    confidence: float = 0.95
    objective: ErrorObjective = field(default_factory=MeanError)

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        refuse_no_terms(self.trust, self.people, self.confidence)
        if not isinstance(self.workload, Workload):
            raise ValueError(
                "a workload is Prefix(cells), Ranges(cells) or Queries(matrix), got "
                f"{got(self.workload)}"
            )

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        who = Once() if isinstance(self.trust, Shuffled) else Everyone()
        # Who reports has to say something, also who is in no cell.
        asked = WithNone(self.workload) if isinstance(self.trust, Reported) else self.workload
        sums = Mean(OneHot(asked.cells), who, 1, self.people)
        return self.trust.plan(Linear(sums, asked, self.objective))

    @property
    def rmse(self) -> float | None:
        """How far an answer is expected to be off, in people: root mean square over all queries.

        At worst where people report by a table of their own; None where they report a histogram.
        """
        if isinstance(self.trust, NonPrivate):
            return 0.0
        if self.plan.error is None:
            return None
        return self.people * (self.plan.error / self.workload.queries) ** 0.5

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> LinearAnswer:
        """The answers about these people; arguments as for `linear`."""
        words = f"{self.workload.queries:,} linear queries"
        terms, cells = (name, ledger, seed, note, words), cells_of(values)
        if isinstance(self.trust, Reported):
            known = (cells >= 0) & (cells < self.workload.cells)
            cells = np.where(known, cells, np.int32(self.workload.cells))
        release = released(self.plan, Average((self.workload.queries,)), cells, *terms)
        return self.read(self.people * np.asarray(release.answer, np.float64), release, _FLOAT32)

    def read(
        self, found: Float[np.ndarray, " queries"], release: Release, rounding: float
    ) -> LinearAnswer:
        """What released answers say.

        Args:
          found: about people.
          release: what was run.
          rounding: of an answer at its largest.
        """
        interval = self._interval(found, rounding)
        sure = self.confidence if interval else None
        return LinearAnswer(self.workload, found, interval, sure, release)

    def _interval(self, found: Float[np.ndarray, " queries"], rounding: float) -> Limits | None:
        server = self.plan.server
        # No count is of more than all people: those declared, or as many more as any answer tells.
        largest = self.workload.largest()
        there = max(self.people, (np.abs(found) / np.maximum(largest, _LEAST)).max())
        rounded = rounding * there * largest
        if isinstance(server, FactorisedMean | ConvolvedMean):
            far = server.reach(1 - self.confidence) * (1 + rounding) + rounded
            return Limits(found - far, found + far)
        if isinstance(self.plan.device, OnWorkload):
            far = reported_reach(self.plan.device, self.people, 1 - self.confidence)
            return None if far is None else Limits(found - far, found + far)
        if isinstance(self.trust, NonPrivate):
            return Limits(found - rounded, found + rounded)
        return None


def linear(
    values: Any,
    workload: Workload,
    *,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    objective: ErrorObjective = MeanError(),
    seed: int | None = None,
    note: str | None = None,
) -> LinearAnswer:
    """The answers to a workload, with intervals where they are proved: see `LinearCounts`.

    Args:
      values: an array, series or list with the number of each person's cell, from 0; what is none
        of the workload's cells, or is missing, is in none.
      workload: the queries.
      objective: whose error is to be least: `MeanError()`, or `MaxError()` from a curator.
      trust, ledger, name, people, confidence, seed, note: as for `tacit.statistics.mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    cells = cells_of(values)
    many = people_of(people, trust, len(cells))
    asked = LinearCounts(workload, trust, many, confidence, objective)
    return asked.of(cells, ledger, name, seed=seed, note=note)


def cells_of(values: Any) -> Int32[np.ndarray, " people"]:
    """The number of each person's cell; -1 for none.

    Raises:
      ValueError: if there is not one number for each person.
    """
    numbers = numbers_of(values)
    whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**31)
    return np.where(whole, numbers, -1.0).astype(np.int32)
