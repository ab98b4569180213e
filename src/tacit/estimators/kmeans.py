"""Centres of people's clusters, and nothing about who is in which."""

import math
from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin

from tacit.argument import got, is_whole
from tacit.estimators import reading
from tacit.estimators.asking import asked_under, charged_to
from tacit.estimators.clusterings import Ways
from tacit.estimators.declared import Bounds, Box, box_before, box_of
from tacit.estimators.fit_plan import FitPlan, columns_told, told
from tacit.estimators.release import Terms
from tacit.estimators.trusts import EVERY
from tacit.estimators.unlike_bounds import warn_of_unlike_bounds
from tacit.estimators.untouched import untouched
from tacit.estimators.words import clusters_foreseen
from tacit.ledger.ledger import LedgerOrPath
from tacit.statistics.one_round import refuse_secret_devices
from tacit.trust.people import Trust, people_of

# All tries of so many centres are held at once.
MOST_CLUSTERS = 16_384


@final
class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Points of which everybody has one near: k centres, from counts and sums with noise.

    In a box of few columns people are counted in cells, and the noisy counts are clustered; with
    more of them everybody is asked in rounds which centre they are nearest to, and how far off it
    is; a curator's rounds first search where people are. Which, how fine and how many rounds
    follows from public numbers (`tacit.estimators.clusterings`). Distances are those of the data's
    own units: a column with wider bounds weighs more, and has more noise; a warning
    names columns whose bounds are so much narrower that they decide nothing.

    **Guarantee**: `trust`'s, of everything that is learnt.

    **Error**: `foreseen_rmse_`, of a centre, a distance (root mean square): by noise, by what
    cells or few rounds cost, and for clusters of like sizes. It is a bound, and no prediction: of
    clusters that are told apart a third of it or less was measured, as errors within cells cancel,
    and people fill a part of the box. No public number predicts a centre's error, which is of the
    clusters that people form. What is predicted, and within a twentieth of what is measured, is
    noise's own part: how far it moves the mean of one of `n_clusters` like parts of people evenly
    in the bounds, which `plan` prints. Centres are local optima as all of k-means', and nothing is
    foreseen of how good a clustering there is: `score` on other people's rows tells.

    | data | what happens |
    | --- | --- |
    | an empty cluster | its noisy count decides like any other's: the centre stays, or moves |
    | fewer people than clusters | some centres are of nobody |

    **Labels are about people.** A fit keeps none: there is no `labels_`, no `inertia_`. `predict`
    and `fit_predict` return the nearest centres of rows to whoever holds these, and `score` the sum
    of their squared distances, negative; no noise is on them, and no ledger is charged.

    `trust`, `bounds`, `people`, `ledger`, `population`, `note` and `seed` are every estimator's
    (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      n_clusters: how many centres, at most 16,384, and at most as many as people are declared.

    Fitted, it has scikit-learn's `cluster_centers_`, in the units of the data and within the
    bounds, and `foreseen_rmse_`, which `plan` has before. Rows to `predict` are not clipped to
    the bounds.

    References:
        Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework".
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
        n_clusters: int = 8,
    ):
        self.trust = trust
        self.bounds = bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.n_clusters = n_clusters

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `PCA`."""
        trust = asked_under(self, EVERY)
        many, people = told(features, people, self.people, trust)
        box, names = box_before(self.bounds, many), columns_told(features)[1]
        ways, unit = self._ways(trust, people, box, names or ()), box.half_diagonal
        return clusters_foreseen(ways, int(self.n_clusters), unit, charged_to(self))

    @untouched
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from people's rows `X`, and charges for it; `y` is not looked at."""
        del y
        terms = Terms.of(self, EVERY)
        rows = reading.unlabelled(self, X, terms.trust)
        people = people_of(self.people, terms.trust, len(rows))
        box = box_of(self.bounds, rows, terms.trust)
        names = getattr(self, "feature_names_in_", ())
        way = self._ways(terms.trust, people, box, names).best
        with terms.held() as held:
            release = held.released(way.plan, way.learner(), lambda: way.terms(box.placed(rows)))
            centres = way.centres(release)
        size, middle = box.half_diagonal, box.middle
        self.cluster_centers_ = size * centres + middle
        self.foreseen_rmse_ = size * math.sqrt(way.error)
        self.plan_, self.receipt_ = release.plan, release.receipt()
        return self

    def _ways(self, trust: Trust, people: int, box: Box, names: Sequence[str]) -> Ways:
        """All there are, of public numbers alone; bounds too unlike are warned of."""
        refuse_secret_devices(trust, "clustering")
        if self.bounds is not None:
            warn_of_unlike_bounds(box.sides, names)
        return Ways.of(trust, people, box.sides, _of_people(self.n_clusters, people))

    def predict(self, X: Any) -> Int[np.ndarray, " people"]:
        """Each row's nearest centre."""
        return pairwise_distances_argmin(*self._apart(X))

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Int[np.ndarray, " people"]:
        """`fit`, and `predict` of the same rows: for whoever holds them, and not to publish."""
        return self.fit(X, y, **kwargs).predict(X)

    def transform(self, X: Any) -> Float[np.ndarray, "people clusters"]:
        """How far each row is from every centre."""
        return euclidean_distances(*self._apart(X))

    def _apart(
        self, X: Any
    ) -> tuple[Float[np.ndarray, "people features"], Float[np.ndarray, "clusters features"]]:
        """Rows and centres from the middle of these, in float64: far from zero squares have no
        digits left for how far they are from one another."""
        rows, middle = reading.rows_of(self, X), self.cluster_centers_.mean(axis=0)
        return rows - middle, self.cluster_centers_ - middle

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of the rows' squared distances from their nearest centres, negative.

        For the curator's eyes, like every score.
        """
        del y
        return -float(np.square(self.transform(X).min(axis=1)).sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def _of_people(clusters: Any, people: int) -> int:
    """As many at most as people were declared: what more there are hold noise, and take long."""
    whole = _whole(clusters)
    if not whole <= people:
        raise ValueError(
            f"n_clusters must be at most the number of people, {people:,} as declared, got "
            f"{whole:,}"
        )
    return whole


def _whole(clusters: Any) -> int:
    if not (is_whole(clusters) and 1 <= clusters <= MOST_CLUSTERS):
        raise ValueError(
            f"n_clusters must be a positive whole number, at most {MOST_CLUSTERS:,}, got "
            f"{got(clusters)}"
        )
    return int(clusters)
