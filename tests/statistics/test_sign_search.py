"""Searching by signs: what is asked next, from all answers; and the error that is predicted."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from tacit.statistics.sign_search import Searched, SignRounds, SignSearch

OWN = math.e / (1 + math.e)
ROUNDS = SignRounds(10.0, 300.0, 6, OWN, 1 - OWN)


def told(plan: SignRounds, shares: list[float]) -> Searched:
    """The state after these shares of people were said to be above."""
    learner = SignSearch.of(plan)
    state = learner.init()
    for share in shares:
        state = learner.tell(state, jnp.array([1 - share, share]))
    return state


def exact(plan: SignRounds, asked: np.ndarray, shares: list[float]) -> tuple[float, float]:
    """Mean and deviation of m by the definition, in 64 bits on a fine line."""
    line = np.linspace(-plan.radius, plan.radius, 400_001)
    logarithm = np.zeros_like(line)
    for point, share in zip(asked, shares, strict=True):
        q = plan.other + (plan.own - plan.other) * stats.norm.cdf(line - point)
        f = min(max(plan.other + (plan.own - plan.other) * share, 0.0), 1.0)
        logarithm += plan.people * (f * np.log(q) + (1 - f) * np.log1p(-q))
    weights = np.exp(logarithm - logarithm.max())
    weights /= weights.sum()
    mean = float(weights @ line)
    return mean, math.sqrt(float(weights @ (line - mean) ** 2))


@pytest.mark.parametrize(
    "people, shares",
    [
        (300.0, [1.02]),
        (300.0, [0.97, 0.4, 0.55]),
        (300.0, [-0.1, 1.3, 0.5, 0.2, 0.6, 0.45]),
        (4.0, [1.6, -0.6, 0.9, 1.1, 0.0, 0.5]),
        (1e7, [0.9999, 0.8, 0.5, 0.4995]),
    ],
)
def test_the_next_point_is_the_mean_of_all_that_is_known(people, shares):
    """To a fiftieth of its deviation, whatever was answered, of a few people and of millions; and
    rounds to come tell nothing."""
    plan = SignRounds(10.0, people, 6, OWN, 1 - OWN)
    state = told(plan, shares)
    mean, deviation = exact(plan, np.asarray(state.asked)[: len(shares)], shares)

    assert abs(float(state.centre) - mean) <= 0.02 * deviation + 2e-6
    assert int(state.rounds) == len(shares)


def test_a_point_far_away_halves_what_is_possible():
    """All of people above the middle: the mean is about the middle of that half."""
    assert 5.0 < float(told(ROUNDS, [1.0]).centre) < 6.5
    assert -6.5 < float(told(ROUNDS, [0.0]).centre) < -5.0


def test_an_estimate_is_within_the_radius():
    """Whatever is answered, without end: all above, or more than all."""
    for share in (1.0, 9.0, -9.0):
        assert 9.0 < abs(float(told(ROUNDS, [share] * 6).centre)) <= 10.0


def test_who_is_above_says_so():
    """Beyond the point; on it, and without a number, nobody is."""
    learner = SignSearch.of(ROUNDS)
    state = learner.init()._replace(centre=jnp.asarray(2.0))
    numbers = [2.0 + 1e-6, 2.0, -3.0, np.nan, np.inf, -np.inf]

    assert [int(learner.ask(state, jnp.asarray(x))) for x in numbers] == [1, 0, 0, 0, 1, 0]


def test_one_report_tells_at_most_what_the_theorem_says():
    """(2/pi) ((e - 1)/(e + 1))² of the mean, at the mean; `least` is of all reports."""
    each = 2 / math.pi * math.tanh(0.5) ** 2

    assert ROUNDS.least == pytest.approx(1 / math.sqrt(1_800 * each), rel=1e-9)


def test_a_prediction_near_the_mean_is_that_of_information():
    """Within a hundredth of the deviation every report tells all it can."""
    near = SignRounds(0.01, 1e6, 4, OWN, 1 - OWN)
    known = 3 / 0.01**2 + 1 / near.least**2

    assert near.rmse == pytest.approx(1 / math.sqrt(known), rel=1e-3)


@pytest.mark.parametrize("variance", [1e-6, 0.3, 20.0, 3e7])
@pytest.mark.parametrize("own, other", [(OWN, 1 - OWN), (1.0, 1e-6)])
def test_what_a_report_tells_is_averaged_near_and_far(variance, own, other):
    """As adaptive quadrature has it, over where the mean may be, within a hundredth."""
    rounds, spread = SignRounds(10.0, 300.0, 6, own, other), math.sqrt(variance)

    def told(away):
        return float(rounds._told(np.array(away))) * stats.norm.pdf(away, scale=spread)

    ends = 9 * min(1.0, spread)
    exact = quad(told, -ends, ends, epsabs=0, epsrel=1e-6, limit=200)[0]
    assert rounds._information(variance) == pytest.approx(exact, rel=0.01)


def test_the_farthest_radius_is_halved_too():
    """Of 10,000 deviations: thirteen rounds of 32, and not as if nothing were ever told."""
    far = SignRounds(1e4, 1e4, 32, OWN, 1 - OWN)

    assert 1.2 * far.least < far.rmse < 1.5 * far.least


def test_the_prediction_counts_the_rounds_of_halving():
    """A radius sixteen times as large costs four rounds more of sixty-four: 3 per cent of the
    error."""
    near, far = (SignRounds(radius, 1e4, 64, OWN, 1 - OWN).rmse for radius in (16.0, 256.0))

    assert far / near == pytest.approx(math.sqrt(60 / 56), abs=0.012)
    quiet, loud = (SignRounds(256.0, people, 64, OWN, 1 - OWN) for people in (1e4, 5.0))
    assert loud.rmse / loud.least > quiet.rmse / quiet.least
