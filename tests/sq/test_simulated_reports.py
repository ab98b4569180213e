"""Local reports by statistical queries: their law, how many they take, and by wrong answers."""

import math
from itertools import product

import numpy as np
import pytest

import tacit
from device.test_number_law import SCALARS
from device.test_report_law import ORACLES
from tacit.device.categories import OnCategory
from tacit.device.vectors import OnNumber
from tacit.mechanisms.frequency.hadamard_response import HadamardResponse
from tacit.mechanisms.frequency.randomised_response import RandomisedResponse
from tacit.sq.simulated_reports import ReportQueries, as_statistical_queries


def viewed(oracle) -> ReportQueries:
    return as_statistical_queries(OnCategory(oracle))


def people_of(view: ReportQueries, seed: int = 0) -> np.ndarray:
    """Some shares of the records."""
    return np.random.default_rng(seed).dirichlet(np.ones(len(view.law)))


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: type(oracle).__name__)
def test_a_report_takes_m_queries_and_has_the_peoples_law(oracle):
    """Of every finite mechanism: within 3 deviations of M, and exactly p by enumeration."""
    view, runs = viewed(oracle), 2_000
    shares, numbers = people_of(view), np.random.default_rng(5)
    tries = [view.simulated(lambda q: float(shares @ q), numbers, 10**6)[1] for _ in range(runs)]
    answers = np.array([shares @ view.query(z) for z in range(view.law.shape[1])])
    kept = view.reference * [view.accepted(answer) for answer in answers]
    spread = math.sqrt(view.mean_queries * (view.mean_queries - 1) / runs)

    assert abs(np.mean(tries) - view.mean_queries) < 3 * spread
    assert kept.sum() == pytest.approx(1 / view.mean_queries)
    np.testing.assert_allclose(kept / kept.sum(), shares @ view.law, atol=1e-12)
    assert view.mean_queries <= math.exp(oracle.epsilon)


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: type(scalar).__name__)
def test_a_report_of_a_number_takes_m_queries_too(scalar):
    """Of every mechanism for numbers: within 3 deviations of M, by people at its grid's points."""
    view, runs = as_statistical_queries(OnNumber(-1.0, scalar)), 2_000
    shares, numbers = people_of(view), np.random.default_rng(6)
    tries = [view.simulated(lambda q: float(shares @ q), numbers, 10**6)[1] for _ in range(runs)]
    spread = math.sqrt(view.mean_queries * (view.mean_queries - 1) / runs)

    assert abs(np.mean(tries) - view.mean_queries) < 3 * spread
    assert 1 < view.mean_queries <= math.exp(scalar.epsilon)


@pytest.mark.parametrize(
    ("oracle", "queries"),
    [
        (RandomisedResponse(1.0, 2), 2 * math.e / (1 + math.e)),
        (HadamardResponse(1.0, 4), 2 * math.e / (1 + math.e)),
        (RandomisedResponse(1.0, 4), 4 * math.e / (math.e + 3)),
        (RandomisedResponse(3.0, 16), 16 * math.e**3 / (math.e**3 + 15)),
    ],
)
def test_m_is_far_below_the_usual_exponential(oracle, queries):
    """Its closed forms; two-valued reports cost fewer than two queries at any epsilon."""
    assert viewed(oracle).mean_queries == pytest.approx(queries, rel=1e-9)
    assert viewed(RandomisedResponse(30.0, 2)).mean_queries < 2


@pytest.mark.parametrize("oracle", [RandomisedResponse(1.0, 4), HadamardResponse(2.0, 4)])
@pytest.mark.parametrize("tolerance", [0.01, 0.2])
def test_wrong_answers_move_the_law_by_half_m_t_at_most(oracle, tolerance):
    """Whatever their signs: all are enumerated, and the worst is more than a third of that."""
    view = viewed(oracle)
    shares = people_of(view)
    truth, worst = shares @ view.law, 0.0
    answers = np.array([shares @ view.query(z) for z in range(len(truth))])
    for signs in product((-1, 1), repeat=len(truth)):
        moved = answers + tolerance * np.array(signs)
        kept = view.reference * [view.accepted(answer) for answer in moved]
        worst = max(worst, np.abs(kept / kept.sum() - truth).sum() / 2)

    bound = view.mean_queries * tolerance / 2
    assert bound / 3 < worst <= bound


def test_a_query_that_is_not_normalised_is_lost():
    """As it is printed at times, phi = R(x)(z): the same tolerance destroys the law."""
    view, tolerance = viewed(RandomisedResponse(1.0, 64)), 0.02
    shares = people_of(view)
    truth = shares @ view.law
    signs = np.where(np.arange(64) % 2, 1, -1)
    raw = np.clip(truth + tolerance * signs, 0, 1)
    normal = [shares @ view.query(z) for z in range(64)] + tolerance * signs
    ours = view.reference * [view.accepted(answer) for answer in normal]

    assert np.abs(raw / raw.sum() - truth).sum() / 2 > 0.3
    assert np.abs(ours / ours.sum() - truth).sum() / 2 <= view.mean_queries * tolerance / 2


@pytest.mark.parametrize("tolerance", [1e-4, 0.4])
def test_tries_are_enough_for_all_reports(tolerance):
    """The chance that any of the tries is lost, exactly, is below what was asked."""
    view, people, failure = viewed(RandomisedResponse(1.0, 4)), 1_000, 0.05
    most = view.tries_for(people, failure, tolerance)
    least = 1 / view.mean_queries - tolerance / 2

    assert people * (1 - least) ** most <= failure < people * (1 - least) ** (most // 2)


def test_a_tolerance_makes_all_reports_right_but_for_a_chance():
    """Each is M t/2 off its law; and who is never accepted says nothing."""
    view, people, failure = viewed(RandomisedResponse(1.0, 4)), 1_000, 0.05
    tolerance = view.tolerance_for(people, failure)

    assert people * view.mean_queries * tolerance / 2 == pytest.approx(failure)
    assert (None, 3) == view.simulated(lambda q: -1.0, np.random.default_rng(0), 3)


def test_a_plans_device_is_viewed():
    """That of a histogram under the local model."""
    asked = tacit.Mean(tacit.OneHot(4), tacit.Everyone(), 1, 100)
    view = as_statistical_queries(tacit.Local(1.0).plan(asked).device)

    assert 4 == len(view.law) and 1 < view.mean_queries < math.e


@pytest.mark.parametrize("law", [[[0.5, 0.4]], [[1.5, -0.5]], [[1.0, 0.0]]])
def test_what_is_no_law_is_refused(law):
    """In one sentence."""
    with pytest.raises(ValueError, match="a law must have"):
        ReportQueries(np.array(law))


def test_what_is_not_of_its_kind_is_refused():
    """Too wrong an oracle, too."""
    view = viewed(RandomisedResponse(1.0, 2))
    for asked in ((0, 0.1, 0.1), (3, 1.0, 0.1), (3, 0.1, 0.0), (3, 0.1, 1.5)):
        with pytest.raises(ValueError, match="must"):
            view.tries_for(*asked)
