"""A linear support vector machine, of two classes or many (one versus the rest)."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, linear, reading
from tacit.estimators.classifiers_before import PublicRows
from tacit.estimators.declared import Bounds, Classes
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.remarked import remarked
from tacit.estimators.untouched import untouched
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import HuberisedHinge
from tacit.solve.one_versus_rest import of_classes
from tacit.trust.people import Trust


@final
class LinearSVC(ClassifierMixin, BaseEstimator):
    """Separates classes by the widest soft margin.

    The loss is the hinge with a parabola in the place of its corner, for objective perturbation
    needs a bound on curvature. Several classes are learnt one against the rest, all in one release
    (`tacit.solve.one_versus_rest`).

    **Guarantee**: `trust`'s, and learnt as `LogisticRegression` is.

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      penalty: of the squared weights over two, per person, intercept included; None, for a curator,
        for what is foreseen to lose least by people, features and promise: a penalty, or, where
        there is a delta, gradient rounds (`tacit.estimators.settings`). One that is given is for
        objective perturbation, which raises it where the promise needs it:
        `plan_.server.facts.penalty` says to what. Where there is no curator, None is 0.
      width: of the parabola: margins within it of 1.
      rounds: of gradients, where there is no curator: one's rounds are chosen as a penalty is,
        whatever these two are.
      rate: the step of a round, where there is no curator.

    Fitted, it has `settings_`: what was used, and the share foreseen to be lost by it (`lost`).
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        bounds: Bounds = None,
        classes: Classes = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        note: str | None = None,
        seed: int | None = None,
        penalty: float | None = None,
        width: float = 0.5,
        rounds: int = 20,
        rate: float = 0.25,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.penalty = penalty
        self.width = width
        self.rounds = rounds
        self.rate = rate

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        return linear.lines_before(self, features, people, self._asked)

    @remarked
    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        made = linear.fitted(self, X, y, self._asked)
        self.coef_, self.intercept_ = made.coefficients, made.intercepts
        self.classes_, self.box_, self.settings_ = made.classes, made.box, made.settings
        self.plan_, self.receipt_ = made.release.plan, made.release.receipt()
        self.remarks_ = made.remarks
        return self

    def _asked(self, known: PublicRows) -> linear.AskedLine:
        """What is asked of these people, of public numbers alone."""
        loss = of_classes(HuberisedHinge(self.width), len(known.classes))
        return linear.asked_line(known.numbers, loss, self.penalty, linear.steps_of(self, loss))

    def decision_function(self, X: Any) -> decisions.Scores:
        """The margin of the second class, or each class's against the rest."""
        rows = reading.rows_of(self, X)
        return decisions.lines_within(self.box_, self.coef_, self.intercept_, rows)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
