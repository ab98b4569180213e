"""The clone pair: its losses against direct summation, its composition against a table."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from tacit.accounting import accountant
from tacit.accounting.events import repeated, shuffled
from tacit.accounting.pairs import clones
from tacit.accounting.relation import Relation


def _clone_pair(local_epsilon: float, people: int) -> tuple[np.ndarray, np.ndarray]:
    """P and Q of the clone pair over (C, a), straight from the definition."""
    clones = np.arange(people)[:, None]
    heads = np.arange(people + 1)[None, :]
    weight = binom.pmf(clones, people - 1, math.exp(-local_epsilon))
    truthful = math.exp(local_epsilon) / (math.exp(local_epsilon) + 1)
    up, stay = binom.pmf(heads - 1, clones, 0.5), binom.pmf(heads, clones, 0.5)
    first = weight * (truthful * up + (1 - truthful) * stay)
    return first, weight * ((1 - truthful) * up + truthful * stay)


@pytest.mark.parametrize("local_epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("people", [1, 2, 30, 200])
def test_one_pass_is_the_pair_of_the_definition(local_epsilon: float, people: int) -> None:
    """At the reported epsilon the pair's own delta is met, and just below it is not."""
    first, second = _clone_pair(local_epsilon, people)
    event, delta = shuffled(local_epsilon, people), 1e-4
    claimed = accountant.epsilon(event, delta, Relation.REPLACE_ONE).epsilon

    def exact(epsilon: float) -> float:
        return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())

    assert exact(claimed) <= delta * (1 + 1e-9)
    assert exact(claimed * 0.99) > delta


@pytest.mark.parametrize("order", [2.0, 8.0])
def test_renyi_is_the_divergence_of_the_pair(order: float) -> None:
    """The summed divergence bounds the definition's, closely."""
    first, second = _clone_pair(1.0, 100)
    kept = (first > 0) & (second > 0)
    logs = order * np.log(first[kept]) + (1 - order) * np.log(second[kept])
    exact = float(logsumexp(logs)) / (order - 1)
    bound = clones.renyi(shuffled(1.0, 100), np.array([order]))[0]
    assert exact * (1 - 1e-9) <= bound <= exact * 1.2


@pytest.mark.parametrize(
    ("local_epsilon", "rounds", "most", "least"),
    [
        (1, 1, 0.0531, 0.0529),
        (2, 1, 0.1552, 0.1550),
        (4, 1, 0.6011, 0.6008),
        (1, 10, 0.1826, 0.180),
        (2, 10, 0.5305, 0.525),
        (4, 10, 2.0260, 2.015),
        (1, 100, 0.629, 0.615),
        (2, 100, 1.841, 1.81),
        (4, 100, 7.39, 7.30),
    ],
)
def test_ten_thousand_people(local_epsilon, rounds, most, least) -> None:
    """Known values at n = 10,000 and delta = 1e-6, one pass and many."""
    event = repeated(shuffled(local_epsilon, 10_000), rounds)
    assert least <= accountant.epsilon(event, 1e-6, Relation.REPLACE_ONE).epsilon <= most


def test_missing_composition_would_be_caught() -> None:
    """Ten passes accounted as one fall outside the band that ten passes must meet."""
    once = accountant.epsilon(shuffled(1, 10_000), 1e-6, Relation.REPLACE_ONE).epsilon
    assert once < 0.180


@pytest.mark.parametrize("people", [10**6, 10**9])
def test_more_people_hide_better(people: int) -> None:
    """The bound falls a little faster than one over the root of the number of people."""
    few = accountant.epsilon(shuffled(2, 10**4), 1e-6, Relation.REPLACE_ONE).epsilon
    many = accountant.epsilon(shuffled(2, people), 1e-6, Relation.REPLACE_ONE).epsilon
    assert 1 < few / many / math.sqrt(people / 10**4) < 2


@pytest.mark.parametrize("local_epsilon", [30.0, 37.0, 40.0, 100.0, 700.0])
def test_large_local_budgets_cost_what_they_are(local_epsilon: float) -> None:
    """Where no clone is to be expected the pass costs its local epsilon, in finite time."""
    event = shuffled(local_epsilon, 10_000)
    found = accountant.epsilon(event, 1e-9, Relation.REPLACE_ONE).epsilon
    assert local_epsilon * 0.99 <= found <= local_epsilon
    alone = accountant.epsilon(shuffled(local_epsilon, 1), 1e-9, Relation.REPLACE_ONE).epsilon
    assert local_epsilon - 1e-6 <= alone <= local_epsilon
