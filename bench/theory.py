"""Statistical queries: how many people they take, under a curator and without one.

    python bench/theory.py

* **Conjunctions** of 3 of 20 uniform bits at epsilon 1: of 300 runs each, with 2,700 people and a
  curator (no delta) and with 156,000 people's own reports, the share that finds the very rule, and
  below it the exact binomial limit that is 95% sure.
* **One query, and forty**, within 0.05 at epsilon 1: people by `people_for`, and beside them the
  floor: what sampling alone takes (Hoeffding), and of local reports what one random bit a person
  does (Warner's, of a number rounded to a bit).
* **Reports by queries**: how many queries one report of a category takes, M, and one of a number,
  beside e^epsilon; and by how many deviations 2,000 simulated ones are off M.

Trees, naive Bayes and parities have scripts of their own: `trees`, `naive_bayes`, `pac`, `parity`.
"""

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import beta

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.device.vectors import OnNumber
from tacit.mechanisms.local.piecewise import Hybrid, Piecewise
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import ScalarRelDP
from tacit.sq.conjunctions import labels_of
from tacit.trust.people import Trust

EPSILON, DIM, LITERALS, RUNS = 1.0, 20, 3, 300
CENTRAL, LOCAL = tacit.Central(EPSILON, 0.0), tacit.Local(EPSILON)
TOLERANCE, FAILURE = 0.05, 0.05
NUMBERS = (
    (1.0, ScalarDP.best(1.0, 1.0)),
    (3.0, ScalarDP.best(3.0, 1.0)),
    (3.0, ScalarRelDP.best(3.0, 1.0, 0.1)),
    (3.0, Piecewise.on_grid(3.0, 16, 6, 1.0)),
    (1.0, Hybrid.best(1.0, 1.0)),
)


def found(trust: Trust, people: int) -> int:
    """Of 300 runs, how many find the very rule."""
    rule = np.zeros((DIM, 2), np.int64)
    rule[:LITERALS, 0] = 1
    learner, numbers = tacit.sq.KeptLiterals(DIM, 0.0275), np.random.default_rng(0)
    learning, right = tacit.sq.QueryLearning(learner, trust, people), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(RUNS):
            bits = numbers.integers(0, 2, (people, DIM)).astype(np.float32)
            data = bits, labels_of(rule, bits).astype(np.float32)
            ledger = tacit.Ledger(Path(folder) / f"{seed}.db")
            ledger.limit_for("people", learning.plan)
            state = learning.of(data, ledger, "people", seed=seed).state
            right += np.array_equal(learner.rule(state), rule)
    return right


def conjunctions() -> Iterator[Claim]:
    for trust, people in ((CENTRAL, 2_700), (LOCAL, 156_000)):
        right, who = found(trust, people), type(trust).__name__
        sure = beta.ppf(0.05, right, RUNS - right + 1)
        print(f"{who}, {people:,} people: {right} of {RUNS} runs, 95% sure of {sure:.1%} and more")
        yield at_least("  the very rule, share of runs", right / RUNS, 0.95)


def tolerances() -> Iterator[Claim]:
    bit = 1 / math.tanh(EPSILON / 2) ** 2
    plan = LOCAL.plan(tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 10_000))
    own = plan.device.facts.worst_error
    print(
        f"variance of a report: {own:.2f}, drawn with its person {own + 1:.2f}, a bit's {bit:.2f}"
    )
    for queries in (1, 40):
        central, local = (
            tacit.sq.people_for(trust, queries, TOLERANCE, FAILURE) for trust in (CENTRAL, LOCAL)
        )
        sampled = 2 * math.log(2 * queries / FAILURE) / TOLERANCE**2
        bits = queries * bit * sampled
        print(f"{queries} queries within {TOLERANCE}: curator {central:,}, own reports {local:,}")
        print(f"  by sampling alone {sampled:,.0f}, by one random bit a person {bits:,.0f}")
        yield at_most("  a curator's, times what sampling takes", central / sampled, 3.0)
        yield at_most("  own reports, times what one bit takes", local / bits, 1.16)


def tried(view: tacit.sq.ReportQueries) -> list[int]:
    """Of 2,000 simulated reports of people in equal shares, how many queries each took."""
    shares, numbers = np.full(len(view.law), 1 / len(view.law)), np.random.default_rng(0)

    def oracle(query: np.ndarray) -> float:
        return float(shares @ query)

    return [view.simulated(oracle, numbers, 10**6)[1] for _ in range(2_000)]


def reports() -> Iterator[Claim]:
    for categories in (2, 4, 16):
        plan = LOCAL.plan(tacit.Mean(tacit.OneHot(categories), tacit.Once(), 1, 1_000))
        many = tacit.sq.as_statistical_queries(plan.device).mean_queries
        yield at_most(f"queries for a report of {categories} categories, M", many, 2.0)
    for epsilon, scalar in NUMBERS:
        view = tacit.sq.as_statistical_queries(OnNumber(0.0, scalar))
        tries = tried(view)
        spread = math.sqrt(view.mean_queries * (view.mean_queries - 1) / len(tries))
        off = abs(np.mean(tries) - view.mean_queries) / spread
        what = f"{type(scalar).__name__} at epsilon {epsilon:g}: M = {view.mean_queries:.3f}"
        yield at_most(
            f"{what} beside {math.exp(epsilon):.3f}; deviations it is off", float(off), 3.0
        )


def main() -> Iterator[Claim]:
    yield from tolerances()
    yield from reports()
    yield from conjunctions()


if __name__ == "__main__":
    settle(main())
