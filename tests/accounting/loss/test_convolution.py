"""Tilted convolution: exact sums as the oracle, down to a delta of 1e-30, rounding and slack."""

import math

import numpy as np
import pytest

from tacit.accounting.events import local
from tacit.accounting.loss import convolution
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.loss.pld import Losses
from tacit.accounting.loss.transform import tilted_sum
from tacit.accounting.pairs import pure
from tacit.accounting.pairs import sampled_gaussian as sampling

DELTAS = [0.1, 1e-3, 1e-9, 1e-16, 1e-30, 1e-100]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("epsilon", "count"), [(1.0, 3), (0.1, 400), (0.01, 1_000_000)])
def test_randomised_response_exactly(epsilon: float, count: int, delta: float) -> None:
    """On a grid that fits, the transform gives the binomial sum, a little from above."""
    both = pure.losses(local(epsilon), epsilon / 4, 0.0)
    bound = convolution.epsilon_at([(both, count)], delta)
    exact = pure.repeated_epsilon(epsilon, count, delta)
    assert exact * (1 - 1e-9) <= bound.value <= exact * (1 + 1e-4) + 1e-12


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("count", [1, 40, 10_000])
def test_gaussians_within_the_slack(count: int, delta: float) -> None:
    """Composed Gaussians cost at least the exact epsilon, at most a little more, within slack."""
    multiplier = 2 * math.sqrt(count)
    terms = [
        (sampling.poisson_losses(1.0, multiplier, 1 / multiplier / 64, delta / count / 1e7), count)
    ]
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(2.0, delta)
    assert exact * (1 - 1e-12) <= bound.value <= exact * 1.0005 + 1e-12
    assert bound.value - bound.slack <= exact


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 10.0])
def test_delta_of_gaussians(epsilon: float) -> None:
    """The other direction of the question: delta from above, and its slack reaches below."""
    terms = [(sampling.poisson_losses(1.0, 20.0, 1 / 20 / 64, 1e-40), 100)]
    bound, exact = convolution.delta_at(terms, epsilon), gaussian_delta(2.0, epsilon)
    assert exact <= bound.value <= exact * 1.01 + 1e-37
    assert bound.value - bound.slack <= exact


def test_curve_is_the_single_answers() -> None:
    """Many epsilons at once give what one at a time gives, to the plain transform's error."""
    terms = [(sampling.poisson_losses(0.1, 1.0, 1e-3, 1e-20), 50)]
    epsilons = np.array([0.0, 0.3, 1.0, 2.5, 4.0])
    single = [convolution.delta_at(terms, each).value for each in epsilons]
    many = convolution.curve_at(terms, epsilons)
    assert np.all(many >= np.array(single) - 1e-9)
    assert np.all(many <= np.array(single) + 1e-7)


def test_infinite_losses_of_every_term_count() -> None:
    """k releases that fail with probability p fail with 1 - (1 - p)^k; below that nothing holds."""
    one = Losses(0.1, 0, np.array([1 - 1e-6, 0.0]), 1e-6)
    terms = [((one, one), 10)]
    assert convolution.epsilon_at(terms, 9e-6).value == math.inf
    assert convolution.epsilon_at(terms, 1.1e-5).value == 0.0
    assert math.isclose(convolution.delta_at(terms, 1.0).value, 1 - (1 - 1e-6) ** 10, rel_tol=1e-6)


def test_what_fails_for_sure_is_not_spent_again() -> None:
    """Epsilon at delta is that of the other losses at what failures leave of delta."""
    losses = np.array([0.4, 0.1])
    leaks = Losses(0.5, 0, losses * 0.9 / losses.sum(), 0.1)
    whole = Losses(0.5, 0, losses * 0.9 / losses.sum(), 0.0)
    spent = convolution.epsilon_at([((leaks, leaks), 1)], 0.12).value
    assert math.isclose(convolution.epsilon_at([((whole, whole), 1)], 0.02).value, spent)
    assert spent > convolution.epsilon_at([((whole, whole), 1)], 0.12).value


def test_the_worse_direction_is_the_promise() -> None:
    """Removing a person costs more than adding one here; swapping or dropping it would show."""
    removed, added = sampling.poisson_losses(0.01, 0.8, 1e-3, 1e-15)
    both = convolution.epsilon_at([((removed, added), 100)], 1e-6).value
    alone = convolution.epsilon_at([((added, added), 100)], 1e-6).value
    assert both == convolution.epsilon_at([((added, removed), 100)], 1e-6).value
    assert alone < 0.7 * both


def test_mixed_directions_are_composed_each_alone() -> None:
    """One step's worse direction may be the other's better one; neither is mixed with the other."""
    removed, added = sampling.poisson_losses(0.01, 0.8, 1e-3, 1e-15)
    together = convolution.epsilon_at([((removed, added), 50), ((added, removed), 50)], 1e-6).value
    worst = convolution.epsilon_at([((removed, removed), 100)], 1e-6).value
    assert together < worst


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 30.0])
def test_losses_that_all_lie_above_epsilon(epsilon: float) -> None:
    """Where epsilon lies far below every likely loss, delta is still met from above."""
    terms = [(sampling.poisson_losses(1.0, 1.0, 1 / 64, 1e-30), 100)]
    bound, exact = convolution.delta_at(terms, epsilon), gaussian_delta(0.1, epsilon)
    assert exact <= bound.value <= min(1.0, exact * (1 + 1e-4))


@pytest.mark.parametrize("delta", [0.5, 0.9, 0.999, 1 - 1e-9])
def test_large_deltas(delta: float) -> None:
    """Close to a delta of 1, epsilon falls to its exact value and not below."""
    terms = [(sampling.poisson_losses(1.0, 1.0, 1 / 64, 1e-30), 100)]
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(0.1, delta)
    assert exact * (1 - 1e-12) <= bound.value <= exact * 1.001 + 1e-9


@pytest.mark.parametrize("most", [2**14, 2**11, 2**8])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
def test_a_smaller_window_is_still_a_bound(monkeypatch, most: int, delta: float) -> None:
    """Where the transform may not be as large as it would, a coarser grid answers from above."""
    terms = [(sampling.poisson_losses(1.0, 60.0, 1 / 60 / 64, delta / 1e10), 900)]
    monkeypatch.setattr(convolution, "MOST_WINDOW", most)
    sizes = []

    def counted(terms, theta, size):
        sizes.append(size)
        return tilted_sum(terms, theta, size)

    monkeypatch.setattr(convolution, "tilted_sum", counted)
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(2.0, delta)
    assert exact <= bound.value <= exact * 1.01 * (1 + 1024 / most)
    assert bound.value - bound.slack <= exact
    met, least = convolution.delta_at(terms, exact), gaussian_delta(2.0, exact)
    assert least * (1 - 1e-9) <= met.value
    assert met.value - met.slack <= least
    assert max(sizes) <= most


def test_tails_far_beyond_the_deviation_need_no_large_window() -> None:
    """Losses that are rare and huge: the window is as wide as they are, not as all could be."""
    one = Losses(1e-3, 0, np.concatenate([[1 - 1e-9], np.zeros(20_000), [1e-9]]), 0.0)
    sums = convolution._Sum(((one, 10**6),))
    assert sums._extent(0.0, math.log(1e-16))[1] <= 2**19
