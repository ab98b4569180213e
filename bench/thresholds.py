"""Claim: thresholds take gamma_2² log m people where they are asked together, m log m one by one.

How many people with an epsilon of 1 each it takes for all m thresholds of a uniform law to be
within tau = .05 of its own, with a chance of 3/4:

* one by one: the people are divided, and each answers one threshold by randomised response;
* by the factorisation: each reports their column of the strategy for the least worst error, a
  vector of length one, by the library's local report for balls (`gamma2`, `MaxError`);
* by a table made for the queries, which `Linear` has under `Local`;
* one threshold asked m times, by the factorisation: that of a single number.

The error falls with the square root of people, so it is measured at one number of them, and they
are counted from its upper quartile. The picture is drawn from the same numbers.

Run: python bench/thresholds.py
"""

import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tacit
from claims import Claim, at_least, at_most, settle
from tacit import picture
from tacit.device.workload import OnWorkload
from tacit.queries import gamma2
from tacit.question import MaxError, Prefix

PICTURE = Path(__file__).parents[1] / "docs/pictures/thresholds.svg"
MANY, TAU, PEOPLE, RUNS = (4, 16, 64, 128), 0.05, 4_000, 40
TRUST, T = tacit.Local(1.0), math.tanh(0.5)
MARKS = {"one by one": "^", "factorised": "s", "a table for the queries": "o", "one, m times": "x"}


def needed(worst: np.ndarray, people: int) -> float:
    """People for an error of tau, from largest errors measured with so many."""
    return people * (float(np.quantile(worst, 0.75)) / TAU) ** 2


def one_by_one(many: int) -> float:
    """Each threshold of its own part of the people."""
    law = np.arange(1, many + 1) / many
    yes = np.random.default_rng(many).binomial(PEOPLE, (1 + T * (2 * law - 1)) / 2, (RUNS, many))
    off = (yes / PEOPLE - 0.5) / T + 0.5 - law
    return needed(np.abs(off).max(1), PEOPLE * many)


def repeated(many: int) -> float:
    """The middle one of them, answered once for all of its m queries."""
    rng = np.random.default_rng(many)
    off = (rng.binomial(PEOPLE, 0.5, RUNS * 20) / PEOPLE - 0.5) / T
    return needed(np.abs(off), PEOPLE)


def factorised(many: int) -> float:
    """A strategy's columns, reported as vectors of a ball."""
    strategy = MaxError().best(Prefix(many)).strategy()
    decoder = np.tri(many) @ np.linalg.inv(strategy)
    shape = tacit.Ball(many, 1.0)
    device = TRUST.plan(tacit.Mean(shape, tacit.Everyone(), 1, PEOPLE)).device
    columns = jnp.asarray(strategy.T, jnp.float32)

    @jax.jit
    def mean(key, cells):
        return device.sample(key, columns[cells]).mean(0)

    return _measured(many, lambda key, cells: decoder @ np.asarray(mean(key, cells), np.float64))


def by_table(many: int) -> float:
    """Outputs of a public table, counted."""
    device = OnWorkload.of(Prefix(many), TRUST.epsilon)

    @jax.jit
    def sample(key, cells):
        return device.sample(key, cells)

    def answers(key, cells):
        counted = np.bincount(np.asarray(sample(key, cells)), minlength=device.outputs)
        return device.decoder @ (counted / PEOPLE)

    return _measured(many, answers)


def _measured(many: int, answers) -> float:
    law, rng, worst = np.arange(1, many + 1) / many, np.random.default_rng(many), []
    for run in range(RUNS):
        cells = jnp.asarray(rng.integers(0, many, PEOPLE), jnp.int32)
        worst.append(np.abs(answers(jax.random.key(run), cells) - law).max())
    return needed(np.array(worst), PEOPLE)


def draw(people: dict[str, list[float]]) -> None:
    """The picture: people against thresholds, and how theory has them grow."""
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    for way, found in people.items():
        quiet = way == "one, m times"
        colour = picture.QUIET if quiet else picture.COLOURS["local"]
        style = {"linestyle": ":" if quiet else "-", "linewidth": 0.8, "fillstyle": "none"}
        axes.plot(MANY, found, marker=MARKS[way], color=colour, label=way, **style)
    axes.set(xscale="log", yscale="log", xlabel="thresholds, m", ylabel="people, ε = 1, τ = 0.05")
    axes.set_xticks(MANY, [str(many) for many in MANY])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    picture.save(figure, PICTURE)


def main() -> Iterator[Claim]:
    """The table, how people grow beside theory, and the picture."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        ways = zip(MARKS, (one_by_one, factorised, by_table, repeated), strict=True)
        people = {name: [way(many) for many in MANY] for name, way in ways}
    print(f"{'m':>5}" + "".join(f"{way:>25}" for way in people) + "   gamma_2²")
    norms = [gamma2(Prefix(many)).upper ** 2 for many in MANY]
    for place, many in enumerate(MANY):
        row = "".join(f"{found[place]:25,.0f}" for found in people.values())
        print(f"{many:5}{row}{norms[place]:11.2f}")
    logs = np.log(2 * np.array(MANY))
    alone = np.array(people["one by one"]) / (np.array(MANY) * logs)
    together = np.array(people["factorised"]) / (np.array(norms) * logs)
    yield at_most("one by one over m log 2m, most over least", float(np.ptp(np.log(alone))), 0.7)
    yield at_most("factorised over gamma_2² log 2m, likewise", float(np.ptp(np.log(together))), 0.7)
    ratios = [people["one by one"][-1] / people[way][-1] for way in list(MARKS)[1:3]]
    yield at_least("128 thresholds, one by one over factorised", ratios[0], 4.0)
    yield at_least("128 thresholds, one by one over a table", ratios[1], 10.0)
    draw(people)


if __name__ == "__main__":
    settle(main())
