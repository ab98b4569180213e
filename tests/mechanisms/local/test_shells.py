"""Points of a few spheres: private for every norm, unbiased in the ball, of exactly that error."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binomtest, chisquare

import audit
import quick_keys
from tacit.mechanisms.local.folded import Folded
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated
from tacit.mechanisms.local.shells import Shells
from tacit.noise import words

sample = jax.jit(Shells.sample)
COUNT, DIM, RADIUS, MIDDLE = 40_000, 6, 1.5, 0.6
# From the least budget to the largest, with spheres near zero, in the middle and near the radius.
SETTINGS = [
    (3, 1e-6, 0.5),
    (3, 1.0, 0.01),
    (20, 6.0, 0.999),
    (500, 7.8, 0.5),
    (500, 125.0, 0.5),
    (500, 250.0, 1e-12),
    (10**6, 64.0, 0.5),
    (10**6, 2000.0, 0.25),
]


def contributions(norm, dim=DIM):
    """The same vector of this norm, once a row."""
    vector = jnp.arange(1.0, dim + 1)
    return jnp.broadcast_to(norm * vector / jnp.linalg.norm(vector), (COUNT, dim))


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return np.abs(values.mean(0) - expected) / (values.std(0) / math.sqrt(len(values)))


def made(steps, epsilon=4.0):
    """On spheres of 2 steps radii, with a cap that is neither small nor half of them."""
    return Shells.with_cap(DIM, epsilon, RADIUS, MIDDLE, steps, 0.5)


@pytest.mark.parametrize("norm", [0.0, 0.1, 0.3, 0.45, 0.6, 0.8, 1.5])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_reports_are_unbiased_with_the_stated_error(steps, norm):
    """Every coordinate's mean and the squared error, inside, on and between the spheres."""
    mechanism, vectors = made(steps), contributions(norm)
    reports = sample(mechanism, quick_keys.key(1), vectors)
    squares = jnp.sum((reports - vectors) ** 2, axis=1)

    assert standard_errors(reports, np.asarray(vectors[0])).max() < 4.5
    assert standard_errors(squares, mechanism.error(norm)) < 4
    assert standard_errors(squares, made(steps, 3.5).error(norm)) > 6


def test_what_is_not_scaled_or_not_rounded_is_biased():
    """The test of the mean refuses two-thirds of the scale, and spheres put elsewhere."""
    mechanism, vectors = made(2), contributions(0.45)
    short = dataclasses.replace(mechanism, scale=2 / 3 * mechanism.scale)
    moved = dataclasses.replace(mechanism, middle=0.9 * MIDDLE)
    lying = sample(mechanism, quick_keys.key(1), contributions(0.9 * 0.45))

    assert standard_errors(sample(short, quick_keys.key(1), vectors), vectors[0]).max() > 8
    assert standard_errors(lying, vectors[0]).max() > 4.5
    assert standard_errors(sample(moved, quick_keys.key(1), vectors), vectors[0]).max() < 4.5


def test_reports_lie_on_the_spheres():
    """Of every sphere some, whatever the vector is, and none anywhere else."""
    mechanism = made(2)
    reports = sample(mechanism, quick_keys.key(2), contributions(0.6))
    radii = np.linalg.norm(np.asarray(reports, np.float64), axis=1) / mechanism.scale

    assert {0.3, 0.6, 1.05, 1.5} == set(np.unique(np.round(radii, 5)))
    assert mechanism.bound == pytest.approx(1.5 * mechanism.scale)


@pytest.mark.parametrize("dim, epsilon, part", SETTINGS)
def test_the_loss_is_the_budget_and_never_more(dim, epsilon, part):
    """For the best cap and for others; what is lost is 1e-9 of it, or rounding a up to 2^-64."""
    best = Shells.best(dim, epsilon, 2.0, 2.0 * part)
    for mechanism in (best, *(_with(best, gamma) for gamma in (0.0, 0.7 * best.gamma))):
        lost = 1e-12 + 1e-9 * epsilon + 1 / words.integer(mechanism.common)
        assert mechanism.loss <= epsilon
        assert epsilon - lost <= mechanism.loss or words.integer(mechanism.common) == 1


def _with(mechanism, gamma):
    own = mechanism.radius, mechanism.middle, mechanism.steps
    return Shells.with_cap(mechanism.dim, mechanism.epsilon, *own, gamma)


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 12.0])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_the_loss_by_another_route(steps, epsilon):
    """The two densities from the rounded a and SciPy's beta function: their ratio is e^epsilon."""
    mechanism = made(steps, epsilon)
    a = words.integer(mechanism.common) / words.SIZE
    rho = betainc((DIM - 1) / 2, 0.5, 1 - mechanism.gamma**2) / 2
    ratio = 1 + (1 - a) * 2 * steps / rho / a

    assert math.exp(epsilon) * (1 - 1e-9) < ratio <= math.exp(epsilon) * (1 + 1e-12)
    assert math.exp(mechanism.loss) == pytest.approx(ratio, 1e-11)


def test_budgets_hold_whatever_the_norms_are_declared_to_be():
    """Cap, a and so all densities are the same for any middle and radius."""
    spent = {
        (own.common, own.gamma, own.loss, own.blanket)
        for middle, radius in [(0.5, 1.0), (1e-9, 1.0), (0.999, 1.0), (3.0, 1e6)]
        for own in [Shells.with_cap(DIM, 2.0, radius, middle, 2, 0.4)]
    }

    assert 1 == len(spent)


@pytest.mark.parametrize("norm", [0.0, 0.2, 0.6, 1.5])
def test_reports_off_the_own_cap_are_anybody_s(norm):
    """With probability a (1 - rho/2n), spread over the spheres evenly."""
    mechanism, vectors = made(2), contributions(norm)
    reports = np.asarray(sample(mechanism, quick_keys.key(3), vectors), np.float64)
    radii = np.linalg.norm(reports, axis=1) / mechanism.scale
    spheres = np.argmin(np.abs(radii[:, None] - [0.3, 0.6, 1.05, 1.5]), axis=1)
    along = np.abs(reports @ np.asarray(contributions(1.0)[0])) / radii / mechanism.scale
    # Off both caps of every sphere: no vector along this line makes that more likely.
    off = along < mechanism.gamma if norm else reports[:, 0] ** 2 < 0.2**2
    rho = betainc((DIM - 1) / 2, 0.5, 1 - mechanism.gamma**2) / 2
    if norm:
        assert binomtest(int(off.sum()), COUNT, mechanism.blanket * (1 - 2 * rho)).pvalue > 1e-4
        assert chisquare(np.bincount(spheres[off], minlength=4)).pvalue > 1e-4


def audited(mechanism):
    """The epsilon proved by "on the outer sphere, in its cap" on the longest vector and a short."""
    unit = contributions(1.0)[0]
    outer, height = 0.999 * mechanism.bound, 0.999 * mechanism.gamma

    def count(key, inputs):
        reports = sample(mechanism, key, inputs)
        far = jnp.linalg.norm(reports, axis=1) >= outer
        return int(jnp.sum(far & (reports @ unit >= height * mechanism.bound)))

    one = count(quick_keys.key(4), contributions(RADIUS)), COUNT
    return audit.epsilon_lower_bound(one, (count(quick_keys.key(5), contributions(0.01)), COUNT))


@pytest.mark.parametrize("steps", [1, 2])
def test_the_audit_sees_most_of_the_budget_and_not_more(steps):
    """A long vector against a short one."""
    assert 1.4 < audited(made(steps, 2.0)) <= 2.0


def test_the_audit_refutes_spheres_that_were_not_counted():
    """An a that would do for one sphere, on four, is caught; so is a cap of another height."""
    mechanism = made(2, 2.0)
    log_odds = 2.0 + math.log(-math.expm1(-2.0)) + math.log(rho_of(mechanism))
    alone = dataclasses.replace(mechanism, common=words.word(words.unlikely(log_odds)))
    higher = dataclasses.replace(mechanism, gamma=1.6 * mechanism.gamma)

    assert audited(alone) > 2.0 and audited(higher) > 2.0


def rho_of(mechanism) -> float:
    return float(betainc((DIM - 1) / 2, 0.5, 1 - mechanism.gamma**2) / 2)


@pytest.mark.parametrize("dim, epsilon, part", SETTINGS)
def test_the_worst_norm_is_found(dim, epsilon, part):
    """The closed form is the maximum of the error over the ball."""
    mechanism = Shells.best(dim, epsilon, RADIUS, part * RADIUS)
    curve = [mechanism.error(norm) for norm in np.linspace(0, RADIUS, 4001)]

    assert max(curve) == pytest.approx(mechanism.worst_error, 1e-5)
    assert max(curve) <= mechanism.worst_error * (1 + 1e-12)


@pytest.mark.parametrize("dim, epsilon, part", [own for own in SETTINGS[1:] if own[2] > 1e-3])
def test_no_other_cap_has_less_error_at_the_middle(dim, epsilon, part):
    """Higher and lower ones, on as many spheres."""
    best = Shells.best(dim, epsilon, RADIUS, part * RADIUS)
    for factor in (0.5, 0.9, 0.99, 0.999, 1.001, 1.005):
        other = _with(best, factor * best.gamma)
        assert best.error(best.middle) <= other.error(best.middle) * (1 + 1e-9)


@pytest.mark.parametrize(
    "dim, epsilon, times",
    [(500, 7.8, 1.7), (500, 31.2, 1.1), (500, 125.0, 1.02), (10**6, 64.0, 1.06)],
)
def test_any_split_of_the_budget_has_more_error_at_the_middle(dim, epsilon, times):
    """Direction and norm apart, at all of 60 splits with all numbers of levels up to 40."""
    own = Shells.best(dim, epsilon, 1.0, 0.5)
    apart = [
        Separated(
            PrivUnit2.optimal(dim, epsilon - budget), ScalarDP.best_at(budget, 1.0, 0.5)
        ).error(0.5)
        for budget in np.geomspace(0.5, min(0.8 * epsilon, 20.0), 60)
    ]

    assert times * own.second_moment(0.5) < min(apart) + 0.25
    assert own.second_moment(0.5) < Folded.best(dim, epsilon, 1.0).bound ** 2 / 2.5


def test_more_spheres_where_they_are_cheap():
    """Two at a small budget, sixteen at a large one: at most 2% at the middle, less beside it."""
    small, large = (Shells.best(500, epsilon, 1.0, 0.5) for epsilon in (7.8, 250.0))
    coarse = Shells.with_cap(500, 250.0, 1.0, 0.5, 1, large.gamma)

    assert (1, 8) == (small.steps, large.steps)
    assert large.second_moment(0.5) <= 1.02 * coarse.second_moment(0.5)
    assert large.second_moment(0.6) < 0.92 * coarse.second_moment(0.6)
    assert large.second_moment(0.4) < 0.7 * coarse.second_moment(0.4)


@pytest.mark.parametrize("row", [[0.0] * DIM, [math.nan] * DIM, [math.inf] + [0.0] * (DIM - 1)])
def test_rows_without_a_direction_count_as_zero(row):
    """Zero, NaN and infinite rows give the report of the zero vector, bit for bit."""
    rows = jnp.broadcast_to(jnp.asarray(row), (COUNT, DIM))
    expected = sample(made(2), quick_keys.key(6), jnp.zeros((COUNT, DIM)))

    assert np.array_equal(expected, sample(made(2), quick_keys.key(6), rows))


def test_long_rows_are_clipped():
    """A row outside the ball is reported as its projection, up to rounding."""
    expected = sample(made(2), quick_keys.key(6), contributions(RADIUS))
    longer = sample(made(2), quick_keys.key(6), contributions(3 * RADIUS))

    np.testing.assert_allclose(expected, longer, atol=1e-4)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"dim": 2}, "dim must be between 3 and"),
        ({"epsilon": math.nan}, "epsilon must be between"),
        ({"middle": 0.0}, "0 < middle < radius, got middle 0.0 and radius 1.5"),
        ({"middle": 1.5}, "0 < middle < radius, got middle 1.5 and radius 1.5"),
        ({"radius": math.inf}, "0 < middle < radius, got middle 0.6 and radius inf"),
        ({"steps": 0}, "steps must be from 1 to 32767, got 0"),
        ({"gamma": 1.0}, "gamma must be at least zero and below one, got 1.0"),
        ({"dim": 10**6, "gamma": 0.5}, "gamma must be lower for epsilon 4.0, got 0.5"),
    ],
)
def test_refuses(change, sentence):
    """What is out of range, by name."""
    numbers = {"dim": DIM, "epsilon": 4.0, "radius": RADIUS, "middle": MIDDLE, "gamma": 0.5}
    with pytest.raises(ValueError, match=sentence):
        Shells.with_cap(**{**numbers, "steps": 1, **change})


@pytest.mark.parametrize("steps", [1, 4])
def test_the_second_moment_is_largest_at_the_radius_and_lies_along_by_its_share(steps):
    """Measured along the input and across, within 5 standard errors; the share is no less."""
    shells = Shells.with_cap(5, 4.0, 2.0, 0.7, steps, 0.4)
    moments = [shells.second_moment(norm) for norm in np.linspace(0, 2, 41)]
    assert max(moments) == pytest.approx(shells.largest_second_moment)

    term = jnp.zeros((40_000, 5)).at[:, 2].set(2.0)
    found = np.asarray(shells.sample(quick_keys.key(8), term), np.float64) ** 2
    most = moments[-1] * (shells.along + (1 - shells.along) / 5)
    spread = found[:, 2].std() / 200
    assert most * 0.9 < found[:, 2].mean() < most + 5 * spread


def test_a_norm_that_is_middle_and_radius_at_once_is_reported_as_any_other():
    """Their difference vanishes in float32: no report is zero, for that would tell the norm."""
    shells = Shells.best(6, 8.0, 1.0, 1 - 1e-9)
    rows = jnp.zeros((2000, 6)).at[:, 0].set(1.0)
    lengths = np.linalg.norm(shells.sample(jax.random.key(0), rows), axis=1)

    assert (lengths > 0.01).all()
