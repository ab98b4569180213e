"""Logistic regression, of two classes or many (multinomial)."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, linear, reading
from tacit.estimators.declared import REACH, Bounds, box_of, classes_of, numbers_of
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import Logistic, Multinomial
from tacit.trust.people import Trust, people_of


@final
class LogisticRegression(ClassifierMixin, BaseEstimator):
    """Learns the log-odds of classes as linear functions of the features.

    **Guarantee**: `trust`'s, of everything that is learnt. `Central` solves by objective
    perturbation, in one release; `Local`, `Shuffled` and `Federated` by gradient rounds, everybody
    in one of them.

    Parameters common to all estimators are told in `tacit.estimators`.

    Args:
      penalty: of the squared weights over two, per person, intercept included; None, for a curator,
        for the settings foreseen to lose least by people, features and promise
        (`tacit.estimators.settings`). `Central` raises it where the promise needs it:
        `plan_.server.mechanism.mechanism.raised` says to what.
      rounds: of gradients, where people randomise.
      rate: the step of such a round.

    Fitted, it has `settings_`: what was used.
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
        penalty: float | None = None,
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
        self.rounds = rounds
        self.rate = rate

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = reading.labelled(self, X, y)
        people = people_of(self.people, terms.trust, len(X))
        box = box_of(self.bounds, X, terms.trust)
        classes = classes_of(self.classes, y, terms.trust)
        numbers = numbers_of(y, classes)
        examples = linear.ClassificationData(lambda: box.ball(X), X.shape[1], numbers, people)
        loss = Logistic() if len(classes) == 2 else Multinomial(len(classes))
        steps = linear.AskedRounds(
            None, self.rounds, self.rate, loss.lipschitz(REACH), self.penalty or 0.0
        )
        weights, self.settings_, made = linear.weights_of(
            terms, examples, loss, self.penalty, steps
        )
        coefficients, intercepts = box.line(weights, box.shrink)
        self.coef_, self.intercept_ = np.atleast_2d(coefficients), np.atleast_1d(intercepts)
        self.classes_ = classes
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def decision_function(self, X: Any) -> decisions.Scores:
        """The log-odds of the second class, or every class's up to a constant a row."""
        rows = reading.rows_of(self, X)
        return decisions.lines(self.coef_, self.intercept_, rows)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Every class's chance."""
        return decisions.chances(self.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
