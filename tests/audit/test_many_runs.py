"""Many runs on neighbours: who breaks a promise is convicted, who keeps it hardly ever."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import tacit
from tacit.audit import EpsilonDelta, PlanPromise, by_runs, neighbours
from tacit.audit.many_runs import verdict_of

SEEDS, PEOPLE = 400, neighbours(20)
# Convictions of 400 of whom each is convicted with 5%: more have a chance of a millionth.
MOST = binom.isf(1e-6, SEEDS, 0.05)
PLAN = tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 20))


def total(data, seed, scale=1.0, most=1.0):
    """Of numbers between 0 and 1, with Laplace noise for an epsilon of one."""
    return np.minimum(data, most).sum() + np.random.default_rng(seed).laplace(scale=scale)


def convicted(drawn, promise, seeds=SEEDS) -> int:
    """How many of these are said to break a promise; `drawn` makes both outputs of a generator."""
    found = (verdict_of(drawn(np.random.default_rng(i)), promise, 0.95, "") for i in range(seeds))
    return sum(each.broken for each in found)


@pytest.mark.parametrize(
    ("what", "function", "least"),
    [
        ("two-thirds of the noise", lambda d, s: total(d, s, scale=2 / 3), 1.2),
        ("no clip", lambda d, s: total(d, s, most=np.inf), 2.0),
        ("no noise", lambda d, s: np.minimum(d, 1).sum(), 5.0),
        ("who is there, beside noise", lambda d, s: [total(d, s), len(d)], 4.0),
        ("a share of many, beside noise", lambda d, s: [total(d, s), len(d) / 16_000], 4.0),
        ("the same of large noise", lambda d, s: [1e200 * total(d, s), len(d)], 4.0),
        ("one in 2^60, of whole numbers", lambda d, s: [2**60 + len(d), s % 5], 4.0),
        ("of numbers near the largest", lambda d, s: 1.7e308 * (len(d) - 20.5), 4.0),
    ],
)
def test_planted_bugs_are_convicted(what, function, least):
    """By an epsilon that they have, and the promise does not."""
    found = by_runs(function, PEOPLE, EpsilonDelta(1.0), runs=3_000)

    assert found.broken and found.epsilon > least, what
    assert str(found).startswith("breaks the promise of epsilon = 1, delta = 0: at least epsilon =")


def test_who_keeps_the_promise_is_shown_to_be_near_it():
    """And consistent."""
    found = by_runs(total, PEOPLE, EpsilonDelta(1.0), runs=3_000)

    assert not found.broken and 0.7 < found.epsilon < 1.0
    assert str(found).startswith("consistent with the promise of epsilon = 1, delta = 0: at least")


@pytest.mark.parametrize(
    "drawn",
    [
        lambda rng: [rng.laplace(shift, size=(200, 1)) for shift in (1.0, 0.0)],
        lambda rng: [(rng.random((200, 1)) < chance) * 1.0 for chance in (0.731, 0.269)],
        lambda rng: [rng.laplace(shift / 10, size=(200, 10)) for shift in (1.0, 0.0)],
    ],
    ids=["Laplace", "randomised response", "ten numbers"],
)
def test_who_keeps_a_promise_exactly_is_convicted_as_seldom_as_was_said(drawn):
    """An exact binomial test over seeds; nobody sees more than two halves of 200 runs."""
    assert convicted(drawn, EpsilonDelta(1.0)) <= MOST


def test_noise_that_says_nothing_is_not_made_to():
    """Of a quarter of the runs, of 150 numbers each, a direction is chosen in which they differ by
    luck; in other runs they do not, and a promise of zero is kept."""

    def drawn(rng):
        return [rng.normal(size=(200, 150)) for _ in range(2)]

    assert convicted(drawn, EpsilonDelta(0.0)) <= MOST


def test_outputs_without_noise_show_the_most_that_so_many_runs_can():
    """Half of a hundred runs, with limits at half of 5% each."""
    found = by_runs(lambda d, s: len(d), PEOPLE, EpsilonDelta(1.0), runs=100)
    low = 0.025 ** (1 / 50)

    assert found.epsilon == pytest.approx(math.log(low / (1 - low)))


def gaussian(part):
    """Outputs of so much of the noise that the plan has."""
    spread = part * (PLAN.server.facts.noise or math.nan)
    return lambda rng: [rng.normal(shift, spread, (20_000, 1)) for shift in (1.0, 0.0)]


def test_two_thirds_of_a_plan_s_noise_break_its_curve():
    """No epsilon at its delta is shown by so few runs, and its curve is refuted in nearly all."""
    promise, pair = PlanPromise(PLAN), EpsilonDelta(1.0, 1e-6)

    assert convicted(gaussian(2 / 3), promise, 10) >= 9
    assert convicted(gaussian(2 / 3), pair, 10) == 0


def test_a_plan_s_whole_noise_breaks_its_curve_as_seldom_as_was_said():
    """So it is two thirds that the curve refutes."""
    assert convicted(gaussian(1.0), PlanPromise(PLAN), 30) <= binom.isf(1e-6, 30, 0.05)


def test_a_curve_that_is_broken_is_said_to_be():
    """Where the epsilon that is shown is none."""
    found = verdict_of(gaussian(0.4)(np.random.default_rng(0)), PlanPromise(PLAN), 0.95, "so many")

    assert "it allows less to be told apart, with 95% confidence (so many)" in str(found)


@pytest.mark.parametrize(
    ("function", "terms", "said"),
    [
        (total, {"runs": 7}, "runs must be a whole number from 8"),
        (total, {"confidence": 1.0}, "confidence must be"),
        (total, {"seed": -1}, "seed must be"),
        (lambda d, s: math.nan, {}, "must answer finite numbers"),
        (lambda d, s: [0.0] * len(d), {"runs": 8}, "as many in every run"),
        (lambda d, s: "12", {"runs": 8}, "must answer finite numbers"),
        (lambda d, s: [[1.0], [1.0, 2.0]], {"runs": 8}, "must answer finite numbers"),
        (lambda d, s: 1j, {"runs": 8}, "must answer finite numbers"),
        (lambda d, s: None, {"runs": 8}, "must answer finite numbers"),
    ],
)
def test_what_cannot_be_audited_is_refused(function, terms, said):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=said):
        by_runs(function, PEOPLE, EpsilonDelta(1.0), **terms)


def test_who_writes_into_the_data_is_judged_by_the_data():
    """Each run starts from the same ones: in twelve audits none is convicted, where runs that go on
    from one another are."""

    def total(data, seed):
        data[0] += np.random.default_rng(seed).laplace()
        return data.sum()

    people = neighbours(20, beyond=0.0)
    found = [by_runs(total, people, EpsilonDelta(1.0), runs=100, seed=seed) for seed in range(12)]

    assert not any(each.broken for each in found) and np.all(people.one[:20] == 0.0)


@pytest.mark.parametrize(
    ("function", "data", "promise", "said"),
    [
        (3, PEOPLE, EpsilonDelta(1.0), "must be a function of data and a seed, got 3"),
        (total, PEOPLE, 1.0, "promise must be an EpsilonDelta or a PlanPromise, got 1.0"),
        (total, PEOPLE, EpsilonDelta, "promise must be an EpsilonDelta or a PlanPromise"),
        (total, PEOPLE.one, EpsilonDelta(1.0), "data must be two neighbouring data sets"),
    ],
)
def test_what_is_no_audit_is_refused(function, data, promise, said):
    """Before anything is run."""
    with pytest.raises(ValueError, match=said):
        by_runs(function, data, promise)
