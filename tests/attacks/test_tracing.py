"""Members from means: found without a promise as often as foreseen, and with one no more than it
allows."""

import math

import numpy as np
import pytest

import tacit
from tacit.attacks.breach import BreachRate
from tacit.attacks.tracing import Tracing

ATTACK = Tracing(100, 600)


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
    assert str(traced).endswith(f"the promise allows {traced.allowed:.1%}, at 0.01 of others")


def test_a_tenth_of_the_noise_is_seen():
    """Of a thousand members with four attributes each, more are found than is allowed."""
    attack, numbers = Tracing(1_000, 4_000), np.random.default_rng(4)
    plan = tacit.Central(1.0, 1e-6).plan(attack.question)
    chances = numbers.uniform(0.1, 0.9, 4_000)
    members, others = (numbers.random((n, 4_000)) < chances for n in (1_000, 2_000))
    spread = (plan.server.facts.noise or math.nan) / 1_000
    found = []
    for part in (1.0, 0.1):
        means = members.mean(axis=0) + numbers.normal(0, part * spread, 4_000)
        threshold = np.quantile(attack.scores(means, others, chances), 0.99)
        told = np.sum(attack.scores(means, members, chances) > threshold)
        found.append(BreachRate(int(told), 1_000, 0.999))
    whole, tenth = found

    assert whole.low <= attack.allowed(plan) < tenth.low


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
