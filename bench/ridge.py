"""Claim: a linear regression's R² is within 0.02 of the best of a grid, by its defaults, wherever
that explains anything.

California housing, of 800, 3,000, 10,000 and all people, at epsilon 0.1, 1 and 3, with no delta and
with n^-1.1; columns are encoded as in `defaults.py`. The grid is of penalties from 0 to 1 and of
floors under the moments' eigenvalues from 1/8 of the default's to 4 times it, and the theorem's
ridge (AdaSSP). Noise on the moments is normal, of the deviation that is planned.

Run: python bench/ridge.py
"""

import math
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_most, settle
from defaults import EPSILONS, FILES, PEOPLE, Table, cells, draws_of, encoded, shuffled
from tacit.estimators.declared import REACH
from tacit.estimators.moments import coefficients
from tacit.learning.sufficient_statistics import Moments, SufficientStatistics
from tacit.question.participation import Everyone

PENALTIES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
FLOORS = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)


def housing() -> Table:
    table = cells("california-housing/housing.csv.gz")[1:]
    return encoded(np.delete(table, 8, axis=1)), table[:, 8].astype(float) / 250_000.5 - 1


def regressed() -> Iterator[float]:
    """Prints a line for every case, and gives how far it is short."""
    rows, targets = shuffled(housing())
    test, rows, targets = (rows[:4000], targets[:4000]), rows[4000:], targets[4000:]
    for people in sorted({min(each, len(rows)) for each in PEOPLE}):
        for epsilon in EPSILONS:
            for delta in (0.0, people**-1.1):
                own = rows[:people], targets[:people]
                means = explained(own, test, tacit.Central(epsilon, delta))
                default = means[1 + FLOORS.index(1.0) * len(PENALTIES)]
                print(
                    f"n {people:6} epsilon {epsilon:3g} delta {delta:7.1g} R² {default:6.3f}, "
                    f"best {means.max():6.3f}, theorem {means[0]:6.3f}"
                )
                if means.max() > 0:
                    yield float(means.max() - default)


def explained(train: Table, test: Table, trust: tacit.Central) -> np.ndarray:
    """R² in the mean over draws of the noise: the theorem's, then floors by penalties."""
    rows, targets = train
    learner = SufficientStatistics(rows.shape[1], REACH, 1.0)
    plan = trust.plan(learner.question(Everyone(), 1, len(rows)))
    people = np.column_stack([rows / REACH, targets]).astype(float)
    size = people.shape[1]
    noise = math.sqrt((plan.error or 0.0) / (size * (size + 1) / 2))
    exact, found = people.T @ people / len(rows), []
    for seed in range(draws_of(len(rows), trust.epsilon)):
        normal = noise * np.random.default_rng(seed).standard_normal((size, size))
        jitter = (np.triu(normal, 1) + np.triu(normal, 1).T) / math.sqrt(2) + np.diag(
            np.diag(normal)
        )
        moments = exact + jitter
        theorem = Moments(jnp.asarray(moments), jnp.asarray(1))
        lines = [learner.coefficients(theorem, noise)]
        for times in FLOORS:
            lines += [coefficients(moments, times * noise, penalty) for penalty in PENALTIES]
        left = test[1] - np.array(lines) @ test[0].T
        found.append(1 - (left**2).mean(1) / test[1].var())
    return np.mean(found, axis=0)


def main() -> Iterator[Claim]:
    """Prints every case."""
    if not FILES.is_dir():
        print(f"skipped: no {FILES}")
        return
    yield at_most("R² short of the best of the grid, the most", max(regressed()), 0.02)


if __name__ == "__main__":
    settle(main())
