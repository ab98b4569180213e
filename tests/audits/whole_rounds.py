"""Whole fits in rounds of uneven shares, by the likelihood of all that is released.

What an estimator asks its people for is taken where it asks them, after its boxes, its clipping and
its choice of rounds; of ways to do it that public numbers choose from, the one that is audited is
named. Neighbours are those where such methods leak: somebody is alone in a cluster, or in a
component; goes from one end of their bounds to the other, which is another cluster; turns the
leading direction. The number is the log of the ratio of both likelihoods (`likelihood`), of all
rounds; planted slips (`slips`) leave the promise as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, final
from unittest import mock

import equinox as eqx
import numpy as np
from jaxtyping import PRNGKeyArray

from audits import runs, slips
from audits.likelihood import heard
from audits.row import Row, Sampler
from audits.whole_paths import DELTA
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.estimators import PCA, GaussianMixture, KMeans, centred_directions, gaussian_mixture
from tacit.estimators.clusterings import Ways, by_rounds, by_search
from tacit.estimators.in_rounds import Search
from tacit.learning import mixture_rounds
from tacit.learning.lloyd import Lloyd, LloydRounds
from tacit.learning.mixture import Mixture
from tacit.learning.mixture_rounds import MixtureRounds
from tacit.learning.seeking import Seeking
from tacit.learning.subspace_rounds import SubspaceRounds
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.statistics.box_cells import BoxCells
from tacit.trust.central import Central

# A clustering inside every run: fewer of them than of other paths.
EPSILON, RUNS = 2.0, 20_000
CURATOR, PURE = Central(EPSILON, DELTA), Central(EPSILON, 0.0)
REPLACED = Central(EPSILON, DELTA, Relation.REPLACE_ONE)
PEOPLE = 5
# At the left, close together; and who is alone at the right.
OTHERS = np.linspace(-1.0, -0.9, PEOPLE)[:, None]
ALONE = np.append(OTHERS, [[1.0]], axis=0)
# The last is far beyond one end of the bounds, or the other.
PAIRS = np.array([[-0.8], [-0.7], [0.7], [0.8]])
LEFT, RIGHT = (np.append(PAIRS, [[end]], axis=0) for end in (-9.0, 9.0))
# Along one diagonal, hardly; one person at the end of the other.
FLAT = np.array([[x, -x] for x in (-0.2, -0.1, 0.1, 0.2)])
TURNED = np.append(FLAT, [[1.0, 1.0]], axis=0)

Asking = tuple[Plan, Learner]
Slip = Callable[[Plan, Any], Asking]
# Where what chooses rounds stands, its name, and what is chosen here.
Choice = tuple[Any, str, Callable[..., Any]]


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """An estimator's fit, and two data sets that one person tells apart.

    Args:
      mechanism: its name in the audit.
      estimator: who fits.
      choice: of its rounds.
      one, other: the data.
      planted: slips by what is wrong; the first is what the tests look for.
    """

    mechanism: str
    estimator: Any
    choice: Choice
    one: np.ndarray
    other: np.ndarray
    planted: Mapping[str, Slip]

    def asked(self, first: bool = True) -> runs.Asked:
        """What the people of either data set are asked for."""
        return _asked(self, first)

    def heard(
        self, slip: Slip, first: bool, key: PRNGKeyArray, draws: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of so many runs on the one or the other, with a slip: as of `likelihood`."""
        plan, learner, own = self.asked(first)
        pair = self.asked()[2], self.asked(False)[2]
        return heard(slip(plan, learner), own, pair, key, draws)

    def row(self) -> Row:
        """Of the audit."""
        planted = {name: self._pair(slip) for name, slip in self.planted.items()}
        delta = self.asked()[0].guarantees[0].delta
        own = self._pair(none)
        return Row(
            "whole fit", self.mechanism, EPSILON, *own, planted, delta, self._curve, RUNS, RUNS
        )

    def _pair(self, slip: Slip) -> tuple[Sampler, Sampler]:
        return partial(self._score, slip, True), partial(self._score, slip, False)

    def _score(self, slip: Slip, first: bool, key: PRNGKeyArray, draws: int) -> np.ndarray:
        return self.heard(slip, first, key, draws)[0]

    def _curve(self, epsilon: float) -> float:
        return _delta(self, epsilon)


@cache
def _asked(fit: Fit, first: bool) -> runs.Asked:
    with mock.patch.object(*fit.choice):
        return runs.asked_by(lambda: fit.estimator.fit(fit.one if first else fit.other))


@cache
def _delta(fit: Fit, epsilon: float) -> float:
    """The accountant's of what the public sees, and what is stated for the samplers."""
    promise = fit.asked()[0].guarantees[0]
    found = accountant.delta(promise.event, epsilon, promise.relation).delta
    return found + promise.delta_reserved


def none(plan: Plan, learner: Learner) -> Asking:
    """As it is."""
    return plan, learner


def quieter(plan: Plan, learner: Learner) -> Asking:
    return slips.quieter(plan), learner


def forgotten(plan: Plan, learner: Learner) -> Asking:
    return slips.uncomposed(plan), learner


def wide(plan: Plan, learner: Lloyd | Seeking) -> Asking:
    """Differences may be three times as long as noise is scaled to."""
    part = type(learner.part)(learner.part.dim, 3 * learner.part.radius)
    return slips.unclipped(plan), eqx.tree_at(lambda own: own.part, learner, part)


def counted(plan: Plan, learner: Mixture) -> Asking:
    """People's numbers are thought to be no longer than their shares."""
    length = learner.clipping.weights[0]
    return slips.unclipped(plan), eqx.tree_at(lambda own: own.clipping.longest, learner, length)


def _searched(trust, people, sides, clusters):
    return Ways(None, by_search(trust, people, sides, clusters), None)


def _moved(trust, people, sides, clusters):
    found = by_rounds(trust, people, sides, clusters)
    moves = replace(found, rounds=LloydRounds(trust, people, clusters, sides, 2))
    return Ways(None, moves, None)


def _mixture(along, trust, people, shapes, sides):
    cells = None if along is None else BoxCells(trust, people, sides, along)
    return MixtureRounds(trust, people, shapes, sides, cells, 2)


def _counted_first(trust, people, shapes, sides):
    """Cells have nearly all of the promise, so that one number tells of nearly all of it."""
    made = _mixture(4, trust, people, shapes, sides)
    with mock.patch.object(mixture_rounds, "START", 0.9):
        _ = made.plan
    return made


def _directions(trust, people, dim, known, wanted):
    rounds = SubspaceRounds(trust, people, dim, known, wanted, dim, (0.3, 0.7))
    return Search(rounds, "these are audited")


def _of(kind: type, trust: Central, **own: int) -> Any:
    return kind(trust, bounds=(-1.0, 1.0), people=PEOPLE, seed=0, **own)


QUIETER, FORGOTTEN = {"two-thirds of the noise": quieter}, {"shares forgotten": forgotten}
WIDE, COUNTED = {"clipped too wide": wide}, {"length of shares": counted}
SEARCH, MOVES = (Ways, "of", _searched), (Ways, "of", _moved)
CELLS, MOVED = (
    (gaussian_mixture, "foreseen_rounds", partial(_mixture, along)) for along in (4, None)
)
FITS = (
    Fit(
        "KMeans, a search, one alone",
        _of(KMeans, CURATOR, n_clusters=2),
        SEARCH,
        ALONE,
        OTHERS,
        QUIETER | FORGOTTEN,
    ),
    Fit(
        "KMeans, the other end",
        _of(KMeans, REPLACED, n_clusters=2),
        MOVES,
        LEFT,
        RIGHT,
        WIDE | FORGOTTEN,
    ),
    Fit(
        "mixture from cells, one alone",
        _of(GaussianMixture, PURE, n_components=2),
        CELLS,
        ALONE,
        OTHERS,
        FORGOTTEN | COUNTED,
    ),
    Fit(
        "mixture, mostly of cells, one alone",
        _of(GaussianMixture, PURE, n_components=2),
        (gaussian_mixture, "foreseen_rounds", _counted_first),
        ALONE,
        OTHERS,
        QUIETER,
    ),
    Fit(
        "mixture of moves, one alone",
        _of(GaussianMixture, CURATOR, n_components=2),
        MOVED,
        ALONE,
        OTHERS,
        COUNTED | QUIETER | FORGOTTEN,
    ),
    Fit(
        "PCA in rounds, one turns it",
        _of(PCA, CURATOR, n_components=1),
        (centred_directions, "search_of", _directions),
        TURNED,
        FLAT,
        FORGOTTEN | QUIETER,
    ),
)
ROWS = [fit.row() for fit in FITS]
