"""Claims: how far off in rank several quantiles are, drawn together, and how fast they are drawn.

Data: Gaussian(0, 5), quantiles between -100 and 100 on a grid of a million, evenly spaced shares,
epsilon 1, pure. Errors are mean |rank error| in people, over quantiles and runs with fresh data;
beside each way its prediction, which is for people evenly in an eighth of the bounds. Add/remove
with the number of people declared, as it is, and with it asked for; replace-one. "Published" is the
exponent of JointExp as published, half of ours in add/remove. A draw of 10^5 and 10^6 people is
timed beside one sort of them, by processor time; what is claimed is the ratio of medians, and the
seconds of 10^5.

What is predicted is besides held to what it is predicted for, **people evenly** in an eighth of the
bounds, over a grid of epsilons, numbers of quantiles and ways: within a twentieth and two standard
errors.

Beside these stand the **balances** of `beside.py`'s clients, a thousand of whom are drawn anew each
time, between -10,000 and 110,000: a tenth of them have nothing, and half between 72 and 1,428, an
eightieth of the bounds. A quantile that so many share is right where it is theirs.

Run: python bench/quantiles.py
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import beside
from claims import Claim, Skipped, at_most, settle
from tacit.mechanisms.rows.approximate_quantiles import ApproximateQuantiles
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.public_grid import PublicGrid
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.rows.quantiles import ExponentialQuantiles
from tacit.noise import keys

GRID, PEOPLE, RUNS = PublicGrid(-100.0, 100.0, 10**6), 1_000, 60
SIDES = (np.less, np.less_equal)
EUROS = PublicGrid(-10_000.0, 110_000.0, 120_000)
# Epsilons and numbers of quantiles, of people evenly.
FORESEEN = ((1.0, 3), *((epsilon, m) for epsilon in (0.3, 1.0, 3.0) for m in (7, 15, 31)))
# Of what is claimed, and of people evenly.
CLAIMED, CLAIMED_RUNS, FORESEEN_RUNS = ("together", "together, declared"), 400, 1_600
# Windows of 30 targets are the same work whatever people there are; of a million sorting is all. Of
# 100,000 three sorts are not reached: a sort of float32 takes .3 ms of the processor, to place all
# on the public grid and sort that three of them already, and the law of the windows twenty.
SORTS = {100_000: 3.0, 1_000_000: 3.0}
SECONDS = {100_000: 1.0}
JOINED = {7: 2.7, 15: 3.9, 31: 5.7}
# The goal for 31 is 12, which is not reached: each count between two quantiles has noise of its
# own, so a rank in the middle has that of a bridge of 32. Two levels, seven together and then three
# in each part by the declared number of its people, were tried: off by 12.0 +- .7 at the best of
# three divisions of epsilon, and by 13.5 to 14.4 at others, so no nearer for certain. What may be
# is one law of lists with counts of groups in the cost too; none is drawn here yet.
REPLACED = {7: 5.5, 31: 12.0}
BALANCES = {7: 2.0, 15: 3.3, 31: 5.5}


def evenly(m: int) -> tuple[float, ...]:
    """So many shares."""
    return tuple((place + 1) / (m + 1) for place in range(m))


def normal(run: int) -> np.ndarray:
    """A thousand people of the first data."""
    return np.random.default_rng(run).normal(0, 5, PEOPLE).astype(np.float32)


def alone(shares: tuple[float, ...], grid: PublicGrid, kind: Any) -> ExponentialQuantiles:
    """Each with its part of epsilon."""
    own = 1.0 / len(shares), grid.lower, grid.upper, grid.cells
    return ExponentialQuantiles(tuple(kind(share, *own) for share in shares))


def joined(shares: tuple[float, ...], grid: PublicGrid) -> dict[str, Any]:
    """Ways for add/remove."""
    declared = JointQuantiles.declared(shares, 1.0, grid, PEOPLE)
    published = JointQuantiles(shares, 1.0, grid, declared.exponent / 2, people=PEOPLE)
    return {
        "together, declared": declared,
        "together, counted": JointQuantiles.counted(shares, 1.0, grid),
        "together, published": published,
        "by halving": ApproximateQuantiles.add_remove(shares, 1.0, grid, PEOPLE),
        "alone": alone(shares, grid, ExponentialQuantile.add_remove),
    }


def replaced(shares: tuple[float, ...]) -> dict[str, Any]:
    """Ways for replace-one."""
    return {
        "together": JointQuantiles.replace_one(shares, 1.0, GRID),
        "by halving": ApproximateQuantiles.replace_one(shares, 1.0, GRID, PEOPLE),
    }


def off(
    mechanism: Any, shares: tuple[float, ...], draw: Callable[[int], np.ndarray], runs: int
) -> np.ndarray:
    """The mean rank error of each run; of people who share a number, from the nearest of them."""
    wanted, found = PEOPLE * np.array(shares), []
    for run in range(runs):
        values = draw(run)
        key = keys.jax_key(keys.derive(keys.from_seed(run), "bench", 0))
        drawn = np.asarray(mechanism.sample(key, values))
        below, through = (side(values[:, None], drawn).sum(axis=0) for side in SIDES)
        found.append(np.maximum(np.maximum(below - wanted, wanted - through), 0).mean())
    return np.array(found)


def measured(
    ways: dict[str, Any], shares: tuple[float, ...], draw: Callable[[int], np.ndarray] = normal
) -> dict[str, float]:
    """Each way's mean error, printed beside its prediction."""
    means = {}
    for name, mechanism in ways.items():
        # Alone they are far off, and slow: a few runs say it.
        runs = CLAIMED_RUNS if name in CLAIMED else RUNS if name != "alone" else RUNS // 6
        errors = off(mechanism, shares, draw, runs)
        means[name] = float(errors.mean())
        error, predicted = errors.std() / len(errors) ** 0.5, mechanism.predicted(PEOPLE)
        print(f"{name:>22} {means[name]:7.2f} +- {error:.2f}   predicted {predicted:.2f}")
    return means


def of_balances(euros: np.ndarray) -> Iterator[Claim]:
    """Add/remove, of a thousand."""

    def draw(run: int) -> np.ndarray:
        return np.random.default_rng(run).choice(euros, PEOPLE, replace=False).astype(np.float32)

    for m, limit in BALANCES.items():
        print(f"balances, add/remove, {m} quantiles of {PEOPLE:,} people")
        means = measured(joined(evenly(m), EUROS), evenly(m), draw)
        yield at_most(f"balances, together, declared, {m}", means["together, declared"], limit)


def predictions() -> Iterator[Claim]:
    """Measured over predicted, of people at equal distances in the middle eighth."""
    evenly_there = ((np.arange(PEOPLE) + 0.5) / PEOPLE * 25 - 12.5).astype(np.float32)
    for epsilon, m in FORESEEN:
        shares, each = evenly(m), (epsilon, GRID)
        ways = {
            "together, declared": JointQuantiles.declared(shares, *each, PEOPLE),
            "together, counted": JointQuantiles.counted(shares, *each),
            "together, replace-one": JointQuantiles.replace_one(shares, *each),
            "by halving": ApproximateQuantiles.add_remove(shares, *each, PEOPLE),
            "by halving, replace-one": ApproximateQuantiles.replace_one(shares, *each, PEOPLE),
        }
        for name, mechanism in ways.items():
            errors = off(mechanism, shares, lambda run: evenly_there, FORESEEN_RUNS)
            ratio = float(errors.mean()) / mechanism.predicted(PEOPLE)
            noise = float(errors.std() / errors.mean()) / FORESEEN_RUNS**0.5
            print(
                f"epsilon {epsilon:g}, {m}, {name}: {ratio:.3f} +- {noise:.3f} of what is predicted"
            )
            name = f"epsilon {epsilon:g}, {m}, {name}, apart by"
            yield at_most(name, abs(ratio - 1), 0.05 + 2 * noise)


def times(people: int) -> tuple[list[float], list[float]]:
    """Processor seconds of draws of 30 quantiles of so many people, and of sorts of them."""
    mechanism, draws, sorts = JointQuantiles.declared(evenly(30), 1.0, GRID, people), [], []
    values = np.random.default_rng(0).normal(0, 5, people).astype(np.float32)
    for run in range(8):
        key, start = keys.jax_key(keys.from_seed(run)), time.process_time()
        mechanism.sample(key, values)
        between = time.process_time()
        np.sort(values)
        draws.append(between - start)
        sorts.append(time.process_time() - between)
    # The first compiles the bits.
    return draws[1:], sorts[1:]


def main() -> Iterator[Claim]:
    """Prints a line for each way, and yields the claims."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for m, limit in JOINED.items():
        print(f"add/remove, {m} quantiles of {PEOPLE:,} people")
        means = measured(joined(evenly(m), GRID), evenly(m))
        yield at_most(f"together, declared, {m}", means["together, declared"], limit)
        yield at_most(
            f"together, counted, over by halving, {m}",
            means["together, counted"] / means["by halving"],
            1.0,
        )
    for m, limit in REPLACED.items():
        print(f"replace-one, {m} quantiles of {PEOPLE:,} people")
        yield at_most(f"together, {m}", measured(replaced(evenly(m)), evenly(m))["together"], limit)
    yield from predictions()
    euros = beside.balances()
    if isinstance(euros, Skipped):
        yield euros
    else:
        yield from of_balances(euros)
    for people, most in SORTS.items():
        draws, sorts = times(people)
        ratio = float(np.median(draws) / np.median(sorts))
        print(
            f"30 quantiles of {people:,} people: {1e3 * np.median(draws):.1f} ms, {ratio:.1f} "
            f"sorts of their numbers, {1e3 * np.median(sorts):.1f} ms each"
        )
        yield at_most(f"sorts of {people:,} people in the time of a draw", ratio, most)
        if people in SECONDS:
            yield at_most(f"seconds of a draw of {people:,} people", draws, SECONDS[people])


if __name__ == "__main__":
    settle(main())
