"""Naive Bayes of categories: how often each class has each of them, under every trust model."""

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
from tacit.estimators.public_codes import PublicCodes, coded_rows, codes_of
from tacit.estimators.public_tests import Categorical, Declared, Thresholds
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.estimators.untouched import untouched
from tacit.ledger.ledger import LedgerOrPath
from tacit.sq.category_tables import CategoryTables, CategoryTablesInTurn
from tacit.sq.oracle import QueryLearning
from tacit.trust.people import Reported, Trust, people_of


@final
class CategoricalNB(ClassifierMixin, BaseEstimator):
    """The likeliest class, if features were independent within each: from counts with noise.

    All that is learnt is how many people of each class have each category of each feature, and
    one release asks for it. Numbers are put into bins that are declared.

    **Guarantee**: `trust`'s, of all counts together.

    **Error**: `noise_`, of each count, in people (root mean square); `plan` has it before. It is
    None where a radius of `Federated` cuts reports. Without noise it is scikit-learn's.

    | data | what happens |
    | --- | --- |
    | a category that nobody of a class has | counts as `alpha` people, and noise |
    | a count that noise makes negative | is zero |
    | a category that was never declared | is not counted, and says nothing of a row's class |
    | a class that nobody has | has one person, and noise |

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      alpha: so many people more of each class in each category.
      cuts, thresholds, categorical_features: how features become categories, as
        `DecisionTreeClassifier` makes them tests: a number by its bin, a categorical feature by its
        code.

    Fitted, it has scikit-learn's `class_count_`, `category_count_`, `class_log_prior_`,
    `feature_log_prob_` and `n_categories_`, and `noise_`.
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
        alpha: float = 1.0,
        cuts: int = 8,
        thresholds: Thresholds = None,
        categorical_features: Categorical = None,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.alpha = alpha
        self.cuts = cuts
        self.thresholds = thresholds
        self.categorical_features = categorical_features

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        known = before_rows(self, features, people, EVERY)
        _smoothing(self.alpha)
        codes = self._coded(known.box, known.names)
        asked = _asked(codes, len(known.classes), known.trust, known.people)
        return tables_foreseen(asked, charged_to(self))

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms, alpha = Terms.of(self, EVERY), _smoothing(self.alpha)
        X, y = reading.labelled(self, X, y, terms.trust)
        people = people_of(self.people, terms.trust, len(X))
        classes, box = classes_of(self.classes, y, terms.trust), box_of(self.bounds, X, terms.trust)
        codes = self._coded(box, getattr(self, "feature_names_in_", None))
        asked = _asked(codes, len(classes), terms.trust, people)
        labels = numbers_of(y, classes)
        self._keep(asked_tables(terms, asked, coded_rows(codes, X), labels), alpha)
        self._codes, self.classes_ = codes, classes
        return self

    def _coded(self, box: Box, names: Sequence[str] | None) -> tuple[PublicCodes, ...]:
        declared = Declared(self.cuts, self.thresholds, self.categorical_features)
        return codes_of(declared, box, names)

    def _keep(self, found: AskedTables, alpha: float) -> None:
        """Of what was released, what scikit-learn's has."""
        self.noise_ = found.noise
        self.class_count_ = class_counts(found.tables)
        self.class_log_prior_ = np.log(self.class_count_ / self.class_count_.sum())
        self.category_count_ = [np.maximum(own, 0.0) for own in found.tables]
        self.n_categories_ = np.array([own.shape[1] for own in found.tables])
        smooth = [own + alpha for own in self.category_count_]
        self.feature_log_prob_ = [np.log(own / own.sum(axis=1)[:, None]) for own in smooth]
        self.plan_, self.receipt_ = found.release.plan, found.release.receipt()

    def predict_joint_log_proba(self, X: Any) -> Float[np.ndarray, "people classes"]:
        """The logarithm of how likely each row is together with each class."""
        rows = reading.rows_of(self, X)
        scores = np.tile(self.class_log_prior_, (len(rows), 1))
        codes = coded_rows(self._codes, rows).astype(np.int64)
        for own, table in zip(codes.T, self.feature_log_prob_, strict=True):
            scores += np.where(own >= 0, table[:, own], 0.0).T
        return scores

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


def _asked(codes: Sequence[PublicCodes], classes: int, trust: Trust, people: int) -> QueryLearning:
    """Tables of these codes, of so many people."""
    kind = CategoryTablesInTurn if isinstance(trust, Reported) else CategoryTables
    learner = kind(tuple(each.categories for each in codes), classes)
    return QueryLearning(learner, trust, people)


def _smoothing(alpha: Any) -> float:
    if not (is_number(alpha) and 0 < alpha < np.inf):
        raise ValueError(f"alpha must be above 0 and finite, got {got(alpha)}")
    return float(alpha)
