"""One run with many canaries: who breaks a promise is convicted, who keeps it hardly ever."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from tacit.audit import EpsilonDelta, canaries_apart, in_one_run
from tacit.audit.one_run import epsilon_of, p_value, verdict_of_scores

ROWS, CANARIES = canaries_apart(1_500, 5)


def totals(data, seed, scale=1.0, most=1.0):
    """Of every column, with Laplace noise: who has one column to themselves has an epsilon of 1."""
    noise = np.random.default_rng(seed).laplace(scale=scale, size=data.shape[1])
    return np.minimum(data, most).sum(axis=0) + noise


@pytest.mark.parametrize(
    ("what", "function", "least"),
    [
        ("two-thirds of the noise", lambda d, s: totals(d, s, scale=2 / 3), 1.1),
        ("no clip", lambda d, s: totals(d, s, most=np.inf), 2.0),
        ("no noise", lambda d, s: totals(d, s, scale=0.0), 5.0),
    ],
)
def test_planted_bugs_are_convicted(what, function, least):
    """By an epsilon that they have, and the promise does not."""
    found = in_one_run(function, ROWS, CANARIES, EpsilonDelta(1.0, 1e-6))

    assert found.broken and found.epsilon > least, what
    assert str(found).endswith("with 95% confidence (1,500 canaries in one run)")


def test_who_keeps_the_promise_is_shown_to_be_near_it():
    """And consistent."""
    found = in_one_run(totals, ROWS, CANARIES, EpsilonDelta(1.0, 1e-6))

    assert not found.broken and 0.7 < found.epsilon < 1.0


def test_who_keeps_a_promise_exactly_is_convicted_as_seldom_as_was_said():
    """Randomised response of every canary, which attains the theorem: an exact binomial test over
    seeds, and more than a tenth of what is allowed: the limit is one."""
    convicted = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        inside = rng.random(200) < 0.5
        told = inside ^ (rng.random(200) > expit(0.995))
        scores = told + rng.random(200) / 2
        convicted += verdict_of_scores(scores, inside, EpsilonDelta(0.98), 0.95).epsilon > 0.99
    assert 2 <= convicted <= binom.isf(1e-6, 400, 0.05)


def test_without_a_delta_a_p_value_is_a_binomial_tail():
    """Of randomised response's right answers."""
    assert p_value(90, 80, 61, 1.0, 0.0) == pytest.approx(binom.sf(60, 80, expit(1.0)))


@pytest.mark.parametrize(("canaries", "guesses", "right"), [(30, 20, 18), (8, 8, 8), (50, 9, 3)])
def test_a_delta_counts_as_the_theorem_says(canaries, guesses, right):
    """Term by term."""
    law: Any = binom(guesses, expit(0.5))
    terms = (sum(law.pmf(w) for w in range(right - i, right)) / i for i in range(1, right + 1))
    expected = law.sf(right - 1) + 2 * canaries * 0.002 * max(terms)

    assert p_value(canaries, guesses, right, 0.5, 0.002) == pytest.approx(min(1.0, expected))


@pytest.mark.parametrize("revealed", [1, 5, 20])
def test_canaries_that_are_revealed_together_are_no_less_likely_than_allowed(revealed):
    """With probability 20 delta/i all of some i are told plainly, so each with delta; the others
    by randomised response: every number of right guesses, exactly."""
    delta, chance = 0.01, float(expit(1.0))
    often, known = 20 * delta / revealed, np.arange(21)
    plain = binom.sf(known - 1, 20, chance)
    told = binom.sf(known - 1 - revealed, 20 - revealed, chance)
    bounds = np.array([p_value(20, 20, int(v), 1.0, delta) for v in known])

    assert np.all((1 - often) * plain + often * told <= bounds + 1e-12)
    assert np.any((1 - often) * plain + often * told > binom.sf(known - 1, 20, chance) + 1e-3)


def test_more_right_guesses_show_more_and_a_delta_less():
    """All of 400 show what their number can; half of them nothing."""
    most = epsilon_of(400, 400, 400, 0.0, 0.05)

    assert most == pytest.approx(math.log(400 / -math.log(0.05)), abs=0.02)
    assert epsilon_of(400, 400, 200, 0.0, 0.05) == 0.0
    assert epsilon_of(400, 400, 380, 1e-3, 0.05) < epsilon_of(400, 400, 380, 0.0, 0.05)


def test_people_with_labels_are_joined_part_by_part():
    """A tuple of rows and labels is handed over as one, with the canaries that are in."""
    seen = []

    def function(data, seed):
        seen.append(data)
        return 0.0

    rows, canaries = (np.zeros((4, 2)), np.zeros(4)), (np.ones((9, 2)), np.ones(9))
    in_one_run(function, rows, canaries, EpsilonDelta(1.0), score=lambda answer, one: one[1])
    ((features, labels),) = seen

    assert features.shape == (len(labels), 2) and 4 < len(labels) < 13
    assert list(labels[:4]) == [0] * 4 and set(labels[4:]) == {1.0}


@pytest.mark.parametrize(
    ("canaries", "terms", "said"),
    [
        (CANARIES[:7], {}, "at least 8 canaries, got 7"),
        (CANARIES[:9, :9], {}, "as many numbers as a row has, 9, got 1500"),
        (CANARIES[:9], {"score": lambda a, c: math.nan}, "a score must be a number"),
        (CANARIES[:9], {"confidence": 0.0}, "confidence must be"),
    ],
)
def test_what_cannot_be_audited_is_refused(canaries, terms, said):
    """In a sentence that names what is allowed."""

    def answers(data, seed):
        return np.zeros(1_500)

    rows = ROWS[:, : canaries.shape[1]]
    with pytest.raises(ValueError, match=said):
        in_one_run(answers, rows, canaries, EpsilonDelta(1.0), **terms)


@pytest.mark.parametrize(
    ("rows", "canaries", "promise", "said"),
    [
        (ROWS, None, EpsilonDelta(1.0), "must be arrays with an axis for people"),
        (None, CANARIES, EpsilonDelta(1.0), "must be arrays with an axis for people"),
        (ROWS, (), EpsilonDelta(1.0), "must be arrays with an axis for people"),
        (ROWS, CANARIES, 1.0, "promise must be an EpsilonDelta"),
    ],
)
def test_what_is_no_audit_is_refused(rows, canaries, promise, said):
    """By what there must be."""
    with pytest.raises(ValueError, match=said):
        in_one_run(lambda data, seed: data.sum(axis=0), rows, canaries, promise)


@pytest.mark.parametrize(
    "wrong", [(8, 9, 1, 1.0, 0.0), (8, 8, 9, 1.0, 0.0), (8, 8, 8, -1.0, 0.0), (8, 8, 8, 1.0, 2.0)]
)
def test_impossible_counts_and_promises_have_no_p_value(wrong):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=r"at most as many|epsilon is at least 0"):
        p_value(*wrong)
