"""Gradient rounds: who takes part when, what is averaged, and what compiles once."""

import jax
import numpy as np
import pytest

import tacit
from estimators.people_like_these import CURATOR, REPLACE
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.gradients import descent, of_any_numbers, participation, planned
from tacit.models.layers import Dense
from tacit.question.participation import Everyone, Fixed, Once, Poisson
from tacit.solve.losses import Logistic

FREE = tacit.NonPrivate()
MASKS = tacit.Aggregated(4.0, 1e-5)
ZERO = Dense.at_zero(2, 1)


@pytest.mark.parametrize(
    "trust, batch, expected",
    [
        (CURATOR, 100, Fixed(100)),
        (CURATOR, 1500, Everyone()),
        (CURATOR, 10**6, Everyone()),
        (tacit.Central(4.0, 1e-6), 100, Poisson(100 / 1500)),
        (tacit.Central(4.0, 1e-6, tacit.Relation.ZERO_OUT), 100, Poisson(100 / 1500)),
        (tacit.Local(4.0), 100, Once()),
        (tacit.Federated(8.0, tacit.Central(4.0, 1e-6, REPLACE)), 100, Fixed(100)),
        (FREE, 100, Fixed(100)),
        (FREE, None, Everyone()),
        (CURATOR, 100.0, Fixed(100)),
        (MASKS, 100, Everyone()),
    ],
)
def test_who_takes_part_follows_from_the_trust(trust, batch, expected):
    """A batch of all people or more is everybody."""
    assert participation(trust, batch, 1500) == expected


def test_the_later_half_is_averaged_and_the_clip_is_the_question_s():
    """Of nine rounds those after the fourth; noise is scaled to what gradients are cut to."""
    learner = descent(ZERO, Logistic(), 0.75, 0.5, 0.0, 9)
    plan = planned(PublicNumbers(CURATOR, 2, 40), learner, 10, 9)

    assert learner.average_from == 4 and float(learner.rate) == 0.5
    assert plan.question.contribution == tacit.Ball(3, 0.75)
    assert (plan.sums.rounds, plan.sums.people, plan.sums.participation) == (9, 40, Fixed(10))


def test_other_numbers_are_the_same_program():
    """One optimiser for each penalty, and clip and rounds as arguments of it."""
    one, other = (
        of_any_numbers(descent(ZERO, Logistic(), clip, rate, 0.1, rounds))
        for clip, rate, rounds in ((0.5, 1.0, 4), (0.7, 3.0, 9))
    )
    shapes = [jax.tree.structure(each) for each in (one, other)]

    assert one.optimizer is other.optimizer and shapes[0] == shapes[1]
    assert float(np.asarray(other.clip.bound)) == np.float32(0.7)


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"rate": 0.0}, "rate must be positive and finite, got 0"),
        ({"rate": "fast"}, "rate must be positive and finite, got 'fast'"),
        ({"penalty": -1.0}, "penalty must be at least 0 and finite, got -1"),
        ({"penalty": None}, "penalty must be at least 0 and finite, got None"),
        ({"rounds": "x"}, "rounds must be a whole number of at least 1, got 'x'"),
        ({"clip": True}, "a clipping bound or offset must be between .*, got True"),
    ],
)
def test_what_is_out_of_range_is_refused(changed, said):
    """By its name, and with what is allowed."""
    numbers = {"clip": 1.0, "rate": 1.0, "penalty": 0.0, "rounds": 2} | changed
    with pytest.raises(ValueError, match=said):
        descent(ZERO, Logistic(), **numbers)


@pytest.mark.parametrize("batch", [0, -5, 2.5, "all", True])
def test_a_batch_is_a_number_of_people(batch):
    """Whoever people trust."""
    with pytest.raises(ValueError, match="batch must be a whole number of at least 1, got"):
        participation(tacit.Local(4.0), batch, 40)
