"""What rows are made of, once people's answers were released: any number of rows, and how good."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tacit.argument import got, is_whole
from tacit.page import folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.queries.domain import Domain
from tacit.synthesis.method import RowLaw

# Whole numbers of 64 bits for one column of so many are a GiB.
MOST_ROWS = 2**27
# Names of columns in one line of a page.
_SHOWN = 6


@final
@dataclass(frozen=True, eq=False, repr=False)
class Synthetic:
    """A law of rows that agrees with what was released. All of it is public.

    Args:
      domain: the columns.
      release: what was run.
      law: made of it.
    """

    domain: Domain
    release: Release
    law: RowLaw

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def sample(self, rows: int | None = None, seed: int | None = None) -> Any:
        """A DataFrame of so many rows, of the original columns.

        Numbers lie within their bins, evenly. No row is anybody's: each is made of shares.

        Args:
          rows: how many; None for as many as people were declared.
          seed: for the same rows again; they cost nothing in any case.

        Raises:
          ValueError: if `rows` is no whole number from 1 on.
        """
        import pandas as pd

        rows = min(self.plan.sums.people, MOST_ROWS) if rows is None else rows
        if not (is_whole(rows) and 1 <= rows <= MOST_ROWS):
            raise ValueError(
                f"rows must be a whole number from 1 to {MOST_ROWS:,}, got {got(rows)}"
            )
        rng = np.random.default_rng(seed)
        cells = self.law.rows(int(rows), rng).T
        columns = zip(self.domain.attributes, cells, strict=True)
        return pd.DataFrame({name: own.values(each, rng) for (name, own), each in columns})

    def report(self) -> Any:
        """A DataFrame of how far the rows' law is from what was released: for each pair of columns
        (`FromPairs`), or for the cell of each round (`FromRounds`).

        Nothing of it is about people but what was released.
        """
        import pandas as pd

        return pd.DataFrame(self.law.report(self.domain))

    def __repr__(self) -> str:
        names, others = self.domain.names[:_SHOWN], len(self.domain.names) - _SHOWN
        more = f" and {others:,} more" if others > 0 else ""
        said = f"synthetic rows of {', '.join(names)}{more}"
        promises = promised(self.plan, self.release.private, met)
        return folded(said, promises, self.law.counted or "")
