"""Claim: 16 branches at every node of counted cells are foreseen to be off little more than others.

Quantiles, medians and cdfs are read from 4,096 cells, counted on so many levels as the branches at
each node leave: 12 of two, 6 of 4, 4 of 8, 3 of 16, 2 of 64. What is printed is how many people a
number below a place is foreseen to be off by (root mean square; `tree.CountedCells.rmse`, whose
formula `tests/statistics/test_cells.py` and `test_tree.py` hold against what is counted), for each
way to trust and several numbers of people, the least of each marked. What is claimed is how many
times the least 16 are off at most: of a curator without a delta, and where people report by
themselves; and of a curator with one, whose noise grows with the root of the levels alone: there
fewer branches are nearer, by so much the less the more people there are.

Run: python bench/branches.py
"""

import itertools
from collections.abc import Iterator

import tacit
from claims import Claim, at_most, settle
from tacit.statistics.cells import BRANCHES
from tacit.statistics.tree import CountedCells
from tacit.trust.people import Trust

REPLACE = tacit.Relation.REPLACE_ONE
# Branches at a node, and levels: always as many cells.
WAYS = {2: 12, 4: 6, 8: 4, 16: 3, 64: 2}
PEOPLE = 1_000, 10_000, 100_000
TRUSTS: dict[str, Trust] = {
    "curator, 0.1": tacit.Central(0.1, 0.0),
    "curator, 1": tacit.Central(1.0, 0.0),
    "curator, 1, replace-one": tacit.Central(1.0, 0.0, REPLACE),
    "shuffler, 1": tacit.Shuffled(1.0, 1e-6),
    "devices, 1": tacit.Local(1.0),
    "devices, 4": tacit.Local(4.0),
    "curator, (1, 1e-6)": tacit.Central(1.0, 1e-6),
    "curator, (1, 1e-6), replace-one": tacit.Central(1.0, 1e-6, REPLACE),
}
# Of a curator; each has its limit by the number of people.
WITH_DELTA = [name for name in TRUSTS if "1e-6" in name]
WITHOUT = [name for name in TRUSTS if name not in WITH_DELTA]
MOST, MOST_WITH_DELTA = 1.1, (1.45, 1.4, 1.05)


def worse(name: str, people: int) -> float:
    """Prints how far off each way is, and returns how many times the least 16 branches are."""
    made = (CountedCells(TRUSTS[name], people, (each,) * WAYS[each]) for each in WAYS)
    off = dict(zip(WAYS, (each.rmse for each in made), strict=True))
    least = min(off.values())
    shown = "".join(f"{own:>10.4g}{' *' if own == least else '  '}" for own in off.values())
    print(f"{name:34}{people:>9,}{shown}", flush=True)
    return off[BRANCHES] / least


def main() -> Iterator[Claim]:
    """Prints the table, and claims what 16 are worse than the best of each row."""
    print(f"{'trust, epsilon':34}{'people':>9}" + "".join(f"{each:>10}  " for each in WAYS))
    found = {each: worse(*each) for each in itertools.product(TRUSTS, PEOPLE)}
    others = max(found[each] for each in itertools.product(WITHOUT, PEOPLE))
    yield at_most("16 over the least, no curator with a delta", others, MOST)
    for people, limit in zip(PEOPLE, MOST_WITH_DELTA, strict=True):
        own = max(found[name, people] for name in WITH_DELTA)
        yield at_most(f"16 over the least, a curator with one, {people:,} people", own, limit)


if __name__ == "__main__":
    settle(main())
