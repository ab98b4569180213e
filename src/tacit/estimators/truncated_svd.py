"""The directions of the largest squares of people's rows, which are not centred."""

import math
from typing import Any, Self, cast, final

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from tacit.argument import got, is_number
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.contribution.vectors import ROUNDED_UNIT
from tacit.estimators import reading
from tacit.estimators.directions import (
    count_of,
    largest,
    largest_of_noise,
    refuse_no_count,
    refuse_unknown_noise,
    shares_of,
)
from tacit.estimators.in_rounds import Axes, lost_in_rounds, lost_to, rounds_instead
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.server.symmetric import variances_of
from tacit.statistics.average import Average
from tacit.statistics.between import in_units, refuse_no_square
from tacit.statistics.one_round import one_round
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust, people_of


@final
class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The right singular vectors of people's rows, of the largest singular values.

    What is released is the mean of all x x' with noise, as of `PCA`; a left singular vector would
    be a number for each person, and is no part of it. Rows longer than `radius` are shortened to
    it: for counts, one-hot columns and rows that are scaled already. Of more columns than a matrix
    or a report has room for, `n_components` directions are asked for in rounds
    (`estimators.in_rounds`).

    **Guarantee**: `trust`'s, of everything that is learnt.

    **Error**: `plan_.error`, of the matrix in squared Frobenius norm; the mean square along a
    direction is off by at most the largest eigenvalue of the noise, about `noise_`. From the exact
    matrix of squares, `components_.T * explained_second_moment_ @ components_` is off by at most
    its first eigenvalue that is not kept and twice that, in the largest of the sizes of eigenvalues
    (Weyl, twice). Rounds: see `tacit.learning.subspace`.

    `trust`, `people`, `ledger`, `population`, `note` and `seed` are every estimator's
    (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      radius: of the rows' L2 norm, public; under `NonPrivate` the longest row's if left out.
      n_components: how many directions; None for as many as there are features; a share below one
        for the fewest that hold so much of the mean square that is above the noise.

    Fitted, it has `components_`, `explained_second_moment_` (the mean square along each),
    `explained_second_moment_ratio_` (None of rounds, which ask for no total), `singular_values_`
    and `n_components_`; and `noise_`, about the largest mean square that noise alone makes along
    some direction. `foreseen_loss_` follows from public numbers alone: the share of a direction,
    sin² of the angle to it, that is held to be lost if rows are as long as `radius`, with half of
    their squares spread evenly over `n_components` directions (`estimators.in_rounds`); None unless
    so many are declared.
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        radius: float | None = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        note: str | None = None,
        seed: int | None = None,
        n_components: float | None = None,
    ):
        self.trust = trust
        self.radius = radius
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
        radius = _radius(self.radius, rows, terms.trust)
        refuse_no_square("radius", radius)
        rounds = rounds_instead(terms.trust, people, features, 0, self.n_components)
        if rounds is None:
            return self._of_matrix(terms, rows, radius, people)
        made = terms.released(rounds.plan, rounds.learner(), lambda: in_units(rows, radius))
        self._keep_axes(Axes.of(rounds, made), radius**2, made, people)
        self.foreseen_loss_ = lost_in_rounds(rounds)
        return self

    def _of_matrix(self, terms: Terms, rows: np.ndarray, radius: float, people: int) -> Self:
        """From one release of all squares."""
        shape = Outer(rows.shape[1], radius, levels_for(people))
        plan = one_round(terms.trust, shape, people)
        refuse_unknown_noise(self.n_components, plan)
        learner = Average(shape.answer_shape)
        self._keep(terms.released(plan, learner, lambda: in_units(rows, 1.0)), people)
        self.foreseen_loss_ = lost_to(self.noise_, radius**2, self.n_components, rows.shape[1])
        return self

    def _keep(self, made: Release, people: int) -> None:
        """Of what was released, what scikit-learn's has."""
        moments = np.asarray(made.answer, np.float64)
        directions, squares = largest(moments)
        self.noise_ = largest_of_noise(_errors(made.plan, len(moments)))
        self.n_components_ = many = count_of(self.n_components, squares, self.noise_)
        self.components_, self.explained_second_moment_ = directions[:many], squares[:many]
        self.explained_second_moment_ratio_ = shares_of(self.explained_second_moment_, moments)
        self.singular_values_ = np.sqrt(self.explained_second_moment_ * people)
        self.plan_, self.receipt_ = made.plan, made.receipt()

    def _keep_axes(self, found: Axes, unit: float, made: Release, people: int) -> None:
        """The same of rounds."""
        self.components_, self.n_components_ = found.directions, len(found.directions)
        self.explained_second_moment_, self.noise_ = unit * found.squares, unit * found.noise
        self.explained_second_moment_ratio_ = None
        self.singular_values_ = np.sqrt(self.explained_second_moment_ * people)
        self.plan_, self.receipt_ = made.plan, made.receipt()

    def transform(self, X: Any) -> np.ndarray:
        """Each row along every direction."""
        return reading.rows_of(self, X) @ self.components_.T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that lie in these directions alone."""
        return np.asarray(X) @ self.components_

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def _errors(plan: Plan, features: int) -> Float[np.ndarray, "features features"]:
    """Of each number of the matrix: twice the variance on the diagonal, as all its noise has."""
    error = math.nan if plan.error is None else plan.error
    each = error / variances_of(features)
    return np.sqrt(each / 2 * (1 + np.eye(features)))


def _radius(radius: Any, rows: Float[np.ndarray, "people features"], trust: Trust) -> float:
    """The declared one; a ValueError if there is none though something is promised."""
    if radius is None and isinstance(trust, NonPrivate):
        return float(np.linalg.norm(rows, axis=1).max() * ROUNDED_UNIT) or 1.0
    if not (is_number(radius) and 0 < cast(float, radius) < math.inf):
        raise ValueError(
            "radius must be declared, a positive and finite number: read off the data it would "
            f"tell about people, got {got(radius)}"
        )
    return float(cast(float, radius))
