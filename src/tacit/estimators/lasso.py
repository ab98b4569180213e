"""Sparse linear regression, by private Frank-Wolfe."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from tacit.estimators import decisions, reading
from tacit.estimators.asking import charged_to
from tacit.estimators.declared import Bounds, box_of, target_box_of
from tacit.estimators.fit_plan import FitPlan, PublicNumbers
from tacit.estimators.regression import before_targets
from tacit.estimators.release import Terms
from tacit.estimators.remarked import at_target_bound, remarked
from tacit.estimators.trusts import CURATED
from tacit.estimators.untouched import untouched
from tacit.estimators.words_of_lines import corners_foreseen
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.learning.labelled_rows import with_constant
from tacit.learning.linear_risk import LinearRisk
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
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

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = before_targets(self, features, people, CURATED)
        learner, plan = self._asked(known)
        return corners_foreseen(learner, plan, charged_to(self))

    @remarked
    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their targets `y`, and charges for it."""
        terms = Terms.of(self, CURATED)
        X, y = reading.measured(self, X, y, terms.trust)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        targets = target_box_of(self.target_bounds, y, terms.trust)
        learner, plan = self._asked(PublicNumbers(terms.trust, X.shape[1], people))
        numbers = targets.cube(y[:, None])[:, 0]
        made = terms.released(plan, learner, lambda: (with_constant(box.cube(X)), numbers))
        weights = np.asarray(learner.released(made.state), np.float64)
        self.coef_, self.intercept_ = targets.units(*box.line(weights, 1.0))
        self.box_, self.plan_, self.receipt_ = box, made.plan, made.receipt()
        self.remarks_ = at_target_bound(float(weights[-1]), None)
        return self

    def _asked(self, known: PublicNumbers) -> tuple[FrankWolfe, Plan]:
        """Who asks these people, and what is promised: of public numbers alone."""
        risk = LinearRisk(Huber(self.width), known.features + 1, self.radius)
        learner = FrankWolfe(risk, self.rounds)
        return learner, known.trust.plan(learner.question(known.people))

    def predict(self, X: Any) -> np.ndarray:
        """The expected target."""
        rows = reading.rows_of(self, X)
        return decisions.lines_within(self.box_, self.coef_, self.intercept_, rows)
