"""A support vector machine with a Gaussian kernel, by random features."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.estimators import decisions, linear, reading
from tacit.estimators.asking import charged_to
from tacit.estimators.classifiers_before import PublicRows, before_rows
from tacit.estimators.declared import RADIUS, Bounds, Classes, box_of, classes_of, numbers_of
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.public_keys import public_key
from tacit.estimators.release import LabelledRows, Terms
from tacit.estimators.trusts import CURATED
from tacit.estimators.untouched import untouched
from tacit.estimators.words_of_lines import line_foreseen
from tacit.features.random_features import RandomFourier
from tacit.learning.labelled_rows import signed
from tacit.ledger.ledger import LedgerOrPath
from tacit.solve.losses import HuberisedHinge
from tacit.solve.one_versus_rest import of_classes
from tacit.trust.people import Trust, people_of


@final
class SVC(ClassifierMixin, BaseEstimator):
    """Separates classes by a kernel machine that does not contain its training rows.

    Rows in the ball become random Fourier features (`tacit.features.random_features`), of which a
    linear support vector machine is learnt, as by `LinearSVC`. Rows to predict are clipped to the
    bounds as well.

    **Guarantee**: `trust`'s, `Central` or none, of everything that is learnt.

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      penalty: as of `LinearSVC`.
      width: as of `LinearSVC`.
      gamma: of the kernel exp(-gamma |x - z|²) of rows in the ball. At 3/4 it is what scikit-learn
        calls "scale", for features that are uniform within their bounds.
      pairs: half as many as features: more are nearer to the kernel, and get more noise.
      frequencies: the public seed of the features, from which no noise is drawn.

    Fitted, it has `settings_` as `LinearSVC` has, `features_` and, for every class (one of two),
    `weights_` and `intercept_`.
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
        gamma: float = 0.75,
        pairs: int = 64,
        frequencies: int = 0,
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
        self.gamma = gamma
        self.pairs = pairs
        self.frequencies = frequencies

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = before_rows(self, features, people, CURATED)
        return line_foreseen(self._asked(known, self._made(known)), charged_to(self))

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, CURATED)
        X, y = reading.labelled(self, X, y, terms.trust)
        people = people_of(self.people, terms.trust, len(X))
        box, classes = box_of(self.bounds, X, terms.trust), classes_of(self.classes, y, terms.trust)
        numbers = numbers_of(y, classes)
        known = PublicRows(terms.trust, people, box, None, classes)
        features = self._made(known)
        asked = self._asked(known, features)
        rows, labels = lambda: RADIUS * features(box.ball(X)), signed(numbers, asked.loss)
        weights, made = asked.released(terms, LabelledRows(rows, labels))
        self.weights_, self.intercept_ = np.atleast_2d(weights[:-1].T), np.atleast_1d(weights[-1])
        self.classes_, self.box_, self.settings_ = classes, box, asked.settings
        self.features_, self.plan_, self.receipt_ = features, made.plan, made.receipt()
        return self

    def _made(self, known: PublicRows) -> RandomFourier:
        """The public features of such rows."""
        key = public_key(self.frequencies, "frequencies")
        return RandomFourier(len(known.box.lower), self.pairs, self.gamma, key)

    def _asked(self, known: PublicRows, features: RandomFourier) -> linear.AskedLine:
        """What is asked of these people, of public numbers alone."""
        loss = of_classes(HuberisedHinge(self.width), len(known.classes))
        numbers = known.numbers._replace(features=features.features)
        return linear.curated(numbers, loss, self.penalty)

    def decision_function(self, X: Any) -> decisions.Scores:
        """The margin of the second class, or each class's against the rest."""
        rows = reading.rows_of(self, X)
        features = RADIUS * self.features_(self.box_.ball(rows))
        return decisions.lines(self.weights_, self.intercept_, features)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)
