"""Sums over all labelings of a line are those over a list of them, and draws follow them."""

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from mechanisms.rows.every_labeling import CLASSES, every, labels_of, right, spread
from tacit.mechanisms.rows.line_labelings import Intervals, PieceLabelings
from tacit.mechanisms.rows.line_law import LineLaw, counted_along
from tacit.noise.exact import stream


def people(labelings, size: int, seed: int = 0) -> np.ndarray:
    numbers, labels = np.random.default_rng(seed), labels_of(labelings)
    own = numbers.integers(0, labelings.points, size), numbers.integers(0, labels, size)
    return np.column_stack(own).astype(np.float32)


def counts(labelings, rows: np.ndarray) -> np.ndarray:
    return counted_along(rows, labelings.points, labels_of(labelings))


@pytest.mark.parametrize("labelings", CLASSES)
@pytest.mark.parametrize("size", [0, 1, 15])
def test_the_sum_is_that_over_every_labeling(labelings, size):
    """To 1e-12, with the most people any is right about; of nobody it counts them."""
    rows = people(labelings, size)
    scores = np.array([right(labels, rows) for labels in every(labelings)])
    law = LineLaw(labelings, 0.5)
    most, share = law.weights.summed(law.firsts(law.sums(counts(labelings, rows))))

    assert most == scores.max() and labelings.concepts == len(scores)
    assert share == pytest.approx(np.sum(0.5 ** (most - scores)), rel=1e-12)


@pytest.mark.parametrize("labelings", CLASSES)
def test_a_rate_of_zero_draws_the_best(labelings):
    """And counts them."""
    rows = people(labelings, 15)
    scores = [right(labels, rows) for labels in every(labelings)]
    law = LineLaw(labelings, 0.0)
    sums = law.sums(counts(labelings, rows))
    drawn = spread(law.draw(stream(quick_keys.key(1)), sums), labelings.points)

    assert law.weights.summed(law.firsts(sums)).share == scores.count(max(scores))
    assert right(drawn, rows) == max(scores)


@pytest.mark.parametrize("labelings", CLASSES)
def test_draws_are_in_proportion(labelings):
    """Chi-square over 2,000 draws at a tail of 1e-4, which a rate of two thirds the slope is
    beyond."""
    rows, each = people(labelings, 25, 4), every(labelings)
    scores = np.array([right(labels, rows) for labels in each])
    words, draws = stream(quick_keys.key(2)), 2_000
    law = LineLaw(labelings, 0.6)
    sums, found = law.sums(counts(labelings, rows)), dict.fromkeys(each, 0)
    for _ in range(draws):
        found[spread(law.draw(words, sums), labelings.points)] += 1

    def tail(rate: float) -> float:
        weights = rate ** (scores.max() - scores)
        return chisquare(list(found.values()), draws * weights / weights.sum()).pvalue

    assert tail(0.6) > 1e-4
    assert tail(0.6 ** (2 / 3)) < 1e-6


def test_a_long_line_is_summed_as_pieces_between_its_points_are():
    """2,000 points: all intervals by prefix sums, to 1e-9."""
    line = Intervals(2_000)
    table = counts(line, people(line, 300, 5))
    law = LineLaw(line, 0.7)
    most, share = law.weights.summed(law.firsts(law.sums(table)))

    gain = np.concatenate([[0], np.cumsum(table[:, 1] - table[:, 0])])
    inside = np.subtract.outer(gain, gain)[np.tril_indices(len(gain), -1)]
    scores = table[:, 0].sum() + np.append(inside, 0)
    assert most == scores.max()
    assert share == pytest.approx(np.sum(0.7 ** (most - scores)), rel=1e-9)


def test_who_has_no_point_or_no_label_is_nobody():
    """Beyond either end of both."""
    rows = np.array([[-1, 0], [4, 0], [1, -1], [1, 2], [1, 1]], np.float32)

    assert 1 == counted_along(rows, 4, 2).sum() == counted_along(rows, 4, 2)[1, 1]


def test_more_pieces_than_points_are_no_pieces():
    """Where they begin is beyond the line, with the last label again."""
    law = LineLaw(PieceLabelings(2, 4, 2), 0.0)
    sums = law.sums(np.array([[5, 0], [0, 5]]))

    assert law.draw(stream(quick_keys.key(3)), sums) == [0, 1, 2, 2, 0, 1, 1, 1]
