"""A line as it is asked for has the radius of its rows, and says which way it is."""

import numpy as np
import pytest

import tacit
from tacit.estimators.asked_lines import AskedDescent, AskedMinimum, AskedRounds
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.settings import Penalised
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial
from tacit.solve.one_versus_rest import OneVersusRest

PURE, LOCAL = tacit.Central(1.0, 0.0), tacit.Local(4.0)
STEPS = AskedRounds(None, 3, 0.5, 1.0, 0.0)


def test_rows_are_in_the_ball_with_the_constant():
    """What is asked is of the radius that rows have, a weight for each feature and class."""
    one = AskedMinimum.of(PublicNumbers(PURE, 3, 90), Penalised(Multinomial(4), 0.1))
    other = AskedDescent.of(PublicNumbers(LOCAL, 3, 90), Multinomial(4), STEPS)

    assert one.plan.question.features == tacit.Ball(4, REACH) and one.plan.question.size == 16
    assert other.plan.question.contribution == tacit.Ball(16, 1.0)
    assert not any(np.any(leaf) for leaf in (other.learner.model.weight, other.learner.model.bias))


@pytest.mark.parametrize(
    "loss", [Logistic(), Logistic(0.7), HuberisedHinge(), Huber(0.5), OneVersusRest(Logistic(), 3)]
)
def test_a_way_names_its_own_loss(loss):
    """Whatever it is, minimised with a promise or without one, or descended."""
    private, free = (
        AskedMinimum.of(PublicNumbers(trust, 3, 90), Penalised(loss, 2.0)).way
        for trust in (PURE, tacit.NonPrivate())
    )
    rounds = AskedDescent.of(PublicNumbers(LOCAL, 3, 90), loss, STEPS).way

    assert free == f"the exact minimum of {loss.words} with a penalty of 2 a person"
    assert private.startswith(free.replace("exact ", "")) and private.endswith("in one release")
    assert rounds.startswith("3 gradient rounds at rate 0.5, ")
    assert rounds.endswith(f", of {loss.words}")
