"""One person's bit: what a promise allows, and what the best guess finds."""

import math

from scipy.stats import norm

import tacit
from tacit.attacks.one_bit import most_guessed
from tacit.attacks.secret_bits import SecretBits

ATTACK = SecretBits(256)


def test_a_pure_promise_allows_no_more_than_randomised_response():
    """e^epsilon/(1 + e^epsilon)."""
    allowed = most_guessed(tacit.Central(1.0, 0.0).plan(ATTACK.question))

    assert 0.5 < allowed <= math.e / (1 + math.e) + 1e-9


def test_of_a_rare_value_a_promise_allows_what_the_best_guess_finds():
    """Gaussian noise: the likelier of two normal laws, weighed by the chances; nobody's secret is
    known before all is."""
    plan, rare = tacit.Central(1.0, 1e-6).plan(ATTACK.question), 0.1
    spread = (plan.server.facts.noise or math.nan) / math.sqrt(256)
    cut = 0.5 + spread**2 * math.log((1 - rare) / rare)
    best = rare * norm.sf((cut - 1) / spread) + (1 - rare) * norm.cdf(cut / spread)

    assert 0 <= most_guessed(plan, rare) - best < 1e-3
    assert most_guessed(plan, 0.0) == 1.0
    assert most_guessed(plan, 0.5) == most_guessed(plan) < 0.55
