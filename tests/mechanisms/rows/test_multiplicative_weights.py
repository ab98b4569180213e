"""MWEM: what it chooses and measures, what one person moves, and the bound of its theorem."""

import itertools
import math
from collections import Counter
from operator import le, lt

import jax
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace
from tacit.mechanisms.rows.multiplicative_weights import MultiplicativeWeights
from tacit.mechanisms.selection.whole_scores import Highest, WholeScores
from tacit.server.databases import NoNoise
from tacit.solve.table_cells import TableCells, before_each

CELLS = TableCells((3, 4, 2), tuple(itertools.combinations(range(3), 2)))
RNG = np.random.default_rng(0)
LAW = RNG.dirichlet(np.full(24, 0.3))
PEOPLE = RNG.choice(24, 2_000, p=LAW).astype(np.int32)
EXACT = CELLS.of(CELLS.counted(PEOPLE))


def made(each: float, rounds: int = 12, repeats: int = 0, n: int = 2_000) -> MultiplicativeWeights:
    parts = WholeScores(each, 1), DiscreteLaplace(each)
    return MultiplicativeWeights(CELLS, rounds, n, repeats, *parts)


def told_by(mechanism: MultiplicativeWeights, seed: int, people=PEOPLE) -> list[tuple[int, float]]:
    drawn = mechanism.sample(quick_keys.key(seed), people)
    return [(int(query), float(share)) for query, share in drawn]


def published(mechanism: MultiplicativeWeights, told) -> np.ndarray:
    each = list(before_each(CELLS, told, mechanism.repeats))[:-1]
    return CELLS.of(sum(each, np.zeros(CELLS.sizes)) / len(each))


def test_each_round_asks_the_worst_query():
    """Without noise: of the shares as they are then, and its exact share is told."""
    exact = MultiplicativeWeights(CELLS, 8, 2_000, 1, Highest(), NoNoise())
    told = told_by(exact, 0)
    for (query, share), shares in zip(told, before_each(CELLS, told, 1), strict=False):
        off = np.abs(EXACT - np.rint(2_000 * CELLS.of(shares)))
        assert off[query] == off.max() and share == EXACT[query] / 2_000


def test_what_one_person_moves_is_one():
    """Each score and each count, whoever comes or changes."""
    for cell, other in itertools.product(range(24), repeat=2):
        more = np.append(PEOPLE, np.int32(cell))
        moved = np.abs(CELLS.of(CELLS.counted(more)) - EXACT)
        changed = np.abs(
            CELLS.of(CELLS.counted(more)) - CELLS.of(CELLS.counted(np.append(PEOPLE, other)))
        )
        assert moved.max() == 1 and changed.max() <= 1


SMALL = TableCells((2, 2), ((0,), (1,)))


def runs(counts, choice: WholeScores, rate: float) -> dict[tuple, float]:
    """The exact chance of everything that two rounds can say, with counts cut to three people."""
    exact = SMALL.of(np.reshape(counts, (2, 2)))
    found = {(): 1.0}
    for _ in range(2):
        found = {
            (*told, (query, cut / 3)): chance * own * count
            for told, chance in found.items()
            for query, own in enumerate(chosen_by(choice, exact, told))
            for cut, count in enumerate(cut_counts(int(exact[query]), rate))
        }
    return found


def chosen_by(choice: WholeScores, exact: np.ndarray, told: tuple) -> np.ndarray:
    *_, shares = before_each(SMALL, told, 1)
    weights = choice.weights(np.abs(exact - np.rint(3 * SMALL.of(shares)).astype(int)))
    return weights / weights.sum()


def cut_counts(exact: int, rate: float) -> np.ndarray:
    """Of 0, 1, 2 and 3: two-sided geometric noise, cut."""
    values = np.arange(exact - 200, exact + 201)
    masses = np.exp(-rate * np.abs(values - exact))
    return np.bincount(np.clip(values, 0, 3), masses / masses.sum(), 4)


def worst_ratio(epsilon: float, choice: WholeScores, rate: float) -> float:
    """The largest log-ratio between all neighbours of up to three people."""
    data = [c for c in itertools.product(range(4), repeat=4) if sum(c) <= 3]
    laws = {c: np.array(list(runs(c, choice, rate).values())) for c in data}
    worst = 0.0
    for one, other in itertools.combinations(data, 2):
        apart = np.abs(np.subtract(one, other))
        if apart.sum() == 1 or (apart.sum() == 2 and sum(one) == sum(other)):
            worst = max(worst, float(np.abs(np.log(laws[one] / laws[other])).max()))
    return worst / epsilon


def test_all_that_is_said_is_private_over_all_neighbours():
    """Two rounds, everything they can say: a choice and a count each of a quarter of epsilon keep
    it, and spend more than half; choices of twice the rate, or counts unpaid for, do not."""
    each = 0.25
    assert 0.5 < worst_ratio(1.0, WholeScores(each, 1), each) <= 1.0
    assert worst_ratio(1.0, WholeScores(4 * each, 1), each) > 1.0
    assert worst_ratio(1.0, WholeScores(each, 1), 3 * each) > 1.0


WIDE = TableCells((2,) * 4, tuple((i,) for i in range(4)))


def reused(people: list[int], rate: float) -> np.ndarray:
    """The exact chance of what one round says that counts all with noise, and then says the one
    that is off most, with that same noise."""
    exact = WIDE.of(WIDE.counted(np.array(people, np.int32)))
    values = np.arange(-100, 101)
    law = np.exp(-rate * np.abs(values[:, None] - exact))
    law /= law.sum(0)
    off = np.abs(values - round(3 * WIDE.of(WIDE.even())[0]))
    # Of queries that are off alike the first is said.
    below, level = (np.array([law[near(off, own)].sum(0) for own in off]) for near in (lt, le))
    each = [
        law[:, query] * below[:, :query].prod(1) * level[:, query + 1 :].prod(1)
        for query in range(WIDE.queries)
    ]
    return np.array(each)


def test_choosing_by_the_noise_that_is_published_is_not_private():
    """What a choice and a fresh count promise together is exceeded where the noise is the same: of
    one round, where one person comes to two others."""
    each = 0.25
    one, other = reused([0, 15], each), reused([0, 15, 0], each)
    said = (one > 0) & (other > 0)

    assert one.sum() == pytest.approx(1) and other.sum() == pytest.approx(1)
    assert np.abs(np.log(one[said] / other[said])).max() > 1.5 * 2 * each


def test_runs_follow_that_law():
    """Chi-square over 1,500 runs of what two rounds say, at a tail of 1e-4; on people of whom one
    is another it is far beyond, as with two thirds of either noise."""
    parts = WholeScores(2.0, 1), DiscreteLaplace(2.0)
    mechanism, many = MultiplicativeWeights(SMALL, 2, 3, 1, *parts), 1_500
    keys = jax.random.split(quick_keys.key(9), many)
    people = np.array([0, 0, 1], np.int32)
    drawn = Counter(
        tuple((int(q), round(3 * s)) for q, s in mechanism.sample(key, people)) for key in keys
    )

    def fit(counts, choice=2.0, rate=2.0) -> float:
        law = runs(counts, WholeScores(choice, 1), rate)
        named = {tuple((q, round(3 * s)) for q, s in told): own for told, own in law.items()}
        common = [each for each, own in named.items() if many * own > 5]
        seen, masses = [drawn[each] for each in common], [named[each] for each in common]
        expected = many * np.array([*masses, 1 - sum(masses)])
        return chisquare([*seen, many - sum(seen)], expected).pvalue

    own = 2, 1, 0, 0
    assert fit(own) > 1e-4 and fit((2, 0, 1, 0)) < 1e-9
    assert max(fit(own, choice=3.0), fit(own, rate=3.0)) < 1e-9


def test_every_round_has_noise_of_its_own():
    """Twelve rounds of one run, and the differences from the exact counts that they say."""
    told = told_by(made(0.02), 0)

    assert len({round(share * 2_000) - int(EXACT[query]) for query, share in told}) > 9


def test_choices_and_counts_have_their_own_noise():
    """In the first round of 600 runs: choices are off by what theirs allows and more than a third
    of it, and counts have the variance of their noise within five deviations, which two thirds of
    the noise has not."""
    mechanism = made(0.02, rounds=1)
    told = [told_by(mechanism, seed)[0] for seed in range(600)]
    off = np.array([share * 2_000 - EXACT[query] for query, share in told])
    inside = np.array([0 < share < 1 for _, share in told])
    scores = np.abs(EXACT - np.rint(2_000 * CELLS.of(CELLS.even())))
    short = scores.max() - scores[[query for query, _ in told]]
    law = WholeScores(0.02, 1).weights(scores.astype(int))
    kinds = DiscreteLaplace(0.02).variance

    expected = float(law @ (scores.max() - scores) / law.sum())
    assert short.mean() == pytest.approx(expected, rel=0.2)
    # Those cut at nobody and everybody are moved nearer: the others' sizes tell.
    size = np.median(np.abs(off[inside & (EXACT[[q for q, _ in told]] > 300)]))
    assert size == pytest.approx(math.log(2) * math.sqrt(kinds / 2), rel=0.3)


def test_shares_told_are_those_of_declared_people():
    """Cut to none and all; people in no cell are not counted."""
    nobody = np.full(50, -1, np.int32)
    for query, share in told_by(made(0.01, rounds=20), 3, nobody):
        assert 0 <= share <= 1 and 0 <= query < CELLS.queries


@pytest.mark.parametrize("rounds", [4, 16])
def test_the_theorem_holds(rounds):
    """In 30 runs the mean of shares is off by less than the bound at a chance of 1e-4, in its worst
    query; and by more than a twentieth of it."""
    mechanism, n = made(0.5, rounds), 2_000
    off = [
        np.abs(n * published(mechanism, told_by(mechanism, seed)) - EXACT).max()
        for seed in range(30)
    ]

    assert max(off) <= mechanism.error_bound(1e-4) and max(off) > mechanism.error_bound(1e-4) / 20


def test_the_published_bound_is_no_smaller():
    """At its own chance 2 T/|Q|, but for the roundings: 2 n (log |X|/T)^(1/2) + 10 T log|Q|/eps."""
    big = TableCells((16, 16, 16), tuple(itertools.combinations(range(3), 2)))
    for rounds, n, epsilon in ((5, 10_000, 1.0), (40, 10**6, 0.5)):
        each = epsilon / (2 * rounds)
        parts = WholeScores(each, 1), DiscreteLaplace(each)
        own = MultiplicativeWeights(big, rounds, n, 0, *parts).error_bound(2 * rounds / big.queries)
        theirs = 2 * n * math.sqrt(math.log(big.combinations) / rounds)
        theirs += 10 * rounds * math.log(big.queries) / epsilon
        assert own <= 1.001 * theirs + 2


def test_rounds_and_repeats_bring_shares_nearer():
    """With little noise: after 30 rounds to a tenth of what even shares are off by."""
    mechanism = made(5.0, rounds=30, repeats=20)
    *_, last = before_each(CELLS, told_by(mechanism, 1), 20)
    off, even = (np.abs(CELLS.of(each) - EXACT / 2_000).max() for each in (last, CELLS.even()))

    assert off < even / 10


@pytest.mark.parametrize("noise", [DiscreteLaplace(0.7), DiscreteGaussian(4.0)])
@pytest.mark.parametrize("chance", [0.3, 0.01])
def test_noise_is_within_its_reach(noise, chance):
    """Of 20,000 draws no more than the chance allows, and not a tenth of it either."""
    drawn = np.abs(noise.sample(quick_keys.key(4), np.zeros(20_000, np.int64)))
    beyond = float((drawn > noise.reach(chance)).mean())

    assert chance / 10 < beyond <= chance + 5 * math.sqrt(chance / 20_000)
