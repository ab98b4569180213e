"""Claim: cells are counted on nearly as many levels as are best, with nearly as many branches.

**Whoever reports by themselves.** Quantiles are read from 4,096 cells, counted on so many levels as
the branches at each node leave: 12 of two, 6 of 4, 4 of 8, 3 of 16, 2 of 64. What is printed is how
many people a number below a place is foreseen to be off by (root mean square;
`tree.CountedCells.rmse`, whose formula `tests/statistics/test_cells.py` and `test_tree.py` hold
against what is counted), for each way to trust and several numbers of people, the least of each
marked. What is claimed is how many times the least 16 branches are off at most.

**A curator** counts the cells between places that a cdf is asked at, on up to six levels, whichever
are foreseen to be nearest; what is claimed is how many times the best of up to twelve that is off.
With a delta noise grows with the root of the levels alone, so there many levels are best.

Run: python bench/branches.py
"""

import itertools
from collections.abc import Iterator

import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.statistics.cells import BRANCHES
from tacit.statistics.cumulative import Cumulative
from tacit.statistics.ending_cells import EndingCells
from tacit.statistics.tree import CountedCells, branches_of
from tacit.trust.people import Trust

REPLACE = tacit.Relation.REPLACE_ONE
# Branches at a node, and levels: always as many cells.
WAYS = {2: 12, 4: 6, 8: 4, 16: 3, 64: 2}
PEOPLE = 1_000, 10_000, 100_000
BY_THEMSELVES: dict[str, Trust] = {
    "shuffler, 1": tacit.Shuffled(1.0, 1e-6),
    "devices, 1": tacit.Local(1.0),
    "devices, 4": tacit.Local(4.0),
}
CURATORS: dict[str, Trust] = {
    "curator, 0.1": tacit.Central(0.1, 0.0),
    "curator, 1": tacit.Central(1.0, 0.0),
    "curator, 1, replace-one": tacit.Central(1.0, 0.0, REPLACE),
    "curator, (1, 1e-6)": tacit.Central(1.0, 1e-6),
    "curator, (1, 1e-6), replace-one": tacit.Central(1.0, 1e-6, REPLACE),
}
PLACES, DEEPEST = (10, 100, 1_000, 4_000), 12
MOST = 1.1


def worse(name: str, people: int) -> float:
    """Prints how far off each way is, and returns how many times the least 16 branches are."""
    made = (CountedCells(BY_THEMSELVES[name], people, (each,) * WAYS[each]) for each in WAYS)
    off = dict(zip(WAYS, (each.rmse for each in made), strict=True))
    return off[BRANCHES] / printed(name, people, off)


def deep(name: str, places: int) -> float:
    """The same of a curator's levels for so many places: the one it chooses over the least."""
    asked = Cumulative(tuple(np.linspace(1, 99, places)), (0, 100), CURATORS[name], 10_000)
    off = dict(enumerate(_off(asked), 1))
    return asked.rmse / printed(name, places, off)


def _off(asked: Cumulative) -> Iterator[float]:
    """How many people a share is off by, on one level up to the most that are tried."""
    for levels in range(1, DEEPEST + 1):
        counted = CountedCells(asked.trust, asked.people, branches_of(levels, len(asked.at) + 1))
        ends = EndingCells(asked.at, asked.bounds, counted.sizes[-1]).ends
        yield asked.people * float(np.sqrt(np.mean(counted.share_rmse(ends) ** 2)))


def printed(name: str, number: int, off: dict[int, float]) -> float:
    """Prints a row, and returns the least of it."""
    least = min(off.values())
    shown = "".join(f"{own:>8.4g}{'*' if own == least else ' '}" for own in off.values())
    print(f"{name:32}{number:>8,}{shown}", flush=True)
    return least


def main() -> Iterator[Claim]:
    """Prints both tables, and claims what the chosen are worse than the best of each row."""
    print(f"{'branches, people':40}" + "".join(f"{each:>8} " for each in WAYS))
    found = [worse(*each) for each in itertools.product(BY_THEMSELVES, PEOPLE)]
    yield at_most("16 branches over the least, of people by themselves", max(found), MOST)
    print(f"{'levels, places':40}" + "".join(f"{each + 1:>8} " for each in range(DEEPEST)))
    found = [deep(*each) for each in itertools.product(CURATORS, PLACES)]
    yield at_most("the chosen levels over the least, of a curator", max(found), MOST)


if __name__ == "__main__":
    settle(main())
