"""Permute-and-flip draws from its law, spends its epsilon and not more, and beats its elder."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import audit
import quick_keys
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.permute_and_flip import ALMOST_ONE, PermuteAndFlip, _coins, _leading

DRAWS = 50_000
SCORES = np.array([3.0, 1.0, 3.0, -2.5, 0.25, 2.75, 1.5], np.float32)


@jax.jit
def many(mechanism, keys, scores):
    """One choice for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, scores))(keys)


def counts(mechanism, scores, seed, draws=DRAWS):
    """How often each candidate is chosen."""
    drawn = many(mechanism, jax.random.split(quick_keys.key(seed), draws), jnp.asarray(scores))
    return np.bincount(drawn, minlength=len(scores))


def law(epsilon, sensitivity, scores):
    """The definition: over all orders, the first candidate whose coin shows heads."""
    scores = np.asarray(scores, np.float64)
    heads = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    chances = np.zeros(len(scores))
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        before = 1.0
        for candidate in order:
            chances[candidate] += before * heads[candidate]
            before *= 1 - heads[candidate]
    return chances / len(orders)


def fit(observed, chances):
    """The chi-square tail probability of these counts."""
    return chisquare(observed, chances * observed.sum()).pvalue


@pytest.mark.parametrize("epsilon, sensitivity", [(0.5, 1.0), (2.0, 1.0), (3.0, 2.0)])
def test_frequencies_are_those_of_the_definition(epsilon, sensitivity):
    """Frequencies fit the walk in random order; twice the exponent or a shifted index do not."""
    observed = counts(PermuteAndFlip(epsilon, sensitivity), SCORES, 1)

    assert fit(observed, law(epsilon, sensitivity, SCORES)) > 1e-3
    assert fit(observed, law(2 * epsilon, sensitivity, SCORES)) < 1e-9
    assert fit(np.roll(observed, 1), law(epsilon, sensitivity, SCORES)) < 1e-9


def test_frequencies_are_those_of_a_noisy_maximum():
    """Exponential noise of scale 2 D / epsilon on every score has the same law."""
    noise = np.random.default_rng(2).exponential(2.0, (DRAWS, len(SCORES)))
    noisy = np.bincount(np.argmax(SCORES + noise, axis=1), minlength=len(SCORES))

    assert fit(noisy, law(1.0, 1.0, SCORES)) > 1e-3


def test_exact_chances_spend_at_most_the_budget():
    """Over all moves by the sensitivity the law's loss is at most epsilon, and nearly reaches it.

    The sampler's distance from the law is proved; its frequencies are tested above.
    """
    base = np.array([0.0, 0.0, 1.0, 30.0])
    before = law(1.0, 1.0, base)
    moves = [base + np.array(move) for move in itertools.product((-1, 0, 1), repeat=4)]
    losses = [np.abs(np.log(law(1.0, 1.0, scores) / before)).max() for scores in moves]

    assert 0.99 < max(losses) <= 1 + 1e-12


def audited(mechanism):
    """The epsilon proved by one candidate that leads by the sensitivity, or trails all others."""
    one = np.array([1.0] + 6 * [0.0], np.float32)
    return audit.epsilon_lower_bound(
        (int(counts(mechanism, one, 4)[0]), DRAWS), (int(counts(mechanism, 1 - one, 5)[0]), DRAWS)
    )


def test_the_audit_does_not_refute_the_claim():
    """Worst-case neighbours show most of the budget and not more."""
    assert 2 - 0.6 < audited(PermuteAndFlip(2.0, 1.0)) <= 2


def test_the_audit_refutes_a_coin_without_the_two():
    """Coins e^(epsilon (s - max s) / D), a forgotten factor of two, are caught."""
    assert audited(PermuteAndFlip(4.0, 1.0)) > 2


@pytest.mark.parametrize("chance", [0.9, 0.25, 1e-3])
def test_coins_are_as_likely_as_they_say(chance):
    """Heads are in the middle of the exact binomial; of one a tenth higher they are not."""
    chance = float(np.float32(chance))
    coins = 200_000
    heads = int(_coins(quick_keys.key(3), jnp.full(coins, chance, jnp.float32)).sum())
    tail = min(binom.cdf(heads, coins, chance), binom.sf(heads - 1, coins, chance))

    assert tail > 1e-3
    assert chance < 0.01 or binom.cdf(heads, coins, 1.1 * chance) < 1e-6


def test_a_tie_in_the_first_words_is_settled_by_the_rest(monkeypatch):
    """Words of zero are below every chance there is, and not below none."""
    monkeypatch.setattr(jax.random, "bits", lambda key, shape, dtype: jnp.zeros(shape, dtype))
    heads = _coins(quick_keys.key(0), jnp.array([0.0, 2.0**-60, 0.5], jnp.float32))

    assert [False, True, True] == heads.tolist()


def test_chances_have_exact_limbs():
    """Three leading parts of 32 bits give back every float from 2^-64 to almost one, exactly."""
    chances = np.exp2(np.random.default_rng(0).uniform(-64, 0, 1000)).astype(np.float32)
    chances[:2] = 2.0**-64, ALMOST_ONE
    chances = np.minimum(chances, np.float32(ALMOST_ONE))
    total, rest = 0, jnp.asarray(chances)
    for place in (64, 32, 0):
        whole, rest = _leading(rest)
        total = total + np.array([int(w) << place for w in np.asarray(whole)], object)

    assert not np.any(rest)
    assert all(t == float(c) * 2**96 for t, c in zip(total, chances, strict=True))


def test_the_best_alone_is_chosen_when_all_others_are_far():
    """The best one's coin is always heads, so there is always somebody to choose."""
    scores = np.full(7, -1e6, np.float32)
    scores[5] = 0

    assert counts(PermuteAndFlip(1.0, 1.0), scores, 6)[5] == DRAWS


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_it_falls_short_less_often_than_the_exponential_mechanism(epsilon):
    """At every score the chance to be below it is at most the exponential mechanism's."""
    order = np.argsort(SCORES)
    elder = np.exp(epsilon * SCORES.astype(np.float64) / 2)
    below = np.cumsum((elder / elder.sum())[order])
    flips = counts(PermuteAndFlip(epsilon, 1.0), SCORES, 7)

    assert np.all(np.cumsum(law(epsilon, 1.0, SCORES)[order]) <= below + 1e-12)
    assert flips @ SCORES > counts(Exponential(epsilon, 1.0), SCORES, 8) @ SCORES


def test_the_shortfall_holds_and_a_third_of_it_does_not():
    """At most a share e^-t of choices falls short by more than the stated amount."""
    mechanism, t = PermuteAndFlip(1.0, 1.0), 2.0
    scores = np.full(7, -mechanism.shortfall(7, 1, t) - 1e-3, np.float32)
    scores[0] = 0
    short = counts(mechanism, scores, 9)[1:].sum()
    shorter = counts(mechanism, scores / 3, 9)[1:].sum()

    assert binom.sf(short - 1, DRAWS, math.exp(-t)) > 1e-4
    assert binom.sf(shorter - 1, DRAWS, math.exp(-t)) < 1e-9
    assert mechanism.shortfall(7, 1, t) == Exponential(1.0, 1.0).shortfall(7, 1, t)


def test_compiled_or_not_the_choice_is_the_same():
    """Both ways of running agree."""
    mechanism, key = PermuteAndFlip(1.0, 1.0), quick_keys.key(7)
    plain = mechanism.sample(key, jnp.asarray(SCORES))

    assert plain == jax.jit(PermuteAndFlip.sample)(mechanism, key, jnp.asarray(SCORES))


def test_many_candidates():
    """A clear winner among 200,000 is chosen; equal ones are chosen anywhere."""
    mechanism, sample = PermuteAndFlip(1.0, 1.0), jax.jit(PermuteAndFlip.sample)
    scores = np.zeros(200_000, np.float32)
    drawn = {int(sample(mechanism, quick_keys.key(seed), scores)) for seed in range(10)}
    scores[123_456] = 100

    assert len(drawn) == 10
    assert sample(mechanism, quick_keys.key(8), scores) == 123_456


@pytest.mark.parametrize("score", [0.0, -1e30, math.nan, math.inf])
def test_one_candidate(score):
    """It is chosen, whatever its score."""
    scores = jnp.array([score], jnp.float32)
    assert PermuteAndFlip(1.0, 1.0).sample(quick_keys.key(0), scores) == 0


def test_refused_parameters():
    """NaN and zero do not pass."""
    with pytest.raises(ValueError, match="epsilon must be between"):
        PermuteAndFlip(math.nan, 1.0)
    with pytest.raises(ValueError, match="sensitivity must be between"):
        PermuteAndFlip(1.0, 0.0)
