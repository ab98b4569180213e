"""A learner's own sums are made for one kind of shape, and no other is granted."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import example_by_example as naive
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
from tacit.learning.variance_reduction import VarianceReduction
from tacit.models.layers import Dense
from tacit.solve.losses import Huber
from tacit.solve.regularisers import L2

RISK = LinearRisk(Huber(1.0), 2, 1.0)
CLASSIFIER = Dense(2, 2, jax.random.key(0))
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
HERE = jnp.ones(3, bool)


@pytest.mark.parametrize("learner, shape", LEARNERS, ids=lambda each: type(each).__name__)
def test_another_shape_is_refused(learner, shape):
    """The message says which shape it is for."""
    with pytest.raises(ValueError, match=r"terms are of a (Ball|Cube|Interval|Product), got"):
        learner.clipped_sum(learner.init(), PEOPLE, HERE, shape)


def test_nothing_is_charged_for_it(tmp_path):
    """A grant of Laplace noise on an L1 ball is refused before the ledger is asked."""
    learner, shape = LEARNERS[0]
    plan = tacit.Central(1.0, 0.0).plan(tacit.Mean(shape, tacit.Everyone(), 1, 30))
    data = np.ones((30, 2), np.float32), np.ones(30, np.int32)
    book = small.ledger(tmp_path)

    with pytest.raises(ValueError, match="terms are of a Ball, got L1Ball"):
        tacit.Arrays(data, "thirty").grant(plan, learner, book)
    assert 0 == sum(account.epsilon for account in book.spent("thirty"))
