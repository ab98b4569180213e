"""Claim: with ten times more features than people a sparse model is found at epsilon 4, and a round
of Frank-Wolfe costs a constant times one matrix product.

**Accuracy.** Features uniform on -1 and 1, ten weights of +-10^(-1/2) (so |w|_1 = 10^(1/2), and
without noise labels have variance 1), normal noise of deviation 1/2 on labels. The privacy is
(epsilon, 1e-6) for replacing one person, all stages together, charged to one ledger; "inf" is the
same method without privacy. Huber's loss of width 1, radius |w|_1: both are taken as known, nothing
is tuned on the data. Two-stage methods spend half on the support and half on least squares on it
(noisy sufficient statistics). Recall: the part of the true support among the ten largest weights;
error: E <x, w - w*>², which zero weights have as 1. Means over a few seeds of the noise.

**Time.** One compiled round on 256 people, sums, choice and all, over one product of the features
with a vector; the fastest of alternating runs. People are asked in chunks that fit the cache. The
claim: ten times the features is no more than 1.5 times the ratio.

Run: python bench/lasso.py
"""

import math
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.learning.linear_risk import LinearRisk
from tacit.learning.mirror_descent import MirrorDescent
from tacit.learning.sufficient_statistics import SufficientStatistics
from tacit.learning.support import Correlations, Votes, ballots, deal
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.solve.losses import Huber

SIZE, NOISE, DELTA, SEEDS = 10, 0.5, 1e-6, 3
# Of Frank-Wolfe, and of mirror descent, whose bound falls with each.
ROUNDS, STEPS = 20, 100
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, math.inf)
# People, features, and the blocks that vote: of about 2 s ln p people where there are enough.
SETTINGS = ((1_000, 10_000, 10), (20_000, 1_000, 200))
REPLACE = tacit.Relation.REPLACE_ONE
WIDTHS, TIMED, TURNS, GROWTH = (1_000, 10_000, 100_000), 256, 25, 1.5
# Numbers of a chunk: more leave the cache, and take three times as long.
CHUNK = 2**21


class Data(NamedTuple):
    """What is fitted, and the truth."""

    features: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    own: np.ndarray

    def recall(self, weights: np.ndarray) -> float:
        """Of the true support, among the largest weights."""
        largest = np.argsort(-np.abs(weights), kind="stable")[:SIZE]
        return float(np.mean((self.weights[largest] != 0) & (weights[largest] != 0)))

    def error(self, weights: np.ndarray) -> float:
        """The excess of squared prediction error: features are independent, of variance one."""
        return float(np.sum((weights - self.weights) ** 2))


def drawn(people: int, features: int, blocks: int) -> Data:
    """The design, and the ballots of its blocks."""
    numbers = np.random.default_rng(0)
    rows = numbers.integers(0, 2, (people, features), np.int8).astype(np.float32) * 2 - 1
    weights = np.zeros(features)
    support = numbers.choice(features, SIZE, replace=False)
    weights[support] = numbers.choice([-1, 1], SIZE) / math.sqrt(SIZE)
    labels = rows[:, support] @ weights[support] + NOISE * numbers.normal(size=people)
    labels = labels.astype(np.float32)
    return Data(rows, labels, weights, ballots(*deal(rows, labels, blocks), SIZE))


class Budget(NamedTuple):
    """A ledger that has room for epsilon and delta once, and the seed of all noise."""

    ledger: tacit.Ledger
    epsilon: float
    seed: int

    def plan(self, question: tacit.question.Question, part: float = 1.0) -> tacit.Plan:
        """The plan for a part of the budget."""
        if math.isinf(self.epsilon):
            return tacit.NonPrivate().plan(question)
        return tacit.Central(part * self.epsilon, part * DELTA, REPLACE).plan(question)

    def play(self, data: object, plan: tacit.Plan, learner: tacit.population.Learner):
        """The final state of a run that is charged."""
        people = tacit.Arrays(data, "people")
        return people.grant(plan, learner, self.ledger, seed=self.seed).run().state


def frank_wolfe(data: Data, risk: LinearRisk, budget: Budget) -> np.ndarray:
    learner = FrankWolfe(risk, ROUNDS)
    plan = budget.plan(learner.question(len(data.labels)))
    state = budget.play((data.features, data.labels), plan, learner)
    return np.asarray(learner.released(state))


def mirror_descent(data: Data, risk: LinearRisk, budget: Budget) -> np.ndarray:
    plan = budget.plan(MirrorDescent(risk, STEPS).question(len(data.labels)))
    learner = MirrorDescent(risk, STEPS, (plan.server.facts.noise or 0.0) / plan.sums.cohort)
    state = budget.play((data.features, data.labels), plan, learner)
    return np.asarray(learner.released(state))


def votes(data: Data, risk: LinearRisk, budget: Budget) -> np.ndarray:
    learner = Votes(risk.dim, SIZE)
    plan = budget.plan(learner.question(len(data.own)), 0.5)
    return refitted(data, learner.released(budget.play(data.own, plan, learner)), budget)


def correlations(data: Data, risk: LinearRisk, budget: Budget) -> np.ndarray:
    learner = Correlations(risk, SIZE)
    plan = budget.plan(learner.question(len(data.labels)), 0.5)
    state = budget.play((data.features, data.labels), plan, learner)
    return refitted(data, learner.released(state), budget)


def refitted(data: Data, support: np.ndarray, budget: Budget) -> np.ndarray:
    """Least squares on the support with the other half of the budget."""
    learner = SufficientStatistics(len(support), math.sqrt(len(support)), 3.0)
    plan = budget.plan(learner.question(tacit.Everyone(), 1, len(data.labels)), 0.5)
    state = budget.play((data.features[:, support], data.labels), plan, learner)
    weights = np.zeros(data.weights.size)
    weights[support] = learner.coefficients(
        state, (plan.server.facts.noise or 0.0) / plan.sums.cohort
    )
    return weights


METHODS = (frank_wolfe, mirror_descent, votes, correlations)


def measured(method: Callable, data: Data, epsilon: float) -> tuple[float, float]:
    """Recall and error, averaged over seeds."""
    risk = LinearRisk(Huber(1.0), data.weights.size, math.sqrt(SIZE))
    found = []
    for seed in range(1 if math.isinf(epsilon) else SEEDS):
        with tempfile.TemporaryDirectory() as folder:
            ledger = tacit.Ledger(Path(folder) / "ledger.db")
            if not math.isinf(epsilon):
                ledger.limit("people", "public", REPLACE, epsilon * (1 + 1e-9), DELTA * (1 + 1e-9))
            weights = method(data, risk, Budget(ledger, epsilon, seed))
        found.append((data.recall(weights), data.error(weights)))
    recall, error = np.mean(found, axis=0)
    return float(recall), float(error)


def accuracy() -> dict[tuple[int, str, float], tuple[float, float]]:
    """Prints a table for each setting and gives all of its numbers."""
    found = {}
    for people, features, blocks in SETTINGS:
        data = drawn(people, features, blocks)
        print(f"{people:,} people, {features:,} features, {blocks} blocks: recall, error")
        print(f"{'epsilon':>9}" + "".join(f"{method.__name__:>18}" for method in METHODS))
        for epsilon in EPSILONS:
            row = [measured(method, data, epsilon) for method in METHODS]
            for method, each in zip(METHODS, row, strict=True):
                found[people, method.__name__, epsilon] = each
            cells = "".join(f"{recall:>10.2f} {error:>7.3f}" for recall, error in row)
            print(f"{epsilon:>9}{cells}", flush=True)
    return found


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def times(features: int) -> tuple[float, float]:
    """The fastest product, and the fastest round."""
    numbers = np.random.default_rng(0)
    rows = jnp.asarray(numbers.uniform(-1, 1, (TIMED, features)).astype(np.float32))
    labels = jnp.asarray(numbers.normal(size=TIMED).astype(np.float32))
    learner = FrankWolfe(LinearRisk(Huber(1.0), features, 1.0), ROUNDS)
    parts = Parts.of(tacit.Central(1.0, DELTA, REPLACE).plan(learner.question(TIMED)))
    chunk = 2 ** min(6, int(math.log2(CHUNK / features)))
    order = jnp.arange(TIMED).reshape(-1, chunk)
    cohort = Cohort(order, jnp.ones(order.shape, bool), jnp.asarray(len(order)))
    keys = Keys(*map(jax.random.key, range(3)))
    product = jax.jit(lambda rows, labels: labels @ rows)

    def once():
        return run_round(learner, parts, learner.init(), None, (rows, labels), cohort, keys)

    product(rows, labels)
    once()
    turns = [(seconds(lambda: product(rows, labels)), seconds(once)) for _ in range(TURNS)]
    return min(turn[0] for turn in turns), min(turn[1] for turn in turns)


def main() -> Iterator[Claim]:
    """Prints the machine, the tables and the times."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}")
    found = accuracy()
    few, many = (setting[0] for setting in SETTINGS)
    for people, epsilon in ((few, 4.0), (many, 1.0)):
        recall = found[people, "frank_wolfe", epsilon][0]
        yield at_least(f"recall of Frank-Wolfe, {people:,} people, {epsilon:g}", recall, 0.9)
    ratios = []
    for features in WIDTHS:
        product, whole = times(features)
        ratios.append(whole / product)
        print(
            f"{features:>7,} features: {1e3 * product:.2f} ms, {1e3 * whole:.2f} ms, "
            f"ratio {ratios[-1]:.1f}",
            flush=True,
        )
    growth = max(b / a for a, b in pairwise(ratios))
    yield at_most("growth of the ratio for ten times the features", growth, GROWTH)


if __name__ == "__main__":
    settle(main())
