"""Sums over all decision lists are those over a list of them, and draws follow them."""

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from mechanisms.rows.every_rule_list import lists, right
from tacit.mechanisms.rows.rule_list_law import RuleListLaw
from tacit.mechanisms.rows.tree_choice import by_label
from tacit.noise.exact import stream


def people(dim: int, size: int, labels: int, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    bits, own = numbers.integers(0, 2, (size, dim)), numbers.integers(0, labels, size)
    return np.column_stack([bits, own]).astype(np.float32)


@pytest.mark.parametrize(
    ("dim", "length", "labels"), [(4, 1, 2), (3, 2, 2), (2, 3, 2), (2, 2, 3), (3, 3, 2)]
)
@pytest.mark.parametrize("size", [0, 1, 15])
def test_the_sum_is_that_over_every_list(dim, length, labels, size):
    """To 1e-12, with the most people any list is right about; of nobody it counts the lists."""
    rows = people(dim, size, labels)
    scores = np.array([right(told, length, rows) for told in lists(dim, length, labels)])
    law = RuleListLaw(length, 0.5)
    most, share = law.weights.summed(law.roots(by_label(rows, labels)))

    assert most == scores.max() and law.lists(dim, labels) == len(scores)
    assert share == pytest.approx(np.sum(0.5 ** (most - scores)), rel=1e-12)


@pytest.mark.parametrize(("dim", "length"), [(4, 1), (3, 2), (2, 3)])
def test_a_rate_of_zero_draws_the_best(dim, length):
    """And counts them."""
    rows = people(dim, 15, 2)
    scores = [right(told, length, rows) for told in lists(dim, length)]
    law, at = RuleListLaw(length, 0.0), by_label(rows, 2)
    roots = law.roots(at)
    drawn = law.draw(stream(quick_keys.key(1)), at, roots)

    assert law.weights.summed(roots).share == scores.count(max(scores))
    assert right(tuple(drawn), length, rows) == max(scores)


@pytest.mark.parametrize(("dim", "length", "labels"), [(2, 1, 3), (2, 2, 2), (1, 3, 2)])
def test_draws_are_in_proportion(dim, length, labels):
    """Chi-square over 2,000 draws at a tail of 1e-4, which a rate of two thirds the slope is
    beyond."""
    rows, every = people(dim, 12, labels, 4), lists(dim, length, labels)
    scores = np.array([right(told, length, rows) for told in every])
    words, draws = stream(quick_keys.key(2)), 2_000
    law, at = RuleListLaw(length, 0.6), by_label(rows, labels)
    roots = law.roots(at)
    found = dict.fromkeys(every, 0)
    for _ in range(draws):
        found[tuple(law.draw(words, at, roots))] += 1

    def tail(rate: float) -> float:
        weights = rate ** (scores.max() - scores)
        return chisquare(list(found.values()), draws * weights / weights.sum()).pvalue

    assert tail(0.6) > 1e-4
    assert tail(0.6 ** (2 / 3)) < 1e-6


@pytest.mark.parametrize(("length", "rate"), [(0, 0.5), (4, 0.5), (1, 1.0), (1, -0.1)])
def test_what_is_not_of_its_kind_is_refused(length, rate):
    """Longer lists, and weights that grow."""
    with pytest.raises(ValueError, match=r"length must be|rate must be"):
        RuleListLaw(length, rate)
