"""Cohorts cut to a capacity, against all cohorts of a few people and dp_accounting."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import (
    from_truncated_subsampled_gaussian_mechanism,
)
from scipy.stats import binom, norm

from tacit.accounting import events
from tacit.accounting.loss import convolution
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import sampled_gaussian, truncated

_EPSILONS = [0.0, 0.05, 0.3, 1.0, 2.5]


def _delta(losses: Losses, epsilon: float) -> float:
    above = losses.values > epsilon
    return losses.infinite - float(np.expm1(epsilon - losses.values[above]) @ losses.masses[above])


def _bound(people: int, rate: float, capacity: int, multiplier: float, epsilon: float) -> float:
    event = events.truncated_poisson(people, rate, capacity, multiplier)
    return max(_delta(one, epsilon) for one in truncated.losses(event, 1e-3, 1e-18))


def _sums(people: int, rate: float, capacity: int, values: list[float]) -> dict[float, float]:
    """The chances of every sum, by listing all cohorts and all their cuts."""
    chances: dict[float, float] = {}
    for joined in itertools.product([0, 1], repeat=people):
        chance = math.prod(rate if one else 1 - rate for one in joined)
        cohort = [value for value, one in zip(values, joined, strict=True) if one]
        cuts = list(itertools.combinations(cohort, min(capacity, len(cohort))))
        for cut in cuts:
            chances[sum(cut)] = chances.get(sum(cut), 0.0) + chance / len(cuts)
    return chances


def _exact(people: int, rate: float, capacity: int, multiplier: float, epsilon: float) -> float:
    """All others at -1, the person at 1 and there or not."""
    outcomes = np.linspace(-capacity - 9 * multiplier, 1 + 9 * multiplier, 40_001)
    others = [-1.0] * (people - 1)

    def density(values: list[float]) -> np.ndarray:
        chances = _sums(len(values), rate, capacity, values)
        return sum(p * norm.pdf(outcomes, s, multiplier) for s, p in chances.items())

    one, other, grown = density([*others, 1.0]), density(others), math.exp(epsilon)
    forth, back = np.maximum(one - grown * other, 0), np.maximum(other - grown * one, 0)
    return max(forth.sum(), back.sum()) * (outcomes[1] - outcomes[0])


@pytest.mark.parametrize("epsilon", _EPSILONS)
@pytest.mark.parametrize(
    ("people", "rate", "capacity", "multiplier"),
    [(2, 0.5, 1, 1.0), (4, 0.3, 1, 0.6), (5, 0.9, 1, 1.0), (5, 0.8, 2, 1.0), (4, 1.0, 2, 0.8)],
)
def test_never_below_all_cohorts_of_few_people(people, rate, capacity, multiplier, epsilon) -> None:
    """The bound is at least the delta of actual data, all cohorts and cuts listed."""
    exact = _exact(people, rate, capacity, multiplier, epsilon)
    assert exact * (1 - 1e-6) <= _bound(people, rate, capacity, multiplier, epsilon)


def test_a_single_distance_or_half_the_rate_would_be_caught() -> None:
    """Where every cohort is full: noise twice too large, or a rate too small, falls below."""
    exact = _exact(5, 1.0, 1, 1.0, 0.3)
    assert _bound(5, 1.0, 1, 1.0, 0.3) <= exact * (1 + 1e-6)
    assert _bound(5, 1.0, 1, 2.0, 0.3) < exact
    assert _bound(6, 1.0, 1, 1.0, 0.3) < exact
    half = _exact(2, 0.5, 1, 1.0, 0.3)
    assert _bound(2, 0.25, 1, 1.0, 0.3) < half


@pytest.mark.parametrize(("people", "rate", "capacity"), [(1000, 0.01, 12), (30, 0.5, 4)])
def test_the_chance_of_being_kept_is_its_average(people: int, rate: float, capacity: int) -> None:
    """The closed form is the mean of q B / (c + 1) over the full cohorts."""
    (free, _, _), (full, kept, multiplier) = truncated.pieces(
        events.truncated_poisson(people, rate, capacity, 3.0)
    )
    counts = np.arange(capacity, people)
    chances = binom.pmf(counts, people - 1, rate)
    assert math.isclose(free + full, 1.0, rel_tol=1e-12)
    assert math.isclose(full, chances.sum(), rel_tol=1e-9)
    mean = chances @ (rate * capacity / (counts + 1)) / chances.sum()
    assert math.isclose(kept, mean, rel_tol=1e-9)
    assert multiplier == 1.5


def test_below_dp_accountings_looser_pair_and_above_plain_poisson() -> None:
    """dp_accounting takes the replace-one pair for full cohorts: above ours, by at most 6%."""
    theirs = from_truncated_subsampled_gaussian_mechanism(1000, 0.01, 15, 1.0, 1e-3)
    plain = sampled_gaussian.poisson_losses(0.01, 1.0, 1e-3, 1e-18)
    for epsilon in (0.0, 0.01, 0.05, 0.5, 2.0):
        ours = _bound(1000, 0.01, 15, 1.0, epsilon)
        assert 0.94 < ours / float(theirs.get_delta_for_epsilon(epsilon)) <= 1 + 1e-4
        assert ours >= max(_delta(one, epsilon) for one in plain) * (1 - 1e-3)


@pytest.mark.parametrize(("capacity", "least", "most"), [(1100, 6.70, 6.7916), (1300, 6.15, 6.191)])
def test_ten_thousand_steps(capacity: int, least: float, most: float) -> None:
    """Known values at q = 0.01, z = 1, n = 100,000 and delta = 1e-5; from 1,300 on as if uncut."""
    event = events.truncated_poisson(100_000, 0.01, capacity, 1.0)
    both = truncated.losses(event, 2e-4, 1e-16)
    assert least <= convolution.epsilon_at([(both, 10_000)], 1e-5).value <= most


@pytest.mark.parametrize("people", [10, 15])
def test_room_for_all_is_plain_poisson(people: int) -> None:
    """A capacity that nobody can exceed changes nothing."""
    event = events.truncated_poisson(people, 0.2, 15, 1.0)
    assert truncated.pieces(event) == [(1.0, 0.2, 1.0)]


def test_a_tail_too_small_for_a_float_is_still_counted() -> None:
    """Far beyond any cohort of a billion people, a full one still has a positive chance."""
    event = events.truncated_poisson(10**9, 1e-6, 10**5, 1.0)
    (free, rate, _), (full, kept, _) = truncated.pieces(event)
    assert (free, rate) == (1.0, 1e-6)
    assert 0 < full < 1e-300 and 0 < kept <= rate


def test_renyi_agrees_with_the_grid() -> None:
    """At integer orders, the moments of the gridded losses; and above plain Poisson sampling."""
    event, orders = events.truncated_poisson(1000, 0.01, 14, 2.0), np.array([2.0, 3.0, 6.0])
    removed, _ = truncated.losses(event, 1e-4, 1e-40)
    moments = [removed.masses @ np.exp((order - 1) * removed.values) for order in orders]
    found = truncated.renyi(event, orders)
    assert np.allclose(found, np.log(moments) / (orders - 1), rtol=1e-3)
    assert np.all(found > truncated.renyi(events.truncated_poisson(9, 0.01, 14, 2.0), orders))
    assert truncated.pure_epsilon(event) == math.inf


def test_spread_is_the_deviation_of_the_losses() -> None:
    """Within a tenth of the deviation of the pair's own losses."""
    event = events.truncated_poisson(1000, 0.01, 14, 2.0)
    removed, _ = truncated.losses(event, 1e-4, 1e-18)
    mean = removed.masses @ removed.values
    deviation = math.sqrt(removed.masses @ (removed.values - mean) ** 2)
    assert math.isclose(truncated.spread(event), deviation, rel_tol=0.1)
