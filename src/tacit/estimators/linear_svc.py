"""A linear support vector machine, of two classes or many (one versus the rest)."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, linear
from tacit.estimators.declared import Bounds, box_of, classes_of, numbers_of
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY, Trust, people_of
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import HuberisedHinge
from tacit.solve.one_versus_rest import of_classes


@final
class LinearSVC(ClassifierMixin, BaseEstimator):
    """Separates classes by the widest soft margin.

    The loss is the hinge with a parabola in the place of its corner, for objective perturbation
    needs a bound on curvature. Several classes are learnt one against the rest, all in one release
    (`tacit.solve.one_versus_rest`).

    **Guarantee**: `trust`'s, as for `LogisticRegression`.

    Parameters common to all estimators are told in `tacit.estimators`.

    Args:
      penalty: of the squared weights over two, per person, intercept included; `Central` raises
        it where the promise needs it.
      width: of the parabola: margins within it of 1.
      rounds: of gradients, where people randomise.
      rate: the step of such a round.
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        bounds: Bounds = None,
        classes: Sequence[Any] | None = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        seed: int | None = None,
        penalty: float = 1e-3,
        width: float = 0.5,
        rounds: int = 20,
        rate: float = 1.0,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.seed = seed
        self.penalty = penalty
        self.width = width
        self.rounds = rounds
        self.rate = rate

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = decisions.labelled(self, X, y)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        classes = classes_of(self.classes, y, terms.trust)
        examples = linear.Examples(box.ball(X), numbers_of(y, classes), people)
        loss = of_classes(HuberisedHinge(self.width), len(classes))
        weights, made = linear.weights_of(
            terms, examples, loss, self.penalty, self.rounds, self.rate
        )
        coefficients, intercepts = box.line(weights, box.shrink)
        self.coef_, self.intercept_ = np.atleast_2d(coefficients), np.atleast_1d(intercepts)
        self.classes_ = classes
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def decision_function(self, X: Any) -> decisions.Scores:
        """The margin of the second class, or each class's against the rest."""
        rows = decisions.rows_of(self, X)
        return decisions.lines(self.coef_, self.intercept_, rows)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
