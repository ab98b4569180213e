"""Both accountants: known values, composition, and dp_accounting's defects kept out."""

import math

import numpy as np
import pytest
from dp_accounting import (
    ComposedDpEvent,
    GaussianDpEvent,
    PoissonSampledDpEvent,
    SelfComposedDpEvent,
    get_epsilon_gaussian,
)
from dp_accounting.rdp import RdpAccountant

from tacit.accounting.accountant import Account, agree, cross_check, epsilon
from tacit.accounting.events import (
    composed,
    gaussian,
    local,
    poisson,
    repeated,
    shuffled,
    without_replacement,
)
from tacit.accounting.relation import Relation

EVENTS = [
    (gaussian(5), Relation.ADD_REMOVE),
    (gaussian(5), Relation.REPLACE_ONE),
    (poisson(0.02, gaussian(1.2)), Relation.ADD_REMOVE),
    (poisson(0.02, gaussian(1.2)), Relation.ZERO_OUT),
    (without_replacement(1000, 20, gaussian(1.5)), Relation.REPLACE_ONE),
    (local(0.2), Relation.REPLACE_ONE),
    (shuffled(1.0, 5000), Relation.REPLACE_ONE),
    (composed([poisson(0.02, gaussian(1.2)), gaussian(9), local(0.01)]), Relation.ADD_REMOVE),
    (
        composed([without_replacement(1000, 20, gaussian(2)), shuffled(1, 500)]),
        Relation.REPLACE_ONE,
    ),
]


@pytest.mark.parametrize(("event", "relation"), EVENTS)
def test_composing_k_is_k_single_composes(event, relation) -> None:
    """k compositions, k single events and any nest of them cost the same, in both accountants."""
    together, nested = repeated(event, 12), repeated(composed([repeated(event, 3), event]), 3)
    single = composed([event] * 12)
    for account in (epsilon, cross_check):
        first, *others = (account(e, 1e-5, relation).epsilon for e in (together, nested, single))
        assert others == [first, first]
        assert first > account(repeated(event, 11), 1e-5, relation).epsilon


@pytest.mark.parametrize(("event", "relation"), EVENTS)
@pytest.mark.parametrize("delta", [1e-3, 1e-8, 1e-20])
def test_the_two_accountants_agree(event, relation, delta) -> None:
    """The second bound is finite and never below the first by more than the grid's error."""
    first, second = epsilon(event, delta, relation), cross_check(event, delta, relation)
    assert agree(first, second)


def test_the_reference_training_run() -> None:
    """Poisson q = 0.01, z = 1, 10,000 rounds, delta = 1e-5 cost 6.1877."""
    account = epsilon(repeated(poisson(0.01, gaussian(1)), 10_000), 1e-5, Relation.ADD_REMOVE)
    assert 6.1877 <= account.epsilon < 6.1878


def test_fixed_size_samples_cost_more_than_poisson() -> None:
    """q = 0.01, noise 4C, 1,000 rounds: at most 0.7287 replacing, about 0.272 adding."""
    fixed = repeated(without_replacement(10_000, 100, gaussian(2)), 1000)
    assert 0.7086 <= epsilon(fixed, 1e-5, Relation.REPLACE_ONE).epsilon <= 0.7287
    free = repeated(poisson(0.01, gaussian(4)), 1000)
    assert abs(epsilon(free, 1e-5, Relation.ADD_REMOVE).epsilon - 0.2722) < 2e-4


@pytest.mark.parametrize("relation", list(Relation))
def test_gaussians_are_exact_under_every_relation(relation: Relation) -> None:
    """T Gaussians of multiplier z are one of z/sqrt(T), whatever the relation."""
    account = epsilon(repeated(gaussian(4), 16), 1e-5, relation)
    assert math.isclose(get_epsilon_gaussian(1.0, 1e-5), account.epsilon, rel_tol=1e-8)


@pytest.mark.parametrize("kind", [int, np.float32, float])
def test_number_types_do_not_drop_compositions(kind: type) -> None:
    """dp_accounting reports 1.2141 for an int multiplier here; Renyi says 1041, the losses 354."""
    event = SelfComposedDpEvent(
        PoissonSampledDpEvent(0.01, SelfComposedDpEvent(GaussianDpEvent(kind(1)), 100)), 100
    )
    second = cross_check(event, 1e-5, Relation.ADD_REMOVE).epsilon
    assert math.isclose(1041.146, second, rel_tol=1e-3)
    assert 350 < epsilon(event, 1e-5, Relation.ADD_REMOVE).epsilon <= second


def test_the_defect_guarded_against_is_real() -> None:
    """dp_accounting itself drops the second Gaussian of a sampled pair of ints."""
    pair = PoissonSampledDpEvent(0.5, ComposedDpEvent([GaussianDpEvent(1), GaussianDpEvent(0.5)]))
    theirs = RdpAccountant().compose(pair).get_epsilon(1e-5)
    assert theirs < 0.5 * cross_check(pair, 1e-5, Relation.ADD_REMOVE).epsilon


def test_tiny_delta_falls_back() -> None:
    """Below what a convolution resolves the Renyi bound is the promise, and is finite."""
    event = repeated(poisson(3.3e-4, gaussian(4)), 10_000)
    account = epsilon(event, 1e-15, Relation.ADD_REMOVE)
    assert account.accountant == "Renyi"
    assert 0.05 < account.epsilon < 0.12


def test_pure_events_at_delta_zero() -> None:
    """At delta = 0 local and shuffled events cost their plain sum, in both accountants."""
    event = composed([repeated(local(0.5), 4), shuffled(1.0, 100)])
    for account in (epsilon, cross_check):
        assert account(event, 0.0, Relation.REPLACE_ONE).epsilon == 3.0


@pytest.mark.parametrize("delta", [-1e-9, 1.0, math.nan, math.inf])
def test_delta_is_checked(delta: float) -> None:
    """A delta outside [0, 1) is refused."""
    for account in (epsilon, cross_check):
        with pytest.raises(ValueError, match=r"delta must be in \[0, 1\)"):
            account(gaussian(1), delta, Relation.ADD_REMOVE)


def test_gaussians_are_never_pure() -> None:
    """Delta 0 with Gaussian noise is refused."""
    with pytest.raises(ValueError, match="delta must be positive"):
        epsilon(composed([gaussian(1), local(1)]), 0.0, Relation.ADD_REMOVE)


def test_agreement_can_fail() -> None:
    """A second bound below the first, an infinite one, or another delta is no agreement."""
    first = Account(1.0, 1e-5, "first")
    assert agree(first, Account(1.5, 1e-5, "second"))
    assert not agree(first, Account(0.9, 1e-5, "second"))
    assert not agree(first, Account(math.inf, 1e-5, "second"))
    assert not agree(first, Account(1.5, 1e-6, "second"))
