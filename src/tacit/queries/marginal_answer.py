"""Marginal tables as they were released: estimates, limits, and any table of their columns."""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, final

import numpy as np
from jaxtyping import Float, Real

from tacit.page import folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.population.totals import NoisySums
from tacit.queries.biased_tables import BiasedTables, counted
from tacit.queries.closure import Blocks, Set, Tables
from tacit.queries.domain import Domain
from tacit.queries.marginal_table import SHOWN, MarginalTable, first_cells, frame_of, places_of
from tacit.queries.nonnegative_tables import likeliest
from tacit.queries.whole_table import Fit, LeastSquaresFit, whole
from tacit.server.reach import sums_reach


@final
@dataclass(frozen=True, eq=False, repr=False)
class MarginalAnswer:
    """Released contrasts, and every table that they give. All of it is public.

    Args:
      domain: the columns.
      tables: what was asked for.
      deviation: of the noise on one contrast.
      confidence: of each cell's interval by itself.
      release: what was run.
    """

    domain: Domain
    tables: Tables
    deviation: float
    confidence: float
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def array(self, *columns: str) -> MarginalTable:
        """The table of these columns, in the domain's order: an axis for each.

        Raises:
          ValueError: if they are part of no table that was asked for.
        """
        return self.of(self._known(columns))

    def frame(self, *columns: str) -> Any:
        """The same as a DataFrame, a row for each cell.

        Raises:
          ValueError: if they are part of no table that was asked for.
        """
        places = self._known(columns)
        return frame_of(self.domain, places, self.of(places))

    def nonnegative(self) -> BiasedTables:
        """The likeliest tables without a negative cell: see `nonnegative_tables`. Biased."""
        blocks, distance = likeliest(self.tables, self._sums, self.deviation)
        # What is below zero still is rounding.
        own = {each: np.maximum(self.tables.table(each, blocks), 0.0) for each in self._places}
        return self._biased(own, distance, "tables without a negative cell")

    def integers(self, by: Fit = LeastSquaresFit()) -> BiasedTables:
        """Tables of whole numbers, that one set of records has: see `whole_table`. Biased.

        Args:
          by: `LeastSquaresFit()`, or `LeastMaximumFit()` as published.

        Raises:
          ValueError: if the columns together have too many cells, or the tables too many contrasts.
        """
        fit = by.fit(self.tables, self._sums, self.deviation)
        counts, columns = whole(self.tables, fit), range(len(self.tables.sizes))
        others = {each: tuple(set(columns) - set(each)) for each in self._places}
        own = {each: counts.sum(others[each]) for each in self._places}
        return self._biased(own, fit.distance, "tables of whole numbers")

    def of(self, places: Set) -> MarginalTable:
        """The table of the attributes of these numbers, rising."""
        estimates = self.tables.table(places, self.contrasts)
        far = self._reach(places)
        return MarginalTable(estimates, estimates - far, estimates + far)

    @cached_property
    def contrasts(self) -> Blocks:
        """The noisy contrasts of each set, of weight one."""
        return self.tables.split(self._sums)

    @property
    def _sums(self) -> Float[np.ndarray, " numbers"]:
        """The same times their sets' weights."""
        sums: NoisySums = self.release.state
        return sums.answer[0]

    @property
    def _places(self) -> list[Set]:
        """Of all tables that have columns."""
        return [each for each in self.tables.closure if each]

    @property
    def counted(self) -> str:
        """How many people are in the tables, as it was released, beside the declared number."""
        total, low, high = (f"{float(each):,.0f}" for each in self.of(()))
        sure = f"{100 * self.confidence:.6g}%: {low} to {high}"
        return f"{total} people in the tables ({sure}), of about {self.plan.sums.people:,}"

    def _biased(
        self, found: dict[Set, Real[np.ndarray, "*sizes"]], distance: float, said: str
    ) -> BiasedTables:
        tables = {each: counted(self.of(each), own) for each, own in found.items()}
        words = f"{said}: {self._names}\n{self._promises}"
        return BiasedTables(self.domain, tables, distance, words, self.release)

    def _reach(self, places: Set) -> Float[np.ndarray, "*sizes"]:
        server, largest = self.plan.server, self.tables.largest_weights(places)
        lengths = np.sqrt(self.tables.variances(places, 1.0))
        # Gaussian noise is off by half a step, and sums are rounded down by up to a whole one.
        sizes = np.minimum(math.sqrt(largest.size) * lengths, largest.sum())
        return (
            sums_reach(server, 1 - self.confidence, lengths, sizes, largest) + server.grid * sizes
        )

    def _known(self, columns: tuple[str, ...]) -> Set:
        return places_of(self.domain, columns, self.tables.closure)

    def __repr__(self) -> str:
        sure = f"{100 * self.confidence:.6g}% intervals"
        title = folded(f"tables {self._names}", f"{sure}; {self._promises}")
        tables = (first_cells(self.domain, own, self.of(own)) for own in self.tables.sets[:SHOWN])
        return "\n".join([title, *chain(*tables), folded(self.counted)])

    @property
    def _names(self) -> str:
        first, others = self.tables.sets[:SHOWN], len(self.tables.sets) - SHOWN
        tables = ", ".join(" x ".join(self.domain.names[i] for i in own) for own in first)
        return f"{tables} and {others:,} more" if others > 0 else tables

    @property
    def _promises(self) -> str:
        return promised(self.plan, self.release.private, met)
