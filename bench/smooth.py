"""Claim: a private median of a million values takes less than 0.2 s, sorting included.

The smooth-sensitivity median at four budgets, from unsorted float64 values to the release, beside
NumPy's sort and median of the same array in the same run, fastest of several alternating runs. The
maximum over pairs of sorted values is also measured on its own. Then the error: the median distance
of releases from the true median, for 10,000 log-normal incomes on a public interval, beside Laplace
noise for the global sensitivity, which is the interval's width.

Run: python bench/smooth.py
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import numpy as np

from claims import Claim, at_most, settle
from tacit.mechanisms.rows.smooth_quantile import SmoothSensitivityQuantile, smooth_gap
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace
from tacit.noise import keys

PEOPLE, ROUNDS, LIMIT = 10**6, 9, 0.2
EPSILONS, DELTA = (1.0, 0.1, 0.01, 0.001), 1e-6
BUDGETS, INCOMES, WIDTH, DRAWS = (3.0, 1.0, 0.3, 0.1), 10_000, 1e6, 301


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def speed() -> Iterator[Claim]:
    """The times."""
    key = keys.jax_key(keys.from_seed(0))
    values = np.random.default_rng(0).normal(size=PEOPLE)
    works: dict[str, Callable[[], object]] = {
        "numpy sort": lambda: np.sort(values),
        "numpy median": lambda: np.median(values),
    }
    for epsilon in EPSILONS:
        for noise in (SmoothCauchy(epsilon), SmoothLaplace(epsilon, DELTA)):
            mechanism = SmoothSensitivityQuantile(noise, -10.0, 10.0)
            ordered = mechanism.interval.units(values)
            name = f"{type(noise).__name__}({epsilon})"
            works[name] = lambda mechanism=mechanism: mechanism.sample(key, values)
            works[f"{name}, maximum"] = lambda ordered=ordered, noise=noise: smooth_gap(
                ordered, PEOPLE // 2, PEOPLE // 2, noise.beta
            )
    for work in works.values():
        work()
    times = [{name: seconds(work) for name, work in works.items()} for _ in range(ROUNDS)]
    best = {name: min(row[name] for row in times) for name in works}

    print(f"{'':<30}{'ms':>9}{'x sort':>9}{'x median':>9}")
    for name, least in best.items():
        ratios = (least / best[f"numpy {peer}"] for peer in ("sort", "median"))
        print(f"{name:<30}{1e3 * least:>9.2f}" + "".join(f"{r:>9.2f}" for r in ratios))
    yield at_most(f"slowest median of {PEOPLE:,}, seconds", max(best.values()), LIMIT)


def accuracy() -> None:
    """The median distance from the truth, in the incomes' unit."""
    rng = np.random.default_rng(1)
    incomes = np.minimum(rng.lognormal(10.3, 0.7, INCOMES), WIDTH)
    truth = float(np.median(incomes))
    draws = jax.random.split(keys.jax_key(keys.from_seed(1)), DRAWS)

    print(f"{'epsilon':<10}{'Cauchy':>12}{'Laplace':>12}{'global':>12}   median {truth:,.0f}")
    for epsilon in BUDGETS:
        found = [
            np.median([abs(mechanism.sample(key, incomes) - truth) for key in draws])
            for mechanism in (
                SmoothSensitivityQuantile(SmoothCauchy(epsilon), 0.0, WIDTH),
                SmoothSensitivityQuantile(SmoothLaplace(epsilon, DELTA), 0.0, WIDTH),
            )
        ]
        noisy = np.clip(truth + rng.laplace(scale=WIDTH / epsilon, size=DRAWS), 0, WIDTH)
        found.append(np.median(np.abs(noisy - truth)))
        print(f"{epsilon:<10}" + "".join(f"{each:>12,.1f}" for each in found))


def main() -> Iterator[Claim]:
    """Prints the machine, times, and errors."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"numpy {version('numpy')}, jax {version('jax')}, {jax.devices()[0].platform}")
    yield from speed()
    accuracy()


if __name__ == "__main__":
    settle(main())
