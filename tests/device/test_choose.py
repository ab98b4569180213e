"""Local randomisers on devices: which one for which shape, unbiased, inside the stated set."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.contribution import Ball, Cube, Grid, Interval, L1Ball, OneHot, Sphere
from tacit.device.categories import Supporters
from tacit.device.choose import Split, device_for, devices
from tacit.device.vectors import OnBall, OnCube, OnL1Ball, OnNumber, OnSphere
from tacit.mechanisms.local.piecewise import Hybrid
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated
from tacit.mechanisms.local.shells import Shells

PEOPLE = 10_000
VECTOR = np.array([0.5, -1.0, 0.25, 0.0], np.float32)


def reports(device, term, seed=0) -> np.ndarray:
    """Many people's reports of one term."""
    terms = jnp.broadcast_to(jnp.asarray(term, jnp.float32), (PEOPLE, *np.shape(term)))
    return np.asarray(device.sample(quick_keys.key(seed), terms), np.float64)


def deviations(sample: np.ndarray, term) -> float:
    """The largest distance of a mean from its term, in standard errors."""
    errors = sample.std(axis=0) / math.sqrt(PEOPLE)
    return float(np.max(np.abs(sample.mean(axis=0) - term) / errors))


@pytest.mark.parametrize("value", [-3.0, -2.2, 0.0, 0.9, 1.0])
@pytest.mark.parametrize("budget", [0.5, 4.0])
def test_reports_of_a_number_are_unbiased(value, budget):
    """The mean of the reports is the number, at the bounds and between grid points."""
    device = device_for(Interval(-3.0, 1.0), budget)

    assert deviations(reports(device, value), value) < 5


def test_an_interval_that_is_not_moved_back_fails_the_same_check():
    """The check of the mean sees a forgotten lower bound."""
    device = device_for(Interval(-3.0, 1.0), 4.0)

    assert deviations(reports(device.scalar, 2.0), -1.0) > 5


@pytest.mark.parametrize("length", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("budget", [6.0, Split(4.0, 2.0)], ids=["whole", "split"])
def test_reports_of_a_vector_are_unbiased(length, budget):
    """Every coordinate's mean is the term's, at the centre, inside and on the sphere."""
    device = device_for(Ball(4, 2.0), budget)
    term = VECTOR * (length / np.linalg.norm(VECTOR))

    assert deviations(reports(device, term), term) < 5


@pytest.mark.parametrize("lower, upper", [(-1.0, 1.0), (0.0, 10.0), (3.0, 4.0), (-5.0, -4.0)])
def test_reports_of_a_number_lie_in_the_stated_set(lower, upper):
    """No report is outside it, and the largest comes within a hundredth of its end."""
    device = device_for(Interval(lower, upper), 1.0)
    sample, stated = reports(device, upper), device.facts.report_set
    slack = 1e-6 * stated.bound

    assert stated.lower - slack <= sample.min() and sample.max() <= stated.upper + slack
    reach = np.abs(sample - lower).max()
    assert pytest.approx(stated.upper - lower, rel=0.01) == reach


def test_reports_of_a_vector_lie_in_the_stated_ball():
    """No report is longer than the radius, and some report is that long."""
    device = device_for(Ball(4, 2.0), 6.0)
    lengths = np.linalg.norm(reports(device, VECTOR), axis=1)

    assert 4 == device.facts.report_set.dim
    assert pytest.approx(device.facts.report_set.radius, rel=1e-5) == lengths.max()


def test_reports_of_a_cube_lie_in_the_stated_one():
    """Every coordinate, and some are as far out as is stated."""
    device = device_for(Cube(3, -1.0, 2.0), 2.0)
    sample, stated = reports(device, [-1.0, 0.0, 2.0]), device.facts.report_set.side
    slack = 1e-6 * stated.bound

    assert stated.lower - slack <= sample.min() <= stated.lower + slack
    assert stated.upper - slack <= sample.max() <= stated.upper + slack


def test_a_split_is_spent_as_it_was_declared():
    """So much for the direction and so much for the magnitude, and no more together."""
    device = device_for(Ball(4, 2.0), Split(4.0, 2.0))

    assert 4.0 == device.mechanism.direction.epsilon
    assert 2.0 == device.mechanism.magnitude.epsilon
    assert 6.0 == device.facts.epsilon


def test_each_shape_has_its_randomiser():
    """A number gets one no worse than ScalarDP on its width, a vector direction and magnitude."""
    number = device_for(Interval(-1.0, 2.0), 1.5)
    vector = device_for(Ball(7, 0.5), Split(5.0, 2.0))

    assert isinstance(number, OnNumber) and isinstance(vector, OnBall)
    assert number.facts.worst_error <= ScalarDP.best(1.5, 3.0).worst_error
    assert 1.5 == number.facts.epsilon
    parts = vector.mechanism
    assert (7, 5.0) == (parts.direction.dim, parts.direction.epsilon)
    assert (2.0, 0.5) == (parts.magnitude.epsilon, parts.magnitude.maximum)
    assert 7.0 == vector.facts.epsilon == Split(5.0, 2.0).epsilon


@pytest.mark.parametrize("budget", [0.3, 1.0, 5.0, 8.0])
@pytest.mark.parametrize("dim", [3, 64])
def test_a_plain_budget_is_never_exceeded_by_its_parts(dim, budget):
    """Direction and magnitude together spend the budget, and not a rounding more."""
    device = device_for(Ball(dim, 1.0), budget)

    assert budget * (1 - 1e-12) <= device.facts.epsilon <= budget


def test_the_chosen_split_is_no_worse_than_others():
    """For a plain budget the worst-case error is at most that of any split by hand."""
    best = device_for(Ball(20, 1.0), 8.0).facts.worst_error
    by_hand = [device_for(Ball(20, 1.0), Split(8.0 - m, m)) for m in (1.0, 2.5, 4.0)]

    assert best <= min(device.facts.worst_error for device in by_hand)


def test_a_split_uses_the_number_of_levels_that_suits_the_whole_vector():
    """At a given split no number of levels gives the vector's report a smaller worst-case error."""
    device = device_for(Ball(20, 1.0), Split(6.0, 3.0))
    direction = device.mechanism.direction
    others = [
        type(device.mechanism)(direction, ScalarDP.on_grid(3.0, levels, 1.0)).worst_error
        for levels in range(1, 20)
    ]

    assert pytest.approx(min(others), rel=1e-9) == device.facts.worst_error


@pytest.mark.parametrize("typical", [0.05, 0.5, 1.0, 1.9, 2.0])
@pytest.mark.parametrize("budget", [0.5, 3.0, 8.0, 60.0])
def test_a_vector_of_a_typical_norm_is_randomised_the_way_of_the_least_error_there(typical, budget):
    """Of all ways; within the budget; both errors are the mechanism's own, by their names."""
    shape = Ball(20, 2.0, typical)
    device, ways = device_for(shape, budget), [make(budget) for make in devices(shape)]
    facts, plain = device.facts, device_for(Ball(20, 2.0), budget)

    assert budget * (1 - 1e-12) <= facts.epsilon <= budget
    assert facts.typical_error == device.mechanism.error(typical) == facts.compared_error
    assert facts.typical_error == min(way.mechanism.error(typical) for way in ways)
    assert facts.typical_error <= plain.mechanism.error(typical) * (1 + 1e-12)
    curve = [device.mechanism.error(norm) for norm in np.linspace(0, 2, 999)]
    assert facts.typical_error <= max(curve) <= facts.worst_error * (1 + 1e-12)
    assert plain.facts.typical_error is None
    assert plain.facts.worst_error == plain.facts.compared_error


@pytest.mark.parametrize("length", [0.0, 0.3, 0.5, 1.2, 2.0, 5.0])
def test_reports_of_vectors_of_any_norm_are_unbiased_whatever_is_typical(length):
    """Also where norms are nothing like it; reports stay in the stated ball."""
    device = device_for(Ball(4, 2.0, typical=0.5), 6.0)
    term = VECTOR * (length / np.linalg.norm(VECTOR))
    sample = reports(device, term)

    assert Shells is type(device.mechanism)
    assert deviations(sample, term * min(1.0, 2.0 / max(length, 1e-9))) < 5
    radius = device.facts.report_set.radius
    assert np.linalg.norm(sample, axis=1).max() <= radius * (1 + 1e-5)
    assert Ball(4, radius) == device.facts.report_set


def test_the_ball_of_the_reports_has_no_typical_norm():
    """It is as long as the mechanism's reports are."""
    assert device_for(Ball(4, 2.0, typical=0.5), 6.0).facts.report_set.typical is None


def test_a_split_of_a_typical_norm_has_the_levels_of_the_least_error_there():
    """The budgets are spent as declared; no number of levels has less error at that norm."""
    device = device_for(Ball(20, 1.0, typical=0.3), Split(6.0, 4.0))
    direction = device.mechanism.direction
    others = [
        Separated(direction, ScalarDP.on_grid(4.0, levels, 1.0)).error(0.3)
        for levels in range(1, 20)
    ]

    assert (6.0, 4.0) == (direction.epsilon, device.mechanism.magnitude.epsilon)
    assert device.facts.typical_error == pytest.approx(min(others), rel=1e-9)


@pytest.mark.parametrize("budget", [0.1, 0.5, 1.0, 3.0, 8.0, 20.0])
def test_a_number_is_randomised_the_way_of_the_least_error(budget):
    """Of both there are; reports lie in the set of the one that is taken."""
    ways = [ScalarDP.best(budget, 4.0), Hybrid.best(budget, 4.0)]
    device = device_for(Interval(-3.0, 1.0), budget)
    taken = min(ways, key=lambda way: way.worst_error)

    assert type(device.scalar) is type(taken) and device.facts.worst_error == taken.worst_error
    assert device.facts.blanket == taken.blanket and device.facts.epsilon <= budget
    assert device.facts.report_set.upper - device.lower == pytest.approx(taken.bound, rel=1e-6)


@pytest.mark.parametrize(
    "shape, kind, bits",
    [
        (Interval(0.0, 1.0), OnNumber, 32),
        (Grid(0, 4), OnNumber, 32),
        (Ball(3, 1.0), OnBall, 96),
        (L1Ball(3, 1.0), OnL1Ball, 96),
        (Sphere(5), OnSphere, 160),
        (Cube(6, -1.0, 1.0), OnCube, None),
    ],
)
@pytest.mark.parametrize("budget", [1.0, 6.0])
def test_a_device_states_what_it_sends_and_how_far_it_is_from_its_law(shape, kind, bits, budget):
    """Floats of 32 bits, or signs; no distance but that of a table's rounding."""
    device = device_for(shape, budget)
    facts = device.facts

    assert isinstance(device, kind) and 0 < facts.blanket < 1 and facts.epsilon <= budget
    if bits:
        assert facts.report_bits == bits and facts.tv_distance == 0
    else:
        taken = device.mechanism.taken
        assert facts.report_bits == (6 if taken == 6 else 6 + taken)
        assert 0 < facts.tv_distance == device.mechanism.tv_distance < 1e-20


def test_a_cubes_report_has_no_more_budget_than_it_has_a_use_for():
    """Beyond 64 there is nothing left to gain."""
    assert 64 == device_for(Cube(6, -1.0, 1.0), 100.0).facts.epsilon


def test_people_are_randomised_independently():
    """Two people with one term give different reports, and their errors do not correlate."""
    device = device_for(Interval(0.0, 1.0), 1.0)
    sample = reports(device, 0.4)
    pairs = np.corrcoef(sample[: PEOPLE // 2], sample[PEOPLE // 2 :])[0, 1]

    assert len(np.unique(sample)) > 1
    assert abs(pairs) < 5 / math.sqrt(PEOPLE / 2)


@pytest.mark.parametrize(
    "shape, budget, sentence",
    [
        (Interval(0.0, 1.0), Split(1.0, 1.0), "direction and magnitude of a Ball, got Interval"),
        (OneHot(4), Split(1.0, 1.0), "direction and magnitude of a Ball, got OneHot"),
        (Supporters(device_for(OneHot(4), 1.0).oracle, 4), 1.0, "a local report is .* got Suppor"),
    ],
)
def test_a_shape_without_a_randomiser_for_the_budget_is_refused(shape, budget, sentence):
    """The sentence says what a local report can be, and what was given."""
    with pytest.raises(ValueError, match=sentence):
        device_for(shape, budget)


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan, math.inf])
def test_an_unusable_budget_is_refused(budget):
    """Alone or as either part of a split."""
    for make in (
        lambda: Split(budget, 1.0),
        lambda: Split(1.0, budget),
        lambda: device_for(Interval(0.0, 1.0), budget),
        lambda: device_for(Ball(3, 1.0), budget),
    ):
        with pytest.raises(ValueError, match=r"positive and finite|at least|between"):
            make()
