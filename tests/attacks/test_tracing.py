"""Members from means: found without a promise as often as foreseen, and with one no more than it
allows."""

import math

import numpy as np
import pytest

import tacit
from tacit.attacks.breach import BreachRate
from tacit.attacks.tracing import AttributeLaw, Crowd, Tracing
from tacit.audit.promises import most_found

ATTACK, NONE = Tracing(100, 600), tacit.NonPrivate()


@pytest.mark.parametrize(("attributes", "least"), [(600, 0.4), (3_000, 0.99)])
def test_exact_means_give_members_away(attributes, least):
    """As many as foreseen, within four standard errors; of thirty attributes each nearly all."""
    attack = Tracing(100, attributes)
    traced = attack.run(tacit.NonPrivate(), seed=1)
    spread = math.sqrt(traced.expected * (1 - traced.expected) / 100) + 0.005

    assert traced.expected > least and traced.allowed == 1.0
    assert abs(traced.found.share - traced.expected) < 4 * spread


def test_others_are_rarely_taken_for_members():
    """Whoever is drawn from the law scores above the threshold once in a hundred; so do members, of
    means of others."""
    numbers = np.random.default_rng(2)
    chances = numbers.uniform(0.1, 0.9, 600)
    people = (numbers.random((10_100, 600)) < chances).astype(float)
    scores = ATTACK.scores(people[:100].mean(axis=0), people[100:], chances)
    spread = math.sqrt(np.sum((chances * (1 - chances)) ** 2) / 100)

    assert np.mean(scores > 2.326 * spread) == pytest.approx(0.01, abs=0.004)


@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_a_promise_allows_more_than_is_expected(epsilon):
    """And no run is proved above it."""
    traced = ATTACK.run(tacit.Central(epsilon, 1e-6), seed=3)

    assert 0.01 < traced.expected <= traced.allowed < 0.2
    assert traced.found.low <= traced.allowed
    assert " of members, beside 1.0% of others, " in str(traced)


def test_two_thirds_of_the_noise_are_seen():
    """Of a thousand members, in five releases of twenty attributes each, more are found than is
    allowed; and of the whole noise not."""
    attack = Tracing(200, 4_000, false_alarms=0.1)
    plan, crowds = tacit.Central(5.0, 1e-6).plan(attack.question), map(attack.made, range(5))
    spread = (plan.server.facts.noise or math.nan) / 200
    numbers, told = np.random.default_rng(4), np.zeros(2, int)
    for crowd in crowds:
        for place, part in enumerate((1.0, 2 / 3)):
            means = crowd.members.mean(axis=0) + numbers.normal(0, part * spread, 4_000)
            members, others = (
                attack.scores(means, each, crowd.law.means)
                for each in (crowd.members, crowd.others)
            )
            told[place] += np.sum(members > np.quantile(others, 0.9))
    whole, thirds = (BreachRate(int(each), 1_000, 0.9999) for each in told)

    assert whole.low <= most_found(plan, 0.1) < thirds.low


def test_what_others_have_in_common_hides_members():
    """Attributes that all say the same tell as much as one does; what is foreseen says so, and what
    is foreseen of independent ones does not."""
    numbers = np.random.default_rng(5)
    same = np.repeat(numbers.random((4_000, 60)) < 0.5, 10, axis=1).astype(float)
    crowd = Crowd(same[:100], same[1_000:], AttributeLaw.of(same[1_000:]))
    traced = ATTACK.against(crowd, tacit.NonPrivate(), seed=0)
    apart = AttributeLaw.independent(crowd.law.means)
    spread = 4 * math.sqrt(traced.expected * (1 - traced.expected) / 100)

    assert abs(traced.found.share - traced.expected) < spread + 0.01
    assert ATTACK.expected(tacit.NonPrivate().plan(ATTACK.question), apart) > 4 * traced.expected


def test_a_law_that_few_show_finds_fewer():
    """As many as are foreseen of fifty people who show it; of a law that is known, more are."""
    numbers = np.random.default_rng(6)
    people = (numbers.random((5_150, 600)) < 0.5).astype(float)
    crowd = Crowd(people[:100], people[150:], AttributeLaw.of(people[100:150]))
    plan, traced = tacit.NonPrivate().plan(ATTACK.question), ATTACK.against(crowd, NONE, seed=0)
    spread = 4 * math.sqrt(traced.expected * (1 - traced.expected) / 100)

    assert abs(traced.found.share - traced.expected) < spread
    assert traced.found.high < ATTACK.expected(plan, AttributeLaw.independent(np.full(600, 0.5)))


def test_a_crowd_is_as_large_as_was_declared():
    """Noise is for so many."""
    crowd = ATTACK.made(0)
    with pytest.raises(ValueError, match="100 members with 600 attributes, got \\(99, 600\\)"):
        ATTACK.against(crowd._replace(members=crowd.members[1:]), tacit.NonPrivate(), seed=0)


def test_attributes_that_are_constant_tell_nothing():
    """As many as false alarms are foreseen."""
    law = AttributeLaw.of(np.ones((50, 600)))

    assert ATTACK.expected(tacit.NonPrivate().plan(ATTACK.question), law) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((1, 5), "members must be a whole number from 2"),
        ((5, 0), "attributes must be a whole number from 1 to 4,096"),
        ((5, 4_097), "attributes must be"),
        ((5, 5, 0.0), "false_alarms must be in"),
        ((5, 5, 0.6), "false_alarms must be in"),
        ((5, 5, math.nan), "false_alarms must be in"),
    ],
)
def test_other_numbers_are_refused(asked, said):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=said):
        Tracing(*asked)
