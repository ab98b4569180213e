"""Sparse linear regression, by private Frank-Wolfe."""

from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from tacit.estimators import decisions, reading
from tacit.estimators.declared import Bounds, box_of, target_box_of
from tacit.estimators.release import Terms
from tacit.estimators.trusts import CURATED
from tacit.learning.classifiers import with_constant
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.learning.linear_risk import LinearRisk
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import Huber
from tacit.trust.people import Trust, people_of


@final
class Lasso(RegressorMixin, BaseEstimator):
    """Least squares among weights of small L1 norm: few of them are not zero.

    A corner of the L1 ball a round is chosen privately (`tacit.learning.frank_wolfe`), so that the
    price grows with the logarithm of the number of features. After T rounds at most T weights are
    not zero.

    **Guarantee**: `trust`'s, over all rounds together: `Central` or none.

    `trust`, `bounds`, `target_bounds`, `people`, `ledger`, `population`, `note` and `seed` are
    every regression's (`help(tacit.estimators)`): two tables of different people need two
    `population`s.

    Args:
      radius: the largest L1 norm of the weights, intercept included, in units where features and
        targets are in [-1, 1].
      rounds: how many corners are chosen.
      width: longer errors have the slope of one of this length (the Huber loss), in the same units.
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
        radius: float = 1.0,
        rounds: int = 30,
        width: float = 1.0,
    ):
        self.trust = trust
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.radius = radius
        self.rounds = rounds
        self.width = width

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their targets `y`, and charges for it."""
        terms = Terms.of(self, CURATED)
        X, y = reading.measured(self, X, y, terms.trust)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        targets = target_box_of(self.target_bounds, y, terms.trust)
        risk = LinearRisk(Huber(self.width), X.shape[1] + 1, self.radius)
        learner = FrankWolfe(risk, self.rounds)
        numbers = targets.cube(y[:, None])[:, 0]
        plan = terms.trust.plan(learner.question(people))
        made = terms.released(plan, learner, lambda: (with_constant(box.cube(X)), numbers))
        weights = np.asarray(learner.released(made.state), np.float64)
        self.coef_, self.intercept_ = targets.units(*box.line(weights, 1.0))
        self.box_, self.plan_, self.receipt_ = box, made.plan, made.receipt()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected target."""
        rows = reading.rows_of(self, X)
        return decisions.lines_within(self.box_, self.coef_, self.intercept_, rows)
