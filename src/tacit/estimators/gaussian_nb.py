"""Naive Bayes of numbers: each class's mean and variance of each, under every trust model."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit.argument import got, is_number
from tacit.estimators import decisions, reading
from tacit.estimators.asked_tables import (
    AskedTables,
    asked_tables,
    class_counts,
    tables_foreseen,
)
from tacit.estimators.asking import charged_to
from tacit.estimators.classifiers_before import before_rows
from tacit.estimators.declared import Bounds, Box, Classes, box_of, classes_of, numbers_of
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.estimators.untouched import untouched
from tacit.ledger.ledger import LedgerOrPath
from tacit.sq.moment_tables import MomentTables, MomentTablesInTurn
from tacit.sq.oracle import QueryLearning
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.people import Reported, Trust, people_of

# Of a share in [0, 1]: narrower is float32's rounding of the mean square.
_NARROWEST = 1e-9


@final
class GaussianNB(ClassifierMixin, BaseEstimator):
    """The likeliest class, if each has independent normal features: from sums with noise.

    All that is learnt is each class's number of people, and its mean and mean square of each
    feature; one release asks for it (`tacit.sq.moment_tables`).

    **Guarantee**: `trust`'s, of all sums together.

    **Error**: `noise_`, of each share that is summed, in people (root mean square); `plan` has it
    before. A variance is never below what noise makes of a mean square, so that no class is surer
    of itself than its numbers are; but where a radius of `Federated` cuts reports, nobody knows
    what noise makes, and `noise_` is None. Without noise it is scikit-learn's.

    | data | what happens |
    | --- | --- |
    | a number outside its bounds | counts as the nearer of them, in `predict` as well |
    | a class that nobody has | has one person, and noise |
    | a feature narrow between wide bounds | is lost in noise: declare narrower bounds |

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      var_smoothing: the part of the widest feature's variance that is added to all variances.

    Fitted, it has scikit-learn's `class_count_`, `class_prior_`, `theta_`, `var_` and `epsilon_`,
    in the units of the data, and `noise_`.
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
        var_smoothing: float = 1e-9,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.var_smoothing = var_smoothing

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = before_rows(self, features, people, EVERY)
        _smoothing(self.var_smoothing)
        learner = _learner(known.trust, len(known.box.lower), len(known.classes))
        asked = QueryLearning(learner, known.trust, known.people)
        return tables_foreseen(asked, charged_to(self), learner.steps)

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, EVERY)
        X, y = reading.labelled(self, X, y, terms.trust)
        smoothing = _smoothing(self.var_smoothing)
        people = people_of(self.people, terms.trust, len(X))
        classes, box = classes_of(self.classes, y, terms.trust), box_of(self.bounds, X, terms.trust)
        learner = _learner(terms.trust, X.shape[1], len(classes))
        shares = (box.cube(X) + 1) / 2
        asked = QueryLearning(learner, terms.trust, people)
        found = asked_tables(terms, asked, shares, numbers_of(y, classes), learner.steps)
        self._keep(found, box, smoothing)
        self._box, self.classes_ = box, classes
        return self

    def _keep(self, found: AskedTables, box: Box, smoothing: float) -> None:
        """Of what was released, what scikit-learn's has."""
        self.noise_, self.class_count_ = found.noise, class_counts(found.tables)
        self.class_prior_ = self.class_count_ / self.class_count_.sum()
        means, squares = moments_of(found.tables, self.class_count_)
        own = squares - means**2
        if found.noise is not None:
            own = np.maximum(own, found.noise / self.class_count_[:, None])
        width = box.upper - box.lower
        self.theta_ = box.lower + width * means
        middle, square = self.class_prior_ @ means, self.class_prior_ @ squares
        # Of noisy squares a variance may be below zero.
        self.epsilon_ = smoothing * float(np.max(width**2 * np.maximum(square - middle**2, 0.0)))
        self.var_ = width**2 * np.maximum(own, _NARROWEST) + self.epsilon_
        self.plan_, self.receipt_ = found.release.plan, found.release.receipt()

    def predict_joint_log_proba(self, X: Any) -> Float[np.ndarray, "people classes"]:
        """The logarithm of how likely each row is together with each class."""
        rows = np.clip(reading.rows_of(self, X), self._box.lower, self._box.upper)
        normed = np.log(2 * np.pi * self.var_).sum(axis=1)
        far = np.stack(
            [
                ((rows - mean) ** 2 / own).sum(axis=1)
                for mean, own in zip(self.theta_, self.var_, strict=True)
            ],
            axis=1,
        )
        return np.log(self.class_prior_) - (normed + far) / 2

    def predict_proba(self, X: Any) -> Float[np.ndarray, "people classes"]:
        """Every class's chance."""
        return decisions.chances(self.predict_joint_log_proba(X))

    def predict_log_proba(self, X: Any) -> Float[np.ndarray, "people classes"]:
        """The logarithm of every class's chance."""
        return decisions.log_chances(self.predict_joint_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class."""
        scores = self.predict_joint_log_proba(X)
        return decisions.chosen(self.classes_, scores)


def moments_of(
    tables: list[Float[np.ndarray, "classes three"]], counts: Float[np.ndarray, " classes"]
) -> tuple[Float[np.ndarray, "classes features"], Float[np.ndarray, "classes features"]]:
    """Means and mean squares of numbers from 0 to 1, from sums of their three shares."""
    sums = np.stack(tables, axis=1)
    means = np.clip((sums[..., 1] / 2 + sums[..., 2]) / counts[:, None], 0.0, 1.0)
    return means, np.clip(sums[..., 2] / counts[:, None], 0.0, 1.0)


def _learner(trust: Trust, features: int, classes: int) -> MomentTables | MomentTablesInTurn:
    """Who asks these people for the least noise."""
    if isinstance(trust, Reported):
        return MomentTablesInTurn(features, classes)
    if isinstance(trust, Federated):
        return MomentTables.in_l2(features, classes)
    normal = isinstance(trust, Central) and trust.delta > 0
    return (MomentTables.in_steps if normal else MomentTables.in_l1)(features, classes)


def _smoothing(part: Any) -> float:
    if not (is_number(part) and 0 <= part < np.inf):
        raise ValueError(f"var_smoothing must be at least 0 and finite, got {got(part)}")
    return float(part)
