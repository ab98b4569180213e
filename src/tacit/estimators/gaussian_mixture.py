"""A mixture of normal laws that people's rows are drawn from, and nothing about who is of which."""

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
import sklearn.mixture
from jaxtyping import Float, Int
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from tacit.argument import got, is_whole
from tacit.estimators import reading
from tacit.estimators.asking import asked_under, charged_to
from tacit.estimators.covariance_types import covariance_type_of
from tacit.estimators.declared import Bounds, Box, box_before, box_of
from tacit.estimators.fit_plan import FitPlan, told
from tacit.estimators.release import Terms
from tacit.estimators.untouched import untouched
from tacit.estimators.words import mixture_foreseen
from tacit.learning.components import Components
from tacit.learning.mixture_rounds import MixtureRounds, foreseen_rounds
from tacit.ledger.ledger import LedgerOrPath
from tacit.statistics.between import refuse_no_square
from tacit.statistics.one_round import refuse_secret_devices
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust, people_of

# Local reports are randomised once each: so many numbers about components drown in that.
ALLOWED = (Central, Federated, NonPrivate)


@final
class GaussianMixture(DensityMixin, BaseEstimator):
    """Normal laws, of each of which a share of the people is: weights, means and covariances.

    Components are found by counting people in cells, or in many columns by a few of Lloyd's rounds.
    Then everybody is asked in rounds how they differ from the components that they are likely of:
    noise is in units of a component's own deviation (`tacit.learning.mixture`). Which cells and how
    many rounds follows from public numbers (`tacit.learning.mixture_rounds`).

    **Guarantee**: `trust`'s, of everything that is learnt. `Local` and `Shuffled` are refused.

    **Error**: `foreseen_loss_`, in nats: how much less the log-likelihood of a person is than of
    exact rounds, by noise and by few rounds, for components of like sizes that are told apart, in
    columns of like widths. It is of small noise, to second order: from a few tenths of a nat on
    more is lost. It says nothing of how well normal laws fit, nor of which local optimum was found,
    as all of EM: `score` on other people's rows tells.

    | data | what happens |
    | --- | --- |
    | a component of few people or none | its noisy count decides like any other's: it stays |
    | fewer people than components | some components are of nobody, with a weight of noise |
    | all rows alike, or on a line | no variance is below 1e-6 of the half diagonal's square |
    | columns of unlike widths | narrow ones are lost: divide each by the width of its bounds |
    | one component | the mean and the covariance, by the same rounds |
    | covariances that are not told from noise | are round, whatever `covariance_type` says |

    **Likelihoods are about people.** A fit keeps none. `predict`, `predict_proba` and
    `score_samples` return them of rows to whoever holds these, and `score` their mean: no noise is
    on them, and no ledger is charged. `sample` draws rows of nobody.

    `trust`, `bounds`, `people`, `ledger`, `population`, `note` and `seed` are every estimator's
    (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      n_components: how many laws.
      covariance_type: scikit-learn's "full", "tied", "diag" or "spherical": fewer numbers have
        less noise.

    Fitted, it has scikit-learn's `weights_`, `means_`, `covariances_` and `precisions_cholesky_`,
    in the units of the data, and `foreseen_loss_`, which `plan` has before.

    References:
        Park, Foulds, Chaudhuri and Welling 2017, "DP-EM".
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
        n_components: int = 1,
        covariance_type: str = "full",
    ):
        self.trust = trust
        self.bounds = bounds
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.n_components = n_components
        self.covariance_type = covariance_type

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `PCA`."""
        trust = asked_under(self, ALLOWED)
        many, people = told(features, people, self.people, trust)
        asked = self._asked(trust, people, box_before(self.bounds, many))
        return mixture_foreseen(asked, charged_to(self))

    @untouched
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from people's rows `X`, and charges for it; `y` is not looked at."""
        del y
        terms = Terms.of(self, ALLOWED)
        rows = reading.unlabelled(self, X, terms.trust)
        people = people_of(self.people, terms.trust, len(rows))
        box = box_of(self.bounds, rows, terms.trust)
        asked = self._asked(terms.trust, people, box)
        release = terms.released(asked.plan, asked.learner(), lambda: box.placed(rows))
        self._keep(release.state.found, box)
        self.foreseen_loss_ = asked.lost
        self.plan_, self.receipt_ = release.plan, release.receipt()
        return self

    def _asked(self, trust: Trust, people: int, box: Box) -> MixtureRounds:
        """The rounds, of public numbers alone."""
        refuse_secret_devices(trust, "mixture")
        refuse_no_square("the bounds' half diagonal", box.half_diagonal)
        kind, components = covariance_type_of(self.covariance_type), _whole(self.n_components)
        shapes = kind.shapes(components, len(box.lower))
        return foreseen_rounds(trust, people, shapes, box.sides)

    def _keep(self, found: Components, box: Box) -> None:
        """Of what was released, what scikit-learn's has."""
        weights, means, roots = (np.asarray(each, np.float64) for each in found[:3])
        kind = covariance_type_of(self.covariance_type)
        roots = box.half_diagonal * roots
        self.weights_, self.means_ = weights / weights.sum(), box.half_diagonal * means + box.middle
        self.covariances_ = kind.covariances(roots)
        self.precisions_cholesky_ = kind.precisions_cholesky(roots)

    def predict(self, X: Any) -> Int[np.ndarray, " people"]:
        """The component that each row is most likely of."""
        rows = reading.rows_of(self, X)
        return self._law.predict(rows)

    def predict_proba(self, X: Any) -> Float[np.ndarray, "people components"]:
        """How likely each row is of every component."""
        rows = reading.rows_of(self, X)
        return self._law.predict_proba(rows)

    def score_samples(self, X: Any) -> Float[np.ndarray, " people"]:
        """The log-likelihood of each row, in nats."""
        rows = reading.rows_of(self, X)
        return self._law.score_samples(rows)

    def score(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, X: Any, y: Any = None
    ) -> float:
        """The mean log-likelihood of the rows: for the curator's eyes, like every score."""
        del y
        return float(self.score_samples(X).mean())

    def sample(
        self, n_samples: int = 1, random_state: int | None = None
    ) -> tuple[Float[np.ndarray, "rows features"], Int[np.ndarray, " rows"]]:
        """Rows of nobody, drawn from the laws, and of which component each is: nothing is spent."""
        return self._law.set_params(random_state=random_state).sample(n_samples)

    @property
    def _law(self) -> sklearn.mixture.GaussianMixture:
        """scikit-learn's own with these components: what follows from them is its business."""
        check_is_fitted(self)
        law = sklearn.mixture.GaussianMixture(
            self.n_components, covariance_type=self.covariance_type
        )
        law.weights_, law.means_ = self.weights_, self.means_
        law.covariances_, law.precisions_cholesky_ = self.covariances_, self.precisions_cholesky_
        return law


def _whole(components: Any) -> int:
    if not (is_whole(components) and components >= 1):
        raise ValueError(f"n_components must be a positive whole number, got {got(components)}")
    return int(components)
