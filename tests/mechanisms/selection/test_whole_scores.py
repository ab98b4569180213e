"""Choices by whole scores: their law, its ratio, and how far below the best they are."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.selection.whole_scores import Highest, WholeScores
from tacit.noise.exact import stream

SCORES = np.array([7, 4, 4, 0, -3])


def law(choice: WholeScores, scores) -> np.ndarray:
    weights = choice.weights(np.array(scores))
    return weights / weights.sum()


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.3, 1), (2.0, 1), (1.0, 3), (1e-4, 1)])
def test_no_chance_moves_by_more_than_the_promise(epsilon, sensitivity):
    """Over all ways in which one person moves four scores by the sensitivity at most: it is kept,
    and nearly reached."""
    choice, worst = WholeScores(epsilon, sensitivity), 0.0
    for move in itertools.product([-sensitivity, 0, sensitivity], repeat=4):
        for scores in ([0, 0, 0, 0], [9, 3, 0, 5], [400, 0, 0, 0]):
            ratio = law(choice, scores) / law(choice, np.add(scores, move))
            worst = max(worst, float(np.log(ratio).max()))

    assert 0.7 * epsilon < worst <= epsilon


def test_choices_follow_the_law():
    """Chi-square over 4,000 draws at a tail of 1e-4; with twice the rate it is far beyond."""
    choice, words = WholeScores(0.6, 1), stream(quick_keys.key(1))
    drawn = np.bincount([choice.sample(words, SCORES) for _ in range(4_000)], minlength=5)
    by_hand = np.exp(0.3 * SCORES)

    assert chisquare(drawn, 4_000 * by_hand / by_hand.sum()).pvalue > 1e-4
    assert chisquare(drawn, 4_000 * law(WholeScores(1.2, 1), SCORES)).pvalue < 1e-9


def test_far_scores_are_cut_alike_for_neighbours():
    """Beyond the reach all are alike, and who moves a score there moves no chance by more."""
    choice = WholeScores(1.0, 1)
    far = [0, -999, -1_000, -1_001, -(10**9)]
    here, there = law(choice, far), law(choice, np.add(far, [1, -1, -1, 1, 1]))

    assert here[-1] > 0 and np.abs(np.log(here / there)).max() <= 1.0
    assert here[-1] == here[-2]


def test_what_is_chosen_is_near_the_highest():
    """No farther than the shortfall with its chance, exactly; and that is not far too wide."""
    choice, scores = WholeScores(0.5, 1), -np.arange(200)
    chances = law(choice, scores)
    for chance in (0.2, 0.01):
        far = choice.shortfall(200, chance)
        assert chances[np.arange(200) > far].sum() <= chance
        assert far == pytest.approx(4 * math.log(200 / chance), rel=1e-6)
    with pytest.raises(ValueError, match="chance must be above"):
        choice.shortfall(200, 0.0)


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "message"),
    [
        (0.0, 1, "epsilon must be between"),
        (math.nan, 1, "epsilon must be between"),
        (2_000.0, 1, "epsilon must be between"),
        (1.0, 0, "sensitivity must be a whole number"),
        (1.0, 0.5, "sensitivity must be a whole number"),
    ],
)
def test_what_promises_nothing_is_refused(epsilon, sensitivity, message):
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        WholeScores(epsilon, sensitivity)


def test_the_highest_is_the_first_of_them():
    """Without noise."""
    assert Highest().sample(iter(()), np.array([1, 5, 5])) == 1 and Highest().shortfall(3, 0.5) == 0
