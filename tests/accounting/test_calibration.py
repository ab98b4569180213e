"""Calibration: never past the target, and close to it."""

import math

import pytest

from tacit.accounting import accountant
from tacit.accounting.calibration import local_epsilon, noise_multiplier
from tacit.accounting.events import gaussian, poisson, repeated, shuffled, without_replacement
from tacit.accounting.relation import Relation

MAKERS = [
    (gaussian, Relation.REPLACE_ONE),
    (lambda z: repeated(gaussian(z), 1000), Relation.ADD_REMOVE),
    (lambda z: repeated(poisson(0.05, gaussian(z)), 100), Relation.ADD_REMOVE),
    (lambda z: repeated(without_replacement(100, 5, gaussian(z)), 100), Relation.REPLACE_ONE),
]


@pytest.mark.parametrize(("make", "relation"), MAKERS)
@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_noise_meets_the_target_and_no_more(make, relation, epsilon) -> None:
    """The multiplier keeps the promise, and 0.02% less noise breaks it."""
    found = noise_multiplier(make, epsilon, 1e-6, relation)
    assert accountant.epsilon(make(found), 1e-6, relation).epsilon <= epsilon
    assert accountant.epsilon(make(found * 0.9998), 1e-6, relation).epsilon > epsilon


def test_the_reference_training_run() -> None:
    """Poisson q = 0.01, 10,000 rounds to (1, 1e-5) needs a multiplier of 3.8129."""
    found = noise_multiplier(
        lambda z: repeated(poisson(0.01, gaussian(z)), 10_000), 1.0, 1e-5, Relation.ADD_REMOVE
    )
    assert 3.8127 <= found <= 3.8140


@pytest.mark.parametrize(
    ("people", "epsilon", "rounds"), [(1, 1.0, 3), (100, 0.5, 1), (10**4, 1.0, 10), (10**6, 0.1, 1)]
)
def test_local_budget_meets_the_target_and_no_less(people, epsilon, rounds) -> None:
    """The local epsilon keeps the promise, and 0.2% more of it breaks it."""
    found = local_epsilon(people, epsilon, 1e-7, rounds)

    def spent(each: float) -> float:
        event = repeated(shuffled(each, people), rounds)
        return accountant.epsilon(event, 1e-7, Relation.REPLACE_ONE).epsilon

    assert spent(found) <= epsilon < spent(found * 1.002)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_targets_are_checked(bad: float) -> None:
    """A target that is not a positive finite number is refused."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        noise_multiplier(gaussian, bad, 1e-5, Relation.ADD_REMOVE)
    with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
        local_epsilon(100, 1.0, bad, 1)


def test_impossible_targets_are_refused() -> None:
    """A cost that no noise lowers is refused, and not searched for ever."""
    with pytest.raises(ValueError, match="nothing up to"):
        noise_multiplier(lambda z: repeated(gaussian(1), 1), 0.1, 1e-5, Relation.ADD_REMOVE)
