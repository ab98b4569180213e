"""Claim: errors fall with people, and rise with dimensions, by the powers that theory has for them.

**One normal law**, of deviation one and a mean within 10 of zero, at an epsilon of 1. Locally
(`mean_by_signs`) and shuffled the error is the distance from the law's mean; its power of the
number of people n is -1/2. What a curator's noise adds (`mean`, between bounds beyond which one of
n people is rarely) is the distance from these people's own mean, of power -1: it is below
1/sqrt(n), how far that is from the law's, from few people on. A shuffled report says more, and one
bit of each person is what it says at most: its power is nearly that of local ones, from below.

**Many numbers**: n people have d numbers each between those bounds. For an L2 error of alpha that
noise adds, a pure epsilon divided over the numbers takes n = C d^(3/2)/(alpha epsilon) people, one
number after the other; Gaussian noise, of zero-concentrated privacy, C d/(alpha epsilon). A pure
epsilon for all numbers at once has a smaller C, and a power that comes up to 3/2 from below. All
are found at one n, since their errors are in proportion to 1/n.

Each error is a root mean square, and a power is the slope of the line through the logarithms.
Powers in epsilon, and numbers one after the other, are of plans; all others are measured. The
picture is drawn from the same numbers.

Run: python bench/rates.py
"""

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import tacit
from claims import Claim, at_most, settle
from local_normal import distances
from tacit import picture
from tacit.statistics import Average, BoundedMean, MeanBySigns

PICTURE = Path(__file__).parents[1] / "docs/pictures/rates.svg"
RADIUS, DELTA, RUNS, DRAWS = 10.0, 1e-6, 40, 400
REPLACE = tacit.Relation.REPLACE_ONE
PEOPLE = (1_000, 10_000, 100_000)
DIMS, ROWS, ALPHA = (4, 16, 64, 256), 2_000, 0.1
BASELINES = {
    "pure ε, at once": tacit.Central(1.0, 0.0, REPLACE),
    "Gaussian": tacit.Central(1.0, DELTA, REPLACE),
}
MARKS = {"pure ε, at once": "s", "Gaussian": "o", "pure ε, one by one": "^"}


def far(people: int) -> float:
    """Within which all numbers are, but for a small chance."""
    return RADIUS + math.sqrt(2 * math.log(people))


def by_signs(trust: tacit.Local | tacit.Shuffled) -> list[float]:
    """The distance from the law's mean, for each number of people."""
    asked = [MeanBySigns(RADIUS, 1.0, trust, people) for people in PEOPLE]
    return [rooted(distances(each, place, DRAWS)) for place, each in enumerate(asked)]


def by_curator() -> list[float]:
    """The distance from people's own mean, for each number of people."""
    found = []
    for people in PEOPLE:
        ends = -far(people), far(people)
        asked = BoundedMean(ends, tacit.Central(1.0, 0.0, REPLACE), people)
        drawn = np.random.default_rng(people).normal(3.0, 1.0, people)
        own = np.clip(drawn, *ends).mean()
        with tempfile.TemporaryDirectory() as folder:
            book = tacit.Ledger(Path(folder) / "people.db")
            book.limit("people", "public", REPLACE, 2.0 * RUNS, 1e-3)
            answers = [asked.of(drawn, book, "people", seed=seed).estimate for seed in range(RUNS)]
        found.append(rooted(np.array(answers) - own))
    return found


def needed(trust: tacit.Central) -> list[float]:
    """How many people it takes for an error of alpha by noise, for each dimension."""
    return [ROWS * noise(trust, dim) / ALPHA for dim in DIMS]


def one_by_one(dim: int) -> float:
    """The same where each number has its share of a pure epsilon."""
    ends, trust = (-far(ROWS), far(ROWS)), tacit.Central(1.0 / dim, 0.0, REPLACE)
    return ROWS * math.sqrt(dim) * (BoundedMean(ends, trust, ROWS).rmse or math.nan) / ALPHA


def noise(trust: tacit.Central, dim: int) -> float:
    """How far the mean of rows between bounds is from their own, in L2."""
    plan = trust.plan(tacit.Mean(tacit.Cube(dim, -far(ROWS), far(ROWS)), tacit.Everyone(), 1, ROWS))
    rows = np.random.default_rng(dim).normal(3.0, 1.0, (ROWS, dim)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        book = tacit.Ledger(Path(folder) / "people.db")
        book.limit("people", "public", REPLACE, 2.0 * RUNS, 1e-3)
        people, learner = tacit.Arrays(rows, "people"), Average((dim,))
        runs = [people.grant(plan, learner, book, seed=seed).run().answer for seed in range(RUNS)]
    off = np.asarray(runs, np.float64) - rows.mean(axis=0, dtype=np.float64)
    return rooted(np.linalg.norm(off, axis=1))


def in_epsilon(trust_of) -> float:
    """The power of a plan's error between an epsilon of 1/8 and 1/4."""
    shape = tacit.Cube(16, -1.0, 1.0)
    errors = [
        trust_of(epsilon).plan(tacit.Mean(shape, tacit.Everyone(), 1, ROWS)).error or math.nan
        for epsilon in (0.125, 0.25)
    ]
    return math.log2(errors[1] / errors[0]) / 2


def rooted(off: np.ndarray) -> float:
    return math.sqrt(np.mean(np.asarray(off, np.float64) ** 2))


def slope(at: tuple[int, ...], found: list[float]) -> float:
    """Of the line through the logarithms."""
    return float(np.polyfit(np.log(at), np.log(found), 1)[0])


def line(axes: Axes, at: tuple[int, ...], found: list[float], mark: str, colour: str, name: str):
    """What was measured, and the line through it, its power beside the name."""
    power, middle = np.polyfit(np.log(at), np.log(found), 1)
    axes.plot(at, found, mark, color=colour, fillstyle="none", label=f"{name}: {power:.2f}")
    axes.plot(at, np.exp(middle) * np.array(at, float) ** power, color=colour, linewidth=0.8)


def draw(errors: dict[str, list[float]], people: dict[str, list[float]]) -> None:
    """The picture: errors against people, and people against dimensions."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for trust, found in errors.items():
        line(left, PEOPLE, found, "o", picture.COLOURS[trust], trust)
    floor = [people**-0.5 for people in PEOPLE]
    left.plot(PEOPLE, floor, ":", color=picture.QUIET, label="1/√n, without noise: -0.50")
    left.set(xlabel="people", ylabel="error of one normal law's mean, ε = 1")
    for way, found in people.items():
        line(right, DIMS, found, MARKS[way], picture.COLOURS["central"], way)
    right.set(xlabel="numbers a person", ylabel=f"people for an error of {ALPHA:g} by noise, ε = 1")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, title="slope", fontsize="small")
    right.set_xticks(DIMS, [str(dim) for dim in DIMS])
    right.minorticks_off()
    picture.save(figure, PICTURE)


def near(what: str, found: float, expected: float, off: float) -> Claim:
    """That a power is within so much of what it should be."""
    print(f"{what}: {found:.3f}, {expected:g} by theory")
    return at_most(f"{what}, off by", abs(found - expected), off)


def main() -> Iterator[Claim]:
    """The table, each power, and the picture."""
    errors = {
        "local": by_signs(tacit.Local(1.0)),
        "shuffled": by_signs(tacit.Shuffled(1.0, DELTA)),
        "central": by_curator(),
    }
    print(f"{'n':>9}  " + "".join(f"{trust:>10}" for trust in errors) + "   1/sqrt(n)")
    for place, people in enumerate(PEOPLE):
        row = "".join(f"{found[place]:10.5f}" for found in errors.values())
        print(f"{people:9,}  {row}{people**-0.5:12.5f}")
    yield near("local, in n", slope(PEOPLE, errors["local"]), -0.5, 0.05)
    yield near("shuffled, in n", slope(PEOPLE, errors["shuffled"]), -0.5, 0.08)
    yield near("central noise, in n", slope(PEOPLE, errors["central"]), -1.0, 0.12)
    baselines = {way: needed(trust) for way, trust in BASELINES.items()}
    baselines["pure ε, one by one"] = [one_by_one(dim) for dim in DIMS]
    print(f"{'d':>9}  " + "".join(f"{way:>20}" for way in baselines) + f"   people for {ALPHA:g}")
    for place, dim in enumerate(DIMS):
        print(f"{dim:9}  " + "".join(f"{found[place]:20,.0f}" for found in baselines.values()))
    yield near("pure, one by one, in d", slope(DIMS, baselines["pure ε, one by one"]), 1.5, 0.02)
    yield near("pure, at once, in d", slope(DIMS, baselines["pure ε, at once"]), 1.45, 0.08)
    yield near("Gaussian, in d", slope(DIMS, baselines["Gaussian"]), 1.0, 0.08)
    pure, gaussian = (
        in_epsilon(lambda epsilon, delta=delta: tacit.Central(epsilon, delta, REPLACE))
        for delta in (0.0, DELTA)
    )
    yield near("pure, in epsilon", pure, -1.0, 0.05)
    yield near("Gaussian, in epsilon", gaussian, -1.0, 0.08)
    draw(errors, baselines)


if __name__ == "__main__":
    settle(main())
