"""The exponential mechanism draws from its law, spends its epsilon and not more, and is exact."""

import itertools
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import audit
import quick_keys
from tacit.mechanisms.alone import release
from tacit.mechanisms.selection.exponential import (
    HIGHEST_SCORE,
    LIMB_BITS,
    SPARE,
    Exponential,
    ScoreGrid,
    _ends,
    choose,
    product,
    uniform_below,
)
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip

DRAWS = 100_000
SCORES = np.array([3.0, 1.0, 3.0, -2.5, 0.25, 2.999, 1.5], np.float32)


@jax.jit
def many(mechanism, keys, scores):
    """One choice for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, scores))(keys)


def counts(mechanism, scores, seed, draws=DRAWS):
    """How often each candidate is chosen."""
    drawn = many(mechanism, jax.random.split(quick_keys.key(seed), draws), jnp.asarray(scores))
    return np.bincount(drawn, minlength=len(scores))


def law(epsilon, sensitivity, scores):
    """The textbook's probabilities."""
    scores = np.asarray(scores, np.float64)
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    return weights / weights.sum()


def fit(observed, chances):
    """The chi-square tail probability of these counts."""
    return chisquare(observed, chances * observed.sum()).pvalue


def number(limbs):
    """The integer that limbs stand for, the highest first."""
    return sum(int(limb) << LIMB_BITS * place for place, limb in enumerate(reversed(limbs)))


@pytest.mark.parametrize("epsilon, sensitivity", [(0.5, 1.0), (2.0, 1.0), (3.0, 2.0)])
def test_frequencies_are_those_of_the_law(epsilon, sensitivity):
    """Chosen frequencies fit e^(epsilon s / 2 D); twice the exponent or a shifted index do not."""
    # The scores are on no common grid, and 1/256 of the sensitivity does not show in these draws.
    observed = counts(Exponential(epsilon, sensitivity), SCORES, 1)

    assert fit(observed, law(epsilon, sensitivity, SCORES)) > 1e-3
    assert fit(observed, law(2 * epsilon, sensitivity, SCORES)) < 1e-9
    assert fit(np.roll(observed, 1), law(epsilon, sensitivity, SCORES)) < 1e-9


@pytest.mark.parametrize("sensitivity", [1.0, 3.0, 0.1, 1000.0, 2.0**-30, 2.0**30])
def test_distances_are_exact(sensitivity):
    """Distances agree with rational arithmetic, at any size of the scores."""
    grid = ScoreGrid(1.0, sensitivity)
    rng = np.random.default_rng(0)
    for size in (1.0, 1e3, 2.0**22, 2.0**24, 1e12):
        scores = (sensitivity * size * rng.normal(size=40)).astype(np.float32)
        scores[1:20] = scores[0] + np.float32(sensitivity) * np.arange(1, 20, dtype=np.float32)
        floors = [math.floor(Fraction(float(s)) * Fraction(grid.per_step)) for s in scores]
        expected = [min(max(floors) - floor, int(grid.reach)) for floor in floors]
        assert grid.distances(jnp.asarray(scores)).tolist() == expected


@pytest.mark.parametrize("sensitivity", [1.0, 3.0, 0.1, 255.7])
def test_neighbours_are_within_the_steps(sensitivity):
    """Scores that differ by at most the sensitivity have floors that differ by at most k."""
    grid = ScoreGrid(1.0, sensitivity)
    scores = (100 * sensitivity * np.random.default_rng(0).normal(size=10_000)).astype(np.float32)
    moved = (scores.astype(np.float64) + sensitivity).astype(np.float32)
    moved = np.where(
        moved - scores.astype(np.float64) > sensitivity, np.nextafter(moved, -np.inf), moved
    )
    steps = np.floor(moved * grid.per_step) - np.floor(scores * grid.per_step)

    assert steps.max() == grid.steps


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 1000.0])
def test_weights_are_within_their_rounding(epsilon):
    """Every weight is 2^64 e^(-x d / 2k) within 16 units of roundoff, and they never rise."""
    grid = ScoreGrid(epsilon, 1.0)
    reach = int(grid.reach)
    distances = np.unique(np.linspace(0, reach, 200_001).astype(np.int32))
    weights = np.asarray(grid.weights(jnp.asarray(distances)), np.float64)
    exact = np.exp2(64 - (1 + distances.astype(np.float64) * grid.slope) / 2.0**25)

    assert np.abs(weights / exact - 1).max() < 12 * 2.0**-24
    assert np.all(np.diff(weights) <= 0)
    assert grid.exponent <= epsilon - SPARE
    assert grid.exponent == pytest.approx(epsilon, 3e-3)


def test_cumulative_sums_are_exact():
    """Limbs of cumulative sums are those of rational arithmetic, over the whole range of floats."""
    rng = np.random.default_rng(0)
    weights = np.exp2(rng.uniform(0, 87, 256)).astype(np.float32)
    weights[rng.integers(0, 256, 40)] = 0
    ends = np.asarray(_ends(jnp.asarray(weights)))
    sums = itertools.accumulate(Fraction(float(weight)) * 2**33 for weight in weights)

    assert [number(column) for column in ends.T] == list(sums)


def test_products_are_exact():
    """Products of limbs are those of integers."""
    rng = np.random.default_rng(0)
    rows = [*rng.integers(0, 2**16, (8, 20)), np.full(20, 2**16 - 1), np.zeros(20, int)]
    for row in rows:
        one, other = (np.asarray(part, np.uint32) for part in (row[:12], row[12:]))
        limbs = np.asarray(product(jnp.asarray(one), jnp.asarray(other)))
        assert number(limbs) == number(one) * number(other)


@pytest.mark.parametrize("size", [256, 70_001])
def test_candidates_of_no_weight_are_never_chosen(size):
    """Among many zeros, through every level of the tree, four weights come as often as they say."""
    places = np.unique([0, size // 3, size // 2, size - 1])
    weights = np.zeros(size, np.float32)
    weights[places] = 2.0 ** np.arange(len(places)) + 0.5
    draws = 2_000
    drawn = jax.jit(lambda keys: jax.lax.map(lambda key: choose(key, jnp.asarray(weights)), keys))(
        jax.random.split(quick_keys.key(2), draws)
    )
    observed = np.bincount(drawn, minlength=size)[places]

    assert observed.sum() == draws
    assert len(places) == 1 or fit(observed, weights[places] / weights.sum(dtype=float)) > 1e-3


def test_a_tree_of_weights_fits_its_law():
    """With 700 candidates, hence a level of sums, frequencies fit; reversed ones do not."""
    scores = (8 * np.sin(np.arange(700)) ** 2 + np.arange(700) / 700).astype(np.float32)
    observed = counts(Exponential(1.0, 1.0), scores, 3, draws=10_000)
    # Groups of candidates are likely enough for the chi-square approximation.
    groups = np.arange(700) % 35, np.arange(700) // 20
    chances = law(1.0, 1.0, scores)

    for group in groups:
        grouped = np.bincount(group, observed)
        assert fit(grouped, np.bincount(group, chances)) > 1e-3
        assert fit(grouped, np.bincount(group, chances[::-1])) < 1e-9


def worst_loss(epsilon, claimed, sensitivity=1.0):
    """The largest log-likelihood ratio over all moves of four scores, with the actual weights."""
    grid = ScoreGrid(epsilon, sensitivity)
    base = sensitivity * np.array([0.0, 1.5, -2.0, 40 / claimed], np.float32)
    moves = [base + sensitivity * np.array(m) for m in itertools.product((-1, 0, 1), repeat=4)]

    def chances(scores):
        weights = grid.weights(grid.distances(jnp.asarray(scores, jnp.float32)))
        exact = [Fraction(float(weight)) for weight in np.asarray(weights)]
        return np.array([float(weight / sum(exact)) for weight in exact])

    before = chances(base)
    return max(np.abs(np.log(chances(scores) / before)).max() for scores in moves) / claimed


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
def test_exact_chances_spend_the_whole_budget_and_not_more(epsilon):
    """Over all moves by the sensitivity the loss reaches epsilon; without the 2 it is twice that.

    One candidate is so far ahead that the total is its weight, and the others' losses are largest.
    """
    assert 0.99 < worst_loss(epsilon, epsilon) <= 1
    assert worst_loss(2 * epsilon, epsilon) > 1.9


def audited(mechanism):
    """The epsilon proved by one candidate that leads by the sensitivity, or trails all others."""
    one = np.array([1.0] + 6 * [0.0], np.float32)
    return audit.epsilon_lower_bound(
        (int(counts(mechanism, one, 4)[0]), DRAWS), (int(counts(mechanism, 1 - one, 5)[0]), DRAWS)
    )


def test_the_audit_does_not_refute_the_claim():
    """Worst-case neighbours show most of the budget and not more."""
    assert 2 - 0.5 < audited(Exponential(2.0, 1.0)) <= 2


def test_the_audit_refutes_an_exponent_without_the_two():
    """e^(epsilon s / D), a forgotten factor of two, is caught; so is half the sensitivity."""
    assert audited(Exponential(4.0, 1.0)) > 2
    assert audited(Exponential(2.0, 0.5)) > 2


@pytest.mark.parametrize("best", [1, 2])
def test_the_shortfall_holds_and_a_third_of_it_does_not(best):
    """At most a share e^-t of choices falls short by more than the theorem's amount."""
    mechanism, t = Exponential(1.0, 1.0), 2.0
    scores = np.full(7, -mechanism.shortfall(7, best, t) - 1e-3, np.float32)
    scores[:best] = 0
    short = counts(mechanism, scores, 6)[best:].sum()
    shorter = counts(mechanism, scores / 3, 6)[best:].sum()

    assert binom.sf(short - 1, DRAWS, math.exp(-t)) > 1e-4
    assert binom.sf(shorter - 1, DRAWS, math.exp(-t)) < 1e-9
    # The bound leaves the best out of the sum: so much is lost at most.
    assert short > 0.5 * DRAWS * math.exp(-t)


def test_the_shortfall_is_the_textbook_s_but_for_the_grid():
    """2 sensitivity / epsilon (ln(|R|/|R_opt|) + t), and one step of the grid."""
    for epsilon, sensitivity in [(0.1, 1.0), (1.0, 8.0), (4.0, 0.5)]:
        expected = 2 * sensitivity / epsilon * (math.log(100 / 4) + 3) + sensitivity / 256
        made = Exponential(epsilon, sensitivity)
        assert made.shortfall(100, 4, 3.0) == pytest.approx(expected, 1e-3)
    assert Exponential(1.0, 1.0).shortfall(10**6, 1, 60.0) == math.inf


def test_compiled_or_not_the_choice_is_the_same():
    """Both ways of running agree."""
    mechanism, key = Exponential(1.0, 1.0), quick_keys.key(7)
    plain = mechanism.sample(key, jnp.asarray(SCORES))

    assert plain == jax.jit(Exponential.sample)(mechanism, key, jnp.asarray(SCORES))


def test_a_million_candidates():
    """A clear winner among a million is chosen wherever it is; equal ones are chosen anywhere."""
    mechanism, sample = Exponential(1.0, 1.0), jax.jit(Exponential.sample)
    scores = np.zeros(10**6, np.float32)
    drawn = [int(sample(mechanism, quick_keys.key(seed), scores)) for seed in range(40)]
    for place in (0, 123_456, 999_999):
        scores[:] = 0
        scores[place] = 100
        assert sample(mechanism, quick_keys.key(8), scores) == place

    assert len(set(drawn)) == 40
    tenths = np.bincount(np.array(drawn) // 100_000, minlength=10)
    assert chisquare(tenths).pvalue > 1e-3


def test_one_candidate():
    """It is chosen, whatever its score."""
    for score in (0.0, -1e30, math.nan):
        scores = jnp.array([score], jnp.float32)
        assert Exponential(1.0, 1.0).sample(quick_keys.key(0), scores) == 0


@pytest.mark.parametrize("score", [math.nan, -math.inf, -3e38])
def test_scores_that_are_no_numbers_or_far_below_zero_count_as_the_lowest(score):
    """The table of the docstring: never ahead of any finite score, and equal among themselves."""
    grid = ScoreGrid(1.0, 1.0)
    lowest = grid.distances(jnp.array([0.0, -HIGHEST_SCORE, score], jnp.float32))

    assert lowest.tolist() == [0, grid.reach, grid.reach]
    assert grid.distances(jnp.full(3, score, jnp.float32)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("score", [math.inf, 3e38, 1.01 * HIGHEST_SCORE])
def test_scores_far_above_zero_count_as_the_highest(score):
    """The table of the docstring: as 2^80, from lists as from JAX, and equal among themselves."""
    grid, given = ScoreGrid(1.0, 1.0), [0.0, score, HIGHEST_SCORE, math.nan]
    highest = [grid.reach, 0, 0, grid.reach]

    assert grid.distances(jnp.array(given, jnp.float32)).tolist() == highest
    assert grid.distances(grid.scores(given)).tolist() == highest


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_neighbours_on_both_sides_of_the_largest_score_are_neighbours(kind):
    """Who moves a score across 2^80 by the sensitivity does not move it from first to last."""
    mechanism = kind(1.0, 2.0**30)
    sides = [[-(2.0**80), 0.0, near] for near in (2.0**80, 2.0**80 + 2.0**28, 2.0**80 - 2.0**28)]
    apart = [mechanism.grid.distances(mechanism.grid.scores(each)) for each in sides]

    assert apart[0].tolist() == apart[1].tolist() == apart[2].tolist()
    assert {2} == {int(release(mechanism, each)) for each in sides for _ in range(20)}


@pytest.mark.parametrize("edge", [2.0**80, -(2.0**80)])
def test_no_two_scores_are_moved_apart_by_what_is_cut(edge):
    """Around the ends of what is taken floors differ by at most k where scores differ by D."""
    grid = ScoreGrid(1.0, 2.0**30)
    near = edge + 2.0**28 * np.arange(-8, 9)
    steps = [grid.distances(grid.scores([each, edge])).astype(int) for each in near]
    moved = np.abs(np.subtract.outer(*2 * [np.array([d[1] - d[0] for d in steps])]))

    assert moved[np.abs(np.subtract.outer(near, near)) <= 2.0**30].max() <= grid.steps


def test_no_candidate_is_impossible():
    """However far below, the weight is at least one unit: the support does not depend on data."""
    for epsilon in (0.01, 1.0, 1000.0):
        grid = ScoreGrid(epsilon, 1.0)
        weights = grid.weights(grid.distances(jnp.array([0.0, -1e20], jnp.float32)))
        assert weights[1] > 0.99


@pytest.mark.parametrize(
    "epsilon, sensitivity",
    [(0.0, 1.0), (math.nan, 1.0), (math.inf, 1.0), (1.0, 0.0), (1.0, math.nan), (1.0, math.inf)],
)
def test_refused_parameters(epsilon, sensitivity):
    """Neither zero nor infinity nor NaN passes."""
    with pytest.raises(ValueError, match="must be between"):
        Exponential(epsilon, sensitivity)


def test_refused_scores():
    """Integers would be rounded above 2^24 without a word; no candidates are no choice."""
    mechanism, key = Exponential(1.0, 1.0), quick_keys.key(0)
    with pytest.raises(ValueError, match="must be float32"):
        mechanism.sample(key, jnp.arange(3))
    with pytest.raises(ValueError, match="vector of 1 to"):
        mechanism.sample(key, jnp.zeros(0, jnp.float32))
    with pytest.raises(ValueError, match="best must be"):
        mechanism.shortfall(3, 4, 1.0)
    with pytest.raises(ValueError, match="t must be"):
        mechanism.shortfall(3, 1, math.nan)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_integer_distances_give_the_choice_of_their_scores(kind):
    """Exact sums of scores, as whole steps, are chosen among as the scores themselves are."""
    mechanism, key = kind(1.0, 3.0), quick_keys.key(5)
    units = np.arange(-40, 60, dtype=np.int32) * 37
    distances = np.minimum(units.max() - units, int(mechanism.grid.reach)).astype(np.int32)
    scores = jnp.asarray(units * mechanism.grid.step, jnp.float32)

    assert mechanism.grid.distances(scores).tolist() == distances.tolist()
    for k in jax.random.split(key, 5):
        chosen = mechanism.sample_distances(k, jnp.asarray(distances))
        assert chosen == mechanism.sample(k, scores)


def test_distances_beyond_the_reach_cannot_overflow():
    """Uncut distances weigh as those at `reach` do, and negative ones as zero."""
    grid = ScoreGrid(1.0, 1.0)
    weights = grid.weights(jnp.array([-5, 0, int(grid.reach), 2**30, 2**31 - 1], jnp.int32))

    assert weights[0] == weights[1]
    assert weights[2] == weights[3] == weights[4] > 0.99


@pytest.mark.parametrize("sensitivity", [1.0, 2.0**-30, 64.0])
def test_a_power_of_two_is_256_steps(sensitivity):
    """What a caller that puts scores on the grid beforehand relies on."""
    grid = ScoreGrid(1.0, sensitivity)

    assert grid.steps == 256
    assert grid.step == sensitivity / 256


@pytest.mark.parametrize("size", [1, 2, 3, 70_000, 2**30])
def test_uniform_numbers(size):
    """All below the size, and thirds of it (or its numbers) come equally often."""
    keys = jax.random.split(quick_keys.key(0), 20_000)
    drawn = np.asarray(jax.vmap(uniform_below, (0, None))(keys, jnp.int32(size)), np.int64)
    parts = min(size, 3)
    observed = np.bincount(drawn * parts // size, minlength=parts)

    assert 0 <= drawn.min() <= drawn.max() < size
    assert size == 1 or chisquare(observed, _parts(size, parts) * len(drawn)).pvalue > 1e-3


def _parts(size, parts):
    bounds = [-(-size * part // parts) for part in range(parts + 1)]
    return np.diff(bounds) / size


def test_distances_that_are_no_integers_are_refused():
    """A float distance would be rounded without a word."""
    with pytest.raises(ValueError, match="distances must be int32"):
        Exponential(1.0, 1.0).sample_distances(quick_keys.key(0), jnp.zeros(3, jnp.float32))


def test_scores_of_the_host_are_put_on_the_grid_in_64_bits():
    """Where float32 has lost the sensitivity they still move by it, and no more; as lists too."""
    grid = ScoreGrid(1.0, 1.0)
    one, other = [2.0**24, 2.0**24 + 1], [2.0**24, 2.0**24 + 2]
    apart = [grid.distances(grid.scores(each)).tolist() for each in (one, other)]

    assert [[grid.steps, 0], [2 * grid.steps, 0]] == apart
    assert apart == [
        grid.distances(grid.scores(np.array(each, dtype))).tolist()
        for each, dtype in ((one, np.int64), (other, np.float64))
    ]


def test_scores_of_the_host_far_below_the_highest_are_cut_alike():
    """At 2^24 steps, as all that is no number: the law is that of the scores given."""
    grid = ScoreGrid(1.0, 1.0)
    given = np.array([3.25, np.nan, -1e30, -np.inf, 2.5, -(2.0**20)])
    expected = grid.distances(jnp.asarray(given, jnp.float32))

    assert expected.tolist() == grid.distances(grid.scores(given)).tolist()
    lowest = -(2.0**24) / grid.per_step
    assert lowest == float(grid.scores(given).min()) == float(grid.scores([0.0, -1e300]).min())
