"""Linear regression with a penalty on the squared weights."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from tacit.estimators import decisions, reading, regression
from tacit.estimators.asking import charged_to
from tacit.estimators.declared import Bounds
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.remarked import remarked
from tacit.estimators.trusts import EVERY
from tacit.estimators.untouched import untouched
from tacit.estimators.words_of_lines import line_foreseen
from tacit.ledger.ledger import LedgerOrPath
from tacit.trust.people import Trust


@final
class Ridge(RegressorMixin, BaseEstimator):
    """Least squares with a penalty, from one release of everybody's second moments.

    Where noise is added, directions in which there is little else are raised to it first
    (`tacit.estimators.moments`). Without a penalty it is `LinearRegression`.

    **Guarantee**: `trust`'s, of everything that is learnt.

    `trust`, `bounds`, `target_bounds`, `people`, `ledger`, `population`, `note` and `seed` are
    every regression's (`help(tacit.estimators)`): two tables of different people need two
    `population`s.

    Args:
      penalty: of the squared weights over two, per person, intercept included, beside half the
        squared error: of rows in the ball and targets in [-1, 1]. What noise needs is not counted.
        None for what `LinearRegression` does, which under `Central` may be another method and
        choose a penalty; 0.0 for second moments alone.

    Fitted, it has `settings_`: what was used, and the share foreseen to be lost by it (`lost`).
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        bounds: Bounds = None,
        target_bounds: Bounds = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        note: str | None = None,
        seed: int | None = None,
        penalty: float | None = None,
    ):
        self.trust = trust
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.penalty = penalty

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = regression.before_targets(self, features, people, EVERY)
        return line_foreseen(regression.asked_regression(known, self.penalty), charged_to(self))

    @remarked
    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their targets `y`, and charges for it."""
        made = regression.fitted(self, X, y, self.penalty)
        self.coef_, self.intercept_, self.settings_ = (
            made.coefficients,
            made.intercept,
            made.settings,
        )
        self.remarks_ = made.remarks
        self.box_, self.plan_, self.receipt_ = made.box, made.release.plan, made.release.receipt()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected target."""
        rows = reading.rows_of(self, X)
        return decisions.lines_within(self.box_, self.coef_, self.intercept_, rows)
