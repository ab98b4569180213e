"""Rows of a law that is taught round by round where it is worst: MWEM.

Each round asks one cell of one table, the one where the law so far is most wrong, as a private
choice finds it, and teaches the law its noisy count (`mechanisms.rows.multiplicative_weights`, with
proof and error). Rows are of the law after all rounds. The theorem is of the mean of the laws
before each round, and with no repeats, `published`.

Few rounds leave much unasked, many get much noise each, and no number is best for all people. For
the 12,960 people of one table of nine columns at (1, 1e-9), 10, 20 and 40 of them with 20 repeats
had pairs off by .036, .024 and .020 in total variation, 20 without repeats by .15
(`bench/synthesis.py`).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, final

import numpy as np
from jaxtyping import Int64

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.domain import Domain
from tacit.question.databases import TaughtShares
from tacit.solve.table_cells import Shares, TableCells, Told, before_each
from tacit.synthesis.listed import ListedRelease, cells_of_ways, drawn
from tacit.trust.people import Trust


@final
@dataclass(frozen=True)
class FromRounds:
    """One cell a round, where the law is worst.

    Args:
      rounds: how many cells are asked, from 1 to 1000.
      repeats: how often all earlier ones are taught again in each round; costs time alone.
      ways: of how many columns the tables are.
    """

    rounds: int = 20
    repeats: int = 20
    ways: int = 2

    def asked(self, domain: Domain, trust: Trust, people: int) -> "RoundsRelease":
        question = TaughtShares(cells_of_ways(domain, self.ways), self.rounds, self.repeats)
        return RoundsRelease(ListedRelease(domain, trust, people, question), question)


@final
@dataclass(frozen=True)
class RoundsRelease:
    """The rounds, of certain people.

    Args:
      listed: the release.
      question: what it asks.
    """

    listed: ListedRelease
    question: TaughtShares

    @property
    def plan(self) -> Plan:
        return self.listed.plan

    def of(
        self, table: Any, ledger: LedgerOrPath, name: str, *, seed: int | None, note: str | None
    ) -> tuple[Release, "TaughtLaw"]:
        release, numbers = self.listed.answer(table, ledger, name, seed, note)
        rounds = numbers.reshape(-1, 2).tolist()
        told = tuple((int(query), share) for query, share in rounds)
        return release, TaughtLaw(self.question.cells, told, self.question.repeats)


@final
@dataclass(frozen=True, eq=False)
class TaughtLaw:
    """Shares of all combinations, from what was released.

    Args:
      cells: of the tables.
      told: in each round.
      repeats: how often all of it is taught again.
    """

    cells: TableCells
    told: tuple[Told, ...]
    repeats: int

    @cached_property
    def shares(self) -> Shares:
        """After all rounds."""
        *_, last = before_each(self.cells, self.told, self.repeats)
        return last

    @property
    def counted(self) -> None:
        """Shares were released, and no number of people."""

    @property
    def published(self) -> Shares:
        """The mean of those before each round."""
        each = islice(before_each(self.cells, self.told, self.repeats), len(self.told))
        return sum(each, np.zeros(self.cells.sizes)) / len(self.told)

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        return drawn(self.shares, many, rng)

    def report(self, domain: Domain) -> list[dict[str, Any]]:
        """For each round the cell that was asked, its released share and that of the law."""
        return [self._round(*each, domain) for each in self.told]

    def _round(self, query: int, share: float, domain: Domain) -> dict[str, Any]:
        columns, values = self.cells.named(query)
        each = zip(columns, values, strict=True)
        labels = {domain.names[i]: domain.attributes[i][1].labels[value] for i, value in each}
        own = float(self.shares[self.cells.place(query)].sum())
        return {"cell": labels, "released": share, "of_rows": own}
