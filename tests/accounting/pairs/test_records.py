"""People with many records and groups of people, against exact mixtures and dp_accounting."""

import math

import numpy as np
import pytest
from dp_accounting.dp_event import (
    NoOpDpEvent,
    RepeatAndSelectDpEvent,
    ZCDpEvent,
)
from dp_accounting.pld.privacy_loss_distribution import from_mixture_gaussian_mechanism
from scipy.stats import binom

from tacit.accounting import events
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import records, sampled_gaussian


def _delta(losses: Losses, epsilon: float) -> float:
    above = losses.values > epsilon
    return losses.infinite - float(np.expm1(epsilon - losses.values[above]) @ losses.masses[above])


def _event(rate: float, count: int, multiplier: float):
    return events.poisson_records(rate, count, events.gaussian(multiplier))


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.5, 2.0, 6.0])
@pytest.mark.parametrize(("rate", "multiplier"), [(0.01, 1.0), (0.4, 0.5), (1.0, 2.0)])
def test_one_record_is_poisson_sampling(rate, multiplier, epsilon) -> None:
    """With one record a person, both directions are those of the Poisson-sampled Gaussian."""
    ours = records.losses(_event(rate, 1, multiplier), 1e-3, 1e-25)
    known = sampled_gaussian.poisson_losses(rate, multiplier, 1e-3, 1e-25)
    for one, other in zip(ours, known, strict=True):
        expected = _delta(other, epsilon)
        assert math.isclose(_delta(one, epsilon), expected, rel_tol=1e-6, abs_tol=2e-25)


@pytest.mark.parametrize(("rate", "count", "multiplier"), [(0.1, 3, 2.0), (0.5, 6, 4.0)])
def test_mixtures_match_dp_accounting(rate, count, multiplier) -> None:
    """The worse direction has the delta of dp_accounting's mixture of Gaussians."""
    drawn = np.arange(count + 1)
    theirs = from_mixture_gaussian_mechanism(
        multiplier,
        drawn.tolist(),
        binom.pmf(drawn, count, rate).tolist(),
        value_discretization_interval=1e-2,
    )
    ours = records.losses(_event(rate, count, multiplier), 1e-2, 1e-20)
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0):
        known = float(theirs.get_delta_for_epsilon(epsilon))
        assert math.isclose(max(_delta(one, epsilon) for one in ours), known, rel_tol=1e-6)


@pytest.mark.parametrize("less", [(0.1, 4, 2.0), (0.05, 5, 2.0), (0.1, 5, 2.4)])
def test_too_few_records_would_be_caught(less: tuple[float, int, float]) -> None:
    """One record less, half the rate or a fifth more noise falls below the true delta."""
    both = records.losses(_event(*less), 1e-3, 1e-20)
    true = records.losses(_event(0.1, 5, 2.0), 1e-3, 1e-20)
    for one, other in zip(both, true, strict=True):
        assert _delta(one, 0.1) < 0.95 * _delta(other, 0.1)


@pytest.mark.parametrize(("rate", "count"), [(0.1, 5), (0.2, 100), (1.0, 3)])
def test_losses_are_whole_and_cut_no_more_than_the_tail(rate: float, count: int) -> None:
    """P-masses sum to one in both directions, with at most the tail infinite."""
    for found in records.losses(_event(rate, count, 10.0), 1e-3, 1e-12):
        assert math.isclose(found.masses.sum() + found.infinite, 1.0, abs_tol=1e-11)
        assert found.masses @ np.exp(-found.values) <= 1 + 1e-11
        assert 0 < found.infinite <= 1e-12


def test_tails_are_relatively_accurate() -> None:
    """At a delta of 1e-60, three records drawn for certain are still the Gaussian of z/3."""
    removed, added = records.losses(_event(1.0, 3, 6.0), 1e-3, 1e-80)
    exact = sampled_gaussian.poisson_losses(1.0, 2.0, 1e-3, 1e-80)[0]
    assert 1e-65 < _delta(exact, 8.0) < 1e-50
    for one in (removed, added):
        assert math.isclose(_delta(one, 8.0), _delta(exact, 8.0), rel_tol=1e-6)


@pytest.mark.parametrize(("rate", "count", "multiplier"), [(0.01, 1, 1.0), (0.1, 5, 2.0)])
def test_renyi_of_order_two_has_a_closed_form(rate, count, multiplier) -> None:
    """E_Q[(P/Q)^2] is the mean of e^(i j / z^2) over two independent numbers of records."""
    drawn = np.arange(count + 1)
    weights = binom.pmf(drawn, count, rate)
    square = weights @ np.exp(np.outer(drawn, drawn) / multiplier**2) @ weights
    found = records.renyi(_event(rate, count, multiplier), np.array([2.0]))[0]
    assert math.log(square) <= found <= math.log(square) * (1 + 1e-8)


def test_renyi_bounds_both_directions_at_every_order() -> None:
    """Never below the moments of the gridded losses, either way, and rising with the order."""
    event, orders = _event(0.2, 4, 2.0), np.array([1.001, 1.5, 3.0, 8.0, 100.0, 20_000.0])
    found = records.renyi(event, orders)
    assert np.all(np.diff(found) > 0)
    for one in records.losses(event, 1e-3, 1e-70):
        moments = [one.masses @ np.exp((order - 1) * one.values) for order in orders[:4]]
        assert np.all(found[:4] >= np.log(moments) / (orders[:4] - 1) * (1 - 1e-4))
    assert found[-1] <= 20_000 * (4 / 2.0) ** 2 / 2


def test_renyi_of_a_tiny_rate_does_not_cancel() -> None:
    """At rate 1e-9 the divergence of order 2 is log(1 + q^2 (e - 1)), to nine digits."""
    found = records.renyi(_event(1e-9, 1, 1.0), np.array([2.0]))[0]
    assert math.isclose(found, 1e-18 * math.expm1(1), rel_tol=1e-8)


@pytest.mark.parametrize("rate", [1e-11, 1e-12])
@pytest.mark.parametrize("count", [1, 3])
def test_renyi_of_a_tiny_rate_is_a_bound_to_nine_digits(rate: float, count: int) -> None:
    """To leading order it is a/2 times E_Q[(P/Q - 1)^2], and it is never below that.

    With k records that is the sum over i, j > 0 of their chances times e^(i j / z^2) - 1; what
    follows is below a billionth of it by a factor of twenty.
    """
    orders, drawn = np.array([1.001, 1.1, 2.0, 5.0]), np.arange(1, count + 1)
    chances = binom.pmf(drawn, count, rate)
    leading = chances @ np.expm1(np.outer(drawn, drawn) / 4.0) @ chances * orders / 2

    found = records.renyi(_event(rate, count, 2.0), orders)

    assert np.all(leading <= found)
    assert np.all(found <= leading * (1 + 1.05e-9))


def test_many_records_stay_affordable() -> None:
    """A thousand records: the spread is finite and the Renyi bound a number."""
    event = _event(0.01, 1000, 30.0)
    assert 0 < records.spread(event) < 1
    assert np.all(np.isfinite(records.renyi(event, np.array([1.5, 8.0, 512.0]))))
    assert records.pure_epsilon(event) == math.inf


def test_only_gaussian_records_are_accounted() -> None:
    """Any other event is refused by name."""
    with pytest.raises(ValueError, match="LaplaceDpEvent"):
        records.losses(events.poisson_records(0.1, 2, events.laplace(1)), 1e-3, 1e-10)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (events.gaussian(6), events.gaussian(2)),
        (events.laplace(6), events.laplace(2)),
        (events.discrete_laplace(0.5, 2), events.discrete_laplace(0.5, 6)),
        (events.discrete_gaussian(4.0, 1), events.discrete_gaussian(4.0, 3)),
        (events.local(0.5), events.local(1.5)),
        (events.k_norm(0.5), events.k_norm(1.5)),
        (events.euclidean_norm(0.5, 7), events.euclidean_norm(1.5, 7)),
        (events.exponential_mechanism(0.5), events.exponential_mechanism(1.5)),
        (events.permute_and_flip(0.5), events.permute_and_flip(1.5)),
        (events.sparse_vector(0.5), events.sparse_vector(1.5)),
        (events.priv_unit(2.0, 0.7), events.local(6.0)),
        (events.zcdp(0.1), events.zcdp(9 * 0.1)),
        (events.poisson(0.1, events.gaussian(2)), _event(0.1, 3, 2)),
        (_event(0.1, 4, 2), _event(0.1, 12, 2)),
        (events.group(2, events.gaussian(6)), events.gaussian(1)),
        (events.repeated(events.gaussian(3), 9), events.repeated(events.gaussian(1), 9)),
        (
            events.composed([events.gaussian(3), events.local(1)]),
            events.composed([events.gaussian(1), events.local(3)]),
        ),
    ],
)
def test_groups_of_three(event, expected) -> None:
    """Every event that has a group law becomes the event that law names."""
    assert records.group_of(3, event) == expected


def test_groups_of_approximate_releases_follow_the_path_between() -> None:
    """(g e, d (e^(g e) - 1)/(e^e - 1)): the sum of d e^(i e) over the steps of the path."""
    found = records.group_of(4, events.epsilon_delta(0.3, 1e-6))
    assert math.isclose(found.epsilon, 1.2)
    known = 1e-6 * math.fsum(math.exp(0.3 * i) for i in range(4))
    assert math.isclose(found.delta, known, rel_tol=1e-12)
    assert known > 4e-6
    assert records.group_of(2, events.epsilon_delta(1.0, 0.0)).delta == 0.0


def test_groups_of_randomized_responses_are_pure() -> None:
    """A group's epsilon is its size times one person's."""
    event = events.randomized_response(0.3, 5)
    found = records.group_of(3, event)
    assert math.isclose(found.epsilon, 3 * math.log((0.7 + 0.06) / 0.06), rel_tol=1e-12)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (events.poisson(0.1, events.laplace(1)), "PoissonSampledDpEvent of LaplaceDpEvent"),
        (events.without_replacement(10, 2, events.gaussian(1)), "SampledWithoutReplacement"),
        (events.truncated_poisson(10, 0.1, 2, 1), "TruncatedSubsampledGaussianDpEvent"),
        (events.shuffled(1.0, 100), "ShuffledDpEvent"),
        (ZCDpEvent(0.1, 0.2), "ZCDpEvent"),
        (RepeatAndSelectDpEvent(NoOpDpEvent(), 1.0, 1.0), "RepeatAndSelectDpEvent of NoOpDpEvent"),
        (events.epsilon_delta(5.0, 0.01), "promises nothing"),
    ],
)
def test_groups_without_a_law_are_refused_by_name(event, message: str) -> None:
    """What is not known for groups is said so, by name."""
    with pytest.raises(ValueError, match=message):
        records.group_of(3, event)


@pytest.mark.parametrize("size", [0, -1, 1.5, math.nan])
def test_impossible_sizes_are_refused(size: float) -> None:
    """A group has at least one member."""
    with pytest.raises(ValueError, match="size must be"):
        records.group_of(size, events.gaussian(1))


@pytest.mark.parametrize("tail", [0.3, 1e-10, 1e-40])
def test_the_most_records_drawn_is_found_far_into_the_tail(tail: float) -> None:
    """The least number that is exceeded with probability at most the tail."""
    most = records.most_drawn(tail, 100, 0.01)
    assert binom.sf(most, 100, 0.01) <= tail
    assert most == 0 or binom.sf(most - 1, 100, 0.01) > tail
    assert records.most_drawn(tail, 5, 1.0) == 5


def test_numbers_of_records_that_are_dropped_count_as_failure() -> None:
    """However likely they are."""
    removed, _ = records.losses(events.poisson_records(0.1, 1000, events.gaussian(20)), 1e-3, 1e-3)
    assert 0 < removed.infinite <= 1e-3
    assert math.isclose(1, removed.masses.sum() + removed.infinite, rel_tol=1e-9)
