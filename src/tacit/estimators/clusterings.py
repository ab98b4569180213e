"""Three ways to find clusters, and which is foreseen to find them better: of public numbers alone.

* **Cells** (`tacit.statistics.box_cells`): people are counted in the cells of their box, once, and
  the noisy counts are clustered here as often as it takes, as points with weights. For few columns.
* **Rounds** (`tacit.learning.lloyd`): everybody is asked in each, and centres move.
* **A search** (`tacit.learning.seeking`): rounds that lay many places where people are scattered,
  and merge them. For many clusters in many columns; a curator's alone.

What is foreseen is how far a centre is from where it should be, squared. Devices that send vectors
are asked in rounds.
"""

from dataclasses import dataclass
from typing import Any, Self, cast, final

import numpy as np
import sklearn.cluster
from jaxtyping import Float

from tacit.learning.lloyd import Lloyd, LloydRounds
from tacit.learning.seeking import TIMES, Seeking, SeekingRounds
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.statistics.average import Average
from tacit.statistics.box_cells import BoxCells, cells_of
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Curated, Trust

# How many rounds move centres: tried, and where nothing is promised.
MOVES, EXACT_MOVES = (1, 2, 3, 5, 8), 30
# From how many starts noisy cells are clustered: each takes as long as any, and the best is
# kept. A choice, not measured.
STARTS = 10

Rows = Float[np.ndarray, "people dim"]


@final
@dataclass(frozen=True)
class ByCells:
    """Clusters of counted cells.

    Args:
      cells: what is asked.
      clusters: how many.
      error: foreseen, of a centre: its mean squared distance.
    """

    cells: BoxCells
    clusters: int
    error: float

    @property
    def plan(self) -> Plan:
        return self.cells.plan

    @property
    def by_noise(self) -> float:
        """How far noise alone moves the mean of one of so many like parts of people who are evenly
        in the box, squared."""
        return self.cells.by_noise(self.clusters, self.cells.noise)

    def learner(self) -> Average:
        return Average((self.cells.cells,))

    def terms(self, rows: Rows) -> np.ndarray:
        """What each person gives."""
        return self.cells.numbers(rows)

    def centres(self, release: Release) -> Rows:
        """Of the noisy counts alone, and always the same of the same."""
        points, weights = self.cells.held(np.asarray(release.answer), self.clusters)
        own = sklearn.cluster.KMeans(self.clusters, n_init=cast(Any, STARTS), random_state=0)
        return own.fit(points, sample_weight=weights).cluster_centers_


@final
@dataclass(frozen=True)
class ByRounds:
    """Clusters whose centres move in rounds.

    Args:
      rounds: what is asked.
      error: foreseen, of a centre: its mean squared distance.
    """

    rounds: LloydRounds | SeekingRounds
    error: float

    @property
    def plan(self) -> Plan:
        return self.rounds.plan

    @property
    def by_noise(self) -> float:
        """As of cells, as the last round tells that mean."""
        return self.rounds.by_noise

    def learner(self) -> Lloyd | Seeking:
        return self.rounds.learner()

    def terms(self, rows: Rows) -> np.ndarray:
        """What each person gives."""
        return rows.astype(np.float32, copy=False)

    def centres(self, release: Release) -> Rows:
        """Where the last round left them."""
        return np.asarray(release.state.centres, np.float64)[: self.rounds.clusters]


Clustering = ByCells | ByRounds


@final
@dataclass(frozen=True)
class Ways:
    """All ways to find so many clusters of these people.

    Args:
      cells, rounds, search: the best of each; None where there is none.
    """

    cells: ByCells | None
    rounds: ByRounds
    search: ByRounds | None

    @classmethod
    def of(cls, trust: Trust, people: int, sides: tuple[float, ...], clusters: int) -> Self:
        """For rows in a box of half diagonal one.

        Raises:
          ValueError: if the trust model has no plan for it.
        """
        asked = trust, people, sides, clusters
        return cls(by_cells(*asked), by_rounds(*asked), by_search(*asked))

    @property
    def best(self) -> Clustering:
        """That of the least foreseen error."""
        found = [each for each in (self.cells, self.rounds, self.search) if each is not None]
        return min(found, key=lambda each: each.error)


def by_cells(trust: Trust, people: int, sides: tuple[float, ...], clusters: int) -> ByCells | None:
    """Those of the least error; None for devices that send vectors, and for too many columns."""
    found = None if isinstance(trust, Federated) else cells_of(trust, people, sides, clusters)
    return None if found is None else ByCells(found[0], clusters, found[1])


def by_rounds(trust: Trust, people: int, sides: tuple[float, ...], clusters: int) -> ByRounds:
    """As many rounds as are foreseen to be best."""
    moves = (EXACT_MOVES,) if isinstance(trust, NonPrivate) else MOVES
    tried = [LloydRounds(trust, people, clusters, sides, each) for each in moves]
    best = min(tried, key=lambda each: each.error)
    return ByRounds(best, best.error)


def by_search(
    trust: Trust, people: int, sides: tuple[float, ...], clusters: int
) -> ByRounds | None:
    """With as many places as are foreseen to be best; None without a curator."""
    if not isinstance(trust, Curated):
        return None
    settling = EXACT_MOVES if isinstance(trust, NonPrivate) else 1
    tried = [SeekingRounds(trust, people, clusters, sides, times, settling) for times in TIMES]
    best = min(tried, key=lambda each: each.error)
    return ByRounds(best, best.error)
