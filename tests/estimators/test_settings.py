"""Settings follow from public numbers, as the noise that they foresee does."""

import math

import numpy as np
import pytest

import tacit
from estimators.people_like_these import REPLACE
from tacit.estimators import declared, settings
from tacit.estimators.made_people import MadePeople
from tacit.estimators.settings import GradientRounds, Penalised, chosen
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.solve.losses import HuberisedHinge, Logistic, Multinomial
from tacit.solve.minimise import Objective
from tacit.solve.regularisers import L2

PURE, APPROXIMATE = tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-5)


def test_more_people_or_a_larger_epsilon_need_a_weaker_penalty():
    """And lose less."""
    few, many = (chosen(PURE, HuberisedHinge(), 20, people) for people in (1_000, 100_000))
    loose = chosen(tacit.Central(10.0, 0.0), HuberisedHinge(), 20, 1_000)

    assert isinstance(few, Penalised) and isinstance(many, Penalised)
    assert isinstance(loose, Penalised)
    assert few.penalty > 10 * many.penalty and few.penalty > loose.penalty
    assert few.lost > many.lost


def test_each_method_has_its_place():
    """Without a delta the minimum; with one descent where epsilon is small; capped while noise is
    what counts; exact where nothing is promised.
    """
    small = chosen(tacit.Central(0.1, 1e-4), Logistic(), 50, 3_000)
    pure = chosen(tacit.Central(0.1, 0.0), Logistic(), 50, 3_000)
    large = chosen(tacit.Central(3.0, 1e-6), Logistic(), 50, 100_000)
    free = chosen(tacit.NonPrivate(), Logistic(), 50, 3_000)

    assert isinstance(small, GradientRounds) and small.clip == declared.REACH / 2
    assert isinstance(pure, Penalised) and pure.loss == Logistic(0.5)
    assert isinstance(large, Penalised) and large.loss == Logistic()
    assert isinstance(free, Penalised) and free.penalty < 1e-4


@pytest.mark.parametrize("loss", [Logistic(), Logistic(0.5), Multinomial(4), HuberisedHinge()])
@pytest.mark.parametrize("trust", [PURE, APPROXIMATE, tacit.Central(0.3, 1e-6, REPLACE)])
def test_the_foreseen_noise_is_nearly_the_mechanisms(loss, trust):
    """Within a tenth, for a penalty that need not be raised."""
    made, penalty = MadePeople(5_000, 7, 0.15), 0.02
    aim = Objective(loss, L2(penalty), declared.REACH, made.people, 8)
    if trust.delta:
        exact = ObjectivePerturbation.gaussian(aim, trust.epsilon, trust.delta, trust.relation)
    else:
        exact = ObjectivePerturbation.pure(aim, trust.epsilon, trust.relation)
    left = np.array([trust.epsilon - loss.volume(declared.REACH**2 / aim.strength)])
    foreseen = settings._slopes(trust, loss, left, made)[0]

    assert exact.raised == penalty
    wanted = math.sqrt(exact.tilt.error(aim.size) / aim.size)
    assert foreseen == pytest.approx(wanted, rel=0.1)
