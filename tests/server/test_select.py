"""Selection: exact differences, the right law for what one person moves, and no more."""

import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product, Sphere
from tacit.ledger.ledger import Ledger
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.noise.fixed import LIMB, FixedPoint
from tacit.population.arrays import Arrays
from tacit.question.participation import AtMost, Available, Everyone, Once, Participation, Poisson
from tacit.question.participation import Fixed as FixedSize
from tacit.question.sums import Mean, Select
from tacit.server.select import Choice, below_highest
from tacit.statistics.answers import Answers
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
DRAWS = 20_000


def ask(shape, who: Participation = Everyone(), rounds=1, people=10) -> Select:
    return Select(Mean(shape, who, rounds, people))


def server(shape, relation=ADD, epsilon=1.0, delta=0.0, rounds=1, people=10) -> Choice:
    made = Central(epsilon, delta, relation).plan(ask(shape, rounds=rounds, people=people)).server
    assert isinstance(made, Choice)
    return made


# Differences of sums


def limbs(high, low) -> FixedPoint:
    high, low = (jnp.asarray(limb, jnp.int32) for limb in (high, low))
    return FixedPoint(high, low, jnp.float32(1))


def apart(numbers: list[int], halvings: int) -> list[int]:
    """The differences by their definition, in integers without a limit."""
    floors = [(number - numbers[0]) >> halvings for number in numbers]
    return [max(floors) - floor for floor in floors]


def around(numbers: list[int]) -> FixedPoint:
    """Numbers in two limbs, the high one around the ends of 32 bits like that of any sum."""
    wrapped = [(number // LIMB + 2**31) % 2**32 - 2**31 for number in numbers]
    return limbs(wrapped, [number % LIMB for number in numbers])


@pytest.mark.parametrize("halvings", [0, 1, 9, 15, 22, 40])
@pytest.mark.parametrize("reach", [0, 1, 3, 200, 600, 2**28])
def test_differences_are_those_of_whole_numbers(reach, halvings):
    """Exact up to 2^23 on random limbs, negative highs among them; what is farther stays farther.

    The expected ones come from integers without a limit.
    """
    rng = np.random.default_rng(reach)
    for size in (1, 2, 40):
        high = rng.integers(-reach, reach + 1, size) + rng.integers(-(2**28), 2**28)
        low = rng.integers(0, LIMB, size)
        numbers = [int(h) * LIMB + int(w) for h, w in zip(high, low, strict=True)]
        expected = np.array(apart(numbers, halvings))
        below = np.asarray(below_highest(limbs(high, low), halvings), np.int64)

        near = expected <= 2**23
        assert np.array_equal(below[near], expected[near])
        assert np.all(below[~near] >= 2**23)


@pytest.mark.parametrize(
    "high, low, below",
    [
        ([0, 0, 0], [5, 5, 5], [0, 0, 0]),
        ([-3, -3], [0, LIMB - 1], [LIMB - 1, 0]),
        ([-1, 0], [LIMB - 1, 0], [1, 0]),
        ([0, -1, 0], [0, LIMB - 1, 0], [0, 1, 0]),
        ([256, 0], [0, 0], [0, 2**23]),
        ([256, 0], [1, 0], [0, 2**23 + 1]),
        ([-(2**30) + 1, -(2**30)], [0, LIMB - 1], [0, 1]),
    ],
    ids=["ties", "negative", "limbs apart", "zero", "farthest", "beyond", "low end"],
)
def test_differences_by_hand(high, low, below):
    """Ties, a borrow over the limbs, numbers below zero, and the farthest that is exact."""
    assert below == np.asarray(below_highest(limbs(high, low), 0)).tolist()


@pytest.mark.parametrize("halvings", [0, 5, 17])
@pytest.mark.parametrize("centre", [2**46 - 7, -(2**46) + 7, 2**47, 2**60 + 12345])
def test_limbs_that_wrapped_change_no_difference(centre, halvings):
    """Only how far sums are from each other has to fit: not how far they are from zero."""
    rng = np.random.default_rng(halvings)
    numbers = [centre + int(gap) for gap in rng.integers(-(2**20), 2**20, 40) << halvings // 2]

    assert apart(numbers, halvings) == below_highest(around(numbers), halvings).tolist()


def test_compiled_or_not_differences_are_the_same():
    """Both ways of running agree."""
    rng = np.random.default_rng(1)
    total = limbs(rng.integers(-999, 999, 50), rng.integers(0, LIMB, 50))

    for halvings in (0, 6, 16):
        compiled = jax.jit(below_highest, static_argnums=1)(total, halvings)
        assert np.array_equal(below_highest(total, halvings), compiled)


# The law


@jax.jit
def _choices(choice, keys, total):
    return jax.vmap(lambda key: choice.step(None, key, total)[1])(keys)


def chosen(choice: Choice, sums, seed: int, draws: int = DRAWS) -> np.ndarray:
    """How often each candidate is chosen by the exact sums given."""
    total = FixedPoint.zero((len(sums),), jnp.float32(choice.grid))
    total = total.plus(total.terms(jnp.asarray(sums, jnp.float32)))
    drawn = _choices(choice, jax.random.split(quick_keys.key(seed), draws), total)
    return np.bincount(drawn, minlength=len(sums))


def law(kind, exponents) -> np.ndarray:
    """The exact chances of weights e^exponent, of each row of exponents."""
    exponents = np.atleast_2d(exponents)
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    if kind is Exponential:
        return weights / weights.sum(axis=1, keepdims=True)
    chances = np.zeros_like(weights)
    orders = list(itertools.permutations(range(weights.shape[1])))
    for order in orders:
        before = np.ones(len(weights))
        for candidate in order:
            chances[:, candidate] += before * weights[:, candidate]
            before *= 1 - weights[:, candidate]
    return chances / len(orders)


COUNTS = np.array([3.0, 1.0, 2.0, 2.0, 0.0])
# A pure promise for one round takes permute-and-flip; many rounds with a delta, its elder.
TAKEN = {
    PermuteAndFlip: {"epsilon": 1.0},
    Exponential: {"epsilon": 12.0, "delta": 1e-6, "rounds": 40},
}


@pytest.mark.parametrize("kind", TAKEN)
def test_counts_of_categories_are_weighed_by_all_of_epsilon(kind):
    """Adding a person moves all counts one way: e^(epsilon count), not e^(epsilon count / 2).

    Frequencies fit that law; those of two thirds or half of the epsilon do not.
    """
    choice = server(OneHot(5), **TAKEN[kind])
    own = choice.mechanism.epsilon
    expected = DRAWS * law(kind, own * COUNTS)[0]

    assert isinstance(choice.mechanism, kind) and 0.5 <= own <= 2
    assert chisquare(chosen(choice, COUNTS, 1), expected).pvalue > 1e-3
    for less in (2 / 3, 0.5):
        fewer = server(OneHot(5), **{**TAKEN[kind], "epsilon": TAKEN[kind]["epsilon"] * less})
        assert chisquare(chosen(fewer, COUNTS, 2), expected).pvalue < 1e-9


@pytest.mark.parametrize(
    "shape, relation, each",
    [
        (OneHot(5), ADD, 1.0),
        (OneHot(5), ZERO, 1.0),
        (OneHot(5), REPLACE, 0.5),
        (Counts(5, 2, 4), ADD, 0.25),
        (Counts(5, 2, 4), REPLACE, 0.125),
        (Cube(5, 0.0, 2.0), ADD, 0.5),
        (Cube(5, -1.0, 1.0), ADD, 0.5),
        (Cube(5, 6.0, 8.0), ZERO, 0.5),
        (Cube(5, -1.0, 1.0), REPLACE, 0.25),
    ],
)
def test_the_exponent_is_epsilon_over_how_far_sums_move_apart(shape, relation, each):
    """`each` for one unit of a score; below it by no more than the grids take."""
    mechanism = server(shape, relation).mechanism
    rate = mechanism.grid.exponent / (2 * mechanism.grid.steps * mechanism.grid.step)

    assert each * 0.985 < rate <= each


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("width", [1.0, 1 - 2**-20, 0.7, 3.999, 1e-3, 12345.678])
def test_scores_off_the_grid_are_paid_for(width, relation):
    """A term is cut by less than a fine step, a sum by less than a coarse one: both are in it."""
    shape = Cube(3, 0.25, 0.25 + width)
    choice = server(shape, relation)
    mechanism, changed = choice.mechanism.grid, 2 if relation is REPLACE else 1

    assert choice.grid * 2**choice.halvings == mechanism.step
    spread = shape.spread(relation) + changed * choice.grid + 2 * mechanism.step
    assert 2 * mechanism.steps * mechanism.step >= 2 * mechanism.sensitivity >= spread


@pytest.mark.parametrize("beta", [0.5, 0.05])
def test_the_shortfall_holds_at_its_probability(beta):
    """Candidates just beyond it are chosen with probability beta at most; a third of it is less."""
    choice = server(OneHot(7))
    gap = choice.shortfall(beta) * choice.divisor + choice.grid
    short = DRAWS - chosen(choice, [gap] + 6 * [0.0], 3)[0]
    shorter = DRAWS - chosen(choice, [gap / 3] + 6 * [0.0], 3)[0]

    assert binom.sf(short - 1, DRAWS, beta) > 1e-6
    assert binom.sf(shorter - 1, DRAWS, beta) < 1e-9


def test_the_shortfall_is_of_means():
    """Divided by the cohort; a beta that is no probability is refused."""
    few, many = (server(OneHot(7), people=people) for people in (10, 1000))

    assert few.shortfall(0.05) == pytest.approx(100 * many.shortfall(0.05))
    others: list[Any] = [0.0, -1.0, 1.5, math.nan, "sure", None, True, [0.5]]
    for beta in others:
        with pytest.raises(ValueError, match=r"beta must be in \(0, 1\]"):
            few.shortfall(beta)


# Privacy, by all small data sets


def neighbours(people: int, members: np.ndarray, relation: Relation):
    """What two neighbouring data sets of at most so many people have apart, and what both have."""
    alone = np.zeros((1, members.shape[1]))
    apart = {ADD: (alone, members), ZERO: (alone, members), REPLACE: (members, members)}[relation]
    # All that the others add; zeroed people are among them, as nothing.
    return apart, np.unique(_sums(people - 1, np.concatenate([alone, members])), axis=0)


def _sums(people: int, members: np.ndarray) -> np.ndarray:
    sums = np.zeros((1, members.shape[1]))
    for _ in range(people):
        sums = (sums[:, None] + members[None]).reshape(-1, members.shape[1])
    return sums


def loss(mechanism, kind, people, members, relation) -> float:
    """The largest privacy loss of the exact law on the mechanism's own grid."""
    grid = mechanism.grid
    rate = grid.exponent / (2 * grid.steps)

    def chances(sums):
        units = np.floor((sums - sums[:, :1]) / grid.step)
        distances = np.minimum(units.max(axis=1, keepdims=True) - units, grid.reach)
        return np.log(law(kind, -rate * distances))

    apart, rest = neighbours(people, members, relation)
    found = ([chances(rest + each) for each in side] for side in apart)
    return max(np.abs(here - there).max() for here, there in itertools.product(*found))


SCORES = {
    "one-hot": (OneHot(3), 3, np.eye(3)),
    "counts": (
        Counts(3, 2, 2),
        2,
        np.array([c for c in itertools.product(range(3), repeat=3) if np.count_nonzero(c) <= 2.0]),
    ),
    "cube": (Cube(3, 0.0, 1.0), 2, np.array(list(itertools.product((0, 0.5, 1), repeat=3)))),
    "both signs": (
        Cube(3, -1.0, 1.0),
        2,
        np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3))),
    ),
    "off the grid": (
        Cube(3, 0.0, 1.0),
        3,
        np.array(list(itertools.product((0, 2.0**-12, 85 / 256 + 2.0**-12, 1), repeat=3))),
    ),
}


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("name", SCORES)
def test_all_small_data_sets_lose_at_most_epsilon(name, relation, kind):
    """Every two neighbours, and both laws; half of the bound on what scores do is caught."""
    shape, people, members = SCORES[name]
    own = server(shape, relation, people=people).mechanism
    planted = kind(1.0, shape.spread(relation) / 4)

    assert 0.6 < loss(own, kind, people, members, relation) <= 1.0
    assert loss(planted, kind, people, members, relation) > 1.15


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("relation", [ADD, ZERO])
def test_rounding_sums_down_is_paid_for(relation, kind):
    """One person moves two rounded sums apart by no more than the law is for.

    Of sums just below a step and a person just above so many, each rounding adds its own; a
    mechanism for scores alone, without a step more, is caught.
    """
    width = 1 - 2.0**-18
    shape = Cube(3, 0.0, width)
    own, planted = server(shape, relation).mechanism, kind(1.0, shape.spread(relation) / 2)

    def apart_by(grid) -> int:
        little = grid.step * 2.0**-9
        there = np.array([little, 0.0, little])
        one = np.array([width - 128 * grid.step - little, width, 0.0])
        before, after = (np.floor((sums - sums[0]) / grid.step) for sums in (there, there + one))
        return int(np.ptp(after - before))

    assert apart_by(own.grid) <= 2 * own.grid.steps
    assert apart_by(planted.grid) > 2 * planted.grid.steps


@pytest.mark.parametrize("name", [name for name in SCORES if name != "off the grid"])
def test_what_is_compared_are_the_sums(name):
    """From people to differences by the round's own code: equal to the numbers enumerated above."""
    shape, people, members = SCORES[name]
    choice = server(shape, people=people)
    terms = np.arange(3) if name == "one-hot" else members
    who = np.array(list(itertools.product(range(len(members)), repeat=people)))
    sums = members[who].sum(axis=1) / choice.mechanism.grid.step

    def below(rows):
        member = shape.project(jnp.asarray(terms)[rows])
        empty = shape.empty(jnp.float32(choice.grid))
        total = shape.add(empty, member, jnp.ones(people, bool))
        return below_highest(total, choice.halvings)

    assert np.array_equal(
        sums.max(axis=1, keepdims=True) - sums, jax.jit(jax.vmap(below))(jnp.asarray(who))
    )


# The promise


@pytest.mark.parametrize("epsilon, delta", [(0.8, 0.0), (3.0, 1e-6)])
@pytest.mark.parametrize(
    "who, relation",
    [
        *((Everyone(), relation) for relation in Relation),
        *((Available(0.5), relation) for relation in Relation),
        (Poisson(0.2), ADD),
        (Poisson(0.2), ZERO),
        (FixedSize(9), REPLACE),
        (Once(), REPLACE),
        (AtMost(2), ZERO),
    ],
)
def test_the_event_charged_is_the_choice_made(who, relation, epsilon, delta):
    """The promise is made again from the mechanism drawn with, and spends what was allowed."""
    question = ask(OneHot(5), who, rounds=12, people=60)
    plan = Central(epsilon, delta, relation).plan(question)
    (promise,), mechanism = plan.guarantees, plan.server.mechanism
    release = {
        Exponential: events.exponential_mechanism,
        PermuteAndFlip: events.permute_and_flip,
    }[type(mechanism)](mechanism.epsilon)
    event = question.sums.event(release, relation)
    again = certified_epsilon(event, max(promise.delta - promise.delta_reserved, 0.0), relation)

    assert promise.observer == "public" and promise.relation is relation
    assert 0.99 * epsilon < promise.epsilon <= epsilon
    assert promise.delta == (delta or promise.delta_reserved)
    assert promise.epsilon == pytest.approx(again.epsilon, rel=1e-9)
    assert plan.error is None


def test_a_mechanism_that_composes_better_gets_the_larger_epsilon():
    """One pure round: permute-and-flip. Forty with a delta: bounded range wins."""
    one, many = (server(OneHot(5), **TAKEN[kind]).mechanism for kind in TAKEN)
    flips = 12.0 / 40

    assert isinstance(one, PermuteAndFlip) and one.epsilon == pytest.approx(1.0, rel=1e-9)
    assert isinstance(many, Exponential) and many.epsilon > 1.5 * flips


@pytest.mark.parametrize("shape", [OneHot(3), Counts(3, 2, 2), Cube(3, 0.0, 1.0)])
@pytest.mark.parametrize(
    "who, relation", [(Poisson(0.2), REPLACE), (FixedSize(3), ADD), (Once(), ADD)]
)
def test_pairs_without_a_proof_are_refused_by_name(shape, who, relation):
    """The sentence names the participation and the relation."""
    with pytest.raises(ValueError, match=f"not for {relation.value}"):
        Central(1.0, 1e-6, relation).plan(ask(shape, who, 2))


@pytest.mark.parametrize(
    "shape",
    [Interval(0.0, 1.0), Grid(0, 5), Ball(3, 1.0), Sphere(3), Product(OneHot(3), OneHot(3))],
)
def test_shapes_without_candidates_are_refused_by_name(shape):
    """When the question is made, so before anything can be charged."""
    with pytest.raises(ValueError, match=rf"Cube, OneHot or Counts .* got {type(shape).__name__}"):
        ask(shape)


@pytest.mark.parametrize("epsilon, rounds", [(0.005, 1), (1.0, 1000)])
def test_a_choice_too_noisy_to_mean_anything_is_refused(epsilon, rounds):
    """The mechanisms' least epsilon is named."""
    with pytest.raises(ValueError, match=r"epsilon must be between 0\.01"):
        Central(epsilon, 0.0).plan(ask(OneHot(3), rounds=rounds))


def test_a_delta_below_the_cost_of_overflow_is_refused():
    """Cohorts that are cut cost a delta of their own."""
    with pytest.raises(ValueError, match=r"delta against the public .* overflowing cohorts"):
        Central(1.0, 1e-14).plan(ask(OneHot(3), Poisson(0.1), 10, 1000))


# Every trust model that answers


def people(shape, count: int, seed: int = 0) -> np.ndarray:
    """Candidate 2 has the highest sum by far."""
    rng = np.random.default_rng(seed)
    if isinstance(shape, OneHot):
        return rng.choice(4, count, p=[0.1, 0.1, 0.7, 0.1])
    if isinstance(shape, Counts):
        return rng.integers(0, 2, (count, 4)) + 2 * (np.arange(4) == 2)
    return (0.4 * rng.uniform(size=(count, 4)) + 0.5 * (np.arange(4) == 2)).astype(np.float32)


SHAPES = [OneHot(4), Counts(4, 2, 3), Cube(4, 0.0, 1.0)]


def run(plan, data, folder, learner) -> np.ndarray:
    book = Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("all", promise.observer, promise.relation, 1e3, 0.9)
    return np.asarray(Arrays(data, "all").grant(plan, learner, book, seed=4).run().state[0])


@pytest.mark.parametrize("shape", SHAPES, ids=["one-hot", "counts", "cube"])
@pytest.mark.parametrize(
    "trust",
    [
        Central(2.0, 0.0),
        Central(2.0, 1e-6, REPLACE),
        Central(2.0, 1e-6, ZERO),
        NonPrivate(),
    ],
    ids=["pure", "delta", "zero-out", "none"],
)
def test_a_curator_finds_the_winner_in_every_round(trust, shape, tmp_path):
    """Its number, as a whole number."""
    plan = trust.plan(ask(shape, rounds=3, people=2000))
    found = run(plan, people(shape, 2000), tmp_path, Answers(3, jnp.int32))

    assert found.dtype == np.int32 and found.tolist() == [2, 2, 2]


@pytest.mark.parametrize("shape", SHAPES[:2], ids=["one-hot", "counts"])
def test_local_reports_are_enough_to_find_the_winner(shape, tmp_path):
    """The highest of private means: post-processing, and both observers' promises are local."""
    plan = Local(6.0).plan(ask(shape, rounds=3, people=2000))

    assert run(plan, people(shape, 2000), tmp_path, Answers(3, jnp.int32)).tolist() == [2, 2, 2]
    assert ["server", "public"] == [g.observer for g in plan.guarantees]
    assert all(5.99 < g.epsilon <= 6.0 and g.delta < 1e-9 for g in plan.guarantees)
    assert plan.error is None


def test_shuffled_reports_are_enough_to_find_the_winner(tmp_path):
    """Each person in one secret round."""
    plan = Shuffled(1.0, 1e-6).plan(ask(OneHot(4), Once(), 2, 2000))
    observers = {g.observer: g.epsilon for g in plan.guarantees}

    assert run(plan, people(OneHot(4), 2000), tmp_path, Answers(2, jnp.int32)).tolist() == [2, 2]
    assert observers["server"] <= 1.0 < observers["shuffler"]


def test_without_noise_the_first_of_equals_wins(tmp_path):
    """Also where nobody is in any category."""
    plan = NonPrivate().plan(ask(OneHot(3), people=4))
    tied, nobody = np.array([2, 1, 1, 2]), np.full(4, -1)

    assert run(plan, tied, tmp_path, Answers(1, jnp.int32)).tolist() == [1]
    assert run(plan, nobody, tmp_path, Answers(1, jnp.int32)).tolist() == [0]


@pytest.mark.parametrize("shape", SHAPES[:2], ids=["one-hot", "counts"])
def test_categories_have_no_federated_reports(shape):
    """One sentence that names the shape."""
    with pytest.raises(ValueError, match=f"federated reports .* got {type(shape).__name__}"):
        Federated(4.0, Central(1.0, 1e-5)).plan(ask(shape))


def test_a_broken_persons_scores_count_as_the_lowest_size(tmp_path):
    """NaN and infinite scores are the members nearest to zero: they crown nobody."""
    plan = NonPrivate().plan(ask(Cube(3, 0.0, 1.0), people=2))
    data = np.array([[np.nan, np.inf, -np.inf], [0.0, 0.0, 0.25]], np.float32)

    assert run(plan, data, tmp_path, Answers(1, jnp.int32)).tolist() == [2]


@pytest.mark.parametrize("lower", [1015.35, -1016.25])
def test_sums_far_from_zero_are_compared_as_well(lower, tmp_path):
    """They are more than two limbs hold; how they differ is not."""
    plan = Central(2.0, 0.0).plan(ask(Cube(4, lower, lower + 1.0), rounds=3, people=2000))
    data = np.repeat(np.float32(lower) + people(SHAPES[2], 2000), 100, axis=0)
    sums = data.sum(axis=0, dtype=np.float64) / plan.server.grid

    assert (abs(sums) > 2.0**45).all()
    assert run(plan, data, tmp_path, Answers(3, jnp.int32)).tolist() == [2, 2, 2]


@pytest.mark.parametrize("declared", [1, 3, 100])
@pytest.mark.parametrize("shape", SHAPES, ids=["one-hot", "counts", "cube"])
def test_any_number_of_people_is_answered(shape, declared, tmp_path):
    """How many there are is secret under add/remove: no refusal tells, and no sum wraps."""
    plan = Central(2.0, 0.0).plan(ask(shape, rounds=3, people=declared))
    data = np.repeat(people(shape, 2000), 50, axis=0)

    assert run(plan, data, tmp_path, Answers(3, jnp.int32)).tolist() == [2, 2, 2]


@pytest.mark.parametrize("people", [1, 1000, 2**20, 2**30])
@pytest.mark.parametrize(
    "shape", [*SHAPES, Cube(4, -1.0, 1.0), Cube(3, 1e4, 1e4 + 1), Counts(9, 9, 255)]
)
@pytest.mark.parametrize("epsilon", [1e-2, 1.0, 50.0])
def test_a_term_is_small_enough_for_sums_that_never_wrap(epsilon, shape, people):
    """Fewer than 2^29 steps each, or the question is refused: the same whatever the data."""
    try:
        server = Central(epsilon, 0.0).plan(ask(shape, people=people)).server
    except ValueError as error:
        assert "are too fine for" in str(error)
        return

    assert shape.bound <= 2.0**29 * server.grid


def test_more_people_than_differences_can_be_held_for_are_refused():
    """Before anything is charged; the sentence says what would help."""
    with pytest.raises(ValueError, match="move them nearer to zero, or ask fewer people at once"):
        Central(1.0, 0.0).plan(ask(OneHot(3), people=2**36))
