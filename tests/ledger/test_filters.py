"""Filters and odometers: the theorem itself, exactly, on trees of adaptive choices."""

import itertools
import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from tacit.accounting import decimals
from tacit.accounting.decimals import exact
from tacit.accounting.events import composed, epsilon_delta, gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.relation import Relation
from tacit.ledger import filters
from tacit.ledger.filters import Basic, Filter, Renyi

Law = tuple[Guarantee, np.ndarray, np.ndarray]


def charge(event, epsilon: float, delta: float = 0.0, reserve: float = 0.0) -> Guarantee:
    return Guarantee(
        "public", "person", Relation.ADD_REMOVE, event, epsilon, delta, "plain sum", reserve
    )


def pure(epsilon: float) -> Law:
    """Randomised response, with its two laws."""
    high = 1 / (1 + math.exp(-epsilon))
    return charge(local(epsilon), epsilon), np.array([high, 1 - high]), np.array([1 - high, high])


def leaking(epsilon: float, delta: float) -> Law:
    """The worst (epsilon, delta) release: with probability delta it tells everything."""
    _, near, far = pure(epsilon)
    promise = charge(epsilon_delta(epsilon, delta), epsilon, delta)
    first, second = np.array([delta, 0.0]), np.array([0.0, delta])
    near, far = (1 - delta) * near, (1 - delta) * far
    return promise, np.concatenate([first, near]), np.concatenate([second, far])


def worst(chosen: Filter, limit, menu: list[Law], depth: int, strategy: Callable) -> float:
    """The exact delta of the odometer's statement on all runs of an adaptive strategy.

    That is the sum over transcripts of (P - e^(epsilon_T) Q)_+, where a run stops as soon as what
    it wants does not fit.
    """
    epsilon, delta = map(exact, limit)
    costs = [chosen.cost(promise) for promise, _, _ in menu]

    def leaf(sums, near, far) -> float:
        spent = chosen.reading(sums, epsilon, delta)[0]
        return max(0.0, near - math.exp(spent) * far)

    def walk(sums, near, far, path) -> float:
        wanted = strategy(path) % len(menu)
        after = decimals.add(sums, costs[wanted])
        reading = chosen.reading(after, epsilon, delta)
        if len(path) == depth or reading[0] > epsilon or reading[1] > delta:
            return leaf(sums, near, far)
        _, p, q = menu[wanted]
        return sum(
            walk(after, near * p[i], far * q[i], (*path, i)) for i in range(len(p)) if near * p[i]
        )

    return walk(chosen.nothing, 1.0, 1.0, ())


def strategies(seed: int) -> Callable:
    """What is asked next, as an arbitrary but fixed function of the answers so far."""
    return lambda path: int(np.random.default_rng([seed, *path]).integers(100))


FILTERS = [Basic(), Renyi((1.5, 2.0, 3.0, 6.0)), Renyi((8.0,), aside=0.5)]


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "four orders", "one order"])
@pytest.mark.parametrize("seed", range(3))
def test_the_theorem_holds_exactly_for_adaptive_pure_releases(chosen, seed) -> None:
    """However an adaptive analyst stops, e^epsilon_T Q plus delta is above P."""
    menu = [pure(epsilon) for epsilon in (0.2, 0.5, 0.9)]
    assert worst(chosen, (2.0, 0.05), menu, 9, strategies(seed)) <= 0.05


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "four orders", "one order"])
@pytest.mark.parametrize("seed", range(3))
def test_the_theorem_holds_exactly_where_releases_leak(chosen, seed) -> None:
    """Releases that tell everything with a small probability are paid by the account's delta."""
    menu = [leaking(0.3, 0.002), leaking(0.8, 0.0005), pure(0.5)]
    found = worst(chosen, (1.5, 0.05), menu, 5, strategies(seed))
    assert 0 < found <= 0.05


def test_losses_without_their_conversion_would_be_no_bound() -> None:
    """Negative control: divergences alone, read as epsilon, are exceeded far too often."""

    class Bare(Renyi):
        def reading(self, sums, epsilon, delta):
            return min(sums[2:]), Decimal(0)

    menu = [pure(epsilon) for epsilon in (0.2, 0.5, 0.9)]
    assert worst(Bare((2.0, 3.0)), (2.0, 0.05), menu, 9, strategies(0)) > 0.05


def test_deltas_left_out_would_be_noticed() -> None:
    """Negative control: a filter that forgets the deltas admits more than its own."""

    class Forgetful(Basic):
        def cost(self, charge):
            return exact(charge.epsilon), Decimal(0)

    menu = [leaking(0.1, 0.02)]
    assert worst(Forgetful(), (1.5, 0.05), menu, 6, lambda path: 0) > 0.05


def test_the_conversion_is_the_least_constant() -> None:
    """epsilon_t(a) is R + log(k c_a / delta) / (a - 1), c_a found by brute force."""
    chosen, x = Renyi((1.7, 4.0, 20.0), aside=0.0), np.linspace(1e-6, 5, 2_000_001)
    sums = (Decimal("inf"), Decimal(0), *map(exact, (0.3, 0.5, 4.0)))
    least = min(
        r + math.log(3 * np.max(-np.expm1(-x) * np.exp(-(a - 1) * x)) / 1e-3) / (a - 1)
        for a, r in zip(chosen.orders, (0.3, 0.5, 4.0), strict=True)
    )
    epsilon, delta = chosen.reading(sums, exact(9.0), exact(1e-3))
    assert float(epsilon) == pytest.approx(least, rel=1e-9)
    assert delta == exact(1e-3)


def admitted(chosen: Filter, cost, epsilon: float, delta: float) -> int:
    """How many equal charges fit."""
    limit, sums = (exact(epsilon), exact(delta)), chosen.nothing
    for count in itertools.count():
        sums = decimals.add(sums, cost)
        if any(a > b for a, b in zip(chosen.reading(sums, *limit), limit, strict=True)):
            return count
    raise AssertionError


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (10.0, 1e-5)])
def test_gaussian_releases_fit_well_and_never_too_many(epsilon: float, delta: float) -> None:
    """At least as many as one order under a tail bound, and no more than their exact curve."""
    z = 60 / epsilon
    chosen = Renyi.fitting(epsilon, delta)
    count = admitted(chosen, chosen.cost(charge(gaussian(z), 1.0, 1e-9)), epsilon, delta)
    root = math.sqrt(-math.log(delta))
    ideal_zcdp = 2 * z**2 * (math.sqrt(root**2 + epsilon) - root) ** 2
    assert 0.98 * ideal_zcdp < count
    assert gaussian_epsilon(z / math.sqrt(count), delta) <= epsilon


def test_the_reading_bounds_the_exact_epsilon_all_along() -> None:
    """After 1, 2, ... Gaussian releases, the odometer is above their exact curve."""
    chosen, sums = Renyi.fitting(10.0, 1e-5), None
    cost = chosen.cost(charge(gaussian(8.0), 1.0, 1e-9))
    readings = []
    for count in range(1, 60):
        sums = cost if sums is None else decimals.add(sums, cost)
        epsilon, delta = chosen.reading(sums, exact(10.0), exact(1e-5))
        assert float(epsilon) >= gaussian_epsilon(8 / math.sqrt(count), float(delta))
        readings.append(epsilon)
    assert readings == sorted(readings)
    assert readings[0] < 1


def test_pure_releases_add_up_free_of_delta() -> None:
    """Three local reports of 0.1 fill a limit of 0.3 at delta 0, and nothing more fits."""
    chosen = Renyi((2.0, 5.0))
    cost = chosen.cost(charge(local(0.1), 0.1))
    assert admitted(chosen, cost, 0.3, 0.0) == 3
    sums = decimals.add(cost, cost)
    assert chosen.reading(sums, exact(0.3), exact(1e-6)) == (Decimal("0.2"), 0)


def test_an_impure_epsilon_is_never_sure() -> None:
    """Epsilons that hold at a large delta only are no bound free of delta: neither read nor filled.

    Twenty Gaussian releases, each of epsilon 0.023 at delta 0.04, are far from 0.46 at any delta
    that the account has, though their epsilons add up to that.
    """
    chosen, promise = Renyi.fitting(1.0, 1e-6), gaussian_epsilon(8.0, 0.04)
    cost = chosen.cost(charge(gaussian(8.0), promise, 0.04))
    sums = cost
    for count in range(1, 21):
        epsilon, delta = chosen.reading(sums, exact(1.0), exact(1e-6))
        assert gaussian_delta(8 / math.sqrt(count), float(epsilon)) <= float(delta)
        sums = decimals.add(sums, cost)
    assert cost[0] == math.inf
    assert 0 < admitted(chosen, cost, 1.0, 1e-6) < 10


def test_a_reserve_is_charged_at_the_accounts_epsilon() -> None:
    """A chance p of another release costs (1 + e^epsilon) p, out of the tenth set aside."""
    chosen, p = Renyi.fitting(2.0, 1e-5), 1e-8
    reserve = (1 + math.exp(0.5)) * p
    cost = chosen.cost(charge(gaussian(50.0), 0.5, 1e-6, reserve))
    assert float(cost[1]) == pytest.approx(p, rel=1e-12)
    _, delta = chosen.reading(cost, exact(2.0), exact(1e-5))
    assert float(delta) == pytest.approx(0.9e-5 + (1 + math.exp(2)) * p, rel=1e-12)
    assert admitted(chosen, cost, 2.0, 1e-5) == math.floor(1e-6 / ((1 + math.exp(2)) * p))


def test_a_pure_release_with_a_reserve_costs_delta() -> None:
    """Its chance counts though its epsilon is sure."""
    chosen, p = Renyi.fitting(2.0, 1e-5), 1e-8
    reserve = (1 + math.exp(0.1)) * p
    cost = chosen.cost(charge(local(0.1), 0.1, reserve, reserve))
    epsilon, delta = chosen.reading(cost, exact(2.0), exact(1e-5))
    assert epsilon <= exact(0.1)
    assert float(delta) >= (1 + math.exp(2)) * p


def test_a_divergence_that_is_no_number_is_no_bound(monkeypatch) -> None:
    """Where an order's divergence is NaN, that order never says that a charge fits."""
    monkeypatch.setattr(filters, "divergences", lambda *_: np.array([0.1, math.nan]))
    cost = Renyi((2.0, 5.0)).cost(charge(gaussian(3.0), 0.4, 1e-6))
    assert cost[2:] == (exact(0.1), Decimal("inf"))


def test_an_event_without_divergences_is_charged_as_promised() -> None:
    """(e, d) is randomised response at e and a chance d / (1 + e^e); beside a Gaussian too."""
    chosen, both = Renyi((2.0, 5.0)), composed([gaussian(3.0), epsilon_delta(0.1, 1e-7)])
    for event in (epsilon_delta(0.4, 1e-6), both):
        cost = chosen.cost(charge(event, 0.4, 1e-6))
        assert cost[0] == exact(0.4)
        assert float(cost[1]) == pytest.approx(1e-6 / (1 + math.exp(0.4)), rel=1e-12)
        assert cost[2:] == chosen.cost(charge(local(0.4), 0.4))[2:]
    assert chosen.cost(charge(epsilon_delta(0.4, 0.1), 0.0, 0.1))[2:] == (0, 0)


@pytest.mark.parametrize(
    "orders",
    [(), (1.0,), (2.0, 2.0), (math.inf,), (math.nan,), ("a",), (True, 3.0), 2.0, "23", {2.0, 3.0}],
    ids=str,
)
def test_orders_are_checked(orders) -> None:
    """Orders are some distinct finite numbers above 1."""
    with pytest.raises(ValueError, match="orders must be"):
        Renyi(orders)


@pytest.mark.parametrize("orders", [[2.0, 3.0], np.array([2.0, 3.0]), (2, np.int64(3))], ids=str)
def test_orders_of_every_sequence_are_kept_alike(orders) -> None:
    """As a tuple of Python's floats, which a ledger writes down, and readings are found by."""
    chosen = Renyi(orders)
    assert chosen == Renyi((2.0, 3.0)) and hash(chosen) == hash(Renyi((2.0, 3.0)))
    assert all(type(order) is float for order in chosen.orders)
    assert chosen.reading(chosen.nothing, exact(1.0), exact(1e-6)) == (0, 0)


def test_limits_without_a_fit_are_refused() -> None:
    """Orders are fitted to a positive finite epsilon and a delta inside (0, 1)."""
    with pytest.raises(ValueError, match="aside must be in"):
        Renyi((2.0,), 1.0)
    with pytest.raises(ValueError, match=r"aside must be in \[0, 1\), got '0.1'"):
        Renyi((2.0,), "0.1")
    with pytest.raises(ValueError, match="epsilon must be positive"):
        Renyi.fitting(math.inf, 1e-5)
    with pytest.raises(ValueError, match="delta must lie strictly"):
        Renyi.fitting(1.0, 0.0)
