"""What a fit is foreseen to do, in words: which way, how wrong, and what is not known before.

All of it follows from what will be asked, and from nothing else. What is foreseen is of people who
are stated with it; of others it is not known.
"""

import math
from typing import Protocol

from tacit.estimators.clusterings import MOVES as LLOYD_MOVES
from tacit.estimators.clusterings import ByCells, ByRounds, Ways
from tacit.estimators.fit_plan import FitPlan
from tacit.learning.lloyd import LloydRounds
from tacit.learning.mixture_rounds import LLOYDS, MOVES, START, MixtureRounds
from tacit.learning.seeking import TIMES, SeekingRounds
from tacit.plan import Plan
from tacit.statistics.box_cells import MOST_CELLS, BoxCells, reach_of
from tacit.trust.federated import Federated
from tacit.trust.people import Curated, Trust

# Parts of the longest squares, of whom the loss is foreseen as well: a choice. `_lost_along` calls
# them a tenth and a hundredth.
NEARER = 0.1, 0.01
# From so many nats on second order is too little.
_LARGE = 0.2
OPTIMA = "which of the local optima is found"
# Of an error that is of what reports lose.
CUT_OFF = "not known before: what is cut off these reports depends on the data"


class AskedDirections(Protocol):
    """What is asked for directions, of a matrix or in rounds."""

    @property
    def plan(self) -> Plan: ...

    @property
    def wanted(self) -> float | None: ...

    @property
    def longest(self) -> float: ...

    @property
    def noise(self) -> float | None: ...

    def lost(self, part: float) -> float | None: ...

    @property
    def why(self) -> str: ...


def directions_foreseen(asked: AskedDirections, population: str | None, measure: str) -> FitPlan:
    """Of directions.

    Args:
      asked: what is.
      population: the name of the accounts; None where nobody is charged.
      measure: what is largest along them: a variance, or a mean square.
    """
    lost = asked.lost(1.0)
    said = [] if lost is None else [_lost_along(asked, lost)]
    if asked.noise is not None:
        said.append(_noise_along(asked.noise, asked.longest, measure))
    told = "; ".join(said) or CUT_OFF
    return FitPlan(asked.plan, population, asked.why, lost, told, _not_known(asked.wanted, lost))


def _lost_along(asked: AskedDirections, lost: float) -> str:
    """Which share of a direction is, and of whom."""
    angle = math.degrees(math.asin(math.sqrt(lost)))
    nothing = ", so that nothing is learnt" * (lost >= 1)
    known = (asked.lost(part) for part in NEARER)
    tenth, hundredth = (share for share in known if share is not None)
    return (
        f"{lost:.2g} of a direction is foreseen to be lost to noise (sin² of the angle to it, "
        f"{angle:.2g}°){nothing}: of people as far out as is allowed, half of whose squares lie "
        f"evenly along {asked.wanted:,} directions; of those whose squares are a tenth of these "
        f"{tenth:.2g}, a hundredth {hundredth:.2g}"
    )


def _noise_along(noise: float, longest: float, measure: str) -> str:
    if noise == 0:
        return "there is no noise"
    return (
        f"noise alone makes a {measure} of about {_about(noise)} along some direction, and "
        f"people as far out as is allowed have {_about(longest)} in all"
    )


def _not_known(wanted: float | None, lost: float | None) -> str:
    if lost is not None:
        return "how far out people are, and along how many directions"
    kept = ", and how many directions are kept" * bool(wanted is not None and wanted < 1)
    return f"which share of a direction is lost{kept}"


def clusters_foreseen(ways: Ways, clusters: int, unit: float, population: str | None) -> FitPlan:
    """Of the best way to find clusters.

    Args:
      ways: all there are, in units of the half diagonal.
      clusters: how many.
      unit: the half diagonal.
      population: the name of the accounts; None where nobody is charged.
    """
    best, near = ways.best, unit * reach_of(clusters, len(ways.rounds.rounds.sides))
    foreseen = unit * math.sqrt(best.error)
    moved = unit * math.sqrt(best.by_noise)
    nothing = ", so that nothing is learnt" * (foreseen >= near)
    said = (
        f"a centre is foreseen to be off by {_about(foreseen)} or less (root mean square "
        f"distance), by noise and by what cells or few rounds cost, of {clusters:,} clusters of "
        f"like sizes, which is a bound; of people evenly in the bounds noise alone moves the mean "
        f"of each of so many like parts by {_about(moved)}, and they would be {_about(near)} from "
        f"the nearest centre{nothing}"
    )
    unknown = f"how good a clustering there is, and {OPTIMA}"
    return FitPlan(best.plan, population, _way_of(ways, unit), foreseen, said, unknown)


def _way_of(ways: Ways, unit: float) -> str:
    """The best, how far off the others are foreseen to be, and why some are none."""
    named = (ways.cells, "cells"), (ways.rounds, "rounds"), (ways.search, "a search")
    others = [
        f"{name} {_about(unit * math.sqrt(each.error))}"
        for each, name in named
        if each is not None and each is not ways.best
    ]
    worse = [f"other ways would be off by more: {', '.join(others)}"] * bool(others)
    return "; ".join([_clustering(ways.best), *worse, *_no_way(ways)])


def _clustering(way: ByCells | ByRounds) -> str:
    if isinstance(way, ByCells):
        grid = " x ".join(f"{along:,}" for along in way.cells.grid)
        return (
            f"cells: people are counted once in {grid} of them, of all grids that are tried what "
            "is foreseen to be best, and noisy counts are clustered"
        )
    return _moving(way.rounds)


def _moving(rounds: LloydRounds | SeekingRounds) -> str:
    match rounds:
        case LloydRounds(moves=moves):
            return (
                "rounds: one for the middle of all, and then centres move "
                f"{moves:,} time{'s' * (moves != 1)}{_of_tried(moves, LLOYD_MOVES)}"
            )
        case SeekingRounds(times=times, places=places):
            return (
                f"a search: rounds ask about {places:,} places, lay them where people are and "
                f"merge them, {times} for each cluster{_of_tried(times, TIMES)}"
            )


def _no_way(ways: Ways) -> list[str]:
    said, trust = [], ways.rounds.rounds.trust
    if ways.cells is None and isinstance(trust, Federated):
        said.append("there are no cells, as devices send vectors")
    elif ways.cells is None:
        said.append(f"there are no cells, as no grid has enough and at most {MOST_CELLS:,}")
    if ways.search is None:
        said.append("there is no search, as there is no curator")
    return said


def mixture_foreseen(asked: MixtureRounds, population: str | None) -> FitPlan:
    """Of a mixture of normal laws."""
    nothing = ", so that hardly anything is learnt" * (asked.lost >= 1)
    more = "; of so much noise that is the least" * (_LARGE <= asked.lost < 1)
    said = (
        f"the log-likelihood of a person is foreseen to be {asked.lost:.2g} nats less than by "
        f"exact rounds{nothing}, by noise and by few rounds, of {asked.shapes.clusters:,} "
        f"components of like sizes that are told apart{more}"
    )
    moved = f"{asked.moves:,} that move components{_of_tried(asked.moves, MOVES)}"
    way = f"rounds: {_start(asked.cells, asked.trust)}, then {moved}; {_shared(asked.trust)}"
    unknown = f"how well normal laws fit people, and {OPTIMA}"
    return FitPlan(asked.plan, population, way, asked.lost, said, unknown)


def _start(cells: BoxCells | None, trust: Trust) -> str:
    if cells is not None:
        grid = " x ".join(f"{along:,}" for along in cells.grid)
        return f"a start, in which people are counted in {grid} cells"
    why = "devices send vectors" if isinstance(trust, Federated) else "cells would tell less"
    return f"a start of {1 + LLOYDS} that move centres, as {why}"


def _shared(trust: Trust) -> str:
    if isinstance(trust, Curated):
        return f"the start has {START:.0%} of the promise, and the others equal shares of the rest"
    return "each person is in one of them, with all of their promise"


def _of_tried(many: int, tried: tuple[int, ...]) -> str:
    """How a number was chosen; where nothing is promised, more rounds cost nothing."""
    if many not in tried:
        return ", as there is no noise"
    listed = ", ".join(f"{each:,}" for each in tried[:-1])
    return f", of {listed} and {tried[-1]:,} what is foreseen to be best"


def _about(number: float) -> str:
    """To three digits."""
    return f"{float(f'{number:.3g}'):,.15g}"
