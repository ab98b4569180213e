"""A neural network, by stochastic gradient rounds: DP-SGD under `Central`."""

from collections.abc import Sequence
from typing import Any, Self, final

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.argument import refuse_not_counted
from tacit.estimators import decisions, gradients, reading
from tacit.estimators.asking import charged_to
from tacit.estimators.classifiers_before import PublicRows, before_rows
from tacit.estimators.declared import Bounds, Classes, box_of, classes_of, numbers_of
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.public_keys import public_key
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.estimators.untouched import untouched
from tacit.estimators.words_of_lines import gradients_foreseen
from tacit.learning.descent import Descent
from tacit.ledger.ledger import LedgerOrPath
from tacit.models.networks import Perceptron
from tacit.plan import Plan
from tacit.solve.losses import Multinomial
from tacit.trust.people import Trust, people_of


@final
class NeuralClassifier(ClassifierMixin, BaseEstimator):
    """Learns a small network, or any Equinox model, by stochastic gradient rounds.

    Rows are in the cube: every feature in [-1, 1]. Rows to predict are clipped to the bounds as
    well. Who takes part in a round follows from `trust` (`tacit.estimators.gradients`).

    **Guarantee**: `trust`'s, over all rounds together.

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      model: of one row, giving one score a class; None is one hidden layer of `hidden` units. Its
        first weights are public: no model that was fitted to these people before.
      hidden: how many units.
      batch: how many people a round expects.
      rounds: how many.
      rate: the step.
      clip: the longest gradient of one person.
      start: the public seed of the first weights, from which no noise is drawn.

    Fitted, it has the model, as `model_`.
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
        model: eqx.Module | None = None,
        hidden: int = 16,
        batch: int = 256,
        rounds: int = 200,
        rate: float = 0.5,
        clip: float = 1.0,
        start: int = 0,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.model = model
        self.hidden = hidden
        self.batch = batch
        self.rounds = rounds
        self.rate = rate
        self.clip = clip
        self.start = start

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        learner, plan = self._asked(before_rows(self, features, people, EVERY))
        return gradients_foreseen(learner, plan, charged_to(self))

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = reading.labelled(self, X, y, terms.trust)
        people = people_of(self.people, terms.trust, len(X))
        box, classes = box_of(self.bounds, X, terms.trust), classes_of(self.classes, y, terms.trust)
        numbers = numbers_of(y, classes).astype(np.float32)
        learner, plan = self._asked(PublicRows(terms.trust, people, box, None, classes))
        asking = gradients.of_any_numbers(learner)
        made = terms.released(plan, asking, lambda: (box.cube(X), numbers))
        self.classes_, self.box_, self.model_ = classes, box, learner.released(made.state)
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def _asked(self, known: PublicRows) -> tuple[Descent, Plan]:
        """Who asks these people, and what is promised: of public numbers alone."""
        classes = len(known.classes)
        model = self._first(len(known.box.lower), classes) if self.model is None else self.model
        loss = Multinomial(classes)
        learner = gradients.descent(model, loss, self.clip, self.rate, 0.0, self.rounds)
        return learner, gradients.planned(known.numbers, learner, self.batch, self.rounds)

    def _first(self, features: int, classes: int) -> Perceptron:
        refuse_not_counted("hidden", self.hidden)
        return Perceptron(features, int(self.hidden), classes, public_key(self.start, "start"))

    def decision_function(self, X: Any) -> decisions.Scores:
        """The log-odds of the second class, or every class's up to a constant a row."""
        rows = reading.rows_of(self, X)
        return _scores(self.model_, self.box_.cube(rows))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Every class's chance."""
        return decisions.chances(self.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score."""
        scores = self.decision_function(X)
        return decisions.chosen(self.classes_, scores)


def _scores(model: eqx.Module, rows: Float[np.ndarray, "people features"]) -> decisions.Scores:
    """A model's scores of every row; of two classes, how far the second is above the first."""
    found = np.asarray(_every(model, rows), np.float64)
    return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found


@eqx.filter_jit
def _every(model, rows):
    return jax.vmap(model)(rows)
