"""The nearest of several laws: its law of choices, its sensitivity, and the bound it promises."""

import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.rows.minimum_distance import (
    MOST_PEOPLE,
    MinimumDistance,
    PairSets,
)
from tacit.question.laws import NearestLaw

LAWS = NearestLaw([[0.5, 0.3, 0.2, 0.0], [0.2, 0.3, 0.3, 0.2], [0.1, 0.1, 0.1, 0.7]])
DRAWS = 4_000


def made(epsilon: float, asked: NearestLaw = LAWS, people: int = 500) -> MinimumDistance:
    return MinimumDistance(asked.units, asked.digest, epsilon, people)


def worst(masses: np.ndarray, counts: np.ndarray) -> list[float]:
    """By definition: of each law the worst of the sets in which two laws differ."""
    sets = [one > two for one, two in itertools.combinations(masses, 2)]
    return [max(abs(counts.sum() * law[a].sum() - counts[a].sum()) for a in sets) for law in masses]


def flipped(off: np.ndarray, epsilon: float) -> np.ndarray:
    """Permute-and-flip's chances, over all outcomes of its coins."""
    heads = np.exp(-epsilon * (off - off.min()) / 2)
    chances = np.zeros(len(off))
    for outcome in itertools.product([0, 1], repeat=len(off)):
        if any(outcome):
            weight = np.prod(np.where(outcome, heads, 1 - heads))
            chances += weight * np.array(outcome) / sum(outcome)
    return chances


def test_a_score_is_the_worst_of_the_sets_of_all_pairs():
    """To a step of 1/256, on masses drawn at random, some of them zero or equal."""
    numbers = np.random.default_rng(0)
    for _ in range(50):
        asked = NearestLaw(numbers.multinomial(16, np.ones(6) / 6, 5) / 16)
        counts = numbers.integers(0, 40, 6)
        off = PairSets(asked.units).off_by(counts) / 256

        assert np.abs(off - worst(asked.masses, counts)).max() <= 1 / 256 + 1e-6


def test_nobody_moves_a_score_by_more_than_a_person():
    """Whoever comes, goes or changes cell, to the last step; and somebody moves one by almost so
    much: half of the sensitivity would not do."""
    numbers, most = np.random.default_rng(1), 0
    for _ in range(200):
        drawn = numbers.random((4, 5)) ** 4 + 1e-6
        sets = PairSets(NearestLaw(drawn / drawn.sum(axis=1, keepdims=True)).units)
        counts = numbers.integers(0, 9, 5)
        here = sets.off_by(counts)
        for cell, other in itertools.permutations(range(5), 2):
            one, more = np.eye(5, dtype=np.int64)[[cell, other]]
            moved = [sets.off_by(counts + one) - here]
            if counts[cell]:
                moved.append(sets.off_by(counts - one + more) - here)
            most = max(most, np.abs(moved).max())

    assert 250 < most <= 256 == made(1.0).choice.grid.steps


def test_choices_follow_permute_and_flip():
    """Chi-square over 4,000 draws at a tail of 1e-4, which a score of half the size is far beyond;
    the law is that of the people's own number, of whom two are in no cell."""
    cells = np.array([0, 0, 0, 1, 1, 2, 3, 3, 2, 0, -1, 9], np.int32)
    mechanism = made(0.8)
    off = np.array(worst(LAWS.masses, np.array([4, 2, 2, 2])))
    keys = jax.random.split(quick_keys.key(3), DRAWS)
    draw = jax.jit(jax.vmap(lambda key: mechanism.sample(key, cells)))
    drawn = np.bincount(draw(keys), minlength=3)

    assert chisquare(drawn, DRAWS * flipped(off, 0.8)).pvalue > 1e-4
    for wrong in (0.4, 1.6):
        assert chisquare(drawn, DRAWS * flipped(off, wrong)).pvalue < 1e-9


def test_whoever_is_in_no_cell_is_not_counted():
    """Numbers below zero and beyond the last."""
    cells = np.array([-1, 0, 3, 3, 4, 2**31 - 1, -(2**31)], np.int32)

    found = PairSets(LAWS.units).steps_off(cells)
    assert found.tolist() == PairSets(LAWS.units).off_by(np.array([1, 0, 0, 2])).tolist()
    assert found.min() > 0


def test_nobody_at_all_is_equally_near_to_every_law():
    """And no refusal: that nobody is there is not told."""
    drawn = [int(made(1.0).sample(key, np.zeros(0, np.int32))) for key in keys_of(300)]

    assert np.bincount(drawn, minlength=3).min() > 60
    assert PairSets(LAWS.units).off_by(np.zeros(4, np.int64)).tolist() == [0, 0, 0]


def keys_of(many: int):
    return jax.random.split(quick_keys.key(7), many)


def test_scores_of_a_billion_people_are_exact():
    """In whole numbers, by Python's own; beyond 2^30 people their number is cut."""
    sets, counts = PairSets(LAWS.units), np.array([400_000_001, 300_000_003, 77, 199_999_999])
    pairs = [one > two for one, two in itertools.combinations(LAWS.units, 2)]
    people, wanted = int(counts.sum()), []
    for law in LAWS.units:
        held = [(int(law[a].sum()), int(counts[a].sum())) for a in pairs]
        wanted.append(max(abs(people * mass * 256 // 2**32 - 256 * own) for mass, own in held))

    assert sets.off_by(counts).tolist() == wanted
    # One person more, and a product with the first law's mass would pass 2^63.
    over = np.array([2**32 - 1, 0, 0, 0])
    moved = np.abs(sets.off_by(over + np.eye(1, 4, dtype=int)[0]) - sets.off_by(over))
    assert MOST_PEOPLE < 2**32 and moved.max() <= 256


def test_the_bound_is_that_of_its_parts():
    """Twice what is drawn in any of three sets, and permute-and-flip's shortfall, by hand."""
    sampling = math.sqrt(math.log(2 * 3 / 0.025) / (2 * 500))
    short = 2 / 0.5 * (math.log(3) + math.log(2 / 0.05))

    assert PairSets(LAWS.units).drawn_off(500, 0.025) == pytest.approx(sampling, rel=1e-12)
    assert made(0.5).error_bound(0.05) == pytest.approx(2 * sampling + short / 500, abs=2e-4)


def test_the_bound_holds_as_often_as_promised():
    """Of 300 data sets, for people of a law of the list and of another one: of bounds that fail
    with chance .2 more than 90 would with chance 2e-5; and they are not far too wide."""
    numbers = np.random.default_rng(5)
    masses = numbers.dirichlet(np.full(12, 0.6), 12)
    people, shares = 60, []
    mechanism = made(2.0, NearestLaw(masses), people)
    for key, law in zip(keys_of(300), numbers.integers(0, 12, 300), strict=True):
        true = masses[law] if law % 2 else 0.7 * masses[law] + 0.3 * masses[(law + 1) % 12]
        cells = numbers.choice(12, people, p=true / true.sum()).astype(np.int32)
        far = np.abs(masses - true).sum(axis=1) / 2
        chosen = far[int(mechanism.sample(key, cells))]
        shares.append((chosen - 3 * far.min()) / mechanism.error_bound(0.2))

    assert np.sum(np.array(shares) > 1) <= 90
    assert max(shares) > 0.1
