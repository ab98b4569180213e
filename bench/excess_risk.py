"""Claim: excess risk against n, p and epsilon follows the theorems' slopes.

(epsilon, delta)-differential privacy of n people costs, in p dimensions and up to constants and
logarithms (Bassily, Smith and Thakurta 2014),

* p/(n² epsilon²) for strongly convex losses, p^(1/2)/(n epsilon) for convex ones.

Measured is the excess of the released weights' risk over the exact minimum, on data for which these
bounds are tight, in the mean over many runs. One of n, p and epsilon moves, and a line is fitted to
the logarithms.

**Strongly convex.** Logistic loss and a penalty of |w|²/4, rows of the unit sphere: by output
perturbation, objective perturbation, and `Descent` with the theorem's steps and average.

**Convex.** The loss -<w, x> over the unit ball: by `Descent` with the theorem's steps and average.
Rows are u or -u, k more of one than of the other, so the least risk is -k/n. A surplus k below the
noise is worth little, so as in the lower bound's proof k is a multiple of p^(1/2)/epsilon. Several
are tried and the worst counts; the method knows neither.

Descent plays the population's own rounds, many runs side by side and without a ledger, as many
rounds as make the noise half of an answer (`enough_rounds`).

Run: python bench/excess_risk.py
"""

import math
import os
import platform
import time
import warnings
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from matplotlib.figure import Figure

import tacit
from claims import Claim, at_most, settle
from tacit import picture
from tacit.learning import schedules
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.mechanisms.rows.output_perturbation import OutputPerturbation
from tacit.models.bookkeeping import SlowGradientWarning
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.solve.losses import Logistic
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

PICTURE = Path(__file__).parents[1] / "docs/pictures/excess-risk.svg"
DELTA, ADD, RIDGE, TOLERANCE = 1e-6, tacit.Relation.ADD_REMOVE, 0.5, 0.15
# One of the three moves at a time, from here.
CENTRE = {"n": 384, "p": 16, "epsilon": 1.0}
MOVES = {"n": (96, 192, 384, 768), "p": (4, 16, 64, 256), "epsilon": (0.25, 0.5, 1.0, 2.0)}
SLOPES = {True: {"n": -2, "p": 1, "epsilon": -2}, False: {"n": -1, "p": 0.5, "epsilon": -1}}
SURPLUS, CHUNK, RUNS, FITS = (6, 11, 16, 24), 48, 64, 60
NAMES = {
    "output": "output perturbation",
    "objective": "objective perturbation",
    "descent": "descent, strongly convex",
    "linear": "descent, convex",
}
COLOURS = {"output": "#1b6ca8", "objective": "#7b4fa3", "descent": "#c4572e", "linear": "#2e8b57"}
MARKS = {"output": "o", "objective": "+", "descent": "x", "linear": "s"}


def sphere(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the unit sphere, and on which side of a plane they are but for one in ten."""
    numbers = np.random.default_rng(0)
    rows = numbers.normal(size=(n, p))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    turned = np.where(numbers.random(n) < 0.1, -1.0, 1.0)
    return rows.astype(np.float32), (turned * np.sign(rows[:, 0])).astype(np.float32)


def runs(descent: Descent, plan: tacit.Plan, data: object, people: int) -> jax.Array:
    """The average of each of many runs over everybody."""
    rows = jnp.arange(people, dtype=jnp.int32).reshape(-1, CHUNK)
    cohort = Cohort(rows, jnp.ones(rows.shape, bool), jnp.int32(len(rows)))
    return _runs(descent, Parts.of(plan), data, cohort, jnp.int32(plan.sums.rounds))


@eqx.filter_jit
def _runs(descent, parts, data, cohort, rounds) -> jax.Array:
    def play(key):
        def one(t, state):
            both = Keys(key, jax.random.fold_in(key, t), key)
            return run_round(descent, parts, state, None, data, cohort, both)[0]

        return jax.lax.fori_loop(0, rounds, one, descent.init()).optimizer.average

    return jax.vmap(play)(jax.random.split(jax.random.key(0), RUNS))


def planned(n: int, p: int, epsilon: float) -> tuple[tacit.Plan, float]:
    """The plan of the theorem's number of rounds, and the norm of its answers."""
    ball, central = tacit.Ball(p, 1 + 2.0**-8), tacit.Central(epsilon, DELTA)
    once = central.plan(tacit.Mean(ball, tacit.Everyone(), 1, n))
    rounds = schedules.enough_rounds(1.0, cast(float, once.error))
    plan = central.plan(tacit.Mean(ball, tacit.Everyone(), rounds, n))
    return plan, schedules.answer_norm(1.0, cast(float, plan.error), n)


def linear(n: int, p: int, epsilon: float) -> tuple[float, float]:
    """Of the worst surplus, the mean excess of descent; and what the theorem allows."""
    plan, norm = planned(n, p, epsilon)
    theorem = schedules.Convex(1.0, norm, plan.sums.rounds)
    onto = partial(optax.projections.projection_l2_ball, scale=1.0)
    learner = Descent(jnp.zeros(p), risen, Flat(1 + 2.0**-8), theorem.optimizer(onto))
    side, found = np.full(p, p**-0.5, np.float32), []
    for times in SURPLUS:
        surplus = 2 * round(times * math.sqrt(p) / epsilon / 2)
        rows = np.where(np.arange(n)[:, None] < (n + surplus) / 2, side, -side)
        weights = np.asarray(runs(learner, plan, rows, n), np.float64)
        found.append(surplus / n * np.mean(1 - weights @ side))
    return max(found), theorem.excess


def risen(weights: jax.Array, row: jax.Array) -> jax.Array:
    """The linear loss."""
    return -jnp.dot(weights, row)


def scored(weights: jax.Array, person: tuple[jax.Array, jax.Array]) -> jax.Array:
    """The logistic loss."""
    return Logistic().value(jnp.dot(weights, person[0]), person[1])


def logistic(n: int, p: int, epsilon: float) -> dict[str, float]:
    """The mean excess of each method for a strongly convex risk; and what the theorem allows."""
    rows, labels = sphere(n, p)
    aim = Objective(Logistic(), L2(RIDGE), 1.0, n, p)

    def risk(weights):
        losses = Logistic().value(np.asarray(weights, np.float64) @ rows.T, labels)
        return losses.mean(axis=-1) + RIDGE / 2 * np.sum(np.square(weights), axis=-1)

    least = risk(minimise(aim, cut(aim, rows, labels), 1e-6).point)
    kinds = {"output": OutputPerturbation, "objective": ObjectivePerturbation}
    found = {}
    for name, kind in kinds.items():
        made = kind.gaussian(aim, epsilon, DELTA, ADD)
        drawn = [made.sample(jax.random.key(run), rows, labels) for run in range(FITS)]
        found[name] = float(np.mean(risk(np.array(drawn))) - least)
    plan, norm = planned(n, p, epsilon)
    # The minimum is within 1/RIDGE, where the penalty is as steep as the loss.
    theorem = schedules.StronglyConvex(RIDGE, norm + 1, plan.sums.rounds)
    onto = partial(optax.projections.projection_l2_ball, scale=1 / RIDGE)
    learner = Descent(jnp.zeros(p), scored, Flat(1 + 2.0**-8), theorem.optimizer(onto, RIDGE))
    weights = runs(learner, plan, (rows, labels), n)
    return {**found, "descent": float(np.mean(risk(weights)) - least), "theorem": theorem.excess}


def slope(at: tuple[float, ...], found: list[float]) -> float:
    """Of the line through the logarithms."""
    return float(np.polyfit(np.log(at), np.log(found), 1)[0])


def measured() -> tuple[dict[str, dict[str, list[float]]], float]:
    """The excess of each method along each move, and of descent the most over its theorems'."""
    found = {name: {axis: [] for axis in MOVES} for name in COLOURS}
    most, seen = 0.0, {}
    for axis, places in MOVES.items():
        for place in places:
            setting = tuple({**CENTRE, axis: place}.values())
            if setting not in seen:
                seen[setting] = {**logistic(*setting), "linear": linear(*setting)}
            excess = dict(seen[setting])
            worst, allowed = excess.pop("linear")
            most = max(most, excess["descent"] / excess.pop("theorem"), worst / allowed)
            for name, value in {**excess, "linear": worst}.items():
                found[name][axis].append(value)
    return found, most


def draw(found: dict[str, dict[str, list[float]]]) -> None:
    """The picture: what was measured, and lines of the theorems' slopes through its middle."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    for axes, (axis, places) in zip(figure.subplots(1, 3, sharey=True), MOVES.items(), strict=True):
        at = np.array(places, float)
        for name, colour in COLOURS.items():
            excess, power = np.array(found[name][axis]), SLOPES[name != "linear"][axis]
            middle = np.exp(np.mean(np.log(excess)) - power * np.mean(np.log(at)))
            axes.plot(at, middle * at**power, color=colour, linewidth=0.8)
            style = {"color": colour, "fillstyle": "none", "markersize": 8, "label": NAMES[name]}
            axes.plot(at, excess, MARKS[name], **style)
        axes.set(xscale="log", yscale="log", xlabel="ε" if axis == "epsilon" else axis)
        axes.set_xticks(at, [f"{place:g}" for place in places])
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("excess risk")
    shown = figure.axes[0].get_legend_handles_labels()
    figure.legend(*shown, loc="outside upper center", ncols=4, frameon=False)
    picture.save(figure, PICTURE)


def main() -> Iterator[Claim]:
    """Prints the machine and every slope, and draws the picture."""
    warnings.simplefilter("ignore", SlowGradientWarning)
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, numpy {version('numpy')}, delta {DELTA:g}, centre {CENTRE}")
    start = time.perf_counter()
    found, most = measured()
    for name, own in found.items():
        for axis, excess in own.items():
            expected, fitted = SLOPES[name != "linear"][axis], slope(MOVES[axis], excess)
            shown = ", ".join(f"{value:.3g}" for value in excess)
            print(
                f"{NAMES[name]:>32} in {axis:7} expected {expected:4}, fitted {fitted:5.2f}, "
                f"ratio {fitted / expected:.2f} ({shown})"
            )
            what = f"{NAMES[name]} in {axis}, the slope's relative error"
            yield at_most(what, abs(fitted / expected - 1), TOLERANCE)
    yield at_most("excess of descent over its theorems' bounds, the largest", most, 1.0)
    draw(found)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    settle(main())
