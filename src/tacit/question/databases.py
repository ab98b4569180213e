"""Questions for rows like people's: databases of a few columns, or what teaches a law of them.

Each is about the cells of some tables, in a domain that is small enough to be listed. A person's
row is the number of their combination of all columns' values: the last column's changes first.

| statistic | its answer | how |
| --- | --- | --- |
| `NearDatabase` | how many of its rows have each combination | the net mechanism, exactly |
| `TaughtShares` | for each round a query's number, and what share of people it was told | MWEM |
"""

from dataclasses import dataclass
from typing import Any, final

from tacit.argument import counted, got, is_whole
from tacit.contribution import OneHot
from tacit.solve.table_cells import TableCells

# Choices: shares of all combinations are 32 MiB of floats, and all queries' answers 8 MiB.
MOST_COMBINATIONS, MOST_QUERIES = 2**22, 2**20
# Choices, of how long it may take.
MOST_ROUNDS, MOST_REPEATS = 1000, 100
# Of all databases together: how many numbers are listed, of rows and of answers.
MOST_LISTED = 2**24


@final
@dataclass(frozen=True)
class NearDatabase:
    """The database of a few rows that is nearest to people's, in the worst of the tables' cells.

    Args:
      cells: the tables; their columns have at least two combinations.
      rows: how many it has, from 1 to 64.

    Raises:
      ValueError: if there are more such databases than can be listed.
    """

    cells: TableCells
    rows: int

    def __post_init__(self):
        object.__setattr__(self, "rows", counted(self.rows))
        if not (is_whole(self.rows) and 1 <= self.rows <= 64):
            raise ValueError(f"rows must be a whole number from 1 to 64, got {got(self.rows)}")
        _refuse_no_cells(self.cells)
        each = self.cells.combinations + self.cells.queries + self.rows
        if not self.cells.databases(self.rows) * each <= MOST_LISTED:
            raise ValueError(
                f"there are {self.cells.databases(self.rows):,} databases of {self.rows} rows of "
                f"{self.cells.combinations:,} combinations, and at most about "
                f"{MOST_LISTED // each:,} can be listed: make them of fewer rows, or of fewer or "
                "coarser columns"
            )

    @property
    def size(self) -> int:
        return self.cells.combinations

    @property
    def words(self) -> str:
        return f"the nearest database of {self.rows:,} rows"


@final
@dataclass(frozen=True)
class TaughtShares:
    """What teaches shares of all combinations where they are worst, round after round.

    Args:
      cells: the tables; their columns have from 2 to 2^22 combinations.
      rounds: how many queries are asked, from 1 to 1000.
      repeats: how often all earlier ones are taught again in each round, up to 100; for nothing.
    """

    cells: TableCells
    rounds: int
    repeats: int

    def __post_init__(self):
        for name, most, least in (("rounds", MOST_ROUNDS, 1), ("repeats", MOST_REPEATS, 0)):
            whole = counted(getattr(self, name))
            object.__setattr__(self, name, whole)
            if not (is_whole(whole) and least <= whole <= most):
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}, got {got(whole)}"
                )
        _refuse_no_cells(self.cells)

    @property
    def size(self) -> int:
        return 2 * self.rounds

    @property
    def words(self) -> str:
        return f"shares taught in {self.rounds:,} rounds"


Database = NearDatabase | TaughtShares


def combinations_of(database: Database) -> OneHot:
    """The shape of one person's row."""
    return OneHot(database.cells.combinations)


def _refuse_no_cells(cells: Any) -> None:
    if not isinstance(cells, TableCells):
        raise ValueError(f"cells must be TableCells of some columns, got {got(cells)}")
    many, queries = cells.combinations, cells.queries
    if not (2 <= many <= MOST_COMBINATIONS and 1 <= queries <= MOST_QUERIES):
        raise ValueError(
            f"columns must have from 2 to {MOST_COMBINATIONS:,} combinations, and their tables at "
            f"most {MOST_QUERIES:,} cells, got {many:,} and {queries:,}: leave columns out, or "
            "make them coarser"
        )
