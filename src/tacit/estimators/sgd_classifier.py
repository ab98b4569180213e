"""A linear classifier by stochastic gradient rounds: DP-SGD under `Central`."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, gradients, linear
from tacit.estimators.declared import Bounds, box_of, classes_of, numbers_of
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY, Trust, people_of
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import Logistic, Multinomial


@final
class SGDClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression by stochastic gradient rounds.

    Who takes part in a round follows from `trust` (`tacit.estimators.gradients`). A batch of as
    many as there are people, or more, is everybody.

    **Guarantee**: `trust`'s, over all rounds together.

    Parameters common to all estimators are told in `tacit.estimators`.

    Args:
      batch: how many people a round expects.
      rounds: how many.
      rate: the step.
      clip: the longest gradient of one person; none of two classes is longer than sqrt(2), of more
        than 2.
      penalty: of the squared weights over two, per person, intercept included; at least zero.
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
        batch: int = 256,
        rounds: int = 200,
        rate: float = 4.0,
        clip: float = 1.0,
        penalty: float = 1e-4,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.seed = seed
        self.batch = batch
        self.rounds = rounds
        self.rate = rate
        self.clip = clip
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = decisions.labelled(self, X, y)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        classes = classes_of(self.classes, y, terms.trust)
        examples = linear.Examples(box.ball(X), numbers_of(y, classes), people)
        loss = Logistic() if len(classes) == 2 else Multinomial(len(classes))
        model, step = linear.zero(X.shape[1], loss), (self.clip, self.rate, self.penalty)
        learner = gradients.descent(model, loss, *step, self.rounds)
        who = gradients.participation(terms.trust, self.batch, people)
        question = learner.question(who, self.rounds, people)
        weights, made = linear.descended(terms, examples, loss, question, learner)
        coefficients, intercepts = box.line(weights, box.shrink)
        self.coef_, self.intercept_ = np.atleast_2d(coefficients), np.atleast_1d(intercepts)
        self.classes_ = classes
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def decision_function(self, X: Any) -> decisions.Scores:
        """The log-odds of the second class, or every class's up to a constant a row."""
        rows = decisions.rows_of(self, X)
        return decisions.lines(self.coef_, self.intercept_, rows)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Every class's chance."""
        return decisions.chances(self.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
