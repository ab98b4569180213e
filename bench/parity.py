"""Claim: of a parity of d bits a curator learns from people that grow like d, and reports like 2^d.

    python bench/parity.py [PICTURE]

At epsilon 1, for 95 of 100 runs, of people with uniform bits: as many as `ParityElimination` needs
for one person added or removed, and as many as need one random bit each (`tacit.sq.parity_people`),
both by their exact chances, with 200 games of the latter's law. Below stand the statistical queries
within 2^(-d/3) after which `ParityAdversary` has one parity left, of majorities of those that are,
beside the fewest that it can be by its theorem.

With a name the picture is drawn there.
"""

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.mechanisms.rows.parity_elimination import ParityElimination
from tacit.picture import COLOURS, save
from tacit.sq.parity_adversary import ParityAdversary, queries_needed, walsh

EPSILON, FAILURE, GAMES = 1.0, 0.05, 200
DIMS = tuple(range(4, 17))


def curated(dim: int) -> int:
    made = ParityElimination.for_failure(dim, EPSILON, 1, FAILURE)
    return made.people_for(FAILURE)


def played(dim: int, people: int) -> float:
    """The share of games in which so many people's random bits tell the parity."""
    host, right = np.random.default_rng(dim), 0
    for _ in range(GAMES):
        each = np.bincount(host.integers(0, 2**dim, people), minlength=2**dim)
        chances = np.where(np.arange(2**dim) == 0, (1 + math.tanh(EPSILON / 2)) / 2, 0.5)
        right += int(np.argmax(2 * host.binomial(each, chances) - each) == 0)
    return right / GAMES


def separation() -> Iterator[Claim]:
    found = {dim: (curated(dim), tacit.sq.parity_people(dim, EPSILON)) for dim in DIMS}
    for dim, (central, local) in found.items():
        print(f"{dim} bits: curator {central:,}, one random bit each {local:,}")
    first, last = found[DIMS[0]], found[DIMS[-1]]
    grown = (DIMS[-1] / DIMS[0], 2 ** (DIMS[-1] - DIMS[0]))
    yield at_most("a curator's people, growth over that of d", last[0] / first[0] / grown[0], 1.0)
    yield at_least("reports, growth over that of 2^d", last[1] / first[1] / grown[1], 1.0)
    for dim in (4, 8, 12):
        yield at_least(f"share of games, {dim} bits", played(dim, found[dim][1]), 0.9)
    if sys.argv[1:]:
        draw(found, Path(sys.argv[1]))


def draw(found: dict[int, tuple[int, int]], into: Path) -> None:
    """Both numbers of people against d, on a scale of powers of ten."""
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for place, (name, said) in enumerate((("central", "a curator"), ("local", "own reports"))):
        axes.plot(DIMS, [each[place] for each in found.values()], "o-", color=COLOURS[name])
        axes.annotate(said, (DIMS[-3], found[DIMS[-3]][place]), (0, 10), textcoords="offset points",
                      ha="right", color=COLOURS[name])  # fmt: skip
    axes.set_yscale("log")
    axes.set_xlabel("bits of the parity's people, d")
    axes.set_ylabel("people for 95 of 100 runs, ε = 1")
    axes.grid(alpha=0.3)
    save(figure, into)


def survived() -> Iterator[Claim]:
    for dim in (9, 12, 15):
        adversary, host = ParityAdversary(dim, 2 ** (-dim / 3)), np.random.default_rng(dim)
        while adversary.alive.sum() > 1 and adversary.asked < 1_000:
            adversary.answer(votes(adversary, host))
        needed = queries_needed(dim, adversary.tolerance)
        print(f"{dim} bits: {adversary.asked} queries within {adversary.tolerance:.3f} leave one")
        yield at_least("  queries, over what the theorem asks", adversary.asked / needed, 1.0)
        yield at_most("  queries, over what the theorem asks", adversary.asked / needed, 4.0)


def votes(adversary: ParityAdversary, host: np.random.Generator) -> np.ndarray:
    """The majority of about as many parities as one query may lose, of those that are left."""
    # A majority of k has correlation sqrt(2/(pi k)) with each, or a little less.
    many = max(int(0.5 / adversary.tolerance**2), 1)
    chosen = np.zeros(2**adversary.dim)
    chosen[host.permutation(np.flatnonzero(adversary.alive))[:many]] = 1
    said = np.sign(walsh(chosen) + 0.5)
    return np.column_stack([said, -said])


def main() -> Iterator[Claim]:
    yield from separation()
    yield from survived()


if __name__ == "__main__":
    settle(main())
