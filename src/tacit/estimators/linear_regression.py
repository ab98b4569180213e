"""Linear regression."""

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
class LinearRegression(RegressorMixin, BaseEstimator):
    """Least squares, or under `Central` what is foreseen to be nearest to it.

    `Central` minimises Huber's loss with a penalty by objective perturbation, in one release, or,
    where there is a delta, by gradient rounds of everybody: whichever is foreseen to lose least by
    people, features and promise (`tacit.estimators.settings`). With many people that is the squared
    loss. With few the line leans to medians: where few targets are far from all others,
    `Ridge(penalty=0.0)` may predict better.

    Under any other trust it is least squares, from one release of second moments; directions in
    which there is little but noise are raised to it (`tacit.estimators.moments`). That needs many
    more people on wide tables.

    **Guarantee**: `trust`'s, of everything that is learnt.

    `trust`, `bounds`, `target_bounds`, `people`, `ledger`, `population`, `note` and `seed` are
    every regression's (`help(tacit.estimators)`): two tables of different people need two
    `population`s.

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
    ):
        self.trust = trust
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = regression.before_targets(self, features, people, EVERY)
        return line_foreseen(regression.asked_regression(known, None), charged_to(self))

    @remarked
    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their targets `y`, and charges for it."""
        made = regression.fitted(self, X, y, None)
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
