"""Calibration: never past the target, and close to it."""

import math
from functools import partial

import pytest
from dp_accounting import DpEvent

from tacit.accounting import accountant
from tacit.accounting.calibration import (
    discrete_gaussian_sigma,
    even_share,
    local_epsilon,
    noise_multiplier,
    rounds,
    sampling_rate,
)
from tacit.accounting.events import (
    blanket,
    gaussian,
    laplace,
    poisson,
    repeated,
    shuffled,
    without_replacement,
)
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.accounting.pairs.blanket import binary_response
from tacit.accounting.pairs.discrete import discrete_gaussian_delta
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


@pytest.mark.parametrize(("rate", "known"), [(1e-4, 0.4606), (1e-3, 0.6048), (5e-3, 0.7619)])
def test_ten_million_people(rate, known) -> None:
    """Small cohorts of many people, where a grid is largest: to (2, 1e-7) in 100 rounds."""

    def run(noise: float) -> DpEvent:
        return repeated(poisson(rate, gaussian(noise)), 100)

    found = noise_multiplier(run, 2.0, 1e-7, Relation.ADD_REMOVE)
    assert abs(found - known) < 1e-4
    assert accountant.epsilon(run(found), 1e-7, Relation.ADD_REMOVE).epsilon <= 2.0
    assert accountant.epsilon(run(found * 0.9998), 1e-7, Relation.ADD_REMOVE).epsilon > 2.0


@pytest.mark.parametrize("near", [1e-6, 0.9, 50.0])
@pytest.mark.parametrize(
    ("people", "epsilon", "passes_each"),
    [(1, 1.0, 3), (100, 0.5, 1), (10**4, 1.0, 10), (10**6, 0.1, 1)],
)
def test_local_budget_meets_the_target_and_no_less(people, epsilon, passes_each, near) -> None:
    """The local epsilon keeps the promise, and 0.05% more of it breaks it, wherever it is looked
    for."""

    def passes(each: float) -> DpEvent:
        return repeated(shuffled(each, people), passes_each)

    def spent(each: float) -> float:
        return accountant.epsilon(passes(each), 1e-7, Relation.REPLACE_ONE).epsilon

    found = local_epsilon(passes, epsilon, 1e-7, near)
    assert spent(found) <= epsilon < spent(found * 1.0005)


def test_what_is_far_off_is_found_by_a_few_questions() -> None:
    """A thousand times the first guess, and a local budget several times it: ten events each."""
    asked: list[float] = []

    def many(noise: float) -> DpEvent:
        asked.append(noise)
        return repeated(gaussian(noise), 10**6)

    def passed(each: float) -> DpEvent:
        asked.append(each)
        return blanket(each, binary_response(each), 1000)

    noise_multiplier(many, 1.0, 1e-6, Relation.ADD_REMOVE)
    local_epsilon(passed, 0.5, 1e-6, 1.0)
    assert len(asked) <= 20


def test_even_shares_are_at_most_the_whole() -> None:
    """So many of them, and within a rounding; plain division exceeds it here and there."""
    wholes = [(epsilon, parts) for epsilon in (0.1, 0.7, 1.0, 2.3, 8.0) for parts in range(1, 200)]

    for epsilon, parts in wholes:
        assert epsilon / parts * (1 - 1e-15) <= even_share(epsilon, parts)
        assert even_share(epsilon, parts) * parts <= epsilon
    assert any(epsilon / parts * parts > epsilon for epsilon, parts in wholes)


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_the_largest_rate_meets_the_target(epsilon: float) -> None:
    """The sampling rate keeps the promise, and 0.1% more breaks it."""

    def sampled(rate: float) -> DpEvent:
        return repeated(poisson(rate, gaussian(2)), 50)

    found = sampling_rate(sampled, epsilon, 1e-6, Relation.ADD_REMOVE)
    assert accountant.epsilon(sampled(found), 1e-6, Relation.ADD_REMOVE).epsilon <= epsilon
    more = sampled(found * 1.001)
    assert accountant.epsilon(more, 1e-6, Relation.ADD_REMOVE).epsilon > epsilon


def test_a_rate_of_one_is_not_exceeded() -> None:
    """Where everyone may take part, the rate is 1."""
    assert sampling_rate(lambda q: poisson(q, gaussian(9)), 5.0, 1e-6, Relation.ADD_REMOVE) == 1


def test_the_most_rounds() -> None:
    """This many rounds keep the promise and one more does not."""

    def run(count: int) -> DpEvent:
        return repeated(poisson(0.01, gaussian(4)), count)

    found = rounds(run, 1.0, 1e-5, Relation.ADD_REMOVE)
    assert accountant.epsilon(run(found), 1e-5, Relation.ADD_REMOVE).epsilon <= 1
    assert accountant.epsilon(run(found + 1), 1e-5, Relation.ADD_REMOVE).epsilon > 1


@pytest.mark.parametrize("most", [1, 2, 3, 1_000, 700_000_000, 999_999_999])
def test_the_most_rounds_are_exact_however_many(most) -> None:
    """Up to a thousand million: where noise is that of so many rounds, neither fewer nor more."""
    noise = gaussian_noise_multiplier(1.0, 1e-6) * math.sqrt(most + 0.5)

    assert rounds(partial(repeated, gaussian(noise)), 1.0, 1e-6, Relation.ADD_REMOVE) == most


def test_no_more_than_a_thousand_million_rounds_are_found() -> None:
    """Though more keep the promise."""
    assert rounds(partial(repeated, gaussian(1e9)), 1.0, 1e-6, Relation.ADD_REMOVE) == 10**9


def test_no_round_at_all_is_refused() -> None:
    """Where even one round costs too much, the search says so."""
    with pytest.raises(ValueError, match="not even one round"):
        rounds(lambda count: repeated(gaussian(0.1), count), 1.0, 1e-5, Relation.ADD_REMOVE)


@pytest.mark.parametrize("sensitivity", [1, 50])
def test_discrete_gaussian_meets_the_target_and_no_more(sensitivity: int) -> None:
    """The parameter keeps the promise, and 0.1% less noise breaks it."""
    found = discrete_gaussian_sigma(1.0, 1e-6, sensitivity)
    assert discrete_gaussian_delta(found, sensitivity, 1.0) <= 1e-6
    assert discrete_gaussian_delta(found * 0.999, sensitivity, 1.0) > 1e-6


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_targets_are_checked(bad: float) -> None:
    """A target that is not a positive finite number is refused."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        noise_multiplier(gaussian, bad, 1e-5, Relation.ADD_REMOVE)
    with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
        local_epsilon(lambda each: shuffled(each, 100), 1.0, bad, 1.0)


def test_impossible_targets_are_refused() -> None:
    """A cost that no noise lowers is refused, and not searched for ever."""
    with pytest.raises(ValueError, match="nothing up to"):
        noise_multiplier(lambda z: repeated(gaussian(1), 1), 0.1, 1e-5, Relation.ADD_REMOVE)


def test_a_promise_that_needs_hardly_any_noise_is_kept() -> None:
    """Below the smallest multiplier searched, that one is returned, and it keeps the promise."""

    def run(noise: float) -> DpEvent:
        return repeated(gaussian(noise), 10)

    found = noise_multiplier(run, 1e5, 1e-5, Relation.ADD_REMOVE)
    assert found == 0.01
    assert accountant.epsilon(run(found), 1e-5, Relation.ADD_REMOVE).epsilon <= 1e5


@pytest.mark.parametrize(("epsilon", "delta", "exact"), [(0.01, 0.02, 19.84), (1e-6, 0.5, 0.7214)])
def test_calibration_at_large_deltas(epsilon: float, delta: float, exact: float) -> None:
    """Where delta is near that of no privacy at all, the noise found is still the least."""
    found = noise_multiplier(laplace, epsilon, delta, Relation.ADD_REMOVE)
    assert math.isclose(found, exact, rel_tol=1e-3)
