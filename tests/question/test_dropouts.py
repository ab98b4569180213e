"""Drop-outs: who reports, what the mean is divided by, and that the promise stays as it is."""

import math

import numpy as np
import pytest
from scipy import stats

import small
import tacit
from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.question.dropouts import DropOuts, whom_asks
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Fixed, Once, Poisson

RELEASE, PEOPLE, ROUNDS = events.gaussian(1.0), 20, 6
ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
ASKED = [Everyone(), Poisson(0.4), Fixed(7), Once(), AtMost(2), Cyclic(3), Available(0.5)]


def streams(index: int) -> np.random.Generator:
    return np.random.default_rng([7, index])


def drawn(who, rounds=ROUNDS, start=0, people=PEOPLE, streams=streams) -> list:
    return list(who.cohorts(streams, people, rounds, start))


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_some_of_those_who_are_asked_report(asked):
    """Everybody whom `asked` asks, and nobody else, with a coin for each in each round."""
    who = DropOuts(asked, 0.3)
    for all_asked, reported in zip(drawn(asked), drawn(who), strict=True):
        assert set(reported.tolist()) <= set(all_asked.tolist())
    many = drawn(DropOuts(Fixed(7), 0.3), rounds=600)
    counts = [len(cohort) for cohort in many]

    low, high = stats.binom.ppf([1e-7, 1 - 1e-7], 600 * 7, 0.7)
    assert low <= sum(counts) <= high and len(set(counts)) > 3


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_no_stream_is_drawn_from_twice(asked):
    """Whoever is asked, and whoever reports, are drawn by different keys: coins follow nobody."""
    known = []

    def counted(index: int) -> np.random.Generator:
        known.append(index)
        return streams(index)

    drawn(DropOuts(asked, 0.3), streams=counted)
    assert len(known) == len(set(known))


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_resumed_run_draws_the_same_reports(asked):
    """Starting at round t gives the rounds from t on."""
    who = DropOuts(asked, 0.3, least=2)
    whole = drawn(who)
    for start in range(ROUNDS):
        for a, b in zip(whole[start:], drawn(who, start=start), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_promise_is_that_of_who_was_asked(asked):
    """The event, how often, how many at most; the divisor alone is smaller, as declared."""
    who = DropOuts(asked, 0.25)
    asks = PEOPLE, ROUNDS

    assert who.event(RELEASE, *asks) == asked.event(RELEASE, *asks)
    assert who.overflow(*asks) == asked.overflow(*asks)
    assert (who.relations, who.times(ROUNDS)) == (asked.relations, asked.times(ROUNDS))
    assert who.capacity(*asks) == asked.capacity(*asks)
    assert who.expected(*asks) == pytest.approx(0.75 * asked.expected(*asks))


def test_noise_is_as_planned_and_the_error_grows_with_the_divisor():
    """A quarter of the reports missing: the same noise on the sum of fewer."""
    plans = [
        tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Ball(3, 1.0), who, ROUNDS, 1000))
        for who in (Poisson(0.1), DropOuts(Poisson(0.1), 0.25))
    ]
    whole, fewer = plans

    assert whole.guarantees == fewer.guarantees
    assert whole.server.facts.noise == fewer.server.facts.noise
    assert fewer.error == pytest.approx(whole.error / 0.75**2, rel=1e-6)


def test_a_round_with_fewer_than_the_least_has_no_reports():
    """All or none, and both happen."""
    who = DropOuts(Fixed(7), 0.4, least=5)
    alone = drawn(DropOuts(Fixed(7), 0.4), rounds=60)
    found = drawn(who, rounds=60)

    assert [len(c) if len(c) >= 5 else 0 for c in alone] == [len(c) for c in found]
    assert {0, 5, 6} <= {len(cohort) for cohort in found}


def test_one_person_more_could_be_the_least():
    """Whether a round has reports at all would tell that somebody is there: so a least cohort is
    only for relations under which everybody is counted."""
    for asked in (Everyone(), Poisson(0.4), Available(0.5)):
        assert ADD in DropOuts(asked, 0.3).relations
        assert ADD not in DropOuts(asked, 0.3, least=1).relations
    assert DropOuts(Poisson(0.4), 0.3, least=3).relations == (ZERO,)
    assert DropOuts(Fixed(7), 0.3, least=3).relations == (REPLACE,)

    sums = tacit.Mean(tacit.Ball(3, 1.0), DropOuts(Poisson(0.1), 0.3, 5), ROUNDS, 1000)
    with pytest.raises(ValueError, match="proved for zero-out, not for add/remove"):
        tacit.Central(1.0, 1e-6).plan(sums)
    assert tacit.Central(1.0, 1e-6, ZERO).plan(sums).guarantees


def test_shuffled_people_are_hidden_among_those_who_report():
    """Fewer of them hide less, which its proof does not say."""
    sums = tacit.Mean(tacit.OneHot(3), DropOuts(Once(), 0.1), 1, 1000)
    with pytest.raises(ValueError, match="must be Once or AtMost, got DropOuts"):
        tacit.Shuffled(1.0, 1e-6).plan(sums)


def test_correlated_noise_knows_after_how_many_rounds_somebody_returns():
    """Whoever drops out returns no sooner."""
    sums = tacit.Mean(tacit.Ball(3, 1.0), DropOuts(Cyclic(2), 0.1), ROUNDS, PEOPLE)

    assert tacit.Running(sums, bands=3).separation == 3
    with pytest.raises(ValueError, match="bands must be from 1 to 3"):
        tacit.Running(sums, bands=4)


def test_a_run_divides_by_the_declared_number(tmp_path):
    """Without noise: the sum of those who reported, over three quarters of the people."""
    who = DropOuts(Everyone(), 0.25)
    sums = tacit.Mean(tacit.Interval(-1.0, 1.0), who, 1, small.PEOPLE)
    ones = tacit.Arrays(np.ones(small.PEOPLE, np.float32), "thirty")
    plan, ledger = tacit.NonPrivate().plan(sums), tacit.Ledger(tmp_path / "ledger.db")
    answer = ones.grant(plan, tacit.statistics.Average(), ledger, seed=5).run().answer

    reported = float(answer) * 0.75 * small.PEOPLE
    assert reported == pytest.approx(round(reported), abs=1e-4) and 10 < reported < small.PEOPLE


def test_a_fixed_cohort_larger_than_the_people_is_refused_before_it_is_drawn(tmp_path):
    """Also behind drop-outs."""
    sums = tacit.Mean(tacit.Interval(-1.0, 1.0), DropOuts(Fixed(40), 0.2), 1, 50)
    with pytest.raises(ValueError, match="a cohort of 40 needs at least as many people"):
        small.people().grant(
            tacit.NonPrivate().plan(sums), tacit.statistics.Average(), small.ledger(tmp_path)
        )


def test_who_asks_is_known():
    """With drop-outs and without."""
    assert whom_asks(DropOuts(Fixed(7), 0.2)) == whom_asks(Fixed(7)) == Fixed(7)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: DropOuts(Poisson, 0.1), "got Poisson without parentheses"),
        (lambda: DropOuts(DropOuts(Everyone(), 0.1), 0.1), "of another participation"),
        (lambda: DropOuts(Everyone(), 0.0), "strictly between 0 and 1, got 0.0"),
        (lambda: DropOuts(Everyone(), 1.0), "strictly between 0 and 1, got 1.0"),
        (lambda: DropOuts(Everyone(), math.nan), "strictly between 0 and 1, got nan"),
        (lambda: DropOuts(Everyone(), 0.1, -1), "least must be a whole number of people, got -1"),
        (lambda: DropOuts(Everyone(), 0.1, 2.5), "least must be a whole number of people, got 2.5"),
        (
            lambda: tacit.Mean(tacit.Ball(3, 1.0), DropOuts(Fixed(7), 0.1, 8), 2, 50),
            "least must be at most the largest cohort that is asked, 7, got 8",
        ),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    """The sentence names what can."""
    with pytest.raises(ValueError, match=words):
        make()
