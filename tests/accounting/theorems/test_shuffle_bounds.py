"""The closed forms of shuffling: their known values, their premises, and what they must cover."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from tacit.accounting.theorems import shuffle_bounds

Bound = Callable[[float, int, float], float]
BLANKETS = [shuffle_bounds.blanket_hoeffding, shuffle_bounds.blanket_bennett]


def _binary_response_delta(local_epsilon: float, people: int, epsilon: float) -> float:
    """The delta of shuffled binary randomised response, summed by definition."""
    clones, heads = np.arange(people)[:, None], np.arange(people + 1)[None, :]
    weight = binom.pmf(clones, people - 1, 2 / (math.exp(local_epsilon) + 1))
    truth = 1 / (1 + math.exp(-local_epsilon))
    up, stay = binom.pmf(heads - 1, clones, 0.5), binom.pmf(heads, clones, 0.5)
    first = weight * (truth * up + (1 - truth) * stay)
    second = weight * ((1 - truth) * up + truth * stay)
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


@pytest.mark.parametrize(
    ("bound", "local_epsilon", "known"),
    [
        (shuffle_bounds.blanket_hoeffding, 1, 0.1195),
        (shuffle_bounds.blanket_hoeffding, 2, 0.8683),
        (shuffle_bounds.blanket_bennett, 1, 0.1655),
        (shuffle_bounds.blanket_bennett, 2, 0.5141),
        (shuffle_bounds.clones_closed_form, 1, 0.2140),
        (shuffle_bounds.clones_closed_form, 2, 0.5009),
        (shuffle_bounds.erlingsson2019, 0.5, 6 * math.sqrt(6 * math.log(10) / 10_000)),
    ],
)
def test_ten_thousand_people(bound: Bound, local_epsilon: float, known: float) -> None:
    """Known values at n = 10,000 and delta = 1e-6."""
    assert bound(local_epsilon, 10_000, 1e-6) == pytest.approx(known, abs=5e-5)


@pytest.mark.parametrize("bound", [*BLANKETS, shuffle_bounds.clones_closed_form])
@pytest.mark.parametrize("local_epsilon", [0.05, 0.5, 1.0, 1.5])
def test_binary_response_keeps_every_promise(bound: Bound, local_epsilon: float) -> None:
    """The exact delta of binary randomised response is met at the claimed epsilon."""
    claimed = bound(local_epsilon, 1500, 1e-4)
    assert 0 < claimed <= local_epsilon
    assert _binary_response_delta(local_epsilon, 1500, claimed) <= 1e-4


def test_erlingsson_keeps_its_promise() -> None:
    """The exact delta of binary randomised response is met at the claimed epsilon."""
    claimed = shuffle_bounds.erlingsson2019(0.5, 1500, 1e-4)
    assert _binary_response_delta(0.5, 1500, claimed) <= 1e-4


@pytest.mark.parametrize("bound", BLANKETS)
@pytest.mark.parametrize(
    ("local_epsilon", "people"), [(4, 10_000), (1, 1), (40, 10**9), (1000, 10), (1e-12, 1)]
)
def test_a_vacuous_bound_is_the_local_epsilon(
    bound: Bound, local_epsilon: float, people: int
) -> None:
    """Where a formula says nothing the answer is e0, which needs no shuffling."""
    assert bound(local_epsilon, people, 1e-6 * min(local_epsilon, 1)) == local_epsilon


@pytest.mark.parametrize("bound", BLANKETS)
def test_more_people_hide_better(bound: Bound) -> None:
    """The bound falls with people and with delta, and rises with the local epsilon."""
    few, many = bound(1, 10**4, 1e-6), bound(1, 10**8, 1e-6)
    assert 50 < few / many < 1000
    assert bound(1, 10**4, 1e-8) > few
    assert bound(0.7, 10**4, 1e-6) < few


@pytest.mark.parametrize(
    ("local_epsilon", "people", "delta"), [(0.51, 1000, 0.01), (0.5, 999, 0.01), (0.5, 1000, 0.02)]
)
def test_erlingsson_refuses_outside_its_premises(
    local_epsilon: float, people: int, delta: float
) -> None:
    """Beyond each of the three premises there is no answer."""
    with pytest.raises(ValueError, match="erlingsson2019 holds for"):
        shuffle_bounds.erlingsson2019(local_epsilon, people, delta)


def test_clones_refuse_outside_their_premise() -> None:
    """The condition is the stricter one, with 4 / delta."""
    most = math.log(10_000 / (16 * math.log(4e6)))
    assert shuffle_bounds.clones_closed_form(most - 1e-9, 10_000, 1e-6) < most
    with pytest.raises(ValueError, match="clones_closed_form holds for"):
        shuffle_bounds.clones_closed_form(most + 1e-9, 10_000, 1e-6)


@pytest.mark.parametrize(
    "bound", [*BLANKETS, shuffle_bounds.clones_closed_form, shuffle_bounds.erlingsson2019]
)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 10_000, 1e-6), "local_epsilon must be positive"),
        ((math.nan, 10_000, 1e-6), "local_epsilon must be positive"),
        ((0.5, 0, 1e-6), "people must be at least 1"),
        ((0.5, 10_000, 0.0), "delta must be in"),
        ((0.5, 10_000, math.nan), "delta must be in"),
    ],
)
def test_arguments_out_of_range_are_refused(bound: Bound, arguments: tuple, message: str) -> None:
    """Each argument is named with the value allowed."""
    with pytest.raises(ValueError, match=message):
        bound(*arguments)
