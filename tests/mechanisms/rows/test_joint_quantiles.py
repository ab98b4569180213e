"""Quantiles drawn together: what is spent, exactly, and how far off in rank they are."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
from mechanisms.rows.every_list import every_list
from tacit.mechanisms.rows import joint_law, joint_quantiles
from tacit.mechanisms.rows.joint_law import JointLaw
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.public_grid import PublicGrid

UNIT = PublicGrid(0.0, 1.0, 6)
SHARES = (0.25, 0.75)


def chances(mechanism, people, declared, monkeypatch):
    """Of every list, uniform ones among them, from the sampler's own floats."""
    law = mechanism.law(np.sort(np.array(people, np.int64)), declared)
    found = every_list(monkeypatch, joint_law, lambda: law.sample(iter(())))
    points = range(mechanism.grid.cells + 1)
    lists = list(itertools.combinations_with_replacement(points, len(mechanism.shares)))
    whole = law.total + 2.0**-40
    return np.array(
        [(float(found[each]) * law.total + 2.0**-40 / len(lists)) / whole for each in lists]
    )


def spent(mechanism, pairs, monkeypatch, declared=None):
    """The largest log-likelihood ratio of any list."""
    worst = 0.0
    for one, other in pairs:
        laws = [
            chances(mechanism, each, len(each) if declared is None else declared, monkeypatch)
            for each in (one, other)
        ]
        worst = max(worst, float(np.abs(np.log(laws[0] / laws[1])).max()))
    return worst


# Newcomers beside nobody, in a tie, between and beyond; and people who move from end to end.
JOINED = [
    (people, [*people, place])
    for people in ([], [3], [3, 3, 3], [0, 0, 5, 6], [1, 2, 4])
    for place in (0, 3, 6)
]
MOVED = [([0, 5, 5, 5], [6, 5, 5, 5]), ([0, 0, 3, 3], [6, 0, 3, 3]), ([3] * 4, [3, 3, 3, 6])]


@pytest.mark.parametrize("declared", [2, 4, 5])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_a_person_more_spends_at_most_the_budget(declared, epsilon, monkeypatch):
    """However many are declared, exactly: nearly all of it, and twice with twice the exponent."""
    mechanism = JointQuantiles.declared(SHARES, epsilon, UNIT, declared)
    loss = spent(mechanism, JOINED, monkeypatch, declared)
    twice = JointQuantiles(SHARES, 2 * epsilon, UNIT, 2 * mechanism.exponent)

    assert 0.5 * epsilon < loss <= epsilon
    assert spent(twice, JOINED, monkeypatch, declared) > 1.2 * epsilon


def test_a_person_changed_spends_at_most_the_budget(monkeypatch):
    """Exactly; what is right for one who comes is too much for one who is changed."""
    mechanism = JointQuantiles.replace_one(SHARES, 1.0, UNIT)
    joined = JointQuantiles.declared(SHARES, 1.0, UNIT, 4)

    assert 0.5 < spent(mechanism, MOVED, monkeypatch) <= 1.0
    assert spent(joined, MOVED, monkeypatch) > 1.2


def test_lists_that_are_left_out_are_far_likelier_to_be_uniform(monkeypatch):
    """Of a list that is as far as any is weighed, and one step farther with a person more: what it
    loses is less than is spared for floats, and would be more than the promise, were all lists left
    out that weigh less than a uniform one."""
    mechanism = JointQuantiles.declared((0.5,), 0.1, UNIT, 2_000)
    nearer = math.ceil((mechanism.log_lists + 40 * math.log(2)) / mechanism.exponent) + 1

    def loss(reach):
        laws = []
        for people in (1_000 + reach, 1_001 + reach):
            law = JointLaw(np.full(people, 3), 6, (1_000, 2_000), math.exp(-0.1), reach)
            top = float(law._levels[-1].states[joint_law.GAP] @ law._ending)
            laws.append((top + 2.0**-40 / 7) / (law.total + 2.0**-40))
        return math.log(laws[0] / laws[1])

    assert loss(mechanism.reach) <= 0.1 < 0.5 < loss(nearer)


def test_a_uniform_list_has_every_point(monkeypatch):
    """The last one, too: who is nowhere near may be released there in either data set."""
    monkeypatch.setattr(joint_quantiles, "chosen", lambda *_: 1)
    mechanism = JointQuantiles.replace_one((0.5,), 1.0, PublicGrid(0.0, 1.0, 1))

    assert {float(mechanism.sample(quick_keys.key(n), [])[0]) for n in range(40)} == {0.0, 1.0}


def test_targets_of_these_people_cost_more_than_declared_ones(monkeypatch):
    """Shares of the number who are there move when somebody comes: a larger sensitivity."""
    grid, pairs = PublicGrid(0.0, 1.0, 3), [([3, 2, 2, 1, 0], [3, 2, 2, 1, 0, 2]), ([1], [1, 1])]
    mechanism = JointQuantiles.declared(SHARES, 1.0, grid, 5)

    assert spent(mechanism, pairs, monkeypatch, 5) <= 1.0 < spent(mechanism, pairs, monkeypatch)


def test_asking_how_many_they_are_is_paid_for():
    """Both parts are the whole, and the part for asking falls with the number of shares."""
    few, many = (JointQuantiles.counted(SHARES[:m], 1.0, UNIT) for m in (1, 2))

    assert few.asking > many.asking > 0
    assert few.exponent + few.asking < 1.0 <= few.exponent + few.asking + 2.0**-16 + 1e-12


@pytest.fixture
def declared_to_the_law(monkeypatch):
    """How many people every list is drawn for."""
    seen, law = [], JointQuantiles.law

    def heard(self, ordered, people):
        seen.append(people)
        return law(self, ordered, people)

    monkeypatch.setattr(JointQuantiles, "law", heard)
    return seen


def test_the_number_asked_for_is_noisy(declared_to_the_law):
    """Laplace noise of the part's scale, floored: as often 3 off as it says."""
    mechanism = JointQuantiles.counted(SHARES, 1.0, UNIT)
    for seed in range(300):
        mechanism.sample(quick_keys.key(seed), np.linspace(0, 1, 40))
    off = np.array(declared_to_the_law) - 40
    far = np.sum((off >= 3) | (off < -3))

    assert 1e-4 < binom.cdf(far, 300, math.exp(-mechanism.asking * 3)) < 0.9999


def test_nobody_declared_is_who_comes(declared_to_the_law):
    """Targets are shares of the number declared, whoever is there."""
    for made in (
        JointQuantiles.declared(SHARES, 1.0, UNIT, 7),
        JointQuantiles.replace_one(SHARES, 1.0, UNIT),
    ):
        made.sample(quick_keys.key(0), np.zeros(5))

    assert declared_to_the_law == [7, 5]


@pytest.mark.parametrize("made", ["declared", "counted", "replace_one"])
def test_ranks_are_within_the_rank_error(made):
    """Of a thousand numbers, a third of them equal; and the bound is not idle."""
    grid, rng = PublicGrid(-100.0, 100.0, 10**6), np.random.default_rng(0)
    shares = tuple(place / 8 for place in range(1, 8))
    more = (1_000,) if made == "declared" else ()
    mechanism = getattr(JointQuantiles, made)(shares, 1.0, grid, *more)
    worst = []
    for seed in range(20):
        values = np.append(rng.normal(0, 5, 667), np.full(333, 7.5))
        found = mechanism.sample(quick_keys.key(seed), values)
        assert (np.diff(found) >= 0).all()
        below, up_to = (
            np.array([side(values, each).sum() for each in found])
            for side in (np.less, np.less_equal)
        )
        wanted = 1_000 * np.array(shares)
        worst.append(np.maximum(np.maximum(below - wanted, wanted - up_to), 0).max())

    assert 1 < np.median(worst) < max(worst) <= mechanism.rank_error(3.0)
    assert mechanism.ranks(0.95) < math.inf == mechanism.ranks(1 - 2.0**-41)


@pytest.mark.parametrize("epsilon, t", [(1.0, 3.0), (0.05, 3.0), (1.0, 20.0), (5.0, 0.5)])
def test_the_rank_error_is_the_tail_of_lists_and_of_who_is_miscounted(epsilon, t):
    """Of both together, by their definition: not of one, nor of each with half of the chance."""
    mechanism = JointQuantiles.counted(SHARES, epsilon, PublicGrid(0.0, 1.0, 1000))
    far, miscounted = mechanism.rank_error(t) - 0.5 - 0.75, np.arange(200_000)
    law = -math.expm1(-mechanism.asking) * np.exp(-mechanism.asking * miscounted)
    wrong = mechanism.log_lists - mechanism.exponent * (far - 0.75 * miscounted)

    assert np.sum(law * np.exp(np.minimum(wrong, 0))) == pytest.approx(math.exp(-t), rel=1e-3)
    lists, split = mechanism.log_lists, t + math.log(2)
    assert far > (lists + t) / mechanism.exponent
    assert far < (lists + split) / mechanism.exponent + 0.75 * split / mechanism.asking


def test_a_number_that_many_share_is_released_itself():
    """Marks from 1 to 5 that hundreds give, of which quantiles are marks."""
    marks = np.repeat(np.arange(1.0, 6.0), [250, 500, 1000, 2000, 1250])
    mechanism = JointQuantiles.counted((0.1, 0.5, 0.9), 1.0, PublicGrid(1.0, 5.0, 400_000))
    for seed in range(10):
        assert mechanism.sample(quick_keys.key(seed), marks).tolist() == [2.0, 4.0, 5.0]


def test_nobody_and_everybody_at_one_point():
    """Quantiles come, in order, within the interval."""
    for values in ([], [0.5] * 9, [math.nan, math.inf, -math.inf]):
        for mechanism in (
            JointQuantiles.counted(SHARES, 1.0, UNIT),
            JointQuantiles.declared(SHARES, 1.0, UNIT, 1000),
            JointQuantiles.replace_one(SHARES, 1.0, UNIT),
        ):
            found = mechanism.sample(quick_keys.key(1), np.array(values))
            assert 0 <= found[0] <= found[1] <= 1


def test_order_does_not_matter():
    """The same key and people give the same."""
    mechanism, values = JointQuantiles.replace_one(SHARES, 1.0, UNIT), np.linspace(0, 1, 50)
    one, other = (mechanism.sample(quick_keys.key(2), each) for each in (values, values[::-1]))

    assert (one == other).all()


@pytest.mark.parametrize(
    "shares, epsilon, match",
    [
        ((), 1.0, "shares must be from 1 to 256"),
        ((0.5, 1.5), 1.0, "shares must be between 0 and 1"),
        ((0.5, math.nan), 1.0, "shares must be between 0 and 1"),
        ((0.5,), math.nan, "epsilon must be between"),
        ((0.5,), 0.001, "epsilon must be between"),
    ],
)
def test_refused_parameters(shares, epsilon, match):
    """NaN passes nowhere."""
    with pytest.raises(ValueError, match=match):
        JointQuantiles.replace_one(shares, epsilon, UNIT)


def test_more_lists_than_floats_can_weigh_are_refused():
    """Of sixty quantiles of a million points are not; of a hundred are."""
    grid = PublicGrid(0.0, 1.0, 10**6)
    several = [tuple((place + 1) / (m + 2) for place in range(m)) for m in (50, 100)]
    JointQuantiles.replace_one(several[0], 1.0, grid)

    with pytest.raises(ValueError, match="at most 2\\^900 lists"):
        JointQuantiles.replace_one(several[1], 1.0, grid)
