"""Settings follow from public numbers, as the noise that they foresee does."""

import math

import numpy as np
import pytest

import tacit
from estimators.people_like_these import REPLACE, names, rows
from tacit.estimators import LogisticRegression, declared, settings
from tacit.estimators.made_people import MadePeople
from tacit.estimators.settings import (
    GradientRounds,
    Penalised,
    chosen,
    loss_of,
    regressed,
)
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial
from tacit.solve.objective import Objective
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


def test_what_a_fit_was_foreseen_to_lose_is_told_whatever_was_chosen():
    """Also where rounds were; it is what was foreseen when they were, and no look at the people."""
    X, trust = rows(600, 8), tacit.Central(0.3, 1e-4)
    declared_too = {"bounds": (-5.0, 11.0), "classes": ["no", "yes"], "people": 600, "seed": 0}
    found = LogisticRegression(trust, **declared_too).fit(X, names(X)).settings_

    assert isinstance(found, GradientRounds)
    assert found == chosen(trust, Logistic(), 8, 600)
    assert 0 < found.lost < 1


def test_each_method_of_a_regression_has_its_place():
    """Rounds at a small epsilon with a delta; the minimum without one, of a narrower loss where
    there is more noise; nearly squares where there is hardly any.
    """
    small = regressed(tacit.Central(0.1, 1e-4), 13, 3_000)
    pure = regressed(tacit.Central(1.0, 0.0), 80, 3_000)
    many = regressed(tacit.Central(1.0, 0.0), 80, 100_000)
    plenty = regressed(tacit.Central(8.0, 1e-6), 3, 10_000_000)

    assert isinstance(small, GradientRounds) and small.rate < 2 / declared.REACH**2
    assert isinstance(pure, Penalised) and isinstance(many, Penalised)
    assert isinstance(pure.loss, Huber) and isinstance(many.loss, Huber)
    assert pure.loss.width < many.loss.width and pure.penalty > many.penalty
    assert isinstance(plenty, Penalised) and plenty.loss == Huber(2.0)
    assert small.lost > 0.1 > many.lost > 1e-3 > plenty.lost


def test_the_loss_of_a_regressions_settings_is_one_that_was_tried():
    """Of rounds it is known by their clip, which cuts none of its gradients."""
    rounds = regressed(tacit.Central(0.1, 1e-4), 13, 3_000)
    minimum = regressed(tacit.Central(1.0, 0.0), 80, 3_000)

    assert isinstance(rounds, GradientRounds) and isinstance(loss_of(rounds), Huber)
    assert loss_of(rounds).lipschitz(declared.REACH) == pytest.approx(rounds.clip, rel=1e-12)
    assert any(loss_of(rounds).width == pytest.approx(width) for width in settings.WIDTHS)
    assert isinstance(minimum, Penalised) and loss_of(minimum) is minimum.loss
