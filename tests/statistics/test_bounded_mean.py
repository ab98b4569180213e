"""A mean of however many people: without bias, with the error and the interval it states."""

import functools
import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
import tacit
from tacit.noise.fixed import FixedPoint
from tacit.population.release import Release
from tacit.statistics import Average, BoundedMean, mean
from tacit.statistics.average import MeanSoFar

REPLACE = tacit.Relation.REPLACE_ONE
DECLARED, TRUE = 45_000, 45_211
PURE, GAUSSIAN = tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6)
PUBLIC = tacit.Central(1.0, 0.0, REPLACE)
FEDERATED = tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE))
TRIALS = 600


@functools.cache
def ages():
    """More people than are declared; about 38 on average."""
    return np.random.default_rng(0).gamma(9.0, 4.3, TRUE).clip(0, 100)


def answers(asked, numbers, seed=0):
    """Many releases of one mean: their noise is drawn as a grant would, in one call."""
    terms = asked.terms(np.asarray(numbers, np.float64)).astype(np.float64)
    grid = asked.plan.server.grid
    steps = np.trunc(terms / grid).sum(axis=0)
    high, low = np.divmod(np.broadcast_to(steps, (TRIALS, *steps.shape)), 2**15)
    total = FixedPoint(jnp.asarray(high, jnp.int32), jnp.asarray(low, jnp.int32), jnp.float32(grid))
    noised = asked.plan.server.step(None, quick_keys.key(seed), total)[1]
    return [
        asked.read(Release("g", asked.plan, MeanSoFar(each, jnp.ones(())), False), "p")
        for each in noised
    ]


@pytest.mark.parametrize("trust", [PURE, GAUSSIAN, PUBLIC])
@pytest.mark.parametrize("at", ["middle", "end"])
def test_the_error_is_the_predicted_one(trust, at):
    """Whatever was declared: (45,000 for 45,211 people was wrong by 0.18, and by noise 0.003)."""
    numbers = ages() if at == "middle" else np.full(TRUE, 99.0)
    asked = BoundedMean((0, 100), trust, TRUE if trust is PUBLIC else DECLARED)
    found = answers(asked, numbers)
    off = np.array([each.estimate for each in found]) - numbers.mean()
    measured, predicted = math.sqrt(np.mean(off**2)), found[0].rmse

    # Four deviations of a mean square of Laplace numbers, whose kurtosis is 6.
    assert abs(measured / predicted - 1) < 4 * math.sqrt(5 / TRIALS) / 2
    assert abs(off.mean()) < 4 * measured / math.sqrt(TRIALS)
    assert predicted <= asked.rmse * 1.001
    assert abs(numbers.mean() * TRUE / DECLARED - numbers.mean()) > 10 * predicted


@pytest.mark.parametrize("trust", [PURE, GAUSSIAN, PUBLIC])
@pytest.mark.parametrize("count, at", [(TRUE, 38.0), (TRUE, 100.0), (30, 20.0), (3, 70.0)])
def test_intervals_cover_as_often_as_they_say(trust, count, at):
    """With many people exactly so; with few never less. Two-thirds of the noise would be caught."""
    asked = BoundedMean((0, 100), trust, count, confidence=0.8)
    covered = sum(
        each.interval[0] <= at <= each.interval[1] for each in answers(asked, [at] * count)
    )

    assert covered >= binom.ppf(1e-6, TRIALS, 0.8)
    if count == TRUE and at < 100:
        assert covered <= binom.isf(1e-6, TRIALS, 0.8)


def test_two_thirds_of_the_interval_would_not_cover():
    """The test above can fail."""
    found = answers(BoundedMean((0, 100), PURE, DECLARED, 0.8), [38.0] * TRUE)
    short = sum(
        abs(each.estimate - 38) <= (each.interval[1] - each.interval[0]) / 3 for each in found
    )

    assert short < binom.ppf(1e-6, TRIALS, 0.8)


def test_an_interval_contains_the_estimate_and_stays_within_the_bounds():
    """With one person too, where the noisy count is often below zero and nothing is known."""
    found = answers(BoundedMean((0, 100), PURE, 1), [100.0])

    for each in found:
        assert 0 <= each.interval[0] <= each.estimate <= each.interval[1] <= 100
    assert (0.0, 100.0) in [each.interval for each in found]


TRUSTS = {
    "central": (PURE, 300),
    "public": (tacit.Central(1.0, 1e-6, REPLACE), None),
    "local": (tacit.Local(2.0), None),
    "shuffled": (tacit.Shuffled(1.0, 1e-5), None),
    "federated": (FEDERATED, None),
}


@pytest.mark.parametrize("name", TRUSTS)
def test_every_trust_model_answers(name, tmp_path):
    """One call each, on a list; the truth is in the interval, and the account is charged."""
    trust, people = TRUSTS[name]
    values, book = list(ages()[:311]), tacit.Ledger(tmp_path / "people.db")
    asked = BoundedMean((0, 100), trust, people or 311)
    book.limit_for(name, asked.plan)
    found = mean(
        values, bounds=(0, 100), trust=trust, people=people, ledger=book, name=name, seed=5
    )

    assert found.interval[0] <= np.mean(values) <= found.interval[1]
    assert found.plan == asked.plan and not found.receipt()["private"]
    assert {s.observer for s in book.spent(name)} == {p.observer for p in asked.plan.guarantees}


def test_without_privacy_the_mean_is_exact(tmp_path):
    """Of the numbers that are there, clipped to the bounds."""
    values = np.array([10.0, np.nan, 500.0, -3.0])
    found = mean(
        values, bounds=(0, 100), trust=tacit.NonPrivate(), ledger=tmp_path / "p.db", name="p"
    )

    assert found.estimate == pytest.approx(110 / 3, abs=1e-4) and found.rmse == 0
    assert found.interval[1] - found.interval[0] < 1e-3


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7])
def test_limits_hold_what_floats_round(value, tmp_path):
    """Of terms that float32 does not hold: they are not the estimate, and inside."""
    terms = {"bounds": (0, 1), "ledger": tmp_path / "p.db", "name": "p"}
    found = mean(np.full(1_000, value), trust=tacit.NonPrivate(), **terms)

    assert found.estimate != value and found.interval[0] < value < found.interval[1]


@pytest.mark.parametrize(
    "trust, terms",
    [
        (PURE, [[0.25, 0.75], [0, 0], [1, 0], [0, 1], [1, 0], [0, 1]]),
        (PUBLIC, [-0.5, 0, 1, -1, 1, -1]),
    ],
)
def test_what_people_give(trust, terms):
    """A missing number is not counted, or is the middle where the count is public."""
    values = np.array([2.5, np.nan, 11.0, -1.0, np.inf, -np.inf])

    np.testing.assert_array_equal(BoundedMean((0, 10), trust, 6).terms(values), terms)


def test_digits_survive_far_from_zero():
    """Seconds since 1970 have none left in float32; the terms are made before."""
    values = 1.7e9 + np.array([0.0, 1.0])
    terms = BoundedMean((1.7e9 - 4, 1.7e9 + 4), PUBLIC, 2).terms(values)

    np.testing.assert_array_equal(terms, [0, 0.25])


def test_a_plan_follows_from_declared_numbers_alone(tmp_path):
    """One person more, or other numbers: the same plan."""
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit("p", "public", tacit.Relation.ADD_REMOVE, 2.0, 1e-6)
    ask = functools.partial(
        mean, bounds=(0, 100), trust=PURE, people=300, ledger=book, name="p", seed=1
    )

    assert ask(ages()[:300]).plan == ask(ages()[1:302]).plan


@pytest.mark.parametrize(
    "given, said",
    [
        ({"bounds": (100, 0)}, "bounds must be two finite numbers, lower < upper"),
        ({"bounds": 100}, "bounds must be two finite numbers, lower < upper, got 100"),
        ({"bounds": (0, math.inf)}, "lower < upper"),
        ({"confidence": 95}, "confidence must be above 0 and below 1, got 95"),
        ({"people": None}, "declare about how many"),
        ({"trust": "central"}, "trust must be Central"),
        ({"trust": tacit.Federated(1.0, PURE)}, "a federated mean is of a public number"),
        ({"values": [[1.0, 2.0]]}, "one number for each person, got an array of 2 axes"),
        ({"values": ["a"]}, "the array holds text"),
        ({"values": [1, 2, None, "3"]}, "objects that are not all ints, floats, truth values or m"),
        ({"values": {1.0, 2.0}}, "people's numbers must be in an array, a series or a list, got s"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, said, tmp_path):
    """In one sentence, before anything is charged."""
    asked = {"bounds": (0, 100), "trust": PURE, "people": 3, "values": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match=said):
        mean(**{**asked, **given}, ledger=tmp_path / "p.db", name="p")

    assert not (tmp_path / "p.db").exists()


def test_more_people_than_a_sum_has_digits_for_are_refused():
    """In their own number, and with what would do."""
    few, many = (
        BoundedMean((0.0, 1.0), tacit.Central(1.0, 1e-6), people) for people in (10**9, 10**12)
    )
    assert few.plan.private
    with pytest.raises(ValueError, match=r"people must be fewer.*got people=1,000,000,000,000"):
        assert many.plan


def test_without_a_limit_the_calls_that_set_it_are_said(tmp_path):
    """Ready to paste; then the same call is answered."""
    book = tacit.Ledger(tmp_path / "people.db")
    ask = functools.partial(
        mean, [20.0, 30.0], bounds=(0, 100), trust=PURE, people=2, ledger=book, name="p", seed=1
    )
    with pytest.raises(tacit.ledger.LedgerError, match="these limits just fit") as refusal:
        ask()
    exec(str(refusal.value).splitlines()[-1], {"ledger": book, "tacit": tacit})

    assert 0 <= ask().estimate <= 100


def test_the_average_of_a_pair_is_what_is_played():
    """The learner is the one that anybody may use."""
    assert BoundedMean((0, 1), PURE, 5).plan.sums.contribution.shape == Average((2,)).shape
