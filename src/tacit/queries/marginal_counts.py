"""Marginal tables of records: all of them in one release, consistent with one another.

What is asked for are the contrasts of all tables and their subsets (`contribution.contrasts`), with
weights of the least error (`queries.weighting`); noise is added to their exact sums, Gaussian where
the promise has a delta and Laplace where it has none; and every table is put together from the
noisy contrasts, so that any two agree in what they share. Answers are without bias, also below
zero, and not whole.

**Intervals.** The cell of a table is a weighted sum of contrasts. Gaussian noise is that of normal
numbers, each rounded to a step, of sums that were rounded down to one: the cell is off by less than
the normal tail's reach and a step and a half for each contrast (Cauchy and Schwarz). With Laplace
noise all cells of a table have one reach: that of weights which are, one by one in order of size,
at least those of each of its cells (`server.reach`).
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from jaxtyping import Int32

from tacit.argument import got, is_made, keep_pythons
from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.plan import Plan
from tacit.population.charging import granted
from tacit.population.release import Release
from tacit.population.staged import Staged
from tacit.population.totals import Totals, staged_on
from tacit.queries.asked_tables import alike, best_for, sets_of
from tacit.queries.closure import Tables
from tacit.queries.domain import Domain
from tacit.queries.marginal_answer import MarginalAnswer
from tacit.queries.record_source import refuse_public_number
from tacit.queries.weighting import ForGaussian, ForLaplace, Weighting
from tacit.question.linear import refuse_no_objective
from tacit.question.objectives import ErrorObjective, MeanError
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.question.words import said_of
from tacit.statistics.answer import refuse_no_terms
from tacit.statistics.one_round import refuse_no_curator
from tacit.trust.central import Central
from tacit.trust.people import Trust, people_of


@final
@dataclass(frozen=True)
class Marginals:
    """Tables of a domain's columns; `plan` and `rmse` are known before the data are.

    Args:
      domain: the columns, and what each may hold.
      tables: which, and how important each one's error is.
      trust: a curator, `Central`, or `NonPrivate`.
      people: about how many they are; exactly, where that is public.
      confidence: of each interval.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    domain: Domain
    tables: Tables
    trust: Trust
    people: int
    confidence: float = 0.95

    @classmethod
    def asked(
        cls,
        domain: Domain | Mapping[str, Any],
        *,
        trust: Trust,
        people: int,
        ways: int | None = None,
        sets: Sequence[Sequence[str]] | None = None,
        weighting: Weighting | None = None,
        objective: ErrorObjective = MeanError(),
        confidence: float = 0.95,
    ) -> Self:
        """Of tables that are asked for by their columns; arguments as of `marginals`.

        Raises:
          ValueError: if an argument is not of its kind, or the trust model has no such plan.
        """
        known = Domain.of(domain)
        rule = weighting_for(trust) if weighting is None else weighting
        refuse_no_objective(objective)
        tables = replace(alike(known, sets_of(known, ways, sets)), weighting=rule)
        return cls(known, best_for(tables, objective), trust, people, confidence)

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        refuse_no_terms(self.trust, self.people, self.confidence)
        refuse_no_curator(self.trust, "a marginal table")
        if not is_made(self.tables.weighting, Weighting):
            raise ValueError(
                "a weighting is ForGaussian(), ForLaplace() or Even(), got "
                f"{got(self.tables.weighting)}"
            )

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self.trust.plan(Mean(self.tables.shape, Everyone(), 1, self.people))

    @property
    def deviation(self) -> float:
        """Of the noise on one contrast."""
        return self.plan.server.facts.stated_noise

    def rmse(self, *columns: str) -> float:
        """How far a cell of a table is expected to be off, in people: root mean square."""
        places = self.domain.places(columns)
        variances = self.tables.variances(places, self.deviation)
        return math.sqrt(float(variances.mean()))

    def of(
        self,
        table: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> MarginalAnswer:
        """The tables of these people; arguments as for `marginals`."""
        refuse_public_number(table, self.trust)
        cells = self.domain.cells(table)
        words = f"{len(self.tables.sets):,} marginal tables"
        terms = {"seed": seed, "note": note, "asked": words}
        release = contrasts_of(self.plan, self.tables, cells, name, ledger, **terms)
        return MarginalAnswer(self.domain, self.tables, self.deviation, self.confidence, release)


def contrasts_of(
    plan: Plan,
    tables: Tables,
    cells: Int32[np.ndarray, "records attributes"],
    name: str,
    ledger: LedgerOrPath,
    *,
    seed: int | None,
    note: str | None,
    asked: str,
) -> Release:
    """Charges these people's accounts for `plan`, and releases their contrasts with noise.

    The grant is bound to the exact sums, whatever order the records are in.
    """

    def staged() -> Staged:
        sums = tables.shape.sums(cells)
        digest = hashlib.sha256(np.ascontiguousarray(sums).tobytes()).digest()
        return staged_on(plan, repr(tables.sets), Totals.of(plan, [sums], digest))

    said = {"note": note or "", "asked": said_of(asked, plan.sums)}
    terms = {"part": None, "checkpoint": None, "seed": seed, **said}
    with closed_if_cut_off(opened(ledger)) as (grant,):
        return granted(name, staged, ledger, grant_id=grant, **terms).run()


def marginals(
    table: Any,
    *,
    domain: Domain | Mapping[str, Any],
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    ways: int | None = None,
    sets: Sequence[Sequence[str]] | None = None,
    people: int | None = None,
    weighting: Weighting | None = None,
    objective: ErrorObjective = MeanError(),
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> MarginalAnswer:
    """Marginal tables with intervals, of one record a person: see `Marginals`.

    Args:
      table: a DataFrame, a `tacit.Table`, of which one row of each person counts, or a mapping of
        columns to arrays or lists.
      domain: what each column may hold: a list of values, or `Binned(ends)`, or all of it as a
        `Domain`; written down without looking at the data. A record with any other value is in no
        table.
      ways: all tables of so many columns; or
      sets: the columns of each table.
      weighting: what noise each set of columns gets; None for the least error.
      objective: whose error is to be least: `MeanError()`, the mean over all tables of what a cell
        is off by, or `MaxError()`, that of the worst table.
      trust, ledger, name, people, confidence, seed, note: as for `tacit.statistics.mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    known = Domain.of(domain)
    which = {"ways": ways, "sets": sets, "weighting": weighting, "objective": objective}
    many = people_of(people, trust, known.records(table))
    asked = Marginals.asked(known, trust=trust, people=many, confidence=confidence, **which)
    return asked.of(table, ledger, name, seed=seed, note=note)


def weighting_for(trust: Trust) -> Weighting:
    """Of the least error."""
    pure = isinstance(trust, Central) and trust.delta == 0
    return ForLaplace() if pure else ForGaussian()
