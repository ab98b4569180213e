"""The price of privacy on scikit-learn's digits: the tuned settings, over ten divisions.

Claim: central privacy at (2, 1e-5) costs at most four points of accuracy. The other settings are
printed as they come. A sweep over epsilon compiles nothing, and that is counted here too.
"""

import platform
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from claims import Claim, at_most, settle
from tacit import Central, Ledger
from tacit.cli import settings
from tacit.cli.room import open_accounts
from tacit.cli.tasks import Task, digits_task
from tacit.data import digits
from tacit.federated import GradientSteps
from tacit.population import program

DIVISIONS = 10
BUDGET = settings.Budgets(2.0, 1e-5, 8.0, 56.0, 8.0)
SWEEP = (0.5, 1.0, 4.0, 8.0)


def main() -> Iterator[Claim]:
    print(platform.platform(), "jax", jax.__version__, "numpy", np.__version__)
    rows = settings.tuned_digits(BUDGET, GradientSteps(1, 0.1))
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        tasks = [digits_task(digits.load(division)) for division in range(DIVISIONS)]
        means = {row.name: score(row, tasks, ledger) for row in rows}
        yield at_most("points that central costs", 100 * (means["none"] - means["central"]), 4)
        central = next(row for row in rows if isinstance(row.trust, Central))
        before = program.compiles()
        for epsilon in SWEEP:
            train(replace(central, trust=replace(central.trust, epsilon=epsilon)), tasks[0], ledger)
        compiled = program.compiles() - before
        yield at_most(f"programs that {len(SWEEP)} epsilons compiled", compiled, 0)


def score(setting: settings.TrustSetting, tasks: list[Task], ledger: Ledger) -> float:
    """The mean accuracy on the test images over all divisions, printed with its spread."""
    scores = [train(setting, task, ledger, seed) for seed, task in enumerate(tasks)]
    mean, error = np.mean(scores), np.std(scores, ddof=1) / np.sqrt(len(scores))
    print(f"{setting.name:10} {100 * mean:5.1f} +- {100 * error:.1f} %")
    return float(mean)


def train(setting: settings.TrustSetting, task: Task, ledger: Ledger, seed: int = 0) -> float:
    """One release, charged like any other, and how well its model does."""
    learner = task.learner(setting.update, setting.rate, setting.average_from)
    plan = setting.plan(learner, task.population.people)
    open_accounts(ledger, task.population.name, [plan], None)
    release = task.population.grant(plan, learner, ledger, seed=seed).run()
    return task.accuracy(learner.released(release.state))


if __name__ == "__main__":
    settle(main())
