"""The planner: errors are the plans' own, and every number found has been planned."""

import math
from functools import partial

import pytest

import tacit
from tacit.planner import Family, OutOfReach, epsilon_for, error, people_for

REPLACE = tacit.Relation.REPLACE_ONE
NUMBER, VECTOR = tacit.Interval(0.0, 1.0), tacit.Ball(20, 2.0)


def question(shape, rounds, people):
    return tacit.Mean(shape, tacit.AtMost(rounds), rounds, people)


def central(epsilon):
    return tacit.Central(epsilon, 1e-6, REPLACE)


def shuffled(epsilon):
    return tacit.Shuffled(epsilon, 1e-6)


def federated(epsilon):
    return tacit.Federated(2.0, central(epsilon))


def family(trust, shape=NUMBER, rounds=1) -> Family:
    return Family(partial(question, shape, rounds), trust)


def before(epsilon: float) -> float:
    """The next smaller number of three significant digits."""
    digits, exponent = f"{epsilon:.2e}".split("e")
    less = round(float(digits) * 100) - 1
    return (
        float(f"{less}e{int(exponent) - 2}") if less >= 100 else float(f"999e{int(exponent) - 3}")
    )


@pytest.mark.parametrize("trust", [central, shuffled, tacit.Local, federated])
@pytest.mark.parametrize("shape", [NUMBER, VECTOR])
def test_an_error_is_its_plans_own(trust, shape):
    """To the bit, of the question with these people under the model with this epsilon."""
    asked = question(shape, 1, 500)
    expected = trust(0.7).plan(asked).error

    assert expected == error(asked, trust(0.7))
    assert expected == family(trust, shape).plan(500, 0.7).error


def test_no_privacy_has_no_error():
    """The planner's error leaves out how well a cohort stands for others."""
    assert 0.0 == error(question(NUMBER, 1, 10), tacit.NonPrivate())


@pytest.mark.parametrize("people", [1, 37, 1000, 54_321, 10**9])
@pytest.mark.parametrize("trust, shape", [(central, NUMBER), (tacit.Local, VECTOR)])
def test_people_for_an_error_are_those_who_have_it(trust, shape, people):
    """At most the number the error came from, and one person fewer misses it."""
    ours = family(trust, shape, rounds=2)
    target = ours.plan(people, 1.5).error
    found = people_for(target, ours, 1.5)

    assert found <= people and ours.plan(found, 1.5).error <= target
    assert found == 1 or ours.plan(found - 1, 1.5).error > target


@pytest.mark.parametrize("trust", [central, shuffled, tacit.Local, federated])
@pytest.mark.parametrize("target", [3e-3, 7e-5])
def test_the_people_found_reach_the_error_and_one_fewer_miss_it(trust, target):
    """Both numbers have been planned: nothing is extrapolated, nothing rounded down."""
    ours = family(trust)
    found = people_for(target, ours, 1.0)

    assert ours.plan(found, 1.0).error <= target < ours.plan(found - 1, 1.0).error


@pytest.mark.parametrize("trust", [central, shuffled, tacit.Local])
@pytest.mark.parametrize("target", [1e-2, 1.1e-4])
def test_the_epsilon_found_reaches_the_error_and_the_next_smaller_misses_it(trust, target):
    """It has three significant digits, so the number that is read is the one that was planned."""
    ours = family(trust)
    found = epsilon_for(target, ours, 400)

    assert found == float(f"{found:.3g}")
    assert ours.plan(400, found).error <= target < ours.plan(400, before(found)).error


@pytest.mark.parametrize("epsilon", [0.0123, 0.999, 1.0, 9.99, 10.0, 37.5])
@pytest.mark.parametrize("trust", [central, tacit.Local])
def test_an_epsilon_is_found_again_from_its_error(trust, epsilon):
    """Also across the powers of ten, where the steps change."""
    ours = family(trust, VECTOR, rounds=3)
    found = epsilon_for(ours.plan(700, epsilon).error, ours, 700)

    assert 0.998 * epsilon <= found <= epsilon


def test_a_loose_error_takes_the_smallest_numbers():
    """One person, and an epsilon of 0.001."""
    assert 1 == people_for(1e9, family(central), 1.0)
    assert 0.001 == epsilon_for(1e9, family(central), 1000)


@pytest.mark.parametrize(
    "trust, least, most",
    [(central, 1.999, 2.001), (tacit.Local, 0.999, 1.001), (shuffled, 1.2, 1.9)],
    ids=["central", "local", "shuffled"],
)
def test_central_error_falls_with_the_square_and_local_error_in_proportion(trust, least, most):
    """Slopes on logarithmic axes; shuffled error lies between the two."""
    few, many = (family(trust).plan(n, 1.0).error for n in (3000, 30_000))

    assert least < math.log10(few / many) < most


def test_shuffled_error_lies_between_central_and_local():
    """In size."""
    errors = [family(trust).plan(3000, 1.0).error for trust in (central, shuffled, tacit.Local)]
    assert sorted(errors) == errors


def test_a_cohort_of_fixed_size_needs_as_many_people():
    """Numbers without a plan miss; more people than the cohort gain privacy, not reports."""
    ours = Family(lambda n: tacit.Mean(NUMBER, tacit.Fixed(200), 1, n), central)
    target = ours.plan(200, 1.0).error

    assert 200 == people_for(target, ours, 1.0)
    assert 200 < people_for(target / 2, ours, 1.0) < 400


def test_an_error_nobody_reaches_is_refused_with_the_best_there_is():
    """A billion people, or an epsilon of 100, are the end; so is a report's own noise."""
    with pytest.raises(OutOfReach, match=r"no number of people .*: of 1,000,000,000 people it is"):
        people_for(1e-12, family(tacit.Local), 1.0)
    with pytest.raises(OutOfReach, match=r"no epsilon .* 0.001 \(squared 1e-06\): at epsilon 100"):
        epsilon_for(1e-6, family(tacit.Local, tacit.Ball(10_000, 1.0)), 100)
    with pytest.raises(OutOfReach, match="no epsilon"):
        epsilon_for(error(question(NUMBER, 1, 100), tacit.Local(2.0)), family(federated), 100)


@pytest.mark.parametrize("target", [0.0, -1.0, math.nan, math.inf])
def test_a_target_is_positive_and_finite(target):
    """In both directions."""
    for search in (people_for, epsilon_for):
        with pytest.raises(ValueError, match="error must be positive and finite"):
            search(target, family(central), 100)


@pytest.mark.parametrize("people", [0, -3, math.nan, 10.5, 10**9 + 1])
def test_people_are_whole_and_at_most_a_billion(people):
    """Whether an error is planned or an epsilon looked for."""
    with pytest.raises(ValueError, match="people must be a whole number"):
        family(central).plan(people, 1.0)
    with pytest.raises(ValueError, match="people must be a whole number"):
        epsilon_for(1e-3, family(central), people)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_a_promise_that_cannot_be_made_is_refused_by_its_own_sentence(epsilon):
    """The trust model's, not one about people."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        people_for(1e-3, family(central), epsilon)


def test_an_error_that_depends_on_the_data_is_not_planned_for():
    """Reports that may be cut have no predicted error."""
    cut = family(lambda e: tacit.Federated(2.0, central(e), radius=0.1), VECTOR)
    with pytest.raises(ValueError, match="depends on the data"):
        people_for(1.0, cut, 1.0)
    with pytest.raises(ValueError, match="depends on the data"):
        error(cut.question(10), cut.trust(1.0))
