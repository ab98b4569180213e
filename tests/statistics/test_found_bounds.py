"""Bounds that are found hold all but a stated number of people, wherever these are."""

from typing import Any

import numpy as np
import pytest

import tacit
from tacit.statistics import BoundsSearch, find_bounds

CENTRAL = tacit.Central(1.0, 0.0)
VALUES = np.random.default_rng(3).lognormal(8.0, 1.0, 2_000) - 1_500


def found(values, folder, seed: int = 0, **said):
    terms: dict[str, Any] = {"step": 0.01, "trust": CENTRAL, "people": 2_000, "name": "p"} | said
    book = tacit.Ledger(folder / f"{seed}.db")
    if isinstance(terms["trust"], tacit.Central):
        asked = BoundsSearch(terms["step"], terms["trust"], terms["people"])
        book.limit_for("p", asked.plan)
    return find_bounds(values, **terms, ledger=book, seed=seed)


def test_all_but_so_many_are_inside(tmp_path):
    """In three of three releases, each of which fails with chance 1e-3 at most; neither bound is
    beyond the first place that nobody is beyond."""
    for seed in range(3):
        answer = found(VALUES, tmp_path, seed, confidence=0.999)
        lower, upper = answer.bounds
        beyond = np.sum(upper < VALUES), np.sum(lower > VALUES)

        assert max(beyond) <= answer.outside < 80
        assert upper <= 2 * VALUES.max() and lower >= 2 * VALUES.min()
        assert "99.9% sure that at most" in repr(answer)


def far(people: int, folder, seed: int) -> int:
    """How many are beyond the upper bound, if so many are far away and all others are at zero."""
    values = np.append(np.zeros(2_000 - people), np.full(people, 2.0**50))
    return int(np.sum(values > found(values, folder, seed, confidence=0.999).upper))


def test_both_margins_are_needed_and_enough(tmp_path):
    """Noise may end a side where more people are beyond than its count allows, by a margin at most:
    of sides with three too many at fifty places some end there, and none with one more than both
    margins."""
    outside = BoundsSearch(0.01, CENTRAL, 2_000, 0.999).outside
    allowed = outside // 2

    assert [far(outside + 1, tmp_path, seed) for seed in range(4)] == [0] * 4
    assert allowed + 3 in [far(allowed + 3, tmp_path, seed) for seed in range(4, 8)]


def test_a_side_is_allowed_a_margin_and_may_have_two():
    """What is compared with noise is so far from nobody that noise ends a side there, and as far
    again are those with whom it may end one too early."""
    asked = BoundsSearch(0.01, CENTRAL, 2_000, 0.999)
    margin = 2_000 * asked.plan.server.margin(0.001)
    allowed = -2_000 * asked.plan.question.threshold

    assert margin <= allowed < margin + 1
    assert allowed + margin <= asked.outside < allowed + margin + 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("trust", [tacit.NonPrivate(), CENTRAL], ids=["nobody", "curator"])
def test_of_numbers_that_are_none_below_zero_the_bound_is_zero(tmp_path, trust, seed):
    """Exactly, and not its negative."""
    answer = found(np.abs(VALUES), tmp_path, seed, confidence=0.999, trust=trust)
    assert "0.0" == str(answer.lower) and 0 < answer.upper <= 2 * np.abs(VALUES).max()


def test_what_is_declared_too_large_or_missing_widens_nothing(tmp_path):
    """Ten times too many people, most of whom have no number: bounds stay near the others."""
    values = np.append(VALUES[:500], np.full(1_500, np.nan))
    answer = found(values, tmp_path, people=20_000)

    assert answer.upper <= 2 * VALUES.max() and answer.lower >= 2 * VALUES.min()


@pytest.mark.parametrize("values", [np.zeros(400), np.full(400, np.nan), np.array([])])
def test_bounds_are_an_interval_where_there_is_nothing_to_find(values, tmp_path):
    """All alike, all missing, or nobody."""
    answer = found(values, tmp_path, people=400)

    assert answer.lower <= 0.0 < answer.upper <= 1.0


def test_the_ledger_says_what_was_searched(tmp_path):
    """Both sides, from which step on, how far."""
    found(VALUES, tmp_path)
    entries = tacit.Ledger(tmp_path / "0.db").history("p")

    assert "bounds on both sides, zero or 0.01 doubled up to 64 times" in str(entries)


def test_of_everybody_who_may_be_beyond_one_bound_or_the_other_nothing_is_said():
    """Half of them on either side: somebody more is inside, and may be asked of."""
    outside = BoundsSearch(1.0, CENTRAL, 100).outside
    with pytest.raises(ValueError, match="must be of more than"):
        BoundsSearch(1.0, CENTRAL, 2 * outside)
    assert BoundsSearch(1.0, CENTRAL, 2 * outside + 1).outside == outside


def test_without_privacy_bounds_are_the_first_that_nobody_is_beyond(tmp_path):
    """On both sides, and nobody is outside."""
    answer = found([-3.0, 0.5, 8.0], tmp_path, trust=tacit.NonPrivate(), people=3, step=1)

    assert answer.bounds == (-4.0, 8.0) and answer.outside == 0


def test_the_margin_depends_on_public_numbers_alone():
    """Not on how many people there are, nor on the step; replacing costs more than coming."""
    few, many = (BoundsSearch(1.0, CENTRAL, people).outside for people in (100, 1_000_000))
    replaced = BoundsSearch(1.0, tacit.Central(1.0, 0.0, tacit.Relation.REPLACE_ONE), 1_000)

    assert abs(few - many) <= 1 and few == BoundsSearch(1e-9, CENTRAL, 100).outside
    assert replaced.outside > 1.3 * few
    assert [each.epsilon for each in BoundsSearch(1.0, CENTRAL, 100).plan.guarantees] == [1.0]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"step": 0.0}, "step must be"),
        ({"step": float("nan")}, "step must be"),
        ({"step": 1e300}, r"step must be at most 9e\+288"),
        ({"trust": tacit.Local(1.0)}, "is asked of a curator"),
        ({"people": 0}, "whole number of people"),
        ({"confidence": 1.0}, "confidence"),
        ({"people": 76}, "must be of more than 76 people, as 38 may be beyond either bound"),
        ({"people": 30, "trust": tacit.Central(0.2, 0.0)}, "of more than 364 people"),
    ],
)
def test_what_is_refused(said, words):
    """By name, before anything is charged."""
    terms: dict[str, Any] = {"step": 1.0, "trust": CENTRAL, "people": 100} | said
    with pytest.raises(ValueError, match=words):
        BoundsSearch(**terms)
