"""How the digits settings of `tacit train` were chosen, and what that choice cost.

Every candidate is trained through the public interface on part of the training images and judged
on the rest of them, over several divisions; the test images are never loaded. The search is on
public data and outside every promise: on data that must be protected it would have to be charged
like any other release.
"""

import itertools
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from claims import Claim, at_least, settle
from tacit import Everyone, Ledger, Once
from tacit.cli import settings
from tacit.cli.room import open_accounts
from tacit.cli.tasks import SPLIT_SEED, digits_task
from tacit.data import digits
from tacit.data.dataset import hold_out
from tacit.federated import GradientSteps

DIVISIONS = 3
HELD_OUT = 287
# The best of thirty candidates is best by luck, too: what that may be worth.
SPREAD = 0.04
BUDGET = settings.Budgets(2.0, 1e-5, 8.0, 56.0, 8.0)

STEPS = (0.5, 1.0, 2.0, 4.0, 8.0)
# Who takes part, and the rounds, radii and rates to try; rates are for a radius of at most one.
GRIDS = {
    "none": (Everyone(), (200,), (4.0,), STEPS),
    "central": (Everyone(), (40, 80, 160), (0.3, 1.0), STEPS),
    "shuffled": (Once(), (5, 20), (0.3, 1.0, 3.0), STEPS),
    "local": (Once(), (5, 20), (0.3, 1.0, 3.0), STEPS),
    "federated": (Everyone(), (20, 40), (0.3, 1.0), STEPS),
}


def kept(name: str) -> settings.TrustSetting:
    """The setting of `tacit train`."""
    (own,) = (s for s in settings.tuned_digits(BUDGET, GradientSteps(1, 0.1)) if s.name == name)
    return own


def candidates(name: str) -> Iterator[settings.TrustSetting]:
    """Every setting of one trust model's grid."""
    who, *axes = GRIDS[name]
    for rounds, radius, step in itertools.product(*axes):
        yield replace(
            kept(name),
            participation=who,
            rounds=rounds,
            radius=radius,
            rate=step / min(radius, 1.0),
            average_from=rounds // 2,
        )


def accuracy(setting: settings.TrustSetting, task, ledger: Ledger, seed: int) -> float:
    """One training, judged on the held-out training images."""
    learner = task.learner(setting.update, setting.rate, setting.average_from)
    plan = setting.plan(learner, task.population.people)
    open_accounts(ledger, task.population.name, [plan], None)
    release = task.population.grant(plan, learner, ledger, seed=seed).run()
    return task.accuracy(learner.released(release.state))


def main() -> Iterator[Claim]:
    """Prints the best candidates, and claims that the setting kept is as good, or nearly."""
    print(platform.platform(), "jax", jax.__version__, "numpy", np.__version__)
    tasks = [digits_task(hold_out(digits.load(SPLIT_SEED), HELD_OUT, d)) for d in range(DIVISIONS)]
    names = sys.argv[1:] or list(GRIDS)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        for name in names:
            began, rows = time.monotonic(), []
            for setting in candidates(name):
                scores = [accuracy(setting, task, ledger, d) for d, task in enumerate(tasks)]
                rows.append((float(np.mean(scores)), setting, scores))
            rows.sort(key=lambda row: -row[0])
            print(f"\n{name}: {len(rows)} candidates, {time.monotonic() - began:.0f} s")
            for score, s, _ in rows[:4]:
                print(f"  {score:.3f}  rounds {s.rounds}  radius {s.radius}  rate {s.rate:.3g}")
            best = rows[0][2]
            own = [accuracy(kept(name), task, ledger, d) for d, task in enumerate(tasks)]
            less = [mine - other for mine, other in zip(own, best, strict=True)]
            yield at_least(f"{name}: accuracy kept, less the best candidate's", less, -SPREAD)


if __name__ == "__main__":
    settle(main())
