"""Quantiles come in their law, exactly off the ranks they say, and spend their epsilon."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.mechanisms.rows.quantile import ExponentialQuantile, Pieces, _sampled

DRAWS = 40_000
VALUES = np.array([0.31, 0.62, 0.62, 0.05, 0.99, 0.4, 0.41], np.float32)
KINDS = [ExponentialQuantile.add_remove, ExponentialQuantile.replace_one]


def row(*values):
    """These values, as people's numbers come."""
    return np.array(values, np.float32)


def many_of(mechanism, values, draws):
    """Releases in float32."""
    return np.asarray(many(mechanism, jax.random.split(quick_keys.key(11), draws), values))


@jax.jit
def many(mechanism, keys, values):
    """One release for each key."""
    return jax.vmap(lambda key: mechanism.sample(key, values))(keys)


def points(mechanism, values, seed, draws=DRAWS):
    """The grid points released."""
    keys = jax.random.split(quick_keys.key(seed), draws)
    drawn = np.asarray(many(mechanism, keys, jnp.asarray(values, jnp.float32)), np.float64)
    share = (drawn - mechanism.lower) / (mechanism.upper - mechanism.lower)
    return np.rint(share * mechanism.cells).astype(int)


def off(mechanism, values):
    """How far q n is from #{b < y} to #{b <= y} at every grid point, exactly, by definition."""
    share = (np.asarray(values, np.float64) - mechanism.lower) / (mechanism.upper - mechanism.lower)
    b, q = np.rint(share * mechanism.cells), Fraction(mechanism.q)
    points = range(mechanism.cells + 1)
    below, up_to = ([int(side(b, y).sum()) for y in points] for side in (np.less, np.less_equal))
    return [max(c - q * len(b), q * len(b) - d, 0) for c, d in zip(below, up_to, strict=True)]


def law(epsilon, sensitivity, ranks):
    """The textbook's probabilities."""
    weights = np.exp(-epsilon * np.array([float(r) for r in ranks]) / (2 * sensitivity))
    return weights / weights.sum()


def fit(observed, chances):
    """The chi-square tail probability of these counts."""
    return chisquare(observed, chances * observed.sum()).pvalue


@jax.jit
def weighed(mechanism, values):
    """Weights of pieces, and how many points each has."""
    pieces = mechanism._pieces(mechanism._positions(values))
    return mechanism.choice.grid.weights(mechanism._distances(pieces)), pieces.lengths


def exact(mechanism, values):
    """Every point's chance from the very floats of the sampler, as fractions of their sum."""
    weights, lengths = map(np.asarray, weighed(mechanism, jnp.asarray(values, jnp.float32)))
    each = np.repeat(weights.astype(np.float64), lengths)
    total = sum(Fraction(float(w)) for w in each)
    return [Fraction(float(w)) / total for w in each]


def test_one_program_for_all_numbers():
    """Every share, epsilon, interval, grid and relation is traced: one compilation a size."""
    key, values = quick_keys.key(0), jnp.asarray(VALUES)
    ExponentialQuantile.add_remove(0.3, 1.0, 0.0, 1.0, 20).sample(key, values)
    before = _sampled._cache_size()
    for kind in KINDS:
        for q in (0.0, 0.3, 0.9, 1.0):
            for epsilon in (0.01, 1.0, 999.0):
                for lower, upper, cells in ((0.0, 1.0, 1), (-2.0, 9.5, 1000), (1e-9, 1e9, 2**29)):
                    kind(q, epsilon, lower, upper, cells).sample(key, values)

    assert before == _sampled._cache_size()


@pytest.mark.parametrize("q, sensitivity", [(0.5, 0.5), (0.9, 0.9), (0.25, 0.75), (1.0, 1.0)])
def test_points_are_those_of_the_textbook(q, sensitivity):
    """Frequencies fit ranks off q n; those of the mirrored q, or of twice epsilon, do not."""
    mechanism = ExponentialQuantile.add_remove(q, 1.0, 0.0, 1.0, 20)
    observed = np.bincount(points(mechanism, VALUES, 1), minlength=21)
    ranks = off(mechanism, VALUES)

    assert fit(observed, law(1.0, sensitivity, ranks)) > 1e-3
    assert fit(observed, law(2.0, sensitivity, ranks)) < 1e-9
    assert fit(observed, law(1.0, sensitivity, off(mechanism, 1 - VALUES))) < 1e-9


def test_replacing_needs_a_whole_rank():
    """With the number of people public the sensitivity is one, and the law that much flatter."""
    mechanism = ExponentialQuantile.replace_one(0.5, 2.0, 0.0, 1.0, 20)
    observed = np.bincount(points(mechanism, VALUES, 2), minlength=21)

    assert fit(observed, law(2.0, 1.0, off(mechanism, VALUES))) > 1e-3
    assert fit(observed, law(2.0, 0.5, off(mechanism, VALUES))) < 1e-9


@jax.jit
def pieces_and_distances(mechanism, positions):
    """Of people at these points."""
    pieces = mechanism._pieces(positions)
    return pieces, mechanism._distances(pieces)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 2 / 3, 0.999999, 1.0])
def test_distances_are_exact(kind, q):
    """Steps below the best piece agree with whole arithmetic, at any number of people."""
    mechanism = kind(q, 1.0, 0.0, 1.0, 1000)
    grid, rng = mechanism.choice.grid, np.random.default_rng(0)
    per_rank = int(grid.per_step)
    for people in (0, 1, 2, 1001, 40_000):
        positions = jnp.asarray(rng.integers(0, 1001, people), jnp.int32)
        pieces, distances = pieces_and_distances(mechanism, positions)
        lengths, below, up_to = (np.asarray(part, np.int64) for part in pieces)
        target = math.floor(per_rank * Fraction(mechanism.q) * people)
        steps = np.maximum(np.maximum(per_rank * below - target, target - per_rank * up_to), 0)
        best = steps[lengths > 0].min()
        expected = np.clip(steps - best, 0, int(grid.reach))[lengths > 0]
        found = np.asarray(distances)[lengths > 0]
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("values", [[], [0], [10], [3, 3, 3], [0, 0, 4, 5, 5, 10], [9, 1, 5, 1]])
def test_pieces_are_all_points_in_order(values):
    """Each is once in one piece, with the numbers of people below it and not above it."""
    mechanism = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 10)
    pieces = [np.asarray(part) for part in mechanism._pieces(jnp.asarray(values, jnp.int32))]
    lengths, below, up_to = pieces
    people, points = np.asarray(values), np.arange(11)[:, None]

    assert lengths.min() >= 0 and lengths.sum() == 11
    assert np.repeat(below, lengths).tolist() == (people < points).sum(axis=1).tolist()
    assert np.repeat(up_to, lengths).tolist() == (people <= points).sum(axis=1).tolist()


class OfMany:
    """The lengths of three pieces where those of all the others are nothing."""

    def __init__(self, lengths, people):
        self.lengths, self.people = jnp.array(lengths, jnp.int32), people

    def __len__(self):
        return 2 * self.people + 1

    def __gt__(self, least):
        return self.lengths > least


@pytest.mark.parametrize("people", [9_000_001, 2**29 - 1])
def test_distances_are_exact_for_millions_of_equal_values(people):
    """All people at one value: their own point is not off, and the sides are to the step."""
    mechanism = ExponentialQuantile.add_remove(0.5 + 2.0**-20, 1.0, 0.0, 1.0, 1000)

    def first_three(lengths):
        ends = (jnp.array(part, jnp.int32) for part in ((0, 0, people), (0, people, people)))
        return mechanism._distances(Pieces(OfMany(lengths, people), *ends)).tolist()

    target = math.floor(512 * Fraction(mechanism.q) * people)
    reach = int(mechanism.choice.grid.reach)
    apart = min(target - (512 * people - target), reach)
    # Without a point of their own, and with one.
    assert first_three((600, 0, 400))[::2] == [apart, 0]
    assert first_three((600, 1, 400)) == [reach, 0, reach]


def neighbours(values, place):
    """With one person more, anywhere."""
    return np.append(values, np.float32(place))


def losses(mechanism, pairs):
    """The largest log-likelihood ratio at any point, over pairs of inputs."""
    worst = 0.0
    for one, other in pairs:
        ratios = [
            p / r for p, r in zip(exact(mechanism, one), exact(mechanism, other), strict=True)
        ]
        worst = max(worst, *(abs(math.log(ratio)) for ratio in ratios))
    return worst


@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 0.9])
def test_a_person_more_spends_at_most_the_budget(q):
    """Exact chances over all places of a newcomer, among none, few and equal values."""
    data = [
        VALUES[:0],
        VALUES[:1],
        VALUES,
        np.full(9, 0.9, np.float32),
        row(*[0.9] * 9, 1.0),
    ]
    pairs = [(v, neighbours(v, place)) for v in data for place in (0.0, 0.5, 0.93, 1.0)]
    mechanism = ExponentialQuantile.add_remove(q, 1.0, 0.0, 1.0, 40)

    assert 0.3 < losses(mechanism, pairs) <= 1


def test_the_budget_is_nearly_all_spent():
    """The points between two people at the end lose, and with half of the sensitivity too much."""
    one = row(0.99)
    pairs = [(one, neighbours(one, 1.0))]

    assert 0.95 < losses(ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 200), pairs) <= 1
    # Two epsilons at the full sensitivity are one at half of it.
    assert losses(ExponentialQuantile.add_remove(0.5, 2.0, 0.0, 1.0, 200), pairs) > 1.8


def test_a_person_changed_spends_at_most_the_budget():
    """Exact chances over moves from the lower end to the upper; add/remove's scale is too small."""
    below, above = row(0.97, 0.97, 0.0), row(0.97, 0.97, 1.0)
    moved = [
        (np.append(VALUES, np.float32(a)), np.append(VALUES, np.float32(b)))
        for a in (0.0, 0.4)
        for b in (0.6, 1.0)
    ]
    pairs = [(below, above), *moved]

    assert 0.9 < losses(ExponentialQuantile.replace_one(0.5, 1.0, 0.0, 1.0, 200), pairs) <= 1
    assert losses(ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 200), pairs) > 1.5


def test_the_rank_error_holds_and_a_third_of_it_does_not():
    """At most a share e^-t of releases is off by more than the stated ranks."""
    mechanism, t = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 999), 2.0
    half = math.ceil(mechanism.rank_error(1, t))
    own = off(mechanism, row(0.5)).index(0)
    # All people at one point: every other is half of them off; of a third, where the rest are at
    # both ends.
    ends = [np.full(half - half // 3, end) for end in (0.0, 1.0)]
    crowds = np.full(2 * half, 0.5), np.concatenate([*ends, np.full(2 * (half // 3), 0.5)])
    far, farther = (points(mechanism, crowd, 3, 10_000) != own for crowd in crowds)

    assert binom.sf(far.sum() - 1, 10_000, math.exp(-t)) > 1e-4
    assert binom.sf(farther.sum() - 1, 10_000, math.exp(-t)) < 1e-9
    assert far.sum() > 0.5 * 10_000 * math.exp(-t)


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("many", [[250, 500, 1000, 2000, 1250], [3000, 2000, 0, 0, 0]])
def test_a_number_that_many_share_is_released_itself(q, many):
    """Of marks from 1 to 5 that hundreds give; what is between two is hundreds of ranks off."""
    mechanism = ExponentialQuantile.add_remove(q, 1.0, 1.0, 5.0, 400_000)
    marks = np.repeat(np.arange(1.0, 6.0), many).astype(np.float32)
    drawn = many_of(mechanism, marks, 20)

    assert all(max((marks < y).sum() - q * 5000, q * 5000 - (marks <= y).sum()) <= 0 for y in drawn)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_gives_a_uniform_point(kind):
    """Without data every grid point is as likely as any other."""
    observed = np.bincount(points(kind(0.5, 1.0, -1.0, 3.0, 9), VALUES[:0], 4), minlength=10)
    assert chisquare(observed).pvalue > 1e-3


@pytest.mark.parametrize(
    "value, counted", [(math.nan, 0.0), (-math.inf, 0.0), (-5.0, 0.0), (math.inf, 1.0), (7.0, 1.0)]
)
def test_edge_cases_of_the_docstring(value, counted):
    """Values outside count as the end they are beyond, and NaN as the lower one."""
    mechanism, key = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 1000), quick_keys.key(5)
    odd, usual = (jnp.array([0.3, v, 0.2], jnp.float32) for v in (value, counted))

    assert mechanism.sample(key, odd) == mechanism.sample(key, usual)


def test_order_does_not_matter():
    """Any order of the same values gives the same release."""
    mechanism, key = ExponentialQuantile.add_remove(0.3, 1.0, 0.0, 1.0, 1000), quick_keys.key(6)
    backwards = jnp.asarray(VALUES[::-1])
    assert mechanism.sample(key, jnp.asarray(VALUES)) == mechanism.sample(key, backwards)


def test_equal_values_are_released():
    """A hundred at one point: any other is fifty ranks off, whatever the share but 0 and 1."""
    mechanism = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 10)
    observed = points(mechanism, np.full(100, 0.6), 7)

    assert (observed == 6).all()


def test_many_values():
    """Quantiles of 200,000 are within the stated ranks, on a grid of a billion points."""
    values = np.random.default_rng(0).normal(size=200_000).astype(np.float32)
    sample = jax.jit(ExponentialQuantile.sample)
    for q in (0.01, 0.5, 0.9):
        mechanism = ExponentialQuantile.add_remove(q, 1.0, -100.0, 100.0, 2**30 - 1)
        released = float(sample(mechanism, quick_keys.key(8), values))
        ranks = abs(int((values < released).sum()) - q * len(values))
        assert ranks <= mechanism.rank_error(1, 15.0) + 50


@pytest.mark.parametrize("lower, upper", [(-1e6, -1e6 + 1), (0.0, 2.0**-60), (-(2.0**80), 2.0**80)])
def test_releases_stay_in_the_interval(lower, upper):
    """However narrow or wide it is."""
    mechanism = ExponentialQuantile.add_remove(0.5, 0.01, lower, upper, 2**30 - 1)
    keys = jax.random.split(quick_keys.key(9), 1000)
    drawn = np.asarray(many(mechanism, keys, jnp.zeros(3)), np.float64)

    assert lower <= drawn.min() <= drawn.max() <= upper
    assert drawn.max() - drawn.min() > 0.9 * (upper - lower)


def test_compiled_or_not_the_release_is_the_same():
    """Both ways of running choose the same point; its float may round differently."""
    mechanism, key = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 1000), quick_keys.key(10)
    with jax.disable_jit():
        plain = mechanism.sample(key, jnp.asarray(VALUES))

    assert float(plain) == pytest.approx(float(mechanism.sample(key, jnp.asarray(VALUES))))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "arguments, match",
    [
        ((math.nan, 1.0, 0.0, 1.0, 9), "q must be between"),
        ((1.1, 1.0, 0.0, 1.0, 9), "q must be between"),
        ((0.5, math.nan, 0.0, 1.0, 9), "epsilon must be between"),
        ((0.5, 1.0, 1.0, 1.0, 9), "upper must be above"),
        ((0.5, 1.0, 1e30, 1e31, 9), "must be within"),
        ((0.5, 1.0, math.nan, 1.0, 9), "must be within"),
        ((0.5, 1.0, 0.0, 1.0, 0), "cells must be"),
        ((0.5, 1.0, 0.0, 1.0, 2**30), "cells must be"),
        ((0.5, 1.0, 0.0, 1.0, math.nan), "cells must be"),
    ],
)
def test_refused_parameters(kind, arguments, match):
    """NaN passes nowhere."""
    with pytest.raises(ValueError, match=match):
        kind(*arguments)


def test_refused_values():
    """Integers, and tables, are no vector of float32."""
    mechanism, key = ExponentialQuantile.add_remove(0.5, 1.0, 0.0, 1.0, 9), quick_keys.key(0)
    with pytest.raises(ValueError, match="must be float32"):
        mechanism.sample(key, jnp.arange(3))
    with pytest.raises(ValueError, match="must be a vector"):
        mechanism.sample(key, jnp.zeros((2, 2)))
