"""Linear regression."""

from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from tacit.estimators import decisions, moments, reading
from tacit.estimators.declared import Bounds, box_of, target_box_of
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.ledger.ledger import LedgerOrPath
from tacit.trust.people import Trust, people_of


@final
class LinearRegression(RegressorMixin, BaseEstimator):
    """Least squares, from one release of everybody's second moments.

    Where noise is added, directions in which there is little else are raised to it; nothing is done
    where the data decide (`tacit.estimators.moments`).

    **Guarantee**: `trust`'s, of everything that is learnt.

    Parameters common to all estimators are told in `tacit.estimators`.
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
        seed: int | None = None,
    ):
        self.trust = trust
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their targets `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = reading.measured(self, X, y)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        targets = target_box_of(self.target_bounds, y, terms.trust)
        examples = moments.RegressionData(box, targets, X, y, people)
        self.coef_, self.intercept_, made = moments.fitted(terms, examples, 0.0)
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected target."""
        rows = reading.rows_of(self, X)
        return decisions.lines(self.coef_, self.intercept_, rows)
