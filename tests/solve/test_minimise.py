"""The minimiser is right, its certificate is proved, and it never returns without one."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import cho_solve
from scipy.optimize import minimize as scipy_minimize
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from tacit.solve import minimise as module
from tacit.solve.losses import Hinge, Huber, HuberisedHinge, Logistic, Multinomial, Squared
from tacit.solve.minimise import NotConverged, Objective, cut, minimise
from tacit.solve.regularisers import L1, L2, Elastic


def data(people, dimension, kind: type = np.float64):
    """Rows of norm about 1, and signs that depend on them."""
    numbers = np.random.default_rng(0)
    rows = (numbers.normal(size=(people, dimension)) / math.sqrt(dimension)).astype(kind)
    chance = 1 / (1 + np.exp(-4 * rows @ np.ones(dimension)))
    return rows, np.where(numbers.random(people) < chance, 1.0, -1.0)


def objective(loss, people, dimension, ridge=1e-3):
    """An objective whose bound no row exceeds."""
    return Objective(loss, L2(ridge), 4.0, people, dimension)


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


def exact_gradient(aim, examples, point):
    """Of the Huberised hinge, in rational numbers."""
    width, w = Fraction(aim.loss.width), [Fraction(float(x)) for x in point]
    total = [Fraction(aim.strength) * x for x in w]
    for row, label in zip(examples.rows, examples.labels, strict=True):
        x, y = [Fraction(float(each)) for each in row], int(label)
        margin = y * sum(a * b for a, b in zip(x, w, strict=True))
        slope = -y * min(max((1 + width - margin) / (2 * width), Fraction(0)), Fraction(1))
        total = [t + slope * each for t, each in zip(total, x, strict=True)]
    return math.sqrt(sum(t * t for t in total))


@pytest.mark.parametrize("people", [300, 4000])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-8])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_certificate_covers_the_exact_gradient(tolerance, kind, people):
    """In rational numbers the gradient is below the certificate, with and without a sample."""
    rows, signs = data(people, 3, kind=kind)
    aim = objective(HuberisedHinge(0.5), people, 3, ridge=0.125)
    examples = cut(aim, rows, signs)
    found = minimise(aim, examples, tolerance)

    assert exact_gradient(aim, examples, found.point) <= found.gradient <= tolerance


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
    passes, compute = [], module._Problem.state

    def state(problem, *arguments):
        found = compute(problem, *arguments)
        passes.extend([found] if len(problem.rows) == people else [])
        return found

    monkeypatch.setattr(module._Problem, "state", state)
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


def test_rows_are_made_to_fit():
    """Long rows are scaled, broken ones and wrong labels become nobody, and all are counted."""
    aim = Objective(Logistic(), L2(1.0), 2.0, 10, 2)
    rows = np.array(
        [[3.0, 4.0], [0.6, 0.8], [math.nan, 1.0], [math.inf, 0.0], [1e300, 0.0], [1, 1]]
    )
    examples = cut(aim, rows, np.array([1.0, -1.0, 1.0, 1.0, 1.0, 7.0]))

    expected = [[1.2, 1.6], [0.6, 0.8], [0, 0], [0, 0], [2, 0], [0, 0]]
    assert np.allclose(examples.rows, expected, atol=1e-15)
    assert examples.changed == 5
    assert examples.labels.tolist() == [1, -1, 1, 1, 1, 1]
    assert np.isnan(rows[2, 0])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_no_row_reaches_beyond(kind):
    """In exact arithmetic no row is longer than `reach`, whatever its size was."""
    numbers = np.random.default_rng(3)
    rows = numbers.normal(size=(500, 7)) * np.exp(numbers.normal(0, 20, (500, 1)))
    aim = Objective(Logistic(), L2(1.0), 1.5, 500, 7)
    cut_rows = cut(aim, rows.astype(kind), np.ones(500)).rows
    longest = max(sum(Fraction(float(x)) ** 2 for x in row) for row in cut_rows)

    assert longest <= Fraction(aim.reach) ** 2
    assert longest > Fraction(1.499) ** 2


def test_whole_numbers_are_rows():
    """Integer rows are taken as float64."""
    aim = Objective(Logistic(), L2(1.0), 2.0, 2, 2)
    assert cut(aim, np.array([[1, 0], [0, 1]]), np.array([1, -1])).rows.dtype == np.float64


@pytest.mark.parametrize(
    "make, wrong",
    [
        (lambda: Objective(Hinge(), L2(1.0), 1.0, 1, 1), "Hinge loss has no smoothness"),
        (lambda: Objective(Logistic(), L1(1.0), 1.0, 1, 1), "L1 penalty has no smoothness"),
        (lambda: Objective(Logistic(), Elastic(1, 1), 1.0, 1, 1), "Elastic penalty has no"),
        (lambda: Objective(Logistic(), L2(1.0), math.nan, 1, 1), "bound must be between"),
        (lambda: Objective(Logistic(), L2(1.0), 1.0, 0, 1), "people must be between"),
        (lambda: Objective(Logistic(), L2(1.0), 1.0, 1, 5000), "dimension must be between"),
    ],
)
def test_refused_objectives(make, wrong):
    """What lacks a constant is named, and numbers out of range are."""
    with pytest.raises(ValueError, match=wrong):
        make()


def test_refused_data_and_tolerances():
    """Rows of another dimension, missing labels, and tolerances that are none."""
    aim = objective(Logistic(), 10, 3)
    with pytest.raises(ValueError, match="rows must be people x 3"):
        cut(aim, np.zeros((10, 2)), np.ones(10))
    with pytest.raises(ValueError, match="with a label each"):
        cut(aim, np.zeros((10, 3)), np.ones(9))
    with pytest.raises(ValueError, match="tolerance must be positive"):
        minimise(aim, cut(aim, np.zeros((10, 3)), np.ones(10)), math.nan)


@pytest.mark.parametrize("entry", [np.inf, np.nan, -1.0])
def test_a_block_that_has_no_factor_is_left_out(entry):
    """Where float32 overflowed nothing is refused for it: steps are only less well aimed."""
    factor = module._factor(np.full((2, 2), entry))

    np.testing.assert_array_equal([3.0, 4.0], cho_solve(factor, np.array([3.0, 4.0])))
