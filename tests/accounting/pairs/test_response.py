"""k-ary randomised response and PrivUnit: three atoms, against peers, enumeration and a table."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting.dp_event import RandomizedResponseDpEvent
from dp_accounting.pld import privacy_loss_distribution as peer
from dp_accounting.rdp import RdpAccountant
from mpmath import mp, mpf

from tacit.accounting import events as ev
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import pure, response

_RESPONSES = [(0.5, 2), (0.2, 3), (0.9, 10), (0.999, 1000), (1.0, 4)]


def _delta(losses: Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def _matrix_delta(noise: float, buckets: int, epsilon: float) -> float:
    """The hockey stick of two rows of the report's table of probabilities."""
    first, second = np.full((2, buckets), noise / buckets)
    first[0] += 1 - noise
    second[1] += 1 - noise
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def _hundred(losses: Losses) -> Losses:
    """A hundred reports, composed by plain convolution."""
    masses = np.ones(1)
    for _ in range(100):
        masses = np.convolve(masses, losses.masses)
    return Losses(losses.interval, 100 * losses.lowest, masses, 0.0)


@pytest.mark.parametrize(("noise", "buckets"), _RESPONSES)
@pytest.mark.parametrize("part", [0.0, 0.25, 0.75])
def test_response_is_its_table(noise: float, buckets: int, part: float) -> None:
    """On a grid that fits, delta is that of the table of probabilities."""
    event = ev.randomized_response(noise, buckets)
    epsilon = response.randomized_response_pure_epsilon(event)
    both, other = response.randomized_response_losses(event, epsilon / 4 or 1.0, 1e-20)
    exact = _matrix_delta(noise, buckets, part * epsilon)
    assert both is other
    assert math.isclose(_delta(both, part * epsilon), exact, rel_tol=1e-9, abs_tol=1e-16)
    assert math.isclose(both.masses.sum(), 1, rel_tol=1e-12)


@pytest.mark.parametrize(("noise", "buckets"), _RESPONSES[:3])
def test_response_is_never_above_the_peer(noise: float, buckets: int) -> None:
    """dp_accounting's rounded response is above ours by no more than its rounding."""
    rounded = peer.from_randomized_response(noise, buckets)
    event = ev.randomized_response(noise, buckets)
    both, _ = response.randomized_response_losses(event, 1e-4, 1e-20)
    for epsilon in (0.0, 0.3, 0.6):
        ours, theirs = _delta(both, epsilon), rounded.get_delta_for_epsilon(epsilon)
        assert _matrix_delta(noise, buckets, epsilon) <= ours * (1 + 1e-12)
        assert ours * (1 - 1e-6) <= theirs <= ours + 2e-4


@pytest.mark.parametrize(("noise", "buckets"), _RESPONSES[:3])
def test_response_renyi_agrees_with_the_peer(noise: float, buckets: int) -> None:
    """The closed form is dp_accounting's, replacing one value."""
    orders = np.array([1.5, 2.0, 8.0, 60.0])
    accountant = RdpAccountant(orders.tolist(), NeighboringRelation.REPLACE_ONE)
    theirs = accountant.compose(RandomizedResponseDpEvent(noise, buckets)).rdp
    ours = response.randomized_response_renyi(ev.randomized_response(noise, buckets), orders)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_a_report_that_says_nothing_costs_nothing() -> None:
    """With noise_parameter = 1 every loss is zero."""
    event = ev.randomized_response(1.0, 5)
    both, _ = response.randomized_response_losses(event, 1e-3, 1e-20)
    assert response.randomized_response_pure_epsilon(event) == 0
    assert response.randomized_response_spread(event) == 0
    assert _delta(both, 0.0) == 0
    assert np.all(response.randomized_response_renyi(event, np.array([1.5, 9.0])) == 0)


@pytest.mark.parametrize(
    ("epsilon", "cap", "expected"),
    [(0.5, 0.545229, 30.65), (1, 0.589326, 72.42), (2, 0.670323, 169.87), (4, 0.790946, 382.15)],
)
def test_a_hundred_units(epsilon: float, cap: float, expected: float) -> None:
    """Known values: 100 reports with the cap of least variance, at delta = 1e-6."""
    both, _ = response.priv_unit_losses(ev.priv_unit(epsilon, cap), epsilon, 1e-20)
    composed = _hundred(both)
    assert _delta(composed, expected + 0.01) < 1e-6 < _delta(composed, expected - 0.01)
    assert expected < pure.repeated_epsilon(epsilon, 100, 1e-6) - 2


def test_the_largest_cap_is_randomised_response() -> None:
    """With nothing left at loss zero a unit is the generic report."""
    event, orders = ev.priv_unit(1.0, math.e / (1 + math.e) * (1 - 1e-15)), np.array([1.5, 7.0])
    generic = pure.renyi(ev.local(1.0), orders)
    np.testing.assert_allclose(response.priv_unit_renyi(event, orders), generic, rtol=1e-12)
    both, _ = response.priv_unit_losses(event, 1.0, 1e-20)
    assert math.isclose(_delta(both, 0.0), math.tanh(0.5), rel_tol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("overlap", [0.0, 0.3, 1.0])
def test_overlapping_caps_are_dominated(epsilon: float, overlap: float) -> None:
    """Two caps that share a part have a smaller delta at every epsilon, also below zero."""
    cap = 0.6 if epsilon == 0.5 else 0.7
    measure = 1 / (1 + math.exp(epsilon) * (1 - cap) / cap)
    inside, outside = cap / measure, (1 - cap) / (1 - measure)
    own = measure * (1 - overlap)
    shares = np.array([own, own, measure * overlap, 1 - 2 * own - measure * overlap])
    first = shares * np.array([inside, outside, inside, outside])
    second = shares * np.array([outside, inside, inside, outside])
    both, _ = response.priv_unit_losses(ev.priv_unit(epsilon, cap), epsilon / 64, 1e-20)
    for at in np.linspace(-epsilon, epsilon, 129):
        exact = float(np.maximum(first - math.exp(at) * second, 0).sum())
        assert exact <= _delta(both, float(at)) * (1 + 1e-9) + 1e-15


def test_a_cap_of_the_wrong_probability_would_be_caught() -> None:
    """Reading the cap as the measure of the cap would give another delta."""
    right, _ = response.priv_unit_losses(ev.priv_unit(2.0, 0.67), 2.0, 1e-20)
    wrong, _ = response.priv_unit_losses(ev.priv_unit(2.0, 0.5), 2.0, 1e-20)
    assert _delta(wrong, 0.0) < 0.8 * _delta(right, 0.0)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_renyi_is_the_sum_over_atoms(epsilon: float) -> None:
    """For large epsilon nothing overflows and for small epsilon no digits are lost."""
    orders = np.array([1.01, 2.0, 40.0])
    ours = response.priv_unit_renyi(ev.priv_unit(epsilon, 0.5), orders)
    if epsilon == 1e-6:
        np.testing.assert_allclose(ours, orders * 0.5 * epsilon**2, rtol=1e-4)
    elif epsilon == 1.0:
        atoms = 0.5 * np.exp([0.0, -1.0]), np.array([1.0, -1.0])
        sums = [0.5 - atoms[0][1] + atoms[0] @ np.exp((a - 1) * atoms[1]) for a in orders]
        np.testing.assert_allclose(ours, np.log(sums) / (orders - 1), rtol=1e-10)
    else:
        assert ours[1] < ours[2] < epsilon
        assert math.isclose(ours[2], epsilon + math.log(0.5) / 39, rel_tol=1e-12)


def test_spreads_are_root_mean_squares() -> None:
    """Each spread is the root of the P-mean of the squared loss."""
    event = ev.priv_unit(2.0, 0.67)
    both, _ = response.priv_unit_losses(event, 2.0, 1e-20)
    values = 2.0 * (both.lowest + np.arange(len(both.masses)))
    assert math.isclose(response.priv_unit_spread(event), math.sqrt(both.masses @ values**2))
    assert response.priv_unit_pure_epsilon(event) == 2.0


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 0.3, 5.0, 60.0])
@pytest.mark.parametrize("cap", [1e-12, 0.3, 0.45])
def test_renyi_is_never_below_the_sum_over_atoms(epsilon: float, cap: float) -> None:
    """To its last digit: in sixty digits it is less, and by next to nothing."""
    orders = np.array([1.001, 1.5, 2.0, 17.0, 64.0])
    found = response.two_sided_renyi(epsilon, cap, orders)
    with mpmath.workdps(60):
        e, p = mpmath.mpf(epsilon), mpmath.mpf(cap)
        exact = [
            mpmath.log1p(p * mpmath.expm1((a - 1) * e) * -mpmath.expm1(-a * e)) / (a - 1)
            for a in map(mpmath.mpf, orders.tolist())
        ]
        assert all(low <= mpmath.mpf(high) for low, high in zip(exact, found.tolist(), strict=True))
    np.testing.assert_allclose(found, np.array(exact, float), rtol=1e-12)


@pytest.mark.parametrize(("anew", "categories"), [(0.5, 2), (1e-10, 50), (0.1, 3), (0.9, 7)])
def test_a_pure_epsilon_is_no_rounding_below(anew: float, categories: int) -> None:
    """Of any chance that an answer is drawn anew, as small as a float may be; and zero of 1."""
    found = response.randomized_response_pure_epsilon(ev.randomized_response(anew, categories))
    with mp.workdps(60):
        exact = mp.log1p(categories * (1 - mpf(anew)) / mpf(anew))
        assert math.nextafter(found, 0.0) < exact <= found
    tiny = ev.randomized_response(1e-300, 10**9)
    assert 711.4 < response.randomized_response_pure_epsilon(tiny) < 711.5
    void = ev.randomized_response(1.0, categories)
    assert 0.0 == response.randomized_response_pure_epsilon(void)
