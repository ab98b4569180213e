"""Picks come in the law of peeling, which is that of one Gumbel noise on every score."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.top_k import TopK

DRAWS = 20_000
SCORES = np.array([3.0, 1.0, 2.5, -2.0, 0.25], np.float32)


@jax.jit
def many(mechanism, keys, scores):
    """One list of picks for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, scores))(keys)


def lists(mechanism, scores, seed, draws=DRAWS):
    """Many lists of picks."""
    keys = jax.random.split(quick_keys.key(seed), draws)
    return np.asarray(many(mechanism, keys, jnp.asarray(scores)))


def law(epsilon, scores, picks):
    """The probability of every ordered list, by peeling with epsilon for each pick."""
    weights = np.exp(epsilon * np.asarray(scores, np.float64) / 2)
    chances = {}
    for named in itertools.permutations(range(len(scores)), picks):
        chance, left = 1.0, weights.sum()
        for i in named:
            chance *= weights[i] / left
            left -= weights[i]
        chances[named] = chance
    return chances


def fit(named, chances):
    """The chi-square tail probability of these lists."""
    order = list(chances)
    place = {each: i for i, each in enumerate(order)}
    observed = np.bincount([place[tuple(row)] for row in named.tolist()], minlength=len(order))
    expected = np.array([chances[each] for each in order])
    rare = expected * len(named) < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return chisquare(observed, expected / expected.sum() * len(named)).pvalue


@pytest.mark.parametrize("picks", [1, 2, 3])
def test_lists_are_those_of_peeling(picks):
    """Ordered lists fit epsilon/k a pick; epsilon a pick or the reverse order do not."""
    named = lists(TopK(2.0 * picks, 1.0, picks), SCORES, 2)

    assert fit(named, law(2.0, SCORES, picks)) > 1e-3
    assert fit(named, law(2.0 * (picks + 1), SCORES, picks)) < 1e-9
    assert picks == 1 or fit(named[:, ::-1], law(2.0, SCORES, picks)) < 1e-9


def test_lists_are_those_of_one_gumbel_noise():
    """The k highest of scores with Gumbel noise of scale 2kD/epsilon, in order, have this law."""
    noise = np.random.default_rng(0).gumbel(0.0, 2 / 2.0, (DRAWS, len(SCORES)))
    named = np.argsort(-(SCORES + noise), axis=1)[:, :3]

    assert fit(named, law(2.0, SCORES, 3)) > 1e-3


def test_exact_chances_of_lists_spend_at_most_the_budget():
    """Over all moves by the sensitivity no list's loss exceeds k picks of epsilon/k; one nears it.

    The highest ratio is that of two which gain among many which lose.
    """
    base = np.zeros(5)
    before = law(0.5, base, 2)
    moves = itertools.product((-1, 1), repeat=5)
    losses = [
        abs(math.log(after[named] / before[named]))
        for after in (law(0.5, base + np.array(move), 2) for move in moves)
        for named in before
    ]
    assert 0.65 < max(losses) <= 1.0


def test_nobody_is_named_twice():
    """As many picks as candidates name all of them, equal ones in any order."""
    named = lists(TopK(4.0, 1.0, 4), np.zeros(4, np.float32), 2, draws=5_000)

    assert np.all(np.sort(named, axis=1) == np.arange(4))
    assert fit(named, law(1.0, np.zeros(4), 4)) > 1e-3


def test_a_leader_far_ahead_does_not_blur_the_rest():
    """When the best is named, the others count from the best one left, however far below."""
    scores = np.array([0.0, 1e9, -1e5, 90.0, 200.0], np.float32)
    named = lists(TopK(4.0, 1.0, 4), scores, 3, draws=100)

    assert np.all(named == [1, 4, 3, 0])


def test_picks_of_worthless_candidates_are_uniform():
    """NaN and minus infinity are equal and lowest, and still nobody is named twice."""
    scores = np.array([math.nan, math.inf, -math.inf, -3e38], np.float32)
    named = lists(TopK(30.0, 1.0, 3), scores, 4, draws=3_000)
    pairs = np.bincount(named[:, 1] * 4 + named[:, 2], minlength=16).reshape(4, 4)
    distinct = [(i, j) for i in (0, 2, 3) for j in (0, 2, 3) if i != j]

    assert np.all(named[:, 0] == 1)
    assert sum(pairs[p] for p in distinct) == 3_000
    assert chisquare([pairs[p] for p in distinct]).pvalue > 1e-3


def test_the_shortfall_holds_for_all_picks_at_once():
    """At most a share e^-t of lists has any pick too far down; with a third of it more do."""
    mechanism, t = TopK(3.0, 1.0, 3), 2.0
    scores = np.zeros(40, np.float32)
    scores[3:] = -mechanism.shortfall(40, t) - 1e-3
    short = np.any(lists(mechanism, scores, 5, 3_000) >= 3, axis=1).sum()
    shorter = np.any(lists(mechanism, scores / 3, 6, 3_000) >= 3, axis=1).sum()

    assert binom.sf(short - 1, 3_000, math.exp(-t)) > 1e-4
    assert binom.sf(shorter - 1, 3_000, math.exp(-t)) < 1e-9


def test_one_pick_is_the_exponential_mechanism():
    """Its shortfall is, with nothing to split."""
    assert TopK(1.0, 1.0, 1).shortfall(10, 2.0) == Exponential(1.0, 1.0).shortfall(10, 1, 2.0)
    assert TopK(4.0, 1.0, 4).grid.epsilon == 1.0
    assert TopK(4.0, 1.0, 4).epsilon == 4.0


def test_many_candidates():
    """Ten clear winners among 100,000 are named in order."""
    mechanism = TopK(10.0, 1.0, 10)
    scores, places = np.zeros(100_000, np.float32), np.arange(10) * 9_999 + 7
    scores[places] = 1000 - 50 * np.arange(10)
    named = jax.jit(TopK.sample)(mechanism, quick_keys.key(0), scores)

    assert named.tolist() == places.tolist()


def test_compiled_or_not_the_list_is_the_same():
    """Both ways of running agree."""
    mechanism, key = TopK(1.0, 1.0, 3), quick_keys.key(7)
    plain = mechanism.sample(key, jnp.asarray(SCORES))

    assert plain.tolist() == jax.jit(TopK.sample)(mechanism, key, jnp.asarray(SCORES)).tolist()


@pytest.mark.parametrize("picks", [0, -1, 1.5, math.nan])
def test_refused_numbers_of_picks(picks):
    """Only whole numbers from one on."""
    with pytest.raises(ValueError, match="picks must be a whole number"):
        TopK(1.0, 1.0, picks)


def test_refused_parameters():
    """Too small an epsilon for so many picks, too few candidates, and NaN do not pass."""
    with pytest.raises(ValueError, match="epsilon must be between"):
        TopK(1.0, 1.0, 101)
    with pytest.raises(ValueError, match="epsilon must be between"):
        TopK(math.nan, 1.0, 1)
    with pytest.raises(ValueError, match="at least 3 scores, got 2"):
        TopK(1.0, 1.0, 3).sample(quick_keys.key(0), jnp.zeros(2))
    with pytest.raises(ValueError, match="candidates must be at least 3"):
        TopK(1.0, 1.0, 3).shortfall(2, 1.0)
    with pytest.raises(ValueError, match="t must be"):
        TopK(1.0, 1.0, 3).shortfall(5, math.nan)


def test_picks_share_epsilon():
    """Three picks of 3.0 in all are exponential mechanisms of 1.0 each."""
    made = TopK(3.0, 1.0, 3)

    assert 1.0 == made.grid.epsilon and 3.0 == made.epsilon
