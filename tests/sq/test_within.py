"""The oracle that is as wrong as it may be."""

import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.sq.within import WorstWithin, down, further, nearer, up

NUMBERS = np.array([[0.5, -0.25, 0.0], [0.25, -0.5, 0.0]], np.float32)
MEANS = NUMBERS.mean(axis=0)


def answer(trust, tmp_path):
    question = tacit.Mean(tacit.Cube(3, -1.0, 1.0), tacit.Everyone(), 1, 2)
    people, learner = tacit.Arrays(NUMBERS, "two"), tacit.statistics.Average((3,))
    return people.grant(trust.plan(question), learner, tmp_path / "l.db", seed=1).run().answer


@pytest.mark.parametrize(
    ("worse", "side"),
    [
        (up, [1, 1, 1]),
        (down, [-1, -1, -1]),
        (nearer, [-1, 1, 1]),
        (further, [1, -1, -1]),
        (lambda a: 5 * jnp.sign(a), [1, -1, 0]),
    ],
)
def test_answers_are_off_by_the_tolerance_on_the_worse_side(worse, side, tmp_path):
    """And never by more, whatever a side is."""
    expected = MEANS + 0.125 * np.array(side)

    assert answer(WorstWithin(0.125, worse), tmp_path) == pytest.approx(expected, abs=1e-6)


def test_it_promises_nothing():
    """And says its tolerance."""
    plan = WorstWithin(0.125, up).plan(small.plan().question)

    assert not plan.private and plan.error is None and 0.125 == plan.trust["tolerance"]


@pytest.mark.parametrize(("tolerance", "worse"), [(0.0, up), (float("nan"), up), (0.1, "up")])
def test_what_is_not_of_its_kind_is_refused(tolerance, worse):
    """In one sentence."""
    with pytest.raises(ValueError, match="must be"):
        WorstWithin(tolerance, worse)


def test_other_questions_are_refused():
    """A choice is no query."""
    sums = tacit.Mean(tacit.Cube(3, -1.0, 1.0), tacit.Everyone(), 1, 2)
    with pytest.raises(ValueError, match="of a Mean, got Select"):
        WorstWithin(0.1, up).plan(tacit.Select(sums))
    with pytest.raises(ValueError, match=r"a question is a Mean, .* got 'sums'"):
        WorstWithin(0.1, up).plan("sums")
