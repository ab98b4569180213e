"""Rows of columns whose combinations can be listed: what their methods have in common.

Each combination of all columns' values has a number, the last column's changing first; a record
with a value that is not declared has none. A law is a share of each.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int32, Int64

from tacit.argument import counted, got, is_whole
from tacit.contribution.contrasts import NOWHERE
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.domain import Domain
from tacit.question.databases import MOST_QUERIES, Database, combinations_of
from tacit.question.rows import OfRows
from tacit.solve.table_cells import Shares, TableCells
from tacit.statistics.answer import released
from tacit.statistics.average import Average
from tacit.statistics.one_round import refuse_no_curator
from tacit.synthesis.mixture import quota
from tacit.trust.people import Trust


@final
@dataclass(frozen=True)
class ListedRelease:
    """The answer to a question about all combinations.

    Args:
      domain: the columns.
      trust: a curator: `Central`, or `NonPrivate`.
      people: about how many they are.
      database: what is asked.
    """

    domain: Domain
    trust: Trust
    people: int
    database: Database

    def __post_init__(self):
        refuse_no_curator(self.trust, "a database like people's")

    @cached_property
    def plan(self) -> Plan:
        """What will be promised, and how far the law may be from people's."""
        question = OfRows(combinations_of(self.database), self.people, self.database)
        return self.trust.plan(question)

    def answer(
        self, table: Any, ledger: LedgerOrPath, name: str, seed: int | None, note: str | None
    ) -> tuple[Release, Float[np.ndarray, " numbers"]]:
        """The release, charged to these people, and its numbers."""
        numbers, learner = numbers_of(self.domain, table), Average((self.database.size,))
        words = f"synthetic rows of {len(self.domain.names):,} columns"
        release = released(self.plan, learner, numbers, name, ledger, seed, note, words)
        return release, np.asarray(release.answer, np.float64)


def cells_of_ways(domain: Domain, ways: Any) -> TableCells:
    """The cells of all tables of so many columns.

    Raises:
      ValueError: unless there are so many, and their tables few enough to be listed.
    """
    most = len(domain.names)
    if not (is_whole(counted(ways)) and 1 <= counted(ways) <= most):
        raise ValueError(
            f"ways must be a whole number from 1 to the {most} columns, got {got(ways)}"
        )
    sizes, many = domain.sizes, math.comb(most, int(ways))
    if not many <= MOST_QUERIES:
        raise ValueError(
            f"{most} columns have {many:,} tables of {int(ways)} of them, and at most "
            f"{MOST_QUERIES:,} cells can be asked: leave columns out, or ask of fewer together"
        )
    return TableCells(sizes, tuple(combinations(range(len(sizes)), int(ways))))


def numbers_of(domain: Domain, table: Any) -> Int32[np.ndarray, " records"]:
    """The number of each record's combination; -1 for none."""
    cells = domain.cells(table)
    known = (cells != NOWHERE).all(axis=1)
    numbers = np.ravel_multi_index(np.where(known[:, None], cells, 0).T, domain.sizes)
    return np.where(known, numbers, NOWHERE).astype(np.int32)


def drawn(shares: Shares, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
    """So many rows, of each combination as many as its share is or one more."""
    return np.stack(np.unravel_index(quota(shares.ravel(), many, rng), shares.shape), axis=1)
