"""The directions of the largest squares of people's rows, which are not centred."""

import math
from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tacit.argument import got, is_number
from tacit.contribution.vectors import ROUNDED_UNIT
from tacit.estimators import reading
from tacit.estimators.asking import asked_under, charged_to
from tacit.estimators.directions import FoundDirections
from tacit.estimators.fit_plan import FitPlan, told
from tacit.estimators.plain_directions import plain
from tacit.estimators.release import Terms
from tacit.estimators.trusts import OF_SQUARES
from tacit.estimators.untouched import untouched
from tacit.estimators.words import directions_foreseen
from tacit.ledger.ledger import LedgerOrPath
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust, people_of


@final
class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The right singular vectors of people's rows, of the largest singular values.

    What is released is the mean of all x x' with noise, as of `PCA`; a left singular vector would
    be a number for each person, and is no part of it. Rows longer than `radius` are shortened to
    it: for counts, one-hot columns and rows that are scaled already. Columns whose squares do not
    stand out of the noise are left out where so many directions are nearer for it
    (`estimators.kept_columns`). Of more columns than a matrix
    or a report has room for, `n_components` directions are asked for in rounds
    (`estimators.in_rounds`).

    **Guarantee**: `trust`'s, of everything that is learnt.

    **Error**: `plan_.error`, of the matrix in squared Frobenius norm; the mean square along a
    direction is off by at most the largest eigenvalue of the noise, about `noise_`. From the exact
    matrix of squares, `components_.T * explained_second_moment_ @ components_` is off by at most
    its first eigenvalue that is not kept and twice that, in the largest of the sizes of eigenvalues
    (Weyl, twice), if no column was left out: one that was has zeros in `components_`.
    Rounds: see `tacit.learning.subspace`.

    `trust`, `people`, `ledger`, `population`, `note` and `seed` are every estimator's
    (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      radius: of the rows' L2 norm, public; under `NonPrivate` the longest row's if left out.
      n_components: how many directions; None for as many as there are features; a share below one
        for the fewest whose `explained_second_moment_ratio_` add up to it, or, if none do, all
        that are above the noise.

    Fitted, it has `components_`, `explained_second_moment_` (the mean square along each, noise
    included), `explained_second_moment_ratio_` (the share of the whole mean square that each is
    held to explain, without its noise, as of `PCA`; None of rounds, which ask for no whole),
    `singular_values_` and `n_components_`; and `noise_`, about the largest mean square that noise
    alone makes along some direction; of reports that are cut off neither it nor the ratio is known,
    and both are None. `foreseen_loss_` follows from public numbers alone, and `plan`
    has it before: the share of a direction, sin² of the angle to it, that is held to be lost if
    rows are as long as `radius`, with half of their squares spread evenly over `n_components`
    directions (`estimators.in_rounds`); None unless so many are declared.
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

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `PCA`."""
        trust = asked_under(self, OF_SQUARES)
        many, people = told(features, people, self.people, trust)
        asked = plain(trust, people, many, _declared(self.radius), self.n_components)
        return directions_foreseen(asked, charged_to(self), "mean square")

    @untouched
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from people's rows `X`, and charges for it; `y` is not looked at."""
        del y
        terms = Terms.of(self, OF_SQUARES)
        rows = reading.unlabelled(self, X, terms.trust)
        people = people_of(self.people, terms.trust, len(rows))
        radius = _radius(self.radius, rows, terms.trust)
        asked = plain(terms.trust, people, rows.shape[1], radius, self.n_components)
        with terms.held() as held:
            made = held.released(asked.plan, asked.learner(), lambda: asked.terms(rows))
            self._keep(asked.found(made), people)
        self.foreseen_loss_ = asked.lost(1.0)
        self.plan_, self.receipt_ = made.plan, made.receipt()
        return self

    def _keep(self, found: FoundDirections, people: int) -> None:
        """Of what was released, what scikit-learn's has."""
        self.components_, self.n_components_ = found.directions, len(found.directions)
        self.explained_second_moment_, self.noise_ = found.squares, found.noise
        self.explained_second_moment_ratio_ = found.explained
        self.singular_values_ = np.sqrt(found.squares * people)

    def transform(self, X: Any) -> np.ndarray:
        """Each row along every direction."""
        return reading.rows_of(self, X) @ self.components_.T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that lie in these directions alone."""
        check_is_fitted(self)
        return np.asarray(X) @ self.components_

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def _radius(radius: Any, rows: Float[np.ndarray, "people features"], trust: Trust) -> float:
    """The declared one, or the longest row's where nothing is promised."""
    if radius is None and isinstance(trust, NonPrivate):
        return float(np.linalg.norm(rows, axis=1).max() * ROUNDED_UNIT) or 1.0
    return _declared(radius)


def _declared(radius: Any) -> float:
    """A ValueError if there is none."""
    if not (is_number(radius) and 0 < radius < math.inf):
        raise ValueError(
            "radius must be declared, a positive and finite number: read off the data it would "
            f"tell about people, got {got(radius)}"
        )
    return float(radius)
