"""The noisy maximum draws from its law, and the law spends its epsilon and not more."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.mechanisms.selection import noisy_max
from tacit.mechanisms.selection.exponential import HIGHEST_SCORE, Exponential
from tacit.mechanisms.selection.noisy_max import BLOCK, ExponentialMax, GumbelMax, LaplaceMax
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip

DRAWS = 20_000
SCORES = np.array([3.0, 1.0, 3.0, -2.5, 0.25, 2.75, 1.5], np.float32)


@jax.jit
def many(mechanism, keys, scores):
    """One choice for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, scores))(keys)


def counts(mechanism, scores, seed, draws=DRAWS):
    """How often each candidate is chosen."""
    drawn = many(mechanism, jax.random.split(quick_keys.key(seed), draws), jnp.asarray(scores))
    return np.bincount(drawn, minlength=len(scores))


def fit(observed, chances):
    """The chi-square tail probability of these counts."""
    return chisquare(observed, chances * observed.sum()).pvalue


def law(rate, distances):
    """P[i wins], by the definition: at every height, how many others are there, and none above."""
    wide = math.ceil(45 / rate) + max(distances)
    heights = np.arange(-wide, wide + 1)
    at, below = [], []
    for distance in distances:
        z = heights + distance
        x = math.exp(-rate)
        at.append((1 - x) / (1 + x) * np.exp(-rate * np.abs(z)))
        # P[Z < z], as 1 - x^z/(1+x) or x^(1-z)/(1+x).
        far = np.exp(-rate * np.maximum(z, 1)) / (1 + x)
        near = np.exp(-rate * np.maximum(1 - z, 1)) / (1 + x)
        below.append(np.where(z >= 1, 1 - far, near))
    chances = []
    for i in range(len(distances)):
        ties = np.zeros((len(distances), len(heights)))
        ties[0] = 1
        for j in range(len(distances)):
            if j != i:
                ties = ties * below[j] + np.roll(ties, 1, axis=0) * at[j]
        shared = ties / np.arange(1, len(distances) + 1)[:, None]
        chances.append(float(np.sum(at[i] * shared.sum(axis=0))))
    return np.array(chances)


def worst_loss(rate, moves):
    """The largest log-likelihood ratio over all moves of some scores."""
    worst = 0.0
    for base in ([0, 0, 0], [0, 1, 2], [0, 3, 40], [0, 60, 60]):
        before = law(rate, base)
        for move in moves:
            scores = np.array(move) - base
            after = law(rate, (scores.max() - scores).tolist())
            worst = max(worst, float(np.abs(np.log(after / before)).max()))
    return worst


def test_the_law_sums_to_one():
    """The oracle is a law."""
    assert law(0.3, [0, 1, 5, 2]).sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("steps", [1, 2])
def test_exact_chances_spend_at_most_the_budget(steps):
    """Over all moves by k, ties included, the law's loss is at most epsilon, and nearly that.

    Half of the noise is enough when all scores move in one direction, and only then.
    """
    epsilon = 1.0
    every = list(itertools.product(range(-steps, steps + 1), repeat=3))
    upwards = list(itertools.product(range(steps + 1), repeat=3))
    downwards = list(itertools.product(range(-steps, 1), repeat=3))

    assert 0.9 < worst_loss(epsilon / (2 * steps), every) <= epsilon + 1e-9
    assert 0.9 < worst_loss(epsilon / steps, upwards + downwards) <= epsilon + 1e-9
    assert worst_loss(epsilon / steps, every) > 1.5 * epsilon


@pytest.mark.parametrize("kind, parts", [(LaplaceMax.of, 2), (LaplaceMax.monotone, 1)])
@pytest.mark.parametrize("epsilon, sensitivity", [(0.01, 1.0), (1.0, 3.0), (1000.0, 0.1)])
def test_the_noise_is_that_of_the_proof(kind, parts, epsilon, sensitivity):
    """The parameter times 2k, or k for monotone scores, is epsilon and never more."""
    mechanism = kind(epsilon, sensitivity)
    spent = mechanism.noise.parameter * parts * mechanism.grid.steps

    assert mechanism.epsilon == epsilon
    assert epsilon * (1 - 1e-14) < spent <= epsilon


@pytest.mark.parametrize("kind", [LaplaceMax.of, LaplaceMax.monotone])
def test_frequencies_are_those_of_the_law(kind):
    """Frequencies fit; two-thirds of the noise or a shifted index do not."""
    mechanism = kind(4.0, 1.0)
    distances = mechanism.grid.distances(jnp.asarray(SCORES)).tolist()
    observed = counts(mechanism, SCORES, 1)
    rate = mechanism.noise.parameter

    assert fit(observed, law(rate, distances)) > 1e-3
    assert fit(observed, law(1.5 * rate, distances)) < 1e-9
    assert fit(np.roll(observed, 1), law(rate, distances)) < 1e-9


def test_ties_are_broken_uniformly():
    """With noise of one step ties are frequent; the first of them winning would not fit."""
    mechanism = LaplaceMax.of(1000.0, 1.0)
    distances = [0, 0, 1, 3, 0]
    scores = -np.array(distances, np.float32) / 256
    observed = counts(mechanism, scores, 2)
    equal = observed[[0, 1, 4]]

    assert fit(observed, law(mechanism.noise.parameter, distances)) > 1e-3
    assert fit(equal, np.full(3, 1 / 3)) > 1e-3


def test_the_bound_is_the_law_s_but_for_the_union():
    """The chance that one far candidate reaches the best is `_short`, and of several at most it."""
    mechanism = LaplaceMax.of(8.0, 1.0)
    rate = mechanism.noise.parameter
    for steps in (1, 100, 700):
        for best in (1, 3):
            alone = mechanism._short(steps, 1, best)
            first = law(rate, best * [0] + [steps])[best:].sum()
            # A tie counts as a loss in the bound, and a part of it in the law.
            assert first <= alone <= 1.05 * first + 1e-12
        several = law(rate, [0] + 4 * [steps])[1:].sum()
        assert several <= mechanism._short(steps, 4, 1) <= 2 * several


def test_the_shortfall_holds_and_a_third_of_it_does_not():
    """At most a share e^-t of choices falls short by more than the stated amount."""
    mechanism, t = LaplaceMax.of(1.0, 1.0), 2.0
    scores = np.full(7, -mechanism.shortfall(7, 1, t) - 1e-3, np.float32)
    scores[0] = 0
    short = counts(mechanism, scores, 3)[1:].sum()
    shorter = counts(mechanism, scores / 3, 4)[1:].sum()

    assert binom.sf(short - 1, DRAWS, math.exp(-t)) > 1e-4
    assert binom.sf(shorter - 1, DRAWS, math.exp(-t)) < 1e-9
    assert short > 0.5 * DRAWS * math.exp(-t)


def test_the_shortfall_has_the_size_of_the_textbook_s():
    """Never above 4D/epsilon (ln n + t), which asks every noise to be small; half when monotone."""
    for candidates, t in [(100, 3.0), (10**6, 3.0), (10, 10.0)]:
        short = LaplaceMax.of(1.0, 1.0).shortfall(candidates, 1, t)
        textbook = 2 * (math.log(candidates) + t)
        assert 0.5 * textbook < short < 2 * textbook + 1
        half = LaplaceMax.monotone(1.0, 1.0).shortfall(candidates, 1, t)
        assert half == pytest.approx(short / 2, 0.01, 0.01)
    assert LaplaceMax.of(1.0, 1.0).shortfall(4, 4, 3.0) <= 1 / 256
    assert LaplaceMax.of(1.0, 1.0).shortfall(10**6, 1, 60.0) == math.inf


def test_the_distance_is_stated_for_all_candidates():
    """Ten million draws are within 1e-14 of their law, and a candidate more costs more."""
    mechanism = LaplaceMax.of(0.01, 1.0)

    assert mechanism.noise.tv_distance * 10**7 < mechanism.tv_distance(10**7) < 1e-14
    assert mechanism.tv_distance(2) > mechanism.tv_distance(1) > 0


def test_the_other_noises_are_mechanisms_of_their_own():
    """Gumbel noise is the exponential mechanism, and exponential noise permute-and-flip."""
    noise = np.random.default_rng(2).gumbel(0.0, 2.0, (DRAWS, len(SCORES)))
    noisy = np.bincount(np.argmax(SCORES + noise, axis=1), minlength=len(SCORES))
    weights = np.exp(SCORES.astype(np.float64) / 2)

    assert GumbelMax is Exponential
    assert ExponentialMax is PermuteAndFlip
    assert fit(noisy, weights / weights.sum()) > 1e-3


def test_blocks_of_noise_are_independent():
    """No block repeats another's noise, and any number of candidates gets as many draws."""
    mechanism = LaplaceMax.of(1.0, 1.0)
    drawn = np.asarray(mechanism._draws(quick_keys.key(0), 2 * BLOCK + 5))

    assert len(drawn) == 2 * BLOCK + 5
    assert abs(np.corrcoef(drawn[:BLOCK], drawn[BLOCK : 2 * BLOCK])[0, 1]) < 6 / math.sqrt(BLOCK)
    assert drawn.var() == pytest.approx(mechanism.noise.variance, 0.05)


def test_many_candidates(monkeypatch):
    """A clear winner is chosen wherever it is; equal ones are chosen anywhere."""
    block = 2**12
    monkeypatch.setattr(noisy_max, "BLOCK", block)
    mechanism, sample = LaplaceMax.of(1.0, 1.0), jax.jit(LaplaceMax.sample)
    size = 3 * block + 7
    scores = np.zeros(size, np.float32)
    drawn = {int(sample(mechanism, quick_keys.key(seed), scores)) for seed in range(10)}
    for place in (0, block, size - 1):
        scores[:] = 0
        scores[place] = 200
        assert sample(mechanism, quick_keys.key(8), scores) == place

    assert len(drawn) == 10


def test_compiled_or_not_the_choice_is_the_same():
    """Both ways of running agree."""
    mechanism, key = LaplaceMax.of(1.0, 1.0), quick_keys.key(7)
    plain = mechanism.sample(key, jnp.asarray(SCORES))

    assert plain == jax.jit(LaplaceMax.sample)(mechanism, key, jnp.asarray(SCORES))


@pytest.mark.parametrize("score", [0.0, -1e30, math.nan, math.inf])
def test_one_candidate(score):
    """It is chosen, whatever its score."""
    scores = jnp.array([score], jnp.float32)
    assert LaplaceMax.of(1.0, 1.0).sample(quick_keys.key(0), scores) == 0


@pytest.mark.parametrize("score", [math.nan, -math.inf, -3e38, -HIGHEST_SCORE])
def test_scores_that_are_no_numbers_or_far_below_zero_count_as_the_lowest(score):
    """They never win against a finite score that is far above."""
    scores = np.array([score, 0.0, score], np.float32)
    assert counts(LaplaceMax.of(10.0, 1.0), scores, 5, draws=1000)[1] == 1000


@pytest.mark.parametrize("score", [math.inf, 3e38, HIGHEST_SCORE])
def test_scores_far_above_zero_count_as_the_highest(score):
    """They always win against a finite score that is far below."""
    scores = np.array([0.0, score, math.nan], np.float32)
    assert counts(LaplaceMax.of(10.0, 1.0), scores, 5, draws=1000)[1] == 1000


def test_too_many_candidates_are_refused():
    """Above 2^24 the number of ties would not be an exact float."""
    mechanism = LaplaceMax.of(1.0, 1.0)
    scores = jax.ShapeDtypeStruct((2**24 + 1,), jnp.float32)
    with pytest.raises(ValueError, match=r"at most 2\^24 candidates, got 16777217"):
        jax.eval_shape(mechanism.sample, quick_keys.key(0), scores)


@pytest.mark.parametrize("kind", [LaplaceMax.of, LaplaceMax.monotone])
def test_refused_parameters(kind):
    """NaN and zero do not pass."""
    with pytest.raises(ValueError, match="epsilon must be between"):
        kind(math.nan, 1.0)
    with pytest.raises(ValueError, match="sensitivity must be between"):
        kind(1.0, 0.0)
    with pytest.raises(ValueError, match="best must be"):
        kind(1.0, 1.0).shortfall(3, 4, 1.0)
    with pytest.raises(ValueError, match="t must be"):
        kind(1.0, 1.0).shortfall(3, 1, math.nan)
