"""Principal components of people's rows, from one question of second moments."""

from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from tacit.estimators import reading
from tacit.estimators.declared import Bounds, Box, box_of
from tacit.estimators.directions import (
    count_of,
    largest,
    largest_of_noise,
    refuse_no_count,
    refuse_unknown_noise,
    shares_of,
)
from tacit.estimators.in_rounds import (
    Axes,
    lost_in_rounds,
    lost_to,
    rounds_instead,
    with_constant,
)
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.ledger.ledger import LedgerOrPath
from tacit.population.release import Release
from tacit.statistics.average import Average
from tacit.statistics.between import refuse_no_square
from tacit.statistics.covariance_answers import Covariances
from tacit.statistics.covariances import BoundedCovariance
from tacit.trust.people import Trust, people_of


@final
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The directions of the largest variance, about the mean: both from one release.

    What is released is the covariance with noise (`tacit.statistics.BoundedCovariance`): without a
    delta the difference of two Wisharts, with one Gaussian noise that is the same in every basis.
    All directions are read off it, so their number costs nothing. Of more columns than a matrix or
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
        for the fewest that hold so much of the variance that is above the noise.

    Fitted, it has scikit-learn's `components_`, `explained_variance_`, `explained_variance_ratio_`,
    `mean_` and `n_components_`, in the units of the data, and `covariance_`; and `noise_`, about
    the largest variance that noise alone makes in some direction. Of rounds `covariance_` and
    `explained_variance_ratio_` are None. Rows to `transform` are not clipped to the bounds.
    `foreseen_loss_` follows from public numbers alone: the share of a direction, sin² of the angle
    to it, that is held to be lost if rows are in corners of the bounds, about the middle, with half
    of their squares spread evenly over `n_components` directions (`estimators.in_rounds`); None
    unless so many are declared.
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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from people's rows `X`, and charges for it; `y` is not looked at."""
        del y
        terms = Terms.of(self, EVERY)
        rows = reading.unlabelled(self, X)
        people, features = people_of(self.people, terms.trust, len(rows)), rows.shape[1]
        refuse_no_count(self.n_components, features)
        box = box_of(self.bounds, rows, terms.trust)
        rounds = rounds_instead(terms.trust, people, features + 1, 1, self.n_components)
        if rounds is None:
            return self._of_matrix(terms, rows, box, people)
        refuse_no_square("the bounds' half diagonal", box.half_diagonal)
        made = terms.released(rounds.plan, rounds.learner(), lambda: with_constant(rows, box))
        self._keep_axes(Axes.centred(rounds, made, box), made)
        self.foreseen_loss_ = lost_in_rounds(rounds)
        return self

    def _of_matrix(self, terms: Terms, rows: np.ndarray, box: Box, people: int) -> Self:
        """From one release of all squares."""
        columns = rows.shape[1]
        asked = BoundedCovariance((box.lower, box.upper), columns, terms.trust, people)
        refuse_unknown_noise(self.n_components, asked.plan)
        learner = Average(asked.plan.sums.contribution.answer_shape)
        made = terms.released(asked.plan, learner, lambda: asked.terms(rows))
        self._keep(asked.read(made, ()))
        noise, unit = largest_of_noise(asked.error), box.half_diagonal**2
        self.foreseen_loss_ = lost_to(noise, unit, self.n_components, columns)
        return self

    def _keep(self, found: Covariances) -> None:
        """Of what was released, what scikit-learn's has."""
        self.covariance_, self.mean_ = found.covariance, found.mean
        directions, variances = largest(found.covariance)
        self.noise_ = largest_of_noise(found.covariance_error)
        self.n_components_ = many = count_of(self.n_components, variances, self.noise_)
        self.components_, self.explained_variance_ = directions[:many], variances[:many]
        self.explained_variance_ratio_ = shares_of(variances[:many], found.covariance)
        self.plan_, self.receipt_ = found.plan, found.receipt()

    def _keep_axes(self, found: Axes, made: Release) -> None:
        """The same of rounds."""
        self.covariance_, self.mean_, self.noise_ = None, found.mean, found.noise
        self.components_, self.n_components_ = found.directions, len(found.directions)
        self.explained_variance_, self.explained_variance_ratio_ = found.squares, None
        self.plan_, self.receipt_ = made.plan, made.receipt()

    def transform(self, X: Any) -> np.ndarray:
        """How far each row is from the mean, along every direction."""
        return (reading.rows_of(self, X) - self.mean_) @ self.components_.T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that are so far from the mean, and lie in these directions alone."""
        return np.asarray(X) @ self.components_ + self.mean_

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
