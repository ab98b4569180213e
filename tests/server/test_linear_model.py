"""Linear models from all rows: which mechanism, with which constants, and what it promises."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.accounting import accountant, events
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Interval, Product
from tacit.mechanisms.rows.last_iterate import LastIterateDescent
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.server.linear_model import Labelled, linear_model
from tacit.solve.losses import Logistic
from tacit.solve.objective import Objective
from tacit.solve.regularisers import L2

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
PEOPLE, PENALTY = 2000, L2(0.01)
MINIMISER = tacit.question.Minimiser(Logistic(), PENALTY)
DESCENT = tacit.question.LastIterate(Logistic(), PENALTY, radius=20.0, steps=50)


@dataclass(frozen=True)
class Budget:
    """What is to be kept."""

    epsilon: float
    delta: float
    relation: Relation


def made(asked: Any, epsilon: float, delta: float, relation: Relation) -> tuple[Any, Any]:
    """The mechanism and its promise, for three features in a ball of radius two."""
    shape = Product(Ball(3, 2.0), Interval(-1.0, 1.0))
    question = tacit.OfRows(shape, PEOPLE, asked)
    labelled, promise = linear_model(Budget(epsilon, delta, relation), question, asked)
    return labelled.mechanism, promise


CASES = [
    (MINIMISER, ObjectivePerturbation, 0.0, ADD),
    (MINIMISER, ObjectivePerturbation, 1e-6, ADD),
    (MINIMISER, ObjectivePerturbation, 1e-6, REPLACE),
    (DESCENT, LastIterateDescent, 1e-6, REPLACE),
    (DESCENT, LastIterateDescent, 1e-6, ZERO),
]


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("epsilon", [0.1, 1.5, 2.0, 4.0, 8.0])
def test_no_promise_is_a_hair_above_the_budget(epsilon, delta):
    """Of a release that keeps just what it was made for, what is known is promised."""
    for relation in (ADD, REPLACE):
        promise = made(MINIMISER, epsilon, delta, relation)[1]
        assert promise.epsilon <= epsilon and promise.delta <= delta


@pytest.mark.parametrize(("asked", "kind", "delta", "relation"), CASES)
def test_the_promise_is_that_of_the_mechanism_and_within_the_budget(asked, kind, delta, relation):
    """Its event at the delta that samplers leave of it, by an accountant, and no more noise than
    that takes; the event is the one of this very mechanism."""
    mechanism, promise = made(asked, 1.5, delta, relation)
    certified = accountant.epsilon(promise.event, promise.delta_of_event, relation).epsilon
    pure = events.k_norm(mechanism.epsilon) if delta == 0 else None

    assert type(mechanism) is kind and promise.event == (pure or mechanism.event)
    assert certified == promise.epsilon and 0.98 * 1.5 < certified <= 1.5
    assert promise.relation is relation
    assert promise.delta_reserved <= promise.delta <= max(delta, 1e-9)


@pytest.mark.parametrize(("asked", "kind", "delta", "relation"), CASES)
def test_constants_are_those_of_the_question(asked, kind, delta, relation):
    """Loss, penalty, radius of the features, the people who are declared and the dimension."""
    mechanism, _ = made(asked, 1.5, delta, relation)

    assert mechanism.objective == Objective(Logistic(), PENALTY, 2.0, PEOPLE, 3)
    if kind is LastIterateDescent:
        assert (mechanism.radius, mechanism.event.steps) == (20.0, 50)


def test_replacing_a_person_takes_more_noise_than_leaving_one_out():
    """Twice as much moves: the relation reaches the mechanism, and not its promise alone."""
    replaced, left_out = (made(DESCENT, 1.5, 1e-6, relation)[0] for relation in (REPLACE, ZERO))
    assert 1.9 < replaced.sigma / left_out.sigma < 2.1


@pytest.mark.parametrize(
    ("delta", "relation", "said"),
    [
        (1e-6, ADD, r"^LastIterate is proved for replace-one and zero-out, .* not for add/remove$"),
        (0.0, ZERO, r"^noise of descent is Gaussian: its promise needs a delta above 0, got 0$"),
    ],
)
def test_descent_is_refused_where_it_is_not_proved(delta, relation, said):
    """With its name, before anything is calibrated."""
    with pytest.raises(ValueError, match=said):
        made(DESCENT, 1.5, delta, relation)


def test_a_delta_too_small_for_the_samplers_is_refused():
    """In the sentence that says how much they take."""
    with pytest.raises(ValueError, match=r"delta against the public must exceed .*, got 1e-30"):
        made(DESCENT, 1.5, 1e-30, ZERO)


def test_what_samplers_take_comes_off_the_noises_delta():
    """Where that is a sixth of it the mechanism is made for the rest, and keeps the epsilon."""
    _, promise = made(DESCENT, 8.0, 1e-18, ZERO)
    assert 0.1 < promise.delta_reserved / promise.delta < 0.9
    assert 7.9 < promise.epsilon <= 8.0


def test_the_last_number_of_a_row_is_its_label():
    """And all before it are features; both reach the mechanism with the round's key."""

    class Told:
        def sample(self, *given):
            return given

    rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    mechanism: Any = Told()
    key: Any = "key"
    told: Any = Labelled(mechanism).sample(key, rows)
    assert told[0] == "key"
    assert told[1].tolist() == [[0, 1, 2], [4, 5, 6]] and told[2].tolist() == [3, 7]
