"""The price of privacy, shown: methods and trust models on one data set, at several epsilons.

What is compared has to be alike in everything but privacy, so all methods learn one linear
classifier (`tacit.learning.classifiers`). A `Method` is a way to learn it and the trust model that
plans it. Gradient descent in rounds is the same learner, unchanged, under `Central`, `Shuffled`,
`Local`, `Federated` and `NonPrivate`; only who is asked when has to suit them.

Everything is planned before anything is charged, and the ledger is asked first whether all of it
fits, so what cannot be planned or paid for is refused for nothing. A release that is interrupted is
closed, its charge kept.
Each repetition of each trial is then a release like any other: granted, charged, with its receipt.

**Guarantee**: a receipt's is that of one release, alone. *Together* the releases cost what the
ledger says, which is far more; and accuracies are about the people of the test part, and are kept
from nobody. Comparing is for data on which both are allowed.

**Error**: the spread is that of noise and cohorts over repetitions. What another division of the
data would change is not in it.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np

from tacit.argument import got, is_whole
from tacit.learning.classifiers import Asked, Part, Problem, Trust, Way
from tacit.ledger.ledger import Charge, Ledger, LedgerOrPath, opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.population.arrays import Arrays
from tacit.population.release import Release
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate


@final
@dataclass(frozen=True)
class Method:
    """A name, whom people trust, and how a classifier is learnt under that.

    The trust's epsilon, against the public, is replaced by those that are compared.
    """

    name: str
    trust: Trust
    way: Way

    def asked(self, problem: Problem, epsilon: float) -> Asked:
        """What this would do at an epsilon. Spends nothing."""
        return self.way.asked(promising(self.trust, epsilon), problem)


def promising(trust: Trust, epsilon: float) -> Trust:
    """The same trust with this epsilon; a federated report's own budget stays as it is."""
    match trust:
        case NonPrivate():
            return trust
        case Federated(central=central):
            return replace(trust, central=replace(central, epsilon=epsilon))
    return replace(trust, epsilon=epsilon)


@final
@dataclass(frozen=True)
class Trial:
    """One method at one epsilon, planned; an infinite epsilon is no promise."""

    method: Method
    problem: Problem
    epsilon: float
    asked: Asked


def trials(
    problem: Problem, methods: Sequence[Method], epsilons: Sequence[float]
) -> tuple[Trial, ...]:
    """Every method at every epsilon, and those that promise nothing once. Spends nothing.

    Raises:
      ValueError: if there is no method or no epsilon, one stands twice, or one cannot be planned.
    """
    for what, given in (("methods", methods), ("epsilons", epsilons)):
        if not given or any(one in given[:at] for at, one in enumerate(given)):
            raise ValueError(f"{what} must be different, at least one, got {list(given)}")
    every = [
        (method, epsilon)
        for method in methods
        for epsilon in ((math.inf,) if isinstance(method.trust, NonPrivate) else epsilons)
    ]
    return tuple(Trial(one, problem, at, one.asked(problem, at)) for one, at in every)


@final
@dataclass(frozen=True)
class Point:
    """What one trial came to: a test accuracy and a receipt for each repetition."""

    method: Method
    epsilon: float
    accuracies: tuple[float, ...]
    receipts: tuple[dict[str, Any], ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.accuracies))

    @property
    def spread(self) -> float | None:
        """The standard deviation of one repetition, which one alone does not tell."""
        several = len(self.accuracies) > 1
        return float(np.std(self.accuracies, ddof=1)) if several else None


@final
@dataclass(frozen=True)
class Comparison:
    """The points of every method, in the order of the trials."""

    points: tuple[Point, ...]

    @property
    def receipts(self) -> list[dict[str, Any]]:
        """Of every release, in order."""
        return [receipt for point in self.points for receipt in point.receipts]

    @property
    def private(self) -> bool:
        """Whether no release that promises something was seeded."""
        return all(receipt["private"] for receipt in self.receipts if receipt["guarantees"])

    def lines(self) -> dict[Method, list[Point]]:
        """Each method's points by epsilon."""
        methods = dict.fromkeys(point.method for point in self.points)
        every = sorted(self.points, key=lambda point: point.epsilon)
        return {one: [point for point in every if point.method == one] for one in methods}


Watch = Callable[[Trial, float], None]


def charges(trials: Sequence[Trial], repeats: int) -> list[list[Charge]]:
    """What every release of a comparison will charge."""
    return [trial.asked.plan.charges() for trial in trials for _ in range(repeats)]


def refuse_out_of_range(repeats: int, seed: int | None) -> None:
    """Raises a ValueError if a comparison cannot have so many releases, or this seed."""
    if not (is_whole(repeats) and repeats >= 1):
        raise ValueError(f"repeats must be at least 1, got {got(repeats)}")
    if seed is not None and not (is_whole(seed) and seed >= 0):
        raise ValueError(f"a seed must be a whole number and at least 0, got {got(seed)}")


def compare(
    trials: Sequence[Trial],
    train: Part,
    test: Part,
    *,
    name: str,
    repeats: int = 3,
    ledger: LedgerOrPath | None = None,
    seed: int | None = None,
    watch: Watch = lambda trial, accuracy: None,
) -> Comparison:
    """Plays every trial, `repeats` times.

    Args:
      trials: as planned.
      train: rows and labels to learn from.
      test: rows and labels to measure on, and for nothing else.
      name: of the people's accounts.
      repeats: releases of each trial.
      ledger: with accounts for every promise, or its path; without it one that is thrown away.
      seed: for tests and pictures that can be drawn again; nothing is private then.
      watch: told the test accuracy of each release.

    Raises:
      ValueError: if the data do not fit the problem, or a number is out of range.
      OverBudget: if the ledger has too little left for all releases together; nothing is charged.
        Only if another process spends that room in between, releases made before it are charged.
    """
    refuse_out_of_range(repeats, seed)
    for trial in trials:
        trial.problem.refuse_misfit(train)
        trial.problem.refuse_misfit(test)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "ledger.db"
        book = _recording(own, name, trials) if ledger is None else opened(ledger)
        book.refuse_overspending(name, charges(trials, repeats))

        def point(at: int, trial: Trial) -> Point:
            scores, receipts = [], []
            for again in range(repeats):
                # No two releases share a seed, nor do those of two runs of as many.
                own = None if seed is None else (seed * len(trials) + at) * repeats + again
                release = _released(trial, train, name, book, own)
                weights = trial.asked.weights(release.state)
                scores.append(trial.problem.accuracy(weights, test))
                receipts.append(release.receipt())
                watch(trial, scores[-1])
            return Point(trial.method, trial.epsilon, tuple(scores), tuple(receipts))

        return Comparison(tuple(point(at, trial) for at, trial in enumerate(trials)))


def _released(trial: Trial, train: Part, name: str, ledger: Ledger, seed: int | None) -> Release:
    """One more release of a trial."""
    rows, labels = train
    data = trial.asked.table(trial.problem.cut(rows), trial.problem.signed(labels))
    people, asked = Arrays(data, name), trial.asked
    with closed_if_cut_off(ledger) as (own,):
        return people.grant(asked.plan, asked.learner, ledger, grant_id=own, seed=seed).run()


def _recording(where: Path, name: str, trials: Sequence[Trial]) -> Ledger:
    """A ledger whose accounts record and have no limit."""
    ledger = Ledger(where)
    for trial in trials:
        for promise in trial.asked.plan.guarantees:
            ledger.limit(name, promise.observer, promise.relation, math.inf, 1.0, promise.unit)
    return ledger
