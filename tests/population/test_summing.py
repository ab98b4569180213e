"""A learner's own terms are brought into the question's shape by the round, or not granted."""

from dataclasses import replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import example_by_example as naive
import quick_keys
import small
import tacit
from tacit.learning.clipping import Flat
from tacit.learning.coordinate_descent import CoordinateDescent
from tacit.learning.descent import Descent
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.learning.linear_risk import LinearRisk
from tacit.learning.mirror_descent import MirrorDescent
from tacit.learning.newton import Newton
from tacit.learning.sufficient_statistics import SufficientStatistics
from tacit.learning.support import Correlations
from tacit.learning.terms import Joined, Squares, Vectors
from tacit.learning.variance_reduction import VarianceReduction
from tacit.models.layers import Dense
from tacit.population import summing
from tacit.population.loop import Parts
from tacit.population.summing import radii_of, refuse_other_terms, sum_of, sum_within
from tacit.solve.losses import Huber
from tacit.solve.regularisers import L2

RISK = LinearRisk(Huber(1.0), 2, 1.0)
CLASSIFIER = Dense(2, 2, quick_keys.key(0))
LEARNERS = [
    (Descent(CLASSIFIER, naive.cross_entropy, Flat(1.0), optax.sgd(1.0)), tacit.L1Ball(6, 1.0)),
    (SufficientStatistics(2, 1.0, 1.0), tacit.L1Ball(6, 2.0)),
    (VarianceReduction(2, Huber(1.0), 1.0, 1.0, 2, 0.1), tacit.L1Ball(2, 1.0)),
    (Newton(2, Huber(1.0), 1.0, L2(1.0)), tacit.L1Ball(5, 1.0)),
    (CoordinateDescent(Huber(1.0), (1.0, 1.0), 2), tacit.Ball(1, 1.0)),
    (FrankWolfe(RISK, 3), tacit.L1Ball(4, 1.0)),
    (MirrorDescent(RISK, 3), tacit.L1Ball(2, 1.0)),
    (Correlations(RISK, 1), tacit.L1Ball(2, 1.0)),
]
PEOPLE = jnp.ones((3, 2)), jnp.ones(3, jnp.int32)


def asked(shape) -> tacit.Plan:
    return tacit.NonPrivate().plan(tacit.Mean(shape, tacit.Everyone(), 1, 30))


@pytest.mark.parametrize("learner, shape", LEARNERS, ids=lambda each: type(each).__name__)
def test_another_shape_is_refused(learner, shape):
    """The message says which shape it is for: its lengths are in that shape's norm."""
    with pytest.raises(ValueError, match=r"terms are of a (Ball|Cube|Interval|Product), got|of Ba"):
        refuse_other_terms(asked(shape), learner, learner.init(), PEOPLE, 3)


def test_sums_of_another_size_are_refused():
    """Of a ball with one coordinate more than the learner's model has parameters."""
    learner = LEARNERS[0][0]
    with pytest.raises(
        ValueError, match=r"sums have shape \(7,\), the learner's own sum has \(6,\)"
    ):
        refuse_other_terms(asked(tacit.Ball(7, 1.0)), learner, learner.init(), PEOPLE, 3)


class Factored(eqx.Module):
    """Vectors of which so many numbers are kept."""

    own: Vectors
    numbers_kept: int = eqx.field(static=True)

    kinds = Vectors.kinds

    @property
    def norms(self):
        return self.own.norms

    def weighted_sum(self, weights):
        return self.own.weighted_sum(weights)


@pytest.mark.parametrize("learner, shape", LEARNERS, ids=lambda each: type(each).__name__)
def test_gradients_of_networks_alone_are_made_few_at_a_time(learner, shape):
    """Terms of all others keep no more than they add up."""
    terms = learner.terms(learner.init(), PEOPLE)

    assert isinstance(terms, summing.FactoredTerms) == isinstance(learner, Descent)


@pytest.mark.parametrize("kept, sizes", [(11 * 2**16, [11, 8]), (11 * 2**13, [11]), (0, [11])])
def test_terms_of_which_much_is_kept_are_made_few_at_a_time(kept, sizes):
    """The sum is the same: each within the shape, those absent left out, whatever they are."""
    rows = jnp.asarray(np.random.default_rng(0).normal(size=(11, 2)), jnp.float32).at[5].set(30)
    present, seen = jnp.ones(11, bool).at[jnp.array([2, 10])].set(False), []

    def ask(people):
        seen.append(len(people))
        terms = Vectors(people, jnp.ones(len(people)).at[2].set(jnp.inf))
        return Factored(terms, kept * len(people) // 11)

    total = sum_of(ask, rows, jnp.ones(1), present.at[6].set(False))
    kept_rows = np.delete(rows, [2, 6, 10], axis=0)
    wanted = kept_rows / np.maximum(1, np.linalg.norm(kept_rows, axis=1, keepdims=True))

    assert sizes == seen
    np.testing.assert_allclose(total, wanted.sum(0), rtol=1e-5)


def test_gradients_few_at_a_time_are_those_of_all_together(monkeypatch):
    """Of a network: the clipped sum, up to the order in which it is added up."""
    learner, shape = LEARNERS[0][0], tacit.Ball(6, 1.0)
    people = jax.random.normal(jax.random.key(1), (13, 2)) * 9, jnp.arange(13) % 2
    radii, present = radii_of(asked(shape)), jnp.arange(13) != 3
    monkeypatch.setattr(summing, "SUMS_OF_FACTORS", 2**30)
    sums = []
    for cached in (2**18, 1):
        monkeypatch.setattr(summing, "CACHED_NUMBERS", cached)
        ask = partial(learner.terms, learner.init())
        traced = jax.make_jaxpr(lambda people, ask=ask: sum_of(ask, people, radii, present))(people)
        sums.append(jax.jit(lambda people, ask=ask: sum_of(ask, people, radii, present))(people))
        assert ("scan" in str(traced)) == (cached == 1)

    np.testing.assert_allclose(*sums, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [tacit.Ball(2, 1.0), tacit.Product(*[tacit.Ball(2, 1.0)] * 2)])
def test_terms_are_brought_into_the_shape_whatever_the_learner_does(shape):
    """A learner clips nothing: of four, one is too long, one absent, one no number."""
    rows = jnp.array([[3.0, 4.0], [0.3, 0.4], [5.0, 0.0], [1.0, 1.0]])
    slopes = jnp.array([10.0, 1.0, 1.0, jnp.inf])
    terms = Vectors(rows, slopes)
    terms = Joined((terms, terms)) if isinstance(shape, tacit.Product) else terms
    radii = jnp.asarray(Parts.of(asked(shape)).radii)
    total = sum_within(terms, radii, jnp.array([True, True, False, False]))
    wanted = np.array([0.6, 0.8]) * float(radii[0]) + np.array([0.3, 0.4])

    np.testing.assert_allclose(total, np.tile(wanted, len(radii)), rtol=1e-6)


@pytest.mark.parametrize(
    "shape", [tacit.Sphere(2), tacit.OneHot(2), tacit.Interval(0.0, 1.0), tacit.Cube(2, -1.0, 2.0)]
)
def test_shapes_that_are_no_ball_about_zero_get_terms_one_by_one(shape):
    """Scaling need not stay inside, or lengths say nothing."""
    assert Parts.of(asked(shape)).radii is None


def test_nothing_is_charged_for_it(tmp_path):
    """A grant of Laplace noise on an L1 ball is refused before the ledger is asked."""
    learner, shape = LEARNERS[0]
    plan = tacit.Central(1.0, 0.0).plan(tacit.Mean(shape, tacit.Everyone(), 1, 30))
    data = np.ones((30, 2), np.float32), np.ones(30, np.int32)
    book = small.ledger(tmp_path)

    with pytest.raises(ValueError, match="terms are of a Ball, got L1Ball"):
        tacit.Arrays(data, "thirty").grant(plan, learner, book)
    assert 0 == sum(account.epsilon for account in book.spent("thirty"))


def test_a_learners_own_sums_are_kept_within_their_shape():
    """By a 512th, which is left for the roundings of float32 sums, and one step of the grid."""
    plan = tacit.Central(1.0, 1e-5).plan(tacit.Mean(tacit.Ball(3, 2.0), tacit.Everyone(), 1, 9))

    (radius,) = Parts.of(plan).radii
    assert float(radius) == pytest.approx(2.0 * (1 - 2**-9) - 3**0.5 * plan.server.grid, rel=1e-6)


@pytest.mark.parametrize(
    "trust", [tacit.Local(1.0), tacit.Federated(1.0, tacit.Central(1.0, 1e-5))]
)
def test_devices_randomise_terms_and_never_a_sum(trust):
    """So learners are not asked for their own sums."""
    plan = trust.plan(tacit.Mean(tacit.Ball(3, 2.0), tacit.Everyone(), 1, 9))

    assert Parts.of(plan).radii is None


def test_sums_that_float32_cannot_hold_are_of_terms_one_by_one():
    """Sixty-four numbers of 1e37 are infinite; a coarse grid takes more than the bound bears."""
    assert Parts.of(asked(tacit.Interval(-1e37, 1e37))).radii is None
    fine = tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, 30))
    coarse = eqx.tree_at(lambda plan: plan.mechanism.step, fine.server, 0.3)
    assert radii_of(fine) is not None and radii_of(replace(fine, server=coarse)) is None


@pytest.mark.parametrize(
    "rows, factors, kind",
    [(1e-20, 1e30, Vectors), (1e-19, 3e38, Squares), (1e25, 1e-10, Vectors)],
)
def test_rows_whose_squares_vanish_are_measured_all_the_same(rows, factors, kind):
    """Also those whose squares overflow: in the sum they are as long as was allowed."""
    terms = kind(jnp.full((1, 4), rows), jnp.array([factors]))
    total = sum_within(terms, jnp.array([1.0]), jnp.ones(1, bool))
    assert float(jnp.linalg.norm(total)) == pytest.approx(1.0, rel=1e-5)
