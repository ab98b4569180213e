"""A linear classifier by gradient rounds: of everybody, or DP-SGD."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, linear, reading
from tacit.estimators.asked_lines import AskedDescent, AskedRounds
from tacit.estimators.classifiers_before import PublicRows
from tacit.estimators.declared import Bounds, Classes
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.remarked import remarked
from tacit.estimators.settings import ROUNDS
from tacit.estimators.untouched import untouched
from tacit.ledger.ledger import LedgerOrPath
from tacit.trust.people import Trust


@final
class SGDClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression by gradient rounds.

    Who takes part in a round follows from `trust` (`tacit.estimators.gradients`). A batch of as
    many as there are people, or more, is everybody: with the least noise for what is learnt. A
    smaller one is DP-SGD, for more people than a round should read.

    **Guarantee**: `trust`'s, over all rounds together.

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      batch: how many people a round expects; None for everybody.
      rounds: how many.
      rate: the step; None for what is foreseen to be best at the plan's noise
        (`tacit.estimators.settings`).
      clip: the longest gradient of one person; none of two classes is longer than sqrt(5), of more
        than sqrt(10). None for half of that, which is no less than the first round's, or little.
      penalty: of the squared weights over two, per person, intercept included; at least zero.

    Fitted, it has `settings_`: the rounds, rate and clip, and the share foreseen to be lost by
    them (`lost`), if the rate was not given.
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
        batch: int | None = None,
        rounds: int = ROUNDS,
        rate: float | None = None,
        clip: float | None = None,
        penalty: float = 0.0,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.batch = batch
        self.rounds = rounds
        self.rate = rate
        self.clip = clip
        self.penalty = penalty

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

    def _asked(self, known: PublicRows) -> AskedDescent:
        """What is asked of these people, of public numbers alone."""
        asked = AskedRounds(self.batch, self.rounds, self.rate, self.clip, self.penalty)
        return AskedDescent.of(known.numbers, linear.log_loss(len(known.classes)), asked)

    def decision_function(self, X: Any) -> decisions.Scores:
        """The log-odds of the second class, or every class's up to a constant a row."""
        rows = reading.rows_of(self, X)
        return decisions.lines_within(self.box_, self.coef_, self.intercept_, rows)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Every class's chance."""
        return decisions.chances(self.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
