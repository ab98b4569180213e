"""Points of an interval are chosen by the score of their piece, each point like any other."""

import itertools
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.mechanisms.selection.interval_choice import MOST_POINTS, IntervalChoice

DRAWS = 40_000
LENGTHS = np.array([3, 0, 7, 1, 10], np.int32)
SCORES = np.array([1.0, 99.0, -1.0, 2.5, 0.0], np.float32)


@jax.jit
def many(mechanism, keys, lengths, scores):
    """One point for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, lengths, scores))(keys)


def points(mechanism, lengths, scores, seed, draws=DRAWS):
    """Many points."""
    keys = jax.random.split(quick_keys.key(seed), draws)
    return np.asarray(many(mechanism, keys, jnp.asarray(lengths), jnp.asarray(scores)))


def law(epsilon, scores):
    """The textbook's probabilities, point by point."""
    weights = np.exp(epsilon * np.asarray(scores, np.float64) / 2)
    return weights / weights.sum()


def fit(observed, chances):
    """The chi-square tail probability of these counts."""
    return chisquare(observed, chances * observed.sum()).pvalue


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_points_are_those_of_the_textbook(epsilon):
    """Every point has its score's chance; a piece without points has none, whatever its score."""
    each = np.repeat(SCORES, LENGTHS)
    observed = np.bincount(points(IntervalChoice(epsilon, 1.0), LENGTHS, SCORES, 1), minlength=21)

    assert fit(observed, law(epsilon, each)) > 1e-3
    assert fit(observed, law(2 * epsilon, each)) < 1e-9
    assert fit(np.roll(observed, 1), law(epsilon, each)) < 1e-9


def test_how_points_are_cut_into_pieces_does_not_matter():
    """The same scores in one piece, or in many, give every point the same exact chance."""
    mechanism = IntervalChoice(1.0, 1.0)
    cuts = [
        ([5, 15], [0.0, 1.0]),
        ([5] * 4, [0.0, 1.0, 1.0, 1.0]),
        ([1] * 20, [0.0] * 5 + [1.0] * 15),
    ]
    shares, grid = [], mechanism.grid
    weigh = jax.jit(lambda scores: grid.weights(grid.distances(scores)))
    for lengths, scores in cuts:
        weights = np.asarray(weigh(np.array(scores, np.float32)))
        exact = [Fraction(float(w)) * l for w, l in zip(weights, lengths, strict=True)]
        shares.append(exact[0] / lengths[0] / sum(exact))

    assert shares[0] == shares[1] == shares[2]


def test_exact_chances_spend_the_whole_budget_and_not_more():
    """Pieces that move along with the data, in every way, lose at most epsilon at every point."""
    grid = IntervalChoice(1.0, 1.0).grid

    def chances(scores):
        distances = grid.distances(jnp.array(scores, jnp.float32))
        exact = [Fraction(float(w)) for w in np.asarray(grid.weights(distances))]
        return np.array([float(w / sum(exact)) for w in exact])

    base = np.array([40.0, 0.0, 0.5, -1.0])
    before = chances(base)
    moves = itertools.product((-1, 0, 1), repeat=4)
    losses = [np.abs(np.log(chances(base + np.array(m)) / before)).max() for m in moves]

    assert 0.99 < max(losses) <= 1


def test_a_billion_points():
    """Among 2^30 points a short piece and halves of a long one come as often as they say."""
    lengths = np.array([2**29, 1000, 2**29 - 1000], np.int32)
    score = 2 * math.log(2**30 / 1000)
    drawn = points(IntervalChoice(1.0, 1.0), lengths, np.array([0, score, 0], np.float32), 2)
    within = (drawn >= 2**29) & (drawn < 2**29 + 1000)
    tail = binom.sf([within.sum() - 1, (drawn < 2**28).sum() - 1], DRAWS, [0.5, 0.125])

    assert 0 <= drawn.min() <= drawn.max() < MOST_POINTS
    assert np.all((tail > 1e-4) & (tail < 1 - 1e-4))
    assert chisquare(np.bincount((drawn[within] - 2**29) // 100, minlength=10)).pvalue > 1e-3


def test_integer_distances_give_the_choice_of_their_scores():
    """Exact steps are chosen among as the scores themselves are."""
    mechanism, key = IntervalChoice(1.0, 1.0), quick_keys.key(3)
    distances = mechanism.grid.distances(jnp.where(LENGTHS > 0, SCORES, -jnp.inf))
    lengths = jnp.asarray(LENGTHS)

    assert mechanism.sample_distances(key, lengths, distances) == mechanism.sample(
        key, lengths, jnp.asarray(SCORES)
    )


def test_the_shortfall_holds_and_a_third_of_it_does_not():
    """At most a share e^-t of points falls short by more than the theorem's amount."""
    mechanism, t = IntervalChoice(1.0, 1.0), 2.0
    lengths = np.array([900, 100], np.int32)
    short = -mechanism.shortfall(1000, 100, t) - 1e-3
    far = (points(mechanism, lengths, np.array([short, 0], np.float32), 4) < 900).sum()
    farther = (points(mechanism, lengths, np.array([short / 3, 0], np.float32), 5) < 900).sum()

    assert binom.sf(far - 1, DRAWS, math.exp(-t)) > 1e-4
    assert binom.sf(farther - 1, DRAWS, math.exp(-t)) < 1e-9


@pytest.mark.parametrize("score", [math.nan, -math.inf, -3e38])
def test_pieces_whose_score_is_no_number_or_far_below_zero_are_the_lowest(score):
    """They are chosen only when there is no other."""
    mechanism = IntervalChoice(10.0, 1.0)
    drawn = points(mechanism, [500, 1], np.array([score, 0.0], np.float32), 6, draws=1_000)
    alone = points(mechanism, [500], np.array([score], np.float32), 7)

    assert np.all(drawn == 500)
    assert chisquare(np.bincount(alone // 100, minlength=5)).pvalue > 1e-6


@pytest.mark.parametrize("score", [math.inf, 3e38])
def test_pieces_of_a_score_far_above_zero_are_the_highest(score):
    """They are chosen always."""
    mechanism = IntervalChoice(10.0, 1.0)
    drawn = points(mechanism, [500, 1], np.array([0.0, score], np.float32), 6, draws=1_000)

    assert np.all(drawn == 500)


def test_compiled_or_not_the_point_is_the_same():
    """Both ways of running agree."""
    mechanism, key = IntervalChoice(1.0, 1.0), quick_keys.key(8)
    inputs = jnp.asarray(LENGTHS), jnp.asarray(SCORES)

    assert mechanism.sample(key, *inputs) == jax.jit(IntervalChoice.sample)(mechanism, key, *inputs)


def test_refused_parameters():
    """NaN and zero do not pass."""
    with pytest.raises(ValueError, match="epsilon must be between"):
        IntervalChoice(math.nan, 1.0)
    with pytest.raises(ValueError, match="sensitivity must be between"):
        IntervalChoice(1.0, 0.0)
    with pytest.raises(ValueError, match="best must be"):
        IntervalChoice(1.0, 1.0).shortfall(3, 4, 1.0)
