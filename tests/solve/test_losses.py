"""Losses have the derivatives and the constants they state, and refuse those they lack."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.solve.losses import Hinge, Huber, HuberisedHinge, Logistic, Multinomial, Squared

LOGISTIC = [Logistic(), Logistic(0.6), Logistic(0.5)]
BINARY = [*LOGISTIC, Hinge(), HuberisedHinge(0.5), HuberisedHinge(1.5)]
REAL = [Squared(), Huber(0.75)]
SMOOTH = [*LOGISTIC, HuberisedHinge(0.5), HuberisedHinge(1.5), Huber(0.75)]
# No knot of a loss is among these.
SCORES = np.linspace(-6.0, 6.0, 97) + 0.013


def labels(loss, seed=0):
    """Labels that are valid for the loss."""
    numbers = np.random.default_rng(seed)
    return numbers.choice([-1.0, 1.0], len(SCORES)) if loss in BINARY else numbers.normal(size=97)


@pytest.mark.parametrize("loss", BINARY + REAL)
def test_slope_is_the_derivative(loss):
    """The slope is the difference quotient of the value, on either side."""
    y, h = labels(loss), 1e-6
    quotient = (loss.value(SCORES + h, y) - loss.value(SCORES - h, y)) / (2 * h)

    assert np.allclose(loss.slope(SCORES, y), quotient, atol=1e-8)


@pytest.mark.parametrize("loss", [*SMOOTH, Squared()])
def test_curvature_is_the_second_derivative(loss):
    """The curvature is the difference quotient of the slope, away from knots."""
    y, h = labels(loss), 1e-6
    quotient = (loss.slope(SCORES + h, y) - loss.slope(SCORES - h, y)) / (2 * h)

    assert np.allclose(loss.curvature(SCORES, y), quotient, atol=1e-8)


@pytest.mark.parametrize("loss", SMOOTH)
def test_constants_are_attained_and_not_exceeded(loss):
    """The largest slope and curvature over a fine grid are the stated ones."""
    scores = np.linspace(-40, 40, 160_001)
    y = np.ones_like(scores)

    assert np.abs(loss.slope(scores, y)).max() == pytest.approx(loss.slope_bound, abs=1e-12)
    assert loss.curvature(scores, y).max() == pytest.approx(loss.curvature_bound, abs=1e-9)
    assert loss.lipschitz(3.0) == 3 * loss.slope_bound
    assert loss.smoothness(3.0) == 9 * loss.curvature_bound


def test_logistic_does_not_overflow():
    """A margin of a thousand has a value, slope and curvature."""
    scores, y = np.array([1e3, -1e3]), np.ones(2)

    assert Logistic().value(scores, y).tolist() == [0.0, 1e3]
    assert Logistic().slope(scores, y).tolist() == [0.0, -1.0]
    assert Logistic().curvature(scores, y).tolist() == [0.0, 0.0]


def test_huberised_hinge_becomes_the_hinge():
    """A narrow parabola changes the hinge by at most a quarter of its half-width."""
    y = labels(Hinge())
    gap = HuberisedHinge(1e-3).value(SCORES, y) - Hinge().value(SCORES, y)

    assert np.all((gap >= -1e-15) & (gap <= 1e-3 / 4))


@pytest.fixture
def classified():
    """Scores of four classes and a label each."""
    numbers = np.random.default_rng(1)
    return numbers.normal(0, 3, (200, 4)), numbers.integers(0, 4, 200).astype(float)


@pytest.mark.parametrize("steepest", [1.0, 0.7])
def test_multinomial_derivatives(classified, steepest):
    """Slope and curvature are the automatic derivatives of the value, on either side of the cap."""
    scores, y = classified
    loss = Multinomial(4, steepest)
    each = jax.vmap(jax.grad(lambda z, label: loss.value(z[None], label[None])[0]))
    bends = jax.vmap(jax.hessian(lambda z, label: loss.value(z[None], label[None])[0]))
    wide = jnp.asarray(scores, jnp.float32), jnp.asarray(y, jnp.float32)

    assert np.allclose(loss.slope(scores, y), each(*wide), atol=1e-5)
    assert np.allclose(loss.curvature(scores, y), bends(*wide), atol=1e-5)


def test_multinomial_constants(classified):
    """Norms stay below the bounds, which are approached; slopes are means of the corners."""
    scores, y = classified
    loss = Multinomial(4)
    slopes = loss.slope(10 * scores, y)
    bends = np.linalg.eigvalsh(loss.curvature(np.array([[5.0, 5.0, -30.0, -30.0]]), y[:1]))
    chances = slopes + np.eye(4)[y.astype(int)]

    assert math.sqrt(2) * 0.99 < np.linalg.norm(slopes, axis=1).max() <= math.sqrt(2)
    assert np.linalg.eigvalsh(loss.curvature(scores, y)).max() <= 0.5
    assert bends.max() == pytest.approx(0.5, abs=1e-9)
    assert np.allclose(chances.sum(axis=1), 1)
    assert (chances >= 0).all()
    assert loss.corners == 3


@pytest.mark.parametrize("steepest", [1.0, 0.6])
def test_multinomial_of_two_is_logistic(steepest):
    """Two classes with scores -z/2 and z/2 are the logistic loss of z, with the same cap."""
    y = labels(Logistic())
    halves = np.stack([-SCORES / 2, SCORES / 2], axis=1)
    two, one = Multinomial(2, steepest), Logistic(steepest)

    assert np.allclose(two.value(halves, (y + 1) / 2), one.value(SCORES, y))
    assert Multinomial(2).volume(3.0) == pytest.approx(math.log1p(3.0 / 2))


def test_volume_bounds_determinants(classified):
    """One person's Hessian moves a log-determinant by at most the volume, and nearly by it."""
    scores, y = classified
    loss, dimension, strength, bound = Multinomial(4), 3, 0.7, 2.0
    numbers = np.random.default_rng(2)
    found = []
    for bend in [*loss.curvature(scores[:50], y[:50]), *loss.curvature(np.zeros((1, 4)), y[:1])]:
        x = numbers.normal(size=dimension)
        x *= bound / np.linalg.norm(x)
        person = np.kron(np.outer(x, x), bend)
        base = strength * np.eye(4 * dimension)
        found.append(np.linalg.slogdet(base + person)[1] - np.linalg.slogdet(base)[1])

    assert max(found) == pytest.approx(loss.volume(bound**2 / strength), abs=1e-9)
    assert loss.volume(bound / strength) < 0.75 * max(found)


def test_a_cap_shortens_slopes_and_bends_less(classified):
    """Capped slopes are in the hull of zero and shorter corners; no determinant exceeds the volume,
    which stays what it is without a cap.
    """
    scores, y = classified
    loss, ratio = Multinomial(4, 0.5), 5.7
    slopes = loss.slope(3 * scores, y) + 0.5 * np.eye(4)[y.astype(int)]
    found = np.linalg.slogdet(np.eye(4) + ratio * loss.curvature(scores, y))[1]

    assert np.allclose(slopes.sum(axis=1), 0.5)
    assert (slopes >= -1e-12).all()
    assert loss.lipschitz(2.0) == math.sqrt(2)
    assert found.max() <= loss.volume(ratio) == Multinomial(4).volume(ratio)


@pytest.mark.parametrize("steepest", [0.4, 1.1, math.nan])
def test_a_cap_is_between_one_half_and_one(steepest):
    """Lower, it would cut what zero scores have; higher, nothing."""
    for made in (lambda: Logistic(steepest), lambda: Multinomial(3, steepest)):
        with pytest.raises(ValueError, match="steepest must be between 1/2 and 1"):
            made()


@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.5), Huber(0.75)])
def test_volume_of_one_score(loss):
    """For one score the volume is log(1 + C R²/s)."""
    assert loss.volume(4.0) == pytest.approx(math.log(1 + 4 * loss.curvature_bound))


@pytest.mark.parametrize(
    "loss, valid", [(Logistic(), [-1, 1]), (Hinge(), [-1, 1]), (HuberisedHinge(), [-1, 1])]
)
def test_labels_of_margins(loss, valid):
    """Only -1 and 1 are labels."""
    tried = np.array([-1, 1, 0, 2, 0.5, math.nan, math.inf])
    assert tried[loss.valid(tried)].tolist() == valid


def test_other_labels():
    """Classes are whole numbers in range, and real labels finite and no larger than 2^100."""
    tried = np.array([-1, 0, 1, 2, 1.5, math.nan, math.inf, 1e300])

    assert tried[Multinomial(2).valid(tried)].tolist() == [0, 1]
    assert tried[Huber().valid(tried)].tolist() == [-1, 0, 1, 2, 1.5]
    assert tried[Squared().valid(tried)].tolist() == [-1, 0, 1, 2, 1.5]


@pytest.mark.parametrize("loss", [*BINARY, *REAL])
def test_compiled_or_not_it_is_the_same(loss):
    """JAX arrays give JAX arrays, jitted or not, and the same numbers."""
    scores = jnp.asarray(SCORES, jnp.float32)
    y = jnp.asarray(labels(loss), jnp.float32)

    assert np.allclose(jax.jit(loss.value)(scores, y), loss.value(SCORES, labels(loss)), atol=1e-5)
    assert np.allclose(jax.jit(loss.slope)(scores, y), loss.slope(scores, y), atol=1e-6)
    assert jax.jit(loss.slope)(scores, y).dtype == jnp.float32


@pytest.mark.parametrize(
    "asked, lacking",
    [
        (lambda: Hinge().smoothness(1.0), "Hinge loss has no smoothness"),
        (lambda: Hinge().curvature(SCORES, SCORES), "Hinge loss has no curvature"),
        (lambda: Hinge().curvature_bound, "Hinge loss has no bound on its curvature"),
        (lambda: Hinge().volume(1.0), "Hinge loss has no volume"),
        (lambda: Squared().lipschitz(1.0), "Squared loss has no Lipschitz constant"),
        (lambda: Squared().slope_bound, "Squared loss has no bound on its slope"),
        (lambda: Squared().corners, "Squared loss has no corners"),
    ],
)
def test_refuses_what_does_not_exist(asked, lacking):
    """A constant that a loss lacks is refused by name."""
    with pytest.raises(ValueError, match=lacking):
        asked()


@pytest.mark.parametrize(
    "make", [lambda: Huber(0), lambda: HuberisedHinge(math.nan), lambda: Multinomial(1)]
)
def test_refused_parameters(make):
    """Zero, NaN and a single class are refused."""
    with pytest.raises(ValueError, match="must be"):
        make()


@pytest.mark.parametrize(
    "loss, words",
    [
        (Logistic(), "the logistic loss"),
        (Logistic(0.5), "the logistic loss capped at a half"),
        (Multinomial(3, 0.7), "the logistic loss capped at 0.7"),
        (Hinge(), "the hinge loss"),
        (HuberisedHinge(), "the hinge loss with a parabola at its corner"),
        (Squared(), "the squared loss"),
        (Huber(0.75), "Huber's loss of width 0.75"),
    ],
)
def test_a_loss_is_named_for_what_it_is(loss, words):
    """For a page to say; a cap is said where there is one."""
    assert loss.words == words
