"""A decision list by the exponential mechanism: its promise, uniform ones, its shortfall."""

import math
from itertools import chain

import numpy as np
import pytest

import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_rule_list import lists, right
from tacit.mechanisms.rows import rule_list_choice
from tacit.mechanisms.rows.rule_list_choice import RuleListChoice

DIM, LENGTH = 2, 1
EVERY, OF_THREE = lists(DIM, LENGTH), lists(1, 2, 3)


def law(mechanism: RuleListChoice, rows: np.ndarray, every=EVERY) -> dict:
    """The chances of every list, by the law of draws and uniform ones."""
    scores = np.array([right(told, mechanism.length, rows) for told in every])
    weights = mechanism.law.rate ** (scores.max() - scores) + 2.0**-40 / len(every)
    return dict(zip(every, weights / weights.sum(), strict=True))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("worst", "moved"), [(small_people.added, 1), (small_people.changed, 2)])
def test_the_promise_is_kept(worst, moved, epsilon):
    """Over all neighbouring data sets of two people, and more than half of it is used."""
    found = worst(lambda rows: law(RuleListChoice(DIM, LENGTH, epsilon, moved), rows), DIM, 2)

    assert epsilon / 2 < found <= epsilon


@pytest.mark.parametrize(("worst", "moved"), [(small_people.added, 1), (small_people.changed, 2)])
def test_the_promise_is_kept_of_three_labels(worst, moved):
    """The same of two rules about one bit, and labels 0, 1 and 2."""

    def of_three(rows: np.ndarray) -> dict:
        return law(RuleListChoice(1, 2, 1.0, moved, 3), rows, OF_THREE)

    assert 0.5 < worst(of_three, 1, 2, 3) <= 1.0


def test_hopeless_lists_are_possible(monkeypatch):
    """With ten thousand people against one, the highest of all words draws a uniform list; other
    words a best one."""
    rows = np.array([[1, 0, 1]] * 10_000, np.float32)
    mechanism = RuleListChoice(DIM, LENGTH, 1000.0, 1)
    best = {told for told in EVERY if right(told, LENGTH, rows) == 10_000}
    said = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(20)]
    assert {tuple(told.astype(int)) for told in said} <= best

    own = rule_list_choice.stream
    monkeypatch.setattr(rule_list_choice, "stream", lambda key: chain([2**64 - 1], own(key)))
    drawn = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(150)]
    assert {tuple(told.astype(int)) for told in drawn} == set(EVERY)


def test_the_shortfall_is_a_bound_on_the_tail():
    """Of every list further below the best than stated, the chances sum to less than .05."""
    rows = np.random.default_rng(5).integers(0, 2, (40, DIM + 1)).astype(np.float32)
    mechanism = RuleListChoice(DIM, LENGTH, 0.7, 1)
    scores = {told: right(told, LENGTH, rows) for told in EVERY}
    far = max(scores.values()) - mechanism.shortfall(0.05)

    chances = law(mechanism, rows)
    assert sum(chances[told] for told in EVERY if scores[told] < far) <= 0.05
    assert mechanism.shortfall(0.05) == pytest.approx(math.log(16 / 0.05) / 0.7, rel=1e-3)


@pytest.mark.parametrize(("epsilon", "moved"), [(0.0, 1), (1001.0, 1), (math.nan, 1), (1.0, 3)])
def test_what_is_not_of_its_kind_is_refused(epsilon, moved):
    """Another epsilon, and scores that move by more."""
    with pytest.raises(ValueError, match=r"between 0\.01 and 1000|moved must be 1 or 2"):
        RuleListChoice(2, 1, epsilon, moved)
