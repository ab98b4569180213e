"""What rows are made of, once people's pairs were released: any number of rows, and how good."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tacit.argument import got, is_whole
from tacit.plan import Plan
from tacit.queries.marginal_answer import MarginalAnswer
from tacit.synthesis.mixture import ProductMixture

MOST_ROWS = 2**27


@final
@dataclass(frozen=True, eq=False, repr=False)
class Synthetic:
    """A mixture that agrees with what was released. All of it is public.

    Args:
      answer: the release.
      mixture: fitted to it.
    """

    answer: MarginalAnswer
    mixture: ProductMixture

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.answer.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.answer.receipt()

    def sample(self, rows: int, seed: int | None = None) -> Any:
        """A DataFrame of so many rows, of the original columns.

        Numbers lie within their bins, evenly. No row is anybody's: each is made of shares.

        Args:
          rows: how many.
          seed: for the same rows again; they cost nothing in any case.

        Raises:
          ValueError: if `rows` is no whole number from 1 on.
        """
        import pandas as pd

        if not (is_whole(rows) and 1 <= rows <= MOST_ROWS):
            raise ValueError(
                f"rows must be a whole number from 1 to {MOST_ROWS:,}, got {got(rows)}"
            )
        rng = np.random.default_rng(seed)
        cells = self.mixture.rows(int(rows), rng).T
        columns = zip(self.answer.domain.attributes, cells, strict=True)
        return pd.DataFrame({name: own.values(each, rng) for (name, own), each in columns})

    def report(self) -> Any:
        """A DataFrame with a row for each pair of columns: how far the rows' law is from what was
        released, and how far noise alone moved that from people's own, both in total variation.

        Nothing of it is about people but what was released.
        """
        import pandas as pd

        return pd.DataFrame([self._pair(pair) for pair in self.answer.tables.sets])

    def _pair(self, pair: tuple[int, ...]) -> dict[str, Any]:
        answer, (first, second) = self.answer, pair
        people = max(float(answer.contrasts[()]), 1.0)
        released = answer.tables.table(pair, answer.contrasts) / people
        noise = np.sqrt(answer.tables.variances(pair, answer.deviation)).sum() / people
        names = answer.domain.names
        return {
            "first": names[first],
            "second": names[second],
            "from_released": float(np.abs(self.mixture.pair(pair) - released).sum() / 2),
            # A normal number of deviation s is off by s sqrt(2/pi) on average.
            "by_noise": float(noise * np.sqrt(2 / np.pi) / 2),
        }

    def __repr__(self) -> str:
        names = ", ".join(self.answer.domain.names)
        return f"synthetic rows of {names}\n{repr(self.answer).splitlines()[-1]}"
