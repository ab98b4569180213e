"""How rows are made: what is asked of people, and the law that rows are drawn from afterwards.

| method | asks | rows of |
| --- | --- | --- |
| `FromPairs()` | all pairs of columns, in one release | any number of columns |
| `FromTree()` | the same | any number of columns, along a tree of pairs |
| `FromRounds(rounds)` | the tables' worst cells, one a round: MWEM | up to 2^22 combinations |
| `FromSmall(rows)` | the nearest of all small databases: net mechanism | about ten |

All is known of what is asked before the data are; all after it is made of what was released.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int64

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.domain import Domain
from tacit.trust.people import Trust


class RowLaw(Protocol):
    """What rows are drawn from: public."""

    @property
    def counted(self) -> str | None:
        """How many people it is of, in words; None where that was not released."""
        ...

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        """So many rows, by the numbers of their values."""
        ...

    def report(self, domain: Domain) -> list[dict[str, Any]]:
        """How far the law is from what was released: a line for each thing that was."""
        ...


class RowRelease(Protocol):
    """What is asked, of certain people."""

    @property
    def plan(self) -> Plan:
        """What will be promised."""
        ...

    def of(
        self, table: Any, ledger: LedgerOrPath, name: str, *, seed: int | None, note: str | None
    ) -> tuple[Release, RowLaw]:
        """The release of these people's answers, charged to them, and the law of rows."""
        ...


@runtime_checkable
class RowMethod(Protocol):
    """How rows are made."""

    def asked(self, domain: Domain, trust: Trust, people: int) -> RowRelease:
        """What is asked of people with these columns.

        Raises:
          ValueError: if the trust model or the columns are none for it.
        """
        ...
