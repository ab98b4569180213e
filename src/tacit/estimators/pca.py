"""Principal components of people's rows, from one question of second moments."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tacit.estimators import reading
from tacit.estimators.asking import asked_under, charged_to
from tacit.estimators.centred_directions import centred
from tacit.estimators.declared import Bounds, box_before, box_of
from tacit.estimators.directions import FoundDirections
from tacit.estimators.fit_plan import FitPlan, told
from tacit.estimators.release import Terms
from tacit.estimators.trusts import OF_SQUARES
from tacit.estimators.untouched import untouched
from tacit.estimators.words import directions_foreseen
from tacit.ledger.ledger import LedgerOrPath
from tacit.trust.people import Trust, people_of


@final
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The directions of the largest variance, about the mean: both from one release.

    What is released is the covariance with noise (`tacit.statistics.BoundedCovariance`): without a
    delta the difference of two Wisharts, with one Gaussian noise that is the same in every basis.
    All directions are read off it, so their number costs nothing; of a declared number, columns
    that do not stand out of the noise are left out where directions are nearer for it
    (`estimators.kept_columns`). Of more columns than a matrix or
    a report has room for, `n_components` directions are asked for in rounds
    (`estimators.in_rounds`), and nothing but these is known.

    **Guarantee**: `trust`'s, of everything that is learnt.

    **Error**: of the covariance's numbers, `tacit.statistics.BoundedCovariance`'s; the variance
    along a direction is off by at most the largest eigenvalue of the noise. Rounds: see
    `tacit.learning.subspace`.

    `trust`, `bounds`, `people`, `ledger`, `population`, `note` and `seed` are every estimator's
    (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      n_components: how many directions; None for as many as there are features; a share below one
        for the fewest whose `explained_variance_ratio_` add up to it, or, if none do, all that are
        above the noise.

    Fitted, it has scikit-learn's `components_`, `explained_variance_`, `explained_variance_ratio_`,
    `mean_` and `n_components_`, in the units of the data, and `covariance_`; and `noise_`, about
    the largest variance that noise alone makes in some direction. `explained_variance_` is as it
    was released, noise included; of the ratio noise is taken off: it is the share of all variance
    that a direction is held to explain, and zero where noise alone would look like it
    (`estimators.directions`). Of rounds `covariance_` and the ratio are None, and of reports whose
    noise is not known the ratio and `noise_`. Rows to `transform` are not clipped to the bounds.
    `foreseen_loss_` follows from public numbers alone, and `plan` has it before: the share of a
    direction, sin² of the angle to it, that is held to be lost if rows are in corners of the
    bounds, about the middle, with half of their squares spread evenly over `n_components`
    directions (`estimators.in_rounds`); None unless so many are declared.
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        bounds: Bounds = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        note: str | None = None,
        seed: int | None = None,
        n_components: float | None = None,
    ):
        self.trust = trust
        self.bounds = bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.n_components = n_components

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be: no data, no ledger, nothing spent.

        Args:
          features: how many columns, or their names.
          people: how many there are, if the estimator was not told.

        Raises:
          ValueError: if a fit would be refused for it: there is no such plan.
        """
        trust = asked_under(self, OF_SQUARES)
        many, people = told(features, people, self.people, trust)
        asked = centred(trust, people, box_before(self.bounds, many), self.n_components)
        return directions_foreseen(asked, charged_to(self), "variance")

    @untouched
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from people's rows `X`, and charges for it; `y` is not looked at."""
        del y
        terms = Terms.of(self, OF_SQUARES)
        rows = reading.unlabelled(self, X, terms.trust)
        people = people_of(self.people, terms.trust, len(rows))
        box = box_of(self.bounds, rows, terms.trust)
        asked = centred(terms.trust, people, box, self.n_components)
        with terms.held() as held:
            made = held.released(asked.plan, asked.learner(), lambda: asked.terms(rows))
            self._keep(asked.found(made))
        self.foreseen_loss_ = asked.lost(1.0)
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def _keep(self, found: FoundDirections) -> None:
        """Of what was released, what scikit-learn's has."""
        self.covariance_, self.mean_, self.noise_ = found.moments, found.mean, found.noise
        self.components_, self.n_components_ = found.directions, len(found.directions)
        self.explained_variance_ = found.squares
        self.explained_variance_ratio_ = found.explained

    def transform(self, X: Any) -> np.ndarray:
        """How far each row is from the mean, along every direction."""
        return (reading.rows_of(self, X) - self.mean_) @ self.components_.T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that are so far from the mean, and lie in these directions alone."""
        check_is_fitted(self)
        return np.asarray(X) @ self.components_ + self.mean_

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
