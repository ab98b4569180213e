"""Objective perturbation spends its epsilon and not more: exact densities, and what is released."""

import functools
import math

import jax
import numpy as np
import pytest
from scipy.stats import kstest

import quick_keys
from tacit.accounting import events
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.mechanisms.rows.output_perturbation import noisy
from tacit.solve.losses import Hinge, Huber, HuberisedHinge, Logistic, Multinomial, Squared
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

REPLACE, ADD = Relation.REPLACE_ONE, Relation.ADD_REMOVE
LOSSES = [Logistic(), HuberisedHinge(0.5), Huber(0.75)]


def objective(loss, people=1, ridge=8.0, bound=2.0, dimension=1):
    """What is fitted."""
    return Objective(loss, L2(ridge), bound, people, dimension)


def density(made, people, grid):
    """Of the exact minimum in one dimension, from its definition: h(-F') F''."""
    slope, bend = made.objective.strength * grid, np.full_like(grid, made.objective.strength)
    for x, y in people:
        labels = np.full_like(grid, y)
        slope += x * made.objective.loss.slope(x * grid, labels)
        bend += x * x * made.objective.loss.curvature(x * grid, labels)
    if isinstance(made.tilt, Gaussian):
        law = (
            np.exp(-((slope / made.tilt.sigma) ** 2) / 2) / made.tilt.sigma / math.sqrt(2 * math.pi)
        )
    else:
        rate = made.tilt.epsilon / made.tilt.sensitivity
        law = rate / 2 * np.exp(-rate * abs(slope))
    return law * bend


def pairs(relation, bound):
    """Worst and other neighbours in one dimension, with labels for every loss."""
    people = [(bound, 1.0), (bound, -1.0), (-bound, 1.0), (bound / 3, 1.0), (0.0, 1.0)]
    if relation is REPLACE:
        return [([one], [other]) for one in people for other in people]
    return [([*common, one], common) for one in people for common in ([], [(bound, 1.0)])]


def worst_ratio(made, relation):
    """The largest log-ratio of the densities of neighbours."""
    grid = np.linspace(-3, 3, 60_013)
    found = []
    for one, other in pairs(relation, made.objective.bound):
        ratio = np.log(density(made, one, grid)) - np.log(density(made, other, grid))
        found.append(np.abs(ratio).max())
    return max(found)


@pytest.mark.parametrize("relation", [REPLACE, ADD])
@pytest.mark.parametrize("loss", LOSSES)
def test_exact_densities_spend_at_most_epsilon(loss, relation):
    """In one dimension no outcome's ratio exceeds epsilon less the solver's share."""
    made = ObjectivePerturbation.pure(objective(loss), 1.0, relation)

    assert worst_ratio(made, relation) <= 1 - made.spread.epsilon
    assert worst_ratio(made, relation) > (0.4 if isinstance(loss, Logistic) else 0.94)


@pytest.mark.parametrize("relation", [REPLACE, ADD])
def test_the_square_of_the_bound_is_needed(relation):
    """With c R in place of c R², or without determinants, densities exceed epsilon."""
    made = ObjectivePerturbation.pure(objective(HuberisedHinge(0.5)), 1.0, relation)
    aim, moved = made.objective, 2 if relation is REPLACE else 1
    for wrong in (aim.loss.volume(aim.reach / aim.strength), 0.0):
        share = 1 - made.spread.epsilon - wrong
        assert isinstance(made.tilt, Laplace)
        rate = made.tilt.noise.parameter / made.tilt.step
        times = share / (rate * moved * aim.lipschitz)

        assert times > 1.05
        grid = np.linspace(-3, 3, 60_013)
        worst = max(
            np.abs(
                times * np.log(density(made, a, grid) / density(made, b, grid))
                - (times - 1) * np.log(bends(aim, a, grid) / bends(aim, b, grid))
            ).max()
            for a, b in pairs(relation, aim.bound)
        )
        assert worst > 1.02


def bends(aim, people, grid):
    """F'' alone."""
    total = np.full_like(grid, aim.strength)
    for x, y in people:
        total += x * x * aim.loss.curvature(x * grid, np.full_like(grid, y))
    return total


def hockey_stick(one, other, epsilon, cell):
    """The integral of (p - e^epsilon q)^+."""
    return np.maximum(one - math.exp(epsilon) * other, 0).sum() * cell


@pytest.mark.parametrize("relation", [REPLACE, ADD])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("delta", [1e-2, 1e-5])
def test_exact_hockey_stick_is_at_most_delta(loss, relation, delta):
    """By integration in one dimension delta holds, both ways round, and steep losses come near."""
    for ridge in (8.0, 800.0):
        made = ObjectivePerturbation.gaussian(objective(loss, ridge=ridge), 1.0, delta, relation)
        assert isinstance(made.tilt, Gaussian)
        reach = (9 * made.tilt.sigma + 4) / ridge
        grid = np.linspace(-reach, reach, 100_001)
        left, cell = 1 - made.spread.epsilon, grid[1] - grid[0]
        found = [
            hockey_stick(density(made, a, grid), density(made, b, grid), left, cell)
            for one, other in pairs(relation, made.objective.bound)
            for a, b in ((one, other), (other, one))
        ]

        assert max(found) <= delta
    assert isinstance(loss, Logistic) or max(found) > delta / 6


def test_replaced_across_in_two_dimensions():
    """Two people at right angles, whose slopes are not on one line, keep delta."""
    aim = objective(HuberisedHinge(0.5), ridge=100.0, dimension=2)
    made = ObjectivePerturbation.gaussian(aim, 1.0, 1e-2, REPLACE)
    assert isinstance(made.tilt, Gaussian)
    side = np.linspace(-0.8, 0.8, 801)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    laws = []
    for x in (np.array([2.0, 0.0]), np.array([0.0, 2.0])):
        scores, ones = grid @ x, np.ones(grid.shape[:2])
        slope = aim.strength * grid + aim.loss.slope(scores, ones)[..., None] * x
        bend = aim.strength * (aim.strength + 4 * aim.loss.curvature(scores, ones))
        sigma = made.tilt.sigma
        law = np.exp(-(slope**2).sum(-1) / (2 * sigma**2)) / (2 * math.pi * sigma**2)
        laws.append(law * bend)
    cell = (side[1] - side[0]) ** 2
    mass = laws[0].sum() * cell

    assert mass == pytest.approx(1, abs=1e-3)
    assert 1e-6 < hockey_stick(laws[0], laws[1], 1 - made.spread.epsilon, cell) <= 1e-2


@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.5), Multinomial(3)])
def test_determinants_of_replaced_people(loss):
    """Random Hessians with one person replaced have determinants within the volume, once."""
    numbers = np.random.default_rng(0)
    strength, outputs = 0.8, math.prod(loss.outputs)
    allowed = loss.volume(4.0 / strength)
    for _ in range(200):
        hessians = []
        for x in numbers.normal(size=(4, 3)):
            x = x * 2 / np.linalg.norm(x)
            score, label = numbers.normal(size=(1, *loss.outputs)), np.ones(1)
            bend = np.atleast_2d(loss.curvature(score, label)[0])
            hessians.append(np.kron(np.outer(x, x), bend))
        base = strength * np.eye(3 * outputs) + hessians[0] + hessians[1]
        logs = [np.linalg.slogdet(base + each)[1] for each in (*hessians[2:], 0 * base)]

        assert max(logs) - min(logs) <= allowed + 1e-9


def test_logistic_add_remove_is_the_gaussian_mechanism():
    """But for the determinant and the solver's share the noise is the Gaussian mechanism's own."""
    aim = objective(Logistic(), 10**6, 1e-3, 1.0)
    made = ObjectivePerturbation.gaussian(aim, 1.0, 1e-5, ADD)
    least = gaussian_noise_multiplier(1 - made.spread.epsilon, 1e-5)

    assert isinstance(made.tilt, Gaussian)
    assert least <= made.tilt.noise_multiplier <= least * 1.001


@pytest.mark.parametrize("relation", [REPLACE, ADD])
@pytest.mark.parametrize("loss", LOSSES)
def test_delta_at_is_the_calibrated_curve(loss, relation):
    """Delta is met at epsilon, falls with it, and a little less noise would not meet it."""
    made = ObjectivePerturbation.gaussian(objective(loss, 100), 1.0, 1e-5, relation)

    assert 0.999e-5 < made.delta_at(1.0) <= 1e-5 * (1 + 1e-6)
    assert made.delta_at(0.9) > 1e-5 > made.delta_at(1.1)
    assert made.delta_at(made.spread.epsilon) == 1.0
    pure = ObjectivePerturbation.pure(objective(loss, 100), 1.0, relation)
    assert (pure.delta_at(1.0), pure.delta_at(0.0)) == (0.0, pytest.approx(math.tanh(0.5)))


def data(people=200, dimension=3):
    """Rows of norm at most one and signs."""
    numbers = np.random.default_rng(0)
    rows = numbers.normal(size=(people, dimension))
    rows /= np.maximum(1, np.linalg.norm(rows, axis=1))[:, None]
    return rows, np.where(rows @ np.ones(dimension) > 0, 1.0, -1.0)


WIDE = objective(Logistic(), 200, 0.05, 1.0, 3)


@functools.cache
def pure():
    """Pure noise for it; its tables take a while."""
    return ObjectivePerturbation.pure(WIDE, 1.0, REPLACE)


@functools.cache
def gaussian():
    """And Gaussian noise."""
    return ObjectivePerturbation.gaussian(WIDE, 1.0, 1e-5, REPLACE)


@pytest.mark.parametrize("make", [pure, gaussian])
def test_a_release_is_the_tilted_minimum_with_noise(make):
    """The parts of one key give the release, to the tolerance, and its gradient shows the tilt."""
    made = make()
    key = quick_keys.key(1)
    for_tilt, for_spread = jax.random.split(key)
    tilt = noisy(made.tilt, for_tilt, np.zeros(3))
    exact = minimise(made.objective, cut(made.objective, *data()), 1e-9, tilt).point
    expected = exact + noisy(made.spread, for_spread, np.zeros(3))
    gap = np.linalg.norm(made.sample(key, *data()) - expected)

    assert gap <= 1.01 * made.tolerance / WIDE.strength + 4 * made.spread.step
    assert made.sample(key, *data()).tolist() == made.sample(key, *data()).tolist()
    assert np.linalg.norm(tilt) > 1


def test_the_solver_is_hidden():
    """The last noise hides twice the tolerance and the tilt's rounding, in L1, for epsilon/64."""
    made = pure()
    moved = 2 * (made.tolerance + made.tilt.step * math.sqrt(3)) / WIDE.strength
    hidden = math.sqrt(3) * moved

    assert hidden < made.spread.sensitivity < 1.001 * hidden
    assert made.spread.epsilon == 1 / 64
    assert made.spread.error(3) < 1e-3 * made.tilt.error(3) / WIDE.strength**2


def test_released_minima_have_the_density_of_the_definition():
    """Draws in one dimension fit the exact density; weights 2/5 as large do not."""
    rows, signs = np.array([[2.0], [2.0], [-1.0]]), np.array([1.0, -1.0, 1.0])
    made = ObjectivePerturbation.pure(objective(Logistic(), 3), 1.0, REPLACE)
    keys = jax.random.split(quick_keys.key(2), 300)
    found = np.array([made.sample(key, rows, signs)[0] for key in keys])
    grid = np.linspace(-40, 40, 400_001)
    law = density(made, [(2.0, 1.0), (2.0, -1.0), (-1.0, 1.0)], grid)
    total = np.cumsum(law) * (grid[1] - grid[0])

    assert total[-1] == pytest.approx(1, abs=1e-3)
    assert kstest(found, lambda w: np.interp(w, grid, total)).pvalue > 1e-4
    assert kstest(found / 2.5, lambda w: np.interp(w, grid, total)).pvalue < 1e-4


@pytest.mark.parametrize("relation", [REPLACE, ADD])
def test_weak_penalties_are_raised(relation):
    """Determinants never cost more than half; a penalty that is strong enough stays."""
    weak = objective(Logistic(), 100, 1e-6)
    made = ObjectivePerturbation.pure(weak, 0.1, relation)
    volume = made.objective.loss.volume(made.objective.reach**2 / made.objective.strength)

    assert volume == pytest.approx((0.1 - made.spread.epsilon) / 2)
    assert made.raised > 1e-6
    assert pure().raised == 0.05


def test_the_root_mean_square_is_an_upper_bound():
    """Releases are as near to the minimum as stated, and a tenth of that would not hold."""
    made = pure()
    exact = minimise(WIDE, cut(WIDE, *data()), 1e-9).point
    keys = jax.random.split(quick_keys.key(3), 100)
    squares = [((made.sample(key, *data()) - exact) ** 2).sum() for key in keys]

    assert 0.1 * made.rmse < math.sqrt(np.mean(squares)) < made.rmse


def test_bad_rows_and_nobody():
    """NaN, long rows and wrong labels give weights, and so does nobody."""
    made = pure()
    rows, labels = data()
    rows[0], rows[1], labels[2] = math.nan, 1e300, math.nan

    assert np.isfinite(made.sample(quick_keys.key(0), rows, labels)).all()
    assert made.sample(quick_keys.key(0), rows[:0], labels[:0]).shape == (3,)


def test_events():
    """The release composes as any (epsilon, delta)."""
    made = gaussian()

    assert made.event == events.epsilon_delta(1.0, 1e-5)
    assert made.tv_distance < 1e-12
    assert ObjectivePerturbation.pure(objective(Logistic()), 1.0, ADD).tv_distance < 2e-12


@pytest.mark.parametrize(
    "make, wrong",
    [
        (lambda: ObjectivePerturbation.pure(objective(Hinge()), 1.0, ADD), "Hinge loss has no"),
        (lambda: ObjectivePerturbation.pure(objective(Squared()), 1.0, ADD), "Squared loss has no"),
        (lambda: ObjectivePerturbation.pure(WIDE, math.inf, ADD), "epsilon must be positive"),
        (lambda: ObjectivePerturbation.gaussian(WIDE, 1.0, math.nan, ADD), "delta must be in"),
    ],
)
def test_refusals(make, wrong):
    """Losses without the constants and bad budgets are refused by name."""
    with pytest.raises(ValueError, match=wrong):
        make()
