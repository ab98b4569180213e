"""The last iterate: noise that stops growing with the steps, and descent that gets there."""

import math
from fractions import Fraction

import jax
import numpy as np
import pytest
from scipy import stats

import quick_keys
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.theorems import iteration
from tacit.mechanisms.rows.last_iterate import LastIterateDescent, _rounding
from tacit.solve.losses import Hinge, Logistic, Squared
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

PEOPLE, REPLACE = 4000, Relation.REPLACE_ONE
AIM = Objective(Logistic(), L2(0.01), 1.0, PEOPLE, 3)


def made(steps=50, epsilon=1.0, relation=REPLACE, objective=AIM, radius=4.0) -> LastIterateDescent:
    return LastIterateDescent.calibrate(objective, radius, steps, epsilon, 1e-5, relation)


def table(seed: int = 0):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-0.5, 0.5, (PEOPLE, 3))
    return rows, np.where(rows @ [2.0, -1.0, 0.5] + 0.2 * rng.normal(size=PEOPLE) > 0, 1.0, -1.0)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("steps", [1, 7, 200])
def test_calibration_never_overshoots(relation, steps):
    """The accountant certifies at most what was asked, and nearly that."""
    account = certified_epsilon(made(steps, relation=relation).event, 1e-5, relation)

    assert 0.99 <= account.epsilon <= 1.0


@pytest.mark.parametrize("relation", list(Relation))
def test_a_person_moves_a_step_by_their_gradient_and_a_replaced_one_by_two(relation):
    """Divided by the people; and by next to nothing more, for roundings."""
    rate = 1 / (AIM.loss.smoothness(AIM.reach) + 0.01)
    moved = (1 + (relation is REPLACE)) * rate * AIM.lipschitz / PEOPLE

    assert moved <= made(relation=relation).event.shift <= 1.01 * moved


def test_one_step_is_the_gaussian_mechanism_and_many_are_no_dearer_than_the_limit():
    """Noise grows like the root of the steps at first and then not at all."""
    sigma = {steps: made(steps).sigma for steps in (1, 4, 2000, 20_000)}
    first = made(1).event

    assert math.isclose(iteration.gdp(first), first.shift / first.noise, rel_tol=1e-9)
    assert sigma[4] <= 2.001 * sigma[1]
    assert sigma[20_000] <= 1.001 * sigma[2000] < 0.5 * math.sqrt(2000) * sigma[1]


def test_rounding_is_charged_and_small():
    """The shift is the sensitivity of a step and what its rounding may add twice."""
    mechanism = made()
    aim = mechanism.objective
    rate = 1 / (aim.loss.smoothness(aim.reach) + 0.01)
    bare = 2 * rate * aim.lipschitz / PEOPLE
    added = mechanism.event.shift - bare

    assert added >= 2 * _rounding(aim, 4.0, mechanism.step) * (1 - 1e-9)
    assert added <= 1e-3 * bare


def test_calibration_ends_where_steps_are_many_and_the_budget_small():
    """The grid is fine enough for its part of the shift not to matter."""
    aim = Objective(Logistic(), L2(1e-6), 1.0, 10**6, 4096)

    assert 0 < made(10_000, epsilon=0.01, objective=aim).sigma < 1


def test_descent_ends_near_the_minimum():
    """Within three times the spread its docstring states of the certified minimum."""
    rows, labels = table()
    mechanism = made(300, epsilon=5.0, radius=20.0)
    best = minimise(AIM, cut(AIM, rows, labels), 1e-6).point
    spread = mechanism.sigma / math.sqrt(1 - mechanism.event.contraction**2)
    found = [mechanism.sample(quick_keys.key(seed), rows, labels) for seed in range(3)]

    distances = [np.linalg.norm(weights - best) for weights in found]
    assert max(distances) <= 3 * math.sqrt(3) * spread
    assert max(distances) > 0.1 * spread
    assert not np.array_equal(found[0], found[1])


def test_every_steps_noise_is_in_the_distance():
    """Seven steps of three numbers are unlike their law with the chance of 21 numbers."""
    mechanism = made(7)

    assert 0 < 7 * 3 * mechanism.noise.tv_distance <= mechanism.tv_distance
    assert mechanism.tv_distance <= 1.001 * 7 * made(1).tv_distance


def test_a_step_has_all_of_the_noise_it_is_calibrated_for():
    """Of one step from zero: unbiased, and a chi-square with exact limits rejects two-thirds."""
    rows, labels = table()
    mechanism = made(1, radius=1e6)
    keys = jax.random.split(quick_keys.key(2), 200)
    drawn = np.stack([mechanism.sample(key, rows, labels) for key in keys]) / mechanism.sigma
    aim = mechanism.objective
    rate = 1 / (aim.loss.smoothness(aim.reach) + 0.01)
    centre = rate * (rows * labels[:, None]).sum(axis=0) / (2 * PEOPLE) / mechanism.sigma
    squares = np.sum((drawn - centre) ** 2)

    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], drawn.size)
    assert low <= squares <= high
    assert high * (2 / 3) ** 2 < low


def test_a_steps_noise_is_a_rounded_normal_of_sigma_at_the_least():
    """The variance that is drawn has the twelfth of a squared step that rounding adds."""
    for steps in (1, 7, 40):
        mechanism = made(steps)
        own = (Fraction(mechanism.sigma) / Fraction(mechanism.step)) ** 2 + Fraction(1, 12)

        assert own <= Fraction(mechanism.noise.sigma) ** 2 <= own * (1 + Fraction(1, 2**50))


def test_iterates_stay_in_the_ball():
    """Also where the minimum is outside."""
    weights = made(20, epsilon=0.01, radius=0.5).sample(quick_keys.key(0), *table())

    assert np.linalg.norm(weights) <= 0.5 * (1 + 1e-12)


def test_people_alone_are_made_to_fit():
    """A NaN or a label that is none is the same as a row of zeros; a long row is scaled down."""
    rows, labels = table()
    bad, changed, zeros = rows.copy(), labels.copy(), rows.copy()
    bad[0, 0], bad[1], changed[2] = np.nan, 100 * rows[1], 3.0
    zeros[0], zeros[2], zeros[1] = 0.0, 0.0, rows[1] / np.linalg.norm(rows[1])
    key, mechanism = quick_keys.key(1), made(5)

    one = mechanism.sample(key, bad, changed)
    np.testing.assert_allclose(one, mechanism.sample(key, zeros, labels), atol=1e-4 / PEOPLE)


@pytest.mark.parametrize(
    "loss, radius, message",
    [
        (Hinge(), 1.0, "no smoothness"),
        (Squared(), 1.0, "no Lipschitz constant"),
        (Logistic(), 0.0, "radius must be positive"),
        (Logistic(), math.nan, "radius must be positive"),
    ],
)
def test_premises_are_refused_by_name(loss, radius, message):
    """What the loss lacks, and what is out of range."""
    with pytest.raises(ValueError, match=message):
        made(objective=Objective(loss, L2(0.01), 1.0, PEOPLE, 3), radius=radius)
