"""Bits from as many answers as people: all without a promise, and with one as many as allowed."""

import math

import numpy as np
import pytest

import tacit
from tacit.accounting.relation import Relation
from tacit.attacks.breach import BreachRate
from tacit.attacks.one_bit import most_guessed
from tacit.attacks.secret_bits import SecretBits

ATTACK = SecretBits(256)
NUMBERS = np.random.default_rng(0)
BITS = NUMBERS.integers(0, 2, (40, 256)).astype(bool)


def found(noise: float, law=NUMBERS.normal) -> float:
    """The share of 40 times 256 bits, of answers with noise of so many root people."""
    spread = noise * math.sqrt(256)
    answers = (ATTACK.terms(bits).sum(axis=0) + law(0, spread, 256) for bits in BITS)
    return float(np.mean([ATTACK.guess(each / 256) for each in answers] == BITS))


def test_without_a_promise_every_bit_is_found():
    """So the attack is one."""
    rebuilt = ATTACK.run(tacit.NonPrivate(), seed=1)

    assert rebuilt.found.share == 1.0 == rebuilt.expected == rebuilt.allowed
    assert str(rebuilt).endswith("100.0% expected; the promise allows 100.0%")


@pytest.mark.parametrize(("noise", "share"), [(0.1, 1.0), (0.3, 0.952), (0.5, 0.841), (1.0, 0.691)])
def test_noise_of_root_people_gives_away_what_is_predicted(noise, share):
    """Within .018, four standard errors of 10,240 bits; Laplace noise gives away as much."""
    assert found(noise) == pytest.approx(share, abs=0.018)
    assert found(noise / math.sqrt(2), NUMBERS.laplace) == pytest.approx(share, abs=0.018)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_a_promise_allows_what_its_noise_gives_away(epsilon):
    """Gaussian noise for one who comes or goes: to a thousandth and never below, and no run is
    proved above it."""
    rebuilt = ATTACK.run(tacit.Central(epsilon, 1e-6), seed=2)

    assert 0 <= rebuilt.allowed - rebuilt.expected < 1e-3
    assert rebuilt.found.low <= rebuilt.allowed


def test_two_thirds_of_the_noise_are_seen():
    """What is found of a thousand people then is proved to be more than the promise allows."""
    attack, trust = SecretBits(1024), tacit.Central(5.0, 1e-6)
    plan = trust.plan(attack.question)
    spread = plan.server.facts.noise
    assert spread is not None
    bits = NUMBERS.integers(0, 2, 1024).astype(bool)
    exact = attack.terms(bits).sum(axis=0)
    right = [
        int(np.sum(attack.guess((exact + NUMBERS.normal(0, part * spread, 1024)) / 1024) == bits))
        for part in (1, 2 / 3)
    ]
    whole, thirds = (BreachRate(each, 1024, 0.9999) for each in right)

    assert whole.low <= most_guessed(plan) < thirds.low


def test_one_person_changed_is_twice_what_a_bit_moves():
    """So noise for it is twice what hides a bit, and less is found than allowed."""
    plan = tacit.Central(5.0, 1e-6, Relation.REPLACE_ONE).plan(ATTACK.question)

    assert ATTACK.expected(plan) < most_guessed(plan) - 0.05


@pytest.mark.parametrize("people", [0, 2, 100, 8192, True, "256", math.nan])
def test_other_numbers_of_people_are_refused(people):
    """There is a matrix for powers of two."""
    with pytest.raises(ValueError, match="power of two from 4 to 4,096"):
        SecretBits(people)
