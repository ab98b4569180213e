"""Output perturbation hides how far one person moves a minimum, and what the solver left undone."""

import functools
import math
from dataclasses import replace

import jax
import numpy as np
import pytest
from scipy.stats import gamma, kstest, norm

import quick_keys
from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.rows.output_perturbation import OutputPerturbation, noisy
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial, Squared
from tacit.solve.minimise import NotConverged, minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

REPLACE, ADD = Relation.REPLACE_ONE, Relation.ADD_REMOVE
PEOPLE = 200


def objective(loss, dimension=3, ridge=0.05, bound=1.0):
    """What is fitted to two hundred people."""
    return Objective(loss, L2(ridge), bound, PEOPLE, dimension)


AIM = objective(Logistic())
# Made before the library's generator is exchanged for one that compiles fast.
KEYS = quick_keys.key(7), keys.jax_key(keys.from_seed(7))


@functools.cache
def pure():
    """Pure noise for it; its tables take a while."""
    return OutputPerturbation.pure(AIM, 1.0, REPLACE)


def data(seed=0, dimension=3):
    """Rows of norm at most one and signs."""
    numbers = np.random.default_rng(seed)
    rows = numbers.normal(size=(PEOPLE, dimension))
    rows /= np.maximum(1, np.linalg.norm(rows, axis=1))[:, None]
    return rows, np.where(rows @ np.ones(dimension) + numbers.normal(size=PEOPLE) > 0, 1.0, -1.0)


def minimum(aim, rows, labels):
    """The exact minimum, nearly."""
    return minimise(aim, cut(aim, rows, labels), 1e-9).point


@pytest.mark.parametrize("relation, people", [(REPLACE, 2), (ADD, 1), (Relation.ZERO_OUT, 1)])
@pytest.mark.parametrize("loss", [Logistic(), Huber(0.5)])
def test_sensitivity_is_the_formula(loss, relation, people):
    """2L/s or L/s, the solver's tolerance twice, and one step a coordinate."""
    aim = objective(loss, 1)
    made = OutputPerturbation.pure(aim, 1.0, relation)
    step = made.noise.step
    expected = (people * loss.slope_bound * aim.reach + 2 * made.tolerance) / (PEOPLE * 0.05)

    assert made.noise.sensitivity == pytest.approx(expected + step * math.sqrt(aim.size), rel=1e-12)
    assert made.event == events.k_norm(1.0)
    assert step * math.sqrt(aim.size) < 1e-4 * made.noise.sensitivity
    assert made.tolerance < 1e-4 * aim.lipschitz


def test_gaussian_noise_is_for_cut_weights_as_well():
    """The same formula, and a step for each of three weights in L2."""
    made = OutputPerturbation.gaussian(AIM, 1.0, 1e-6, REPLACE)
    apart = (2 * AIM.lipschitz + 2 * made.tolerance) / AIM.strength

    expected = apart + math.sqrt(3) * made.noise.step
    assert made.noise.sensitivity == pytest.approx(expected, rel=1e-12)


def test_neighbours_are_within_the_sensitivity_and_can_reach_it():
    """Steep losses on opposite sides are 2L/s apart: a bound of two thirds would be wrong."""
    aim = Objective(HuberisedHinge(0.5), L2(20.0), 2.0, 1, 1)
    one, other = (minimum(aim, np.array([[2.0]]), np.array([y])) for y in (1.0, -1.0))
    stated = OutputPerturbation.pure(aim, 1.0, REPLACE).noise.sensitivity

    assert 0.999 * stated < abs(one - other)[0] <= stated


@pytest.mark.parametrize("loss", [Logistic(), HuberisedHinge(0.5), Huber(0.5), Multinomial(3)])
def test_random_neighbours_are_within_the_sensitivity(loss):
    """Whoever is replaced or leaves, the minimum moves by no more than stated."""
    aim, numbers = objective(loss), np.random.default_rng(2)
    rows, labels = data()
    labels = (labels + 1) / 2 if isinstance(loss, Multinomial) else labels
    base = minimum(aim, rows, labels)
    for _ in range(5):
        far = rows.copy()
        far[0] = numbers.normal(size=3)
        replaced = minimum(aim, far, labels)
        left = minimum(aim, rows[1:], labels[1:])
        moved = np.linalg.norm(base - replaced), np.linalg.norm(base - left)

        assert moved[0] <= 2 * aim.lipschitz / aim.strength
        assert moved[1] <= aim.lipschitz / aim.strength


def released(made, draws, rows, labels):
    """The noise of so many releases: what is released, less the minimum."""
    keys = jax.random.split(quick_keys.key(3), draws)
    exact = minimum(made.objective, rows, labels)
    return np.stack([noisy(made.noise, key, exact) - exact for key in keys])


def test_the_noise_has_the_law_it_states():
    """Norms are Gamma(d) over epsilon / sensitivity; two thirds of them are not."""
    made = pure()
    norms = np.linalg.norm(released(made, 400, *data()), axis=1)
    law = gamma(3, scale=made.noise.sensitivity).cdf

    assert kstest(norms, law).pvalue > 1e-4
    assert kstest(2 / 3 * norms, law).pvalue < 1e-9


def test_gaussian_noise_has_the_law_it_states():
    """Coordinates are normal with the deviation of (epsilon, delta); two thirds are not."""
    made = OutputPerturbation.gaussian(AIM, 1.0, 1e-5, REPLACE)
    assert isinstance(made.noise, Gaussian)
    found = released(made, 400, *data()).ravel()

    assert made.noise.delta(1.0) <= 1e-5 < made.noise.delta(0.999)
    assert kstest(found, norm(scale=made.noise.sigma).cdf).pvalue > 1e-4
    assert kstest(2 / 3 * found, norm(scale=made.noise.sigma).cdf).pvalue < 1e-9


@pytest.mark.parametrize("key", KEYS, ids=["quick", "own"])
@pytest.mark.parametrize("law", ["gaussian", "euclidean", "laplace"])
def test_a_release_is_the_exact_sum_that_the_mechanism_makes(law, key):
    """The same bits for every law and generator, whether compiled or not."""
    noise, size = {
        "gaussian": lambda: (OutputPerturbation.gaussian(AIM, 1.0, 1e-5, REPLACE).noise, 3),
        "euclidean": lambda: (pure().noise, 3),
        "laplace": lambda: (OutputPerturbation.pure(objective(Logistic(), 1), 1.0, ADD).noise, 1),
    }[law]()
    weights = np.array([2.0**30 + 5, -3.0, 0.0])[:size] * noise.step
    theirs = noise.sample(key, FixedPoint.of(weights, noise.step)).exact()

    assert noisy(noise, key, weights).tolist() == theirs.tolist()


def test_noise_for_another_number_of_weights_is_refused():
    """Euclidean noise is of one dimension; of fewer coordinates it would be too little."""
    with pytest.raises(ValueError, match="the sum must have 3 coordinates, got 2"):
        noisy(pure().noise, KEYS[0], np.zeros(2))


def test_no_program_is_compiled_for_the_noise_of_a_release():
    """It would take longer than all the rest of a first fit."""
    compiled = []

    def heard(event: str, seconds: float, **more: object) -> None:
        if event.endswith("backend_compile_duration"):
            compiled.append(event)

    aim = objective(Logistic(), 7)
    laws = OutputPerturbation.pure(aim, 1.0, ADD).noise, Gaussian.calibrate(1, 1e-5, 1, 2.0**-20)
    jax.monitoring.register_event_duration_secs_listener(heard)
    for noise in laws:
        noisy(noise, KEYS[1], np.zeros(7))
    jax.monitoring.unregister_event_duration_listener(heard)

    assert compiled == []


@pytest.mark.parametrize("loss", [Logistic(), Multinomial(3)])
def test_a_release_is_the_minimum_with_this_noise(loss):
    """The release is the minimum and the noise of the same key, to the solver's tolerance."""
    rows, labels = data()
    aim = objective(loss)
    made = OutputPerturbation.gaussian(aim, 1.0, 1e-5, REPLACE)
    key = quick_keys.key(4)
    labels = (labels + 1) / 2 if isinstance(loss, Multinomial) else labels
    noise = noisy(made.noise, key, np.zeros(aim.shape))
    slack = 1.01 * made.tolerance / aim.strength + 2 * made.noise.step * math.sqrt(aim.size)
    gap = made.sample(key, rows, labels) - noise - minimum(aim, rows, labels)

    assert np.linalg.norm(gap) <= slack
    assert made.sample(key, rows, labels).tolist() == made.sample(key, rows, labels).tolist()


@pytest.mark.parametrize("gaussian", [False, True])
def test_the_root_mean_square_is_as_stated(gaussian):
    """The root mean square distance is the stated one, within six standard errors."""
    made = OutputPerturbation.gaussian(AIM, 1.0, 1e-5, REPLACE) if gaussian else pure()
    squares = (released(made, 400, *data()) ** 2).sum(axis=1)
    stated, error = made.rmse**2, squares.std() / math.sqrt(400)

    assert abs(squares.mean() - stated) < 6 * error
    assert abs(4 / 9 * squares.mean() - stated) > 6 * error


def test_one_weight():
    """One weight gets Laplace noise."""
    made = OutputPerturbation.pure(objective(Logistic(), 1), 1.0, ADD)
    assert made.sample(quick_keys.key(0), *data(dimension=1)).shape == (1,)


def test_bad_rows_and_nobody():
    """NaN, long rows and wrong labels move no more than a person can; nobody gives noise."""
    rows, labels = data()
    made = pure()
    key = quick_keys.key(5)
    base = made.sample(key, rows, labels)
    for row, label in (([math.nan] * 3, 1.0), ([1e300, 0, 0], 1.0), (rows[0], 5.0)):
        bad, wrong = rows.copy(), labels.copy()
        bad[0], wrong[0] = row, label
        moved = np.linalg.norm(made.sample(key, bad, wrong) - base)
        assert moved <= made.noise.sensitivity
    empty = made.sample(key, rows[:0], labels[:0])

    assert empty.tolist() == noisy(made.noise, key, np.zeros(3)).tolist()


def test_weights_beyond_the_grid_are_cut():
    """What no limb holds becomes the end of the range: nothing wraps around."""
    made = pure()
    far = noisy(made.noise, quick_keys.key(6), np.array([1e300, -1e300, 0.0]))

    assert np.allclose(far[:2] / made.noise.step / 2.0**45, [1, -1], atol=1e-3)


def test_an_answer_without_a_proof_is_not_released():
    """A tolerance out of reach raises."""
    made = replace(pure(), tolerance=1e-14)
    with pytest.raises(NotConverged):
        made.sample(quick_keys.key(0), *data())


def test_events():
    """Pure noise composes as K-norm noise, Gaussian noise as itself."""
    gaussian = OutputPerturbation.gaussian(AIM, 1.0, 1e-5, REPLACE)
    assert isinstance(gaussian.noise, Gaussian)

    assert pure().event == events.euclidean_norm(1.0, 3)
    assert gaussian.event == events.gaussian(gaussian.noise.noise_multiplier)
    assert gaussian.tv_distance < 1e-12


@pytest.mark.parametrize(
    "make, wrong",
    [
        (lambda: OutputPerturbation.pure(objective(Squared()), 1.0, ADD), "no Lipschitz constant"),
        (lambda: OutputPerturbation.pure(AIM, math.nan, ADD), "epsilon must be positive"),
        (lambda: OutputPerturbation.gaussian(AIM, 1.0, 0.0, ADD), "delta must lie"),
    ],
)
def test_refusals(make, wrong):
    """A loss without a Lipschitz constant and bad budgets are refused by name."""
    with pytest.raises(ValueError, match=wrong):
        make()
