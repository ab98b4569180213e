"""Marginal tables as they were released: estimates, limits, and any table of their columns."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Float

from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.population.totals import NoisySums
from tacit.queries.closure import Blocks, Set, Tables
from tacit.queries.domain import Domain
from tacit.server.means import NoisyMean
from tacit.server.reach import gaussian_reach

_SHOWN = 4


class MarginalTable(NamedTuple):
    """One table: estimates in people, and limits of each cell."""

    estimates: Float[np.ndarray, "*sizes"]
    low: Float[np.ndarray, "*sizes"]
    high: Float[np.ndarray, "*sizes"]


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
        import pandas as pd

        places = self._known(columns)
        labels = [self.domain.attributes[i][1].labels for i in places]
        index = pd.MultiIndex.from_product(labels, names=[self.domain.names[i] for i in places])
        found = {name: each.ravel() for name, each in self.of(places)._asdict().items()}
        named = found | {"people": found.pop("estimates")}
        return pd.DataFrame(named, index)[["people", "low", "high"]].reset_index()

    def of(self, places: Set) -> MarginalTable:
        """The table of the attributes of these numbers, rising."""
        estimates = self.tables.table(places, self.contrasts)
        far = self._reach(places)
        return MarginalTable(estimates, estimates - far, estimates + far)

    @cached_property
    def contrasts(self) -> Blocks:
        """The noisy contrasts of each set, of weight one."""
        sums: NoisySums = self.release.state
        return self.tables.split(sums.answer[0])

    def _reach(self, places: Set) -> Float[np.ndarray, "*sizes"]:
        server = self.plan.server
        if not isinstance(server, NoisyMean):
            return np.zeros(tuple(self.tables.sizes[i] for i in places))
        lengths = np.sqrt(self.tables.variances(places, 1.0))
        # Half a step of the noise, and up to a whole one where sums were rounded down.
        sizes = 3 * math.sqrt(lengths.size) * lengths
        left = 1 - self.confidence - server.facts.tv_distance
        return gaussian_reach(server.mechanism, left, lengths, sizes)

    def _known(self, columns: tuple[str, ...]) -> Set:
        places = self.domain.places(columns)
        if places not in self.tables.closure:
            raise ValueError(
                f"no table that was asked for has the columns {', '.join(columns)} together"
            )
        return places

    def __repr__(self) -> str:
        first, others = self.tables.sets[:_SHOWN], len(self.tables.sets) - _SHOWN
        tables = ", ".join(" x ".join(self.domain.names[i] for i in own) for own in first)
        more = f" and {others:,} more" if others > 0 else ""
        sure = f"{100 * self.confidence:.6g}% intervals"
        return f"tables {tables}{more}\n{sure}; {promised(self.plan, self.release.private, met)}"
