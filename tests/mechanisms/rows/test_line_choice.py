"""A labeling of a line by the exponential mechanism: its promise, uniform ones, its shortfall."""

import itertools
import math
from itertools import chain

import numpy as np
import pytest

import quick_keys
from mechanisms.rows import small_people
from mechanisms.rows.every_labeling import every, labels_of, right, spread
from tacit.mechanisms.rows import line_choice
from tacit.mechanisms.rows.line_choice import LineChoice
from tacit.mechanisms.rows.line_labelings import Intervals, PieceLabelings, Thresholds

SMALL = (Thresholds(2), Intervals(3), PieceLabelings(2, 2, 3))


def law(mechanism: LineChoice, rows: np.ndarray) -> dict:
    """The chances of every labeling, by the law of draws and uniform ones."""
    each = every(mechanism.labelings)
    scores = np.array([right(labels, rows) for labels in each])
    weights = mechanism.law.rate ** (scores.max() - scores) + 2.0**-40 / len(each)
    return dict(zip(each, weights / weights.sum(), strict=True))


def laws(mechanism: LineChoice, people: int) -> dict:
    """Of every multiset of so many people."""
    line = mechanism.labelings
    kinds = list(itertools.product(range(line.points), range(labels_of(line))))
    each = itertools.combinations_with_replacement(kinds, people)
    return {own: law(mechanism, np.array(own).reshape(-1, 2)) for own in each}


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("labelings", SMALL)
def test_the_promise_is_kept_of_one_person_more(labelings, epsilon):
    """Over all neighbouring data sets of up to three people, and more than half of it is used."""
    mechanism = LineChoice(labelings, epsilon, 1, labels_of(labelings))
    fewer, more = laws(mechanism, 2), laws(mechanism, 3)
    worst = max(
        small_people.apart(own, fewer[other])
        for people, own in more.items()
        for other in {people[:left] + people[left + 1 :] for left in range(3)}
    )

    assert epsilon / 2 < worst <= epsilon


@pytest.mark.parametrize("labelings", SMALL)
def test_the_promise_is_kept_of_one_person_changed(labelings):
    """The same, and with the steps of one person more it is broken."""
    for moved, kept in ((2, True), (1, False)):
        each = laws(LineChoice(labelings, 1.0, moved, labels_of(labelings)), 2)
        worst = max(
            small_people.apart(each[one], each[other])
            for one, other in itertools.combinations(each, 2)
            if set(one) & set(other)
        )
        assert (0.5 < worst <= 1.0) == kept


def test_hopeless_labelings_are_possible(monkeypatch):
    """With ten thousand people against one, the highest of all words draws a uniform one; other
    words the best."""
    rows, line = np.array([[1, 1]] * 10_000, np.float32), Intervals(3)
    mechanism = LineChoice(line, 1000.0, 1)
    best = {labels for labels in every(line) if labels[1] == 1}
    said = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(20)]
    assert {spread(list(told), 3) for told in said} <= best

    own = line_choice.stream
    monkeypatch.setattr(line_choice, "stream", lambda key: chain([2**64 - 1], own(key)))
    drawn = [mechanism.sample(quick_keys.key(seed), rows) for seed in range(150)]
    assert {spread(list(told), 3) for told in drawn} == set(every(line))


def test_the_shortfall_is_a_bound_on_the_tail():
    """Of every labeling further below the best than stated, the chances sum to less than .05."""
    numbers, line = np.random.default_rng(5), PieceLabelings(5, 3, 2)
    rows = np.column_stack([numbers.integers(0, 5, 60), numbers.integers(0, 2, 60)])
    mechanism = LineChoice(line, 0.7, 1)
    scores = {labels: right(labels, rows) for labels in every(line)}
    far = max(scores.values()) - mechanism.shortfall(0.05)

    chances = law(mechanism, rows)
    assert sum(chances[each] for each in scores if scores[each] < far) <= 0.05
    assert mechanism.shortfall(0.05) == pytest.approx(math.log(22 / 0.05) / 0.7, rel=1e-3)


@pytest.mark.parametrize(("epsilon", "moved"), [(0.0, 1), (1001.0, 1), (math.nan, 1), (1.0, 3)])
def test_what_is_not_of_its_kind_is_refused(epsilon, moved):
    """Another epsilon, and scores that move by more."""
    with pytest.raises(ValueError, match=r"between 0\.01 and 1000|moved must be 1 or 2"):
        LineChoice(Intervals(3), epsilon, moved)
