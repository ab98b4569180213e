"""Accountants: which one a composition gets, and a grid of losses that is fine, bounded and met."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant

from tacit.accounting.accountant import cross_check, delta, epsilon, tradeoff
from tacit.accounting.composition import parts
from tacit.accounting.events import (
    composed,
    discrete_gaussian,
    discrete_laplace,
    euclidean_norm,
    exponential_mechanism,
    gaussian,
    k_norm,
    laplace,
    local,
    poisson,
    repeated,
    shuffled,
    with_replacement,
    without_replacement,
    zcdp,
)
from tacit.accounting.kind import MOST_BYTES, NARROWEST
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.pairs import pure
from tacit.accounting.relation import Relation
from tacit.accounting.routes import (
    ExactGaussian,
    ExactResponse,
    LossDistribution,
    RenyiDivergences,
    accountants_of,
)


def asked(event: Any, *more: int) -> list[Any]:
    """The accountants of this event."""
    return accountants_of(parts(event, Relation.ADD_REMOVE), 1e-6, *more)


@pytest.mark.parametrize(
    ("event", "kinds"),
    [
        (repeated(gaussian(3), 5), [ExactGaussian]),
        (composed([gaussian(3), gaussian(7)]), [ExactGaussian]),
        (repeated(local(0.3), 9), [ExactResponse]),
        (composed([local(0.3), local(0.2)]), [LossDistribution]),
        (composed([local(0.3), gaussian(3)]), [LossDistribution]),
        (repeated(laplace(5), 9), [LossDistribution]),
        (composed([zcdp(0.1), gaussian(3)]), [RenyiDivergences]),
        (local(1e5), [ExactResponse]),
        (local(math.nextafter(1e5, math.inf)), [RenyiDivergences]),
        (composed([local(1e9), gaussian(3)]), [RenyiDivergences]),
        (repeated(laplace(1e6), 10**8), [LossDistribution]),
        (repeated(laplace(1e6), 10**8 + 1), [RenyiDivergences]),
        (composed([exponential_mechanism(0.3), gaussian(3)]), [LossDistribution, RenyiDivergences]),
        (repeated(euclidean_norm(0.3, 7), 4), [LossDistribution, RenyiDivergences]),
    ],
)
def test_a_composition_has_the_accountants_of_the_table(event, kinds) -> None:
    """Exact ones where every release has their law, and divergences where those may be tighter."""
    assert [type(each) for each in asked(event)] == kinds


HUGE = [
    *(local(each) for each in (1e6, 1e20, 1e300)),
    *(poisson(0.1, each(1e300)) for each in (local, exponential_mechanism)),
    *(each(1e300) for each in (k_norm, exponential_mechanism)),
    *(euclidean_norm(1e300, 10), laplace(1e-300), discrete_laplace(1e300, 1)),
    *(discrete_gaussian(1e-160, 1), gaussian(1e-300), poisson(0.1, gaussian(1e-9))),
    *(composed([gaussian(each), local(1.0)]) for each in (1e-300, 1e-5)),
]


@pytest.mark.parametrize("event", HUGE)
def test_losses_that_say_nothing_are_still_answered(event) -> None:
    """Nothing overflows, and nothing takes long; what is certified may be infinite."""
    found = epsilon(event, 1e-5, Relation.ADD_REMOVE).epsilon
    assert found > 1e5
    assert delta(event, 1.0, Relation.ADD_REMOVE).delta == pytest.approx(1.0)
    assert 0.0 == tradeoff(event, 0.1, Relation.ADD_REMOVE).false_negative


def test_gaussians_are_answered_as_one() -> None:
    """Of the multipliers 3 and 4 together one of 12/5, to every question, with no slack."""
    (one,) = asked(composed([gaussian(3), gaussian(4)]))
    assert one.epsilon(1e-6).value == pytest.approx(gaussian_epsilon(2.4, 1e-6), rel=1e-14)
    assert one.delta(0.7).value == pytest.approx(gaussian_delta(2.4, 0.7), rel=1e-12)
    assert one.deltas(np.array([0.7, 2.0])).tolist() == [one.delta(e).value for e in (0.7, 2.0)]
    assert one.epsilon(1e-6).slack == one.delta(0.7).slack == 0


def test_responses_are_answered_all_together() -> None:
    """As many as there are: to every question the answers of that binomial sum."""
    (every,) = asked(repeated(local(0.3), 40))
    assert every.epsilon(1e-6).value == pure.repeated_epsilon(0.3, 40, 1e-6)
    assert every.delta(1.1).value == pure.certified_delta(0.3, 40, 1.1)
    assert every.deltas(np.array([1.1])) == pytest.approx(every.delta(1.1).value, rel=1e-12)


def test_divergences_may_be_off_by_all_that_they_say() -> None:
    """They are a bound from above, and nothing is known from below."""
    (only,) = asked(zcdp(0.01))
    assert only.epsilon(1e-6).value == only.epsilon(1e-6).slack > 0
    assert only.delta(0.5).value == only.delta(0.5).slack == only.deltas(np.array([0.5]))[0]


def test_the_largest_pure_loss_lies_on_the_grid() -> None:
    """A grid beside it would tell of more than three releases can: theirs is met to a rounding."""
    (losses,) = asked(repeated(laplace(7.0), 3))
    assert losses.epsilon(1e-300).value == pytest.approx(3 / 7, rel=1e-14)


def test_all_terms_are_on_one_grid_with_the_gaussians_as_one() -> None:
    """Losses can be added only where their grids are one; Gaussians need no term of their own."""
    event = composed([gaussian(3), repeated(gaussian(9), 4), laplace(2), repeated(local(0.1), 3)])
    (losses,) = asked(event)
    assert sorted(count for _, count in losses.terms) == [1, 1, 3]
    assert len({one.interval for both, _ in losses.terms for one in both}) == 1
    (almost,) = asked(composed([gaussian(3), gaussian(4), local(1e-9)]))
    assert almost.epsilon(1e-6).value == pytest.approx(gaussian_epsilon(2.4, 1e-6), rel=1e-3)


def test_no_grid_is_finer_than_numbers_beside_one() -> None:
    """Whose masses would differ by less than a float can tell, however little a release tells."""
    for scale in (1e15, 1e100):
        (losses,) = asked(composed([laplace(scale), local(1 / scale)]))
        assert {one.interval for both, _ in losses.terms for one in both} == {NARROWEST}


def test_fewer_cells_make_a_coarser_grid_that_is_still_a_bound() -> None:
    """A rough answer lies above, and near."""
    event = repeated(poisson(0.1, gaussian(1.5)), 9)
    (fine,), (rough,) = asked(event), asked(event, 2**9)
    intervals = [each.terms[0][0][0].interval for each in (fine, rough)]
    assert intervals[0] < 0.5 * intervals[1]
    assert fine.epsilon(1e-6).value < rough.epsilon(1e-6).value < 1.1 * fine.epsilon(1e-6).value


def test_what_is_cut_off_of_all_releases_is_far_below_the_finest_delta() -> None:
    """So that no delta which may be asked for is spent on tails."""
    for count in (1, 1000):
        (losses,) = accountants_of(
            parts(repeated(poisson(0.01, gaussian(1)), count), Relation.ADD_REMOVE), 1e-9
        )
        assert 0 < sum(k * both[0].infinite for both, k in losses.terms) < 2e-15


def test_tiny_delta_is_resolved() -> None:
    """Where dp_accounting's distribution says infinity, ours is finite and below Renyi's bound."""
    event = repeated(poisson(3.3e-4, gaussian(4)), 10_000)
    account = epsilon(event, 1e-15, Relation.ADD_REMOVE)
    assert account.accountant == "privacy loss distribution"
    assert 0.0496 < account.epsilon < cross_check(event, 1e-15, Relation.ADD_REMOVE).epsilon
    theirs = PLDAccountant().compose(event)
    assert theirs.get_epsilon(1e-15) == math.inf


HARD = [
    (without_replacement(1000, 100, local(200)), Relation.REPLACE_ONE, 1e-6, 197.697),
    (composed([poisson(0.1, local(200)), gaussian(1)]), Relation.ADD_REMOVE, 1e-6, 202.07),
    (repeated(laplace(4.33002376167869), 9), Relation.ADD_REMOVE, 1e-3, 1.7605),
    (repeated(poisson(0.0845871, laplace(2.1650119)), 9), Relation.ADD_REMOVE, 1e-3, 0.2290),
    (laplace(44.35754), Relation.ADD_REMOVE, 0.008656, 0.005157),
    (repeated(local(3), 1000), Relation.ADD_REMOVE, 1e-3, 2831.37),
    (shuffled(0.2, 10), Relation.REPLACE_ONE, 1e-3, 0.1257),
    (poisson(2.66e-4, gaussian(0.3)), Relation.ADD_REMOVE, 1e-40, 39.18),
    (poisson(0.1, local(40)), Relation.ADD_REMOVE, 1e-6, 37.697),
]


@pytest.mark.parametrize(("event", "relation", "target", "exact"), HARD)
def test_hard_cases(event, relation, target, exact) -> None:
    """Heavy atoms, losses of very different size, deltas near that of no privacy: all right."""
    found = epsilon(event, target, relation)
    assert exact * (1 - 1e-4) <= found.epsilon <= exact * 1.002
    assert found.epsilon - found.slack <= exact * (1 + 1e-4)


EXTREME = [
    (repeated(poisson(2.09e-7, gaussian(0.4624)), 461_474), Relation.ADD_REMOVE, 1.2e-9, 0.21),
    (repeated(poisson(1.8e-6, gaussian(0.0413)), 91_734), Relation.ADD_REMOVE, 1.5e-24, 4150),
    (repeated(poisson(2.95e-4, gaussian(1.11)), 539_495), Relation.ADD_REMOVE, 2e-29, 3.13),
    (repeated(poisson(3.7e-8, gaussian(0.0552)), 6490), Relation.ADD_REMOVE, 2.7e-22, 806),
    (
        repeated(with_replacement(987_678, 4, gaussian(0.155)), 3931),
        Relation.REPLACE_ONE,
        3.3e-19,
        255,
    ),
    (
        repeated(without_replacement(285_526_006, 41, gaussian(0.064)), 450),
        Relation.REPLACE_ONE,
        3.4e-27,
        650,
    ),
]


@pytest.mark.parametrize(("event", "relation", "target", "most"), EXTREME)
def test_memory_is_bounded(event, relation, target, most) -> None:
    """Rare releases of huge losses, some of which asked for 64 GiB and more: half a gibibyte."""
    tracemalloc.start()
    found = epsilon(event, target, relation).epsilon
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found < most
    assert peak < MOST_BYTES


def test_many_wide_kinds_share_one_grid() -> None:
    """Forty releases, each of which alone would fill the largest grid, stay within the bound."""
    kinds = [poisson(1e-7 * (1 + i), gaussian(0.05 + i / 1000)) for i in range(40)]
    tracemalloc.start()
    found = epsilon(composed(kinds), 1e-6, Relation.ADD_REMOVE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert math.isfinite(found.epsilon)
    assert peak < MOST_BYTES
