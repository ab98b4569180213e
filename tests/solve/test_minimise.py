"""The minimiser is right, its certificate is proved, and it never returns without one."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import cho_solve
from scipy.optimize import minimize as scipy_minimize
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from solve.linear import data, objective
from tacit.solve import certified
from tacit.solve import minimise as module
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial, Squared
from tacit.solve.minimise import NotConverged, minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2


def value(aim, examples, tilt, w):
    """F(w), in one line."""
    scores = examples.rows.astype(float) @ w.reshape(aim.shape)
    loss = aim.loss.value(scores, examples.labels).sum()
    return loss + aim.strength / 2 * w @ w + tilt.ravel() @ w


@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.5), Huber(0.5), Multinomial(3)])
def test_nothing_is_lower(loss):
    """No nearby point has a lower objective, and an independent solver finds the same point."""
    rows, signs = data(400, 5)
    aim = objective(loss, 400, 5)
    examples = cut(aim, rows, signs + 1 if isinstance(loss, Multinomial) else signs)
    tilt = np.random.default_rng(1).normal(size=aim.shape)
    found = minimise(aim, examples, 1e-7, tilt)
    other = scipy_minimize(
        lambda w: value(aim, examples, tilt, w), np.zeros(aim.size), options={"gtol": 1e-4}
    )

    assert found.gradient <= 1e-7
    assert found.distance == found.gradient / aim.strength
    assert np.allclose(found.point.ravel(), other.x, atol=1e-2)
    assert value(aim, examples, tilt, found.point.ravel()) <= other.fun + 1e-12


def test_agrees_with_other_libraries():
    """Logistic and ridge regression are scikit-learn's, to many digits."""
    rows, signs = data(500, 6)
    peer = LogisticRegression(C=1 / 0.5, fit_intercept=False, tol=1e-12, max_iter=1000)
    ours = minimise(aim := objective(Logistic(), 500, 6), cut(aim, rows, signs), 1e-8)
    line = minimise(aim := objective(Squared(), 500, 6), cut(aim, rows, signs), 1e-8)

    assert np.allclose(ours.point, peer.fit(rows, signs).coef_[0], atol=1e-6)
    straight = Ridge(alpha=0.5, fit_intercept=False).fit(rows, signs).coef_
    assert np.allclose(line.point, straight, atol=1e-9)


def test_unreachable_tolerances_are_reported():
    """What rounding does not allow is never claimed."""
    rows, signs = data(2000, 4)
    aim = objective(Logistic(), 2000, 4)
    with pytest.raises(NotConverged, match="gradient of at most 1e-15: a stronger penalty"):
        minimise(aim, cut(aim, rows, signs), 1e-15)


def test_a_report_says_nothing_of_the_data(monkeypatch):
    """Other people, fewer of them, or another number of steps: the sentence stays the same."""
    rows, signs = data(2000, 4)
    aim, sentences = objective(Logistic(), 2000, 4), set()
    people = [(rows, signs), (-2 * rows, signs), (rows[:900], signs[:900])]
    for most, one in itertools.product((0, 2, 60), people):
        monkeypatch.setattr(module, "_MOST_STEPS", most)
        with pytest.raises(NotConverged) as refused:
            minimise(aim, cut(aim, *one), 1e-15)
        sentences.add(refused.value.args)

    assert 1 == len(sentences)


def test_stopped_early_is_reported(monkeypatch):
    """Too few steps raise; nothing comes back that is not a minimum."""
    rows, signs = data(2000, 4)
    aim = objective(Logistic(), 2000, 4)
    monkeypatch.setattr(module, "_MOST_STEPS", 1)
    with pytest.raises(NotConverged):
        minimise(aim, cut(aim, rows, signs), 1e-6)


@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.01)])
def test_separable_and_hard_problems(loss, ridge):
    """Separable data, long tilts and every size of penalty are solved."""
    rows = np.concatenate([np.eye(3), -np.eye(3), np.zeros((2, 3))]).repeat(50, axis=0)
    signs = np.sign(rows.sum(axis=1) + 0.5)
    aim = objective(loss, 400, 3, ridge)
    for tilt in (np.zeros(3), np.array([30.0, -40.0, 0.0])):
        found = minimise(aim, cut(aim, rows, signs), 1e-4, tilt)
        assert found.gradient <= 1e-4


def test_many_people_in_few_passes():
    """A hundred thousand float32 rows take a few Newton steps, started from samples."""
    rows, signs = data(100_000, 20, kind=np.float32)
    aim = objective(Logistic(), 100_000, 20, 1e-6)
    found = minimise(aim, cut(aim, rows, signs), 1e-4)

    assert found.steps <= 6


@pytest.mark.parametrize("kind, wide", [(np.float32, 3), (np.float64, 7)])
def test_few_passes_are_in_float64(monkeypatch, kind, wide):
    """Of float32 rows three passes are in float64, the last among them; seven are enough."""
    rows, signs = data(100_000, 20, kind=kind)
    aim = objective(Logistic(), 100_000, 20, 1e-6)
    passes = record_passes(monkeypatch, len(rows))
    found = minimise(aim, cut(aim, rows, signs), 1e-4)

    assert passes[-1].certified == found.gradient
    assert sum(each.certified < math.inf for each in passes) <= wide
    assert len(passes) <= 7


def record_passes(monkeypatch, people):
    """The states of all rows, as they are computed."""
    passes, compute = [], certified.Summed.state

    def state(problem, *arguments):
        found = compute(problem, *arguments)
        passes.extend([found] if len(problem.rows) == people else [])
        return found

    monkeypatch.setattr(certified.Summed, "state", state)
    return passes


def test_float32_proves_nothing(monkeypatch):
    """However short a gradient in float32 is, it is no certificate."""
    rows, signs = data(10_000, 4, kind=np.float32)
    aim = objective(Logistic(), 10_000, 4)
    passes = record_passes(monkeypatch, len(rows))
    minimise(aim, cut(aim, rows, signs), 1e6)

    assert math.inf == passes[0].certified
    assert passes[-1].certified < 1e6


@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.01), Multinomial(3)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_people_are_solved_whatever_the_loss(loss, kind):
    """Where one Hessian does not serve, Newton's method goes on from there."""
    rows, signs = data(20_000, 8, kind=kind)
    aim = objective(loss, 20_000, 8, 1e-5)
    examples = cut(aim, rows, signs + 1 if isinstance(loss, Multinomial) else signs)
    tilt = 100 * np.random.default_rng(1).normal(size=aim.shape)

    assert minimise(aim, examples, 1e-5, tilt).gradient <= 1e-5


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_rows_of_nothing(kind):
    """Where the gradient is zero from the start, the start is the minimum."""
    aim = objective(Logistic(), 5000, 2)
    found = minimise(aim, cut(aim, np.zeros((5000, 2), kind), np.ones(5000)), 1e-6)

    assert found.point.tolist() == [0.0, 0.0]
    assert found.gradient <= 1e-6


def test_many_rows_of_nothing_prove_no_more_than_others():
    """A zero gradient has a certificate above zero, and the solver ends without it."""
    aim = objective(Logistic(), 5000, 2)
    with pytest.raises(NotConverged):
        minimise(aim, cut(aim, np.zeros((5000, 2), np.float32), np.ones(5000)), 1e-300)


def test_threads_change_nothing():
    """The answer of several threads is that of one, to the last bit."""
    rows, signs = data(50_000, 10, kind=np.float32)
    aim = objective(Logistic(), 50_000, 10, 1e-6)
    found = []
    for many in (1, 2, 3):
        with threadpool_limits(many, user_api="blas"):
            found.append(minimise(aim, cut(aim, rows, signs), 1e-5))

    assert all(np.array_equal(found[0].point, each.point) for each in found)
    assert found[0].gradient == found[1].gradient == found[2].gradient


def test_nobody():
    """Without people the minimum is the penalty's: minus the tilt over its strength."""
    aim = Objective(Logistic(), L2(0.5), 1.0, 10, 2)
    found = minimise(aim, cut(aim, np.zeros((0, 2)), np.zeros(0)), 1e-9, np.array([1.0, -2.0]))

    assert np.allclose(found.point, [-0.2, 0.4])


def test_refused_tolerances():
    """Those that are none."""
    aim = objective(Logistic(), 10, 3)
    with pytest.raises(ValueError, match="tolerance must be positive"):
        minimise(aim, cut(aim, np.zeros((10, 3)), np.ones(10)), math.nan)


@pytest.mark.parametrize("entry", [np.inf, np.nan, -1.0])
def test_a_block_that_has_no_factor_is_left_out(entry):
    """Where float32 overflowed nothing is refused for it: steps are only less well aimed."""
    factor = module._factor(np.full((2, 2), entry))

    np.testing.assert_array_equal([3.0, 4.0], cho_solve(factor, np.array([3.0, 4.0])))
