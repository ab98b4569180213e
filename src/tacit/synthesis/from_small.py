"""Rows of a small database that stands for people's: the net mechanism.

All databases of a few rows are compared with people's, and one is chosen
(`mechanisms.rows.small_database`, with proof and error). Rows are drawn from that one. For columns
of about ten combinations together: an executable theorem more than a tool.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Int64

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.domain import Domain
from tacit.question.databases import NearDatabase
from tacit.solve.table_cells import Shares
from tacit.synthesis.listed import ListedRelease, cells_of_ways, drawn
from tacit.trust.people import Trust


@final
@dataclass(frozen=True)
class FromSmall:
    """The nearest of all databases of so many rows.

    Args:
      rows: from 1 to 64, as long as all such databases can be listed.
      ways: of how many columns the tables are that are compared.
    """

    rows: int
    ways: int = 2

    def asked(self, domain: Domain, trust: Trust, people: int) -> "SmallRelease":
        question = NearDatabase(cells_of_ways(domain, self.ways), self.rows)
        return SmallRelease(ListedRelease(domain, trust, people, question))


@final
@dataclass(frozen=True)
class SmallRelease:
    """The choice, for certain people."""

    listed: ListedRelease

    @property
    def plan(self) -> Plan:
        return self.listed.plan

    def of(
        self, table: Any, ledger: LedgerOrPath, name: str, *, seed: int | None, note: str | None
    ) -> tuple[Release, "SmallLaw"]:
        release, counts = self.listed.answer(table, ledger, name, seed, note)
        return release, SmallLaw(counts.reshape(self.listed.domain.sizes) / counts.sum())


@final
@dataclass(frozen=True, eq=False)
class SmallLaw:
    """The shares of each combination in the database that was chosen."""

    shares: Shares

    @property
    def counted(self) -> None:
        """A database was released, and no number of people."""

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        return drawn(self.shares, many, rng)

    def report(self, domain: Domain) -> list[dict[str, Any]]:
        """Nothing: what was released is the law itself."""
        del domain
        return []
