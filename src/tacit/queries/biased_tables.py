"""Tables made of released ones, that look like people's: none negative, or whole numbers as well.

Post-processing: nothing is asked, and nothing spent. What is won in looks, and in squared error, is
lost in bias: cells in which nobody is come out above zero on average, and what they have too much
others have too little. Sums of many small cells inherit that. So these estimates have no intervals
of their own; `low` and `high` are the release's, cut to what counts of people can be, and hold for
the true counts as surely as the release's do. An estimate may lie outside of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, final

import numpy as np

from tacit.page import folded
from tacit.population.release import Release
from tacit.queries.closure import Set
from tacit.queries.domain import Domain
from tacit.queries.marginal_table import SHOWN, MarginalTable, first_cells, frame_of, places_of


@final
@dataclass(frozen=True, eq=False, repr=False)
class BiasedTables:
    """Tables that agree where they share columns, and are biased.

    Args:
      domain: the columns.
      tables: every table and its parts, with the limits of what was released.
      distance: of what was found from the very nearest to what was released, at most: in deviations
        of the noise on one contrast, or in records where there is none.
      said: what they are, in words.
      release: what they were made of, and all that they cost.
    """

    domain: Domain
    tables: Mapping[Set, MarginalTable]
    distance: float
    said: str
    release: Release

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise: the release's own."""
        return self.release.receipt()

    def array(self, *columns: str) -> MarginalTable:
        """The table of these columns, in the domain's order: an axis for each.

        Raises:
          ValueError: if they are part of no table that was asked for.
        """
        return self.tables[places_of(self.domain, columns, self.tables)]

    def frame(self, *columns: str) -> Any:
        """The same as a DataFrame, a row for each cell.

        Raises:
          ValueError: if they are part of no table that was asked for.
        """
        places = places_of(self.domain, columns, self.tables)
        return frame_of(self.domain, places, self.tables[places])

    def __repr__(self) -> str:
        largest = (each for each in self.tables if not any(set(each) < set(o) for o in self.tables))
        cells = (first_cells(self.domain, own, self.tables[own]) for own in islice(largest, SHOWN))
        lines = chain(*cells)
        biased = "biased: low and high are limits of the true counts, not of these"
        return "\n".join([folded(self.said), *lines, folded(biased)])


def counted(released: MarginalTable, estimates: np.ndarray) -> MarginalTable:
    """Other estimates of a released table, and its limits as far as counts can lie in them."""
    low, high = (np.maximum(each, 0.0) for each in (released.low, released.high))
    return MarginalTable(estimates, low, high)
