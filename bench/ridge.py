"""Claim: by its defaults a linear regression's R² is nearly the best of a grid that looked at the
answers, wherever that explains anything; and on wide tables it is far above that of second moments.

**Tables.** California housing, of 800, 3,000, 10,000 and all people, at epsilon 0.1, 1 and 3;
columns are encoded as in `defaults.py`. Wide ones of 3,000 people at epsilon 1: 5, 20 and 80
features uniform within their bounds, of which five have weights, and little noise. Skewed ones are
of 8 such features: targets at one of the two ends, a tenth of them at the upper. All with no delta
and with n^-1.1.

**Grid.** Second moments under penalties from 0 to 1 and floors from 1/8 of the default's to 4 times
it, and under the theorem's ridge (AdaSSP); the minimum of Huber's loss of every width that the
default knows, at penalties from 10^-4 to 10^(1/2); with a delta descent of each, at steady rates.
Noise is of the law or the deviation that is planned, and common to the settings of a method.

Run: python bench/ridge.py
"""

import math
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_least, at_most, settle, skipped
from defaults import (
    EPSILONS,
    FILES,
    PEOPLE,
    Case,
    Setting,
    Table,
    cells,
    draws_of,
    encoded,
    shuffled,
)
from tacit.estimators.declared import RADIUS, REACH
from tacit.estimators.moments import coefficients
from tacit.estimators.settings import (
    ROUNDS,
    WIDTHS,
    GradientRounds,
    Settings,
    loss_of,
    regressed,
)
from tacit.learning.sufficient_statistics import Moments, SufficientStatistics
from tacit.question.participation import Everyone
from tacit.solve.losses import Huber

PENALTIES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
FLOORS = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
# What a grid of the other methods has.
STRENGTHS, RATES = 10.0 ** np.arange(-4, 0.51, 0.5), (0.04, 0.08, 0.16, 0.32)
COLUMNS, FEW, TRIED = (5, 20, 80), 3_000, 4_000


def housing() -> Table:
    table = cells("california-housing/housing.csv.gz")[1:]
    return encoded(np.delete(table, 8, axis=1)), table[:, 8].astype(float) / 250_000.5 - 1


def wide(columns: int) -> Table:
    """The best line explains nearly all, by five columns."""
    numbers = np.random.default_rng(0)
    cube = numbers.uniform(-1, 1, (FEW + TRIED, columns))
    weights = np.zeros(columns)
    weights[:5] = [0.2, -0.2, 0.2, -0.2, 0.2]
    return in_ball(cube), cube @ weights + 0.06 * numbers.normal(size=len(cube))


def skewed() -> Table:
    """A tenth of the people have 1, all others -1."""
    numbers = np.random.default_rng(0)
    cube = numbers.uniform(-1, 1, (FEW + TRIED, 8))
    scores = cube @ numbers.normal(size=8) + 0.3 * numbers.normal(size=len(cube))
    return in_ball(cube), np.where(scores > np.quantile(scores, 0.9), 1.0, -1.0)


def in_ball(cube: np.ndarray) -> np.ndarray:
    return np.column_stack([RADIUS * cube / math.sqrt(cube.shape[1]), np.ones(len(cube))])


def regressions(rows: np.ndarray, targets: np.ndarray, people: int, epsilon: float) -> Iterator:
    """Prints a line for either delta, and gives R²: the default's, and the best of moments and of
    all.
    """
    test, own = (rows[:TRIED], targets[:TRIED]), slice(TRIED, TRIED + people)
    for delta in (0.0, people**-1.1):
        train, trust = (rows[own], targets[own]), tacit.Central(epsilon, delta)
        default, means = explained(train, test, trust)
        plain = float(means[1 + FLOORS.index(1.0) * len(PENALTIES)])
        print(
            f"n {people:6} columns {rows.shape[1] - 1:3} epsilon {epsilon:3g} delta {delta:7.1g} "
            f"R² {default[0]:6.3f} by {default[1]}, best {means.max():6.3f}; moments {plain:6.3f}, "
            f"theorem {means[0]:6.3f}",
            flush=True,
        )
        yield default[0], plain, float(means.max())


def explained(train: Table, test: Table, trust: tacit.Central) -> tuple[tuple, np.ndarray]:
    """R² in the mean over draws of the noise: the default's with its name; then moments', the
    theorem's first; then the other methods'.
    """
    people, features = len(train[0]), train[0].shape[1] - 1
    chosen, grid = regressed(trust, features, people), list(settings(trust))
    means = of_moments(train, test, trust)
    best = of_setting(train, test, trust, as_setting(chosen))
    others = [of_setting(train, test, trust, each) for each in grid]
    return (best, type(chosen).__name__), np.append(means, others)


def settings(trust: tacit.Central) -> Iterator[Setting]:
    for loss in map(Huber, WIDTHS):
        yield from (Setting(loss, penalty) for penalty in STRENGTHS)
        if trust.delta:
            clip = loss.lipschitz(REACH)
            yield from (Setting(loss, math.nan, ROUNDS, rate, clip) for rate in RATES)


def as_setting(own: Settings) -> Setting:
    if isinstance(own, GradientRounds):
        return Setting(loss_of(own), math.nan, own.rounds, own.rate, own.clip)
    return Setting(loss_of(own), own.penalty)


def of_setting(train: Table, test: Table, trust: tacit.Central, setting: Setting) -> float:
    rows, targets = (part.astype(np.float32) for part in train)
    case = Case(rows, targets, setting.loss, trust, draws_of(len(rows), trust.epsilon))
    return float(scored(test, case.weights(setting).T).mean())


def scored(test: Table, lines: np.ndarray) -> np.ndarray:
    """R² of every line."""
    return 1 - ((test[1] - lines @ test[0].T) ** 2).mean(1) / test[1].var()


def of_moments(train: Table, test: Table, trust: tacit.Central) -> np.ndarray:
    """R² in the mean over draws: the theorem's, then floors by penalties."""
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
        found.append(scored(test, np.array(lines)))
    return np.mean(found, axis=0)


def claims(what: str, found: list[tuple[float, float, float]], short: float) -> Iterator[Claim]:
    """Of the default's R² beside the best of the grid, where that explains anything."""
    lacking = max(best - default for default, _, best in found if best > 0)
    yield at_most(f"{what}, R² short of the best of the grid, the most", lacking, short)


def main() -> Iterator[Claim]:
    """Prints every case."""
    found = [each for columns in COLUMNS for each in regressions(*wide(columns), FEW, 1.0)]
    yield from claims("wide tables", found, 0.1)
    gained = min(default - plain for default, plain, _ in found[2:])
    yield at_least("20 and 80 columns, R² above that of second moments, the least", gained, 0.15)
    yield from claims("a tenth at the upper end", list(regressions(*skewed(), FEW, 1.0)), 0.05)
    if not FILES.is_dir():
        yield skipped(f"no {FILES}")
        return
    rows, targets = shuffled(housing())
    many = sorted({min(each, len(rows) - TRIED) for each in PEOPLE})
    cases = [(people, epsilon) for people in many for epsilon in EPSILONS]
    found = [each for case in cases for each in regressions(rows, targets, *case)]
    yield from claims("housing", found, 0.05)
    worse = max(plain - default for default, plain, _ in found)
    yield at_most("housing, R² below that of second moments, the most", worse, 0.02)


if __name__ == "__main__":
    settle(main())
