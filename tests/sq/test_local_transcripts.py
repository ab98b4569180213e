"""Reports of several rounds: the transcript's own epsilon, refusals, and the same by queries."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from device.test_report_law import ORACLES
from tacit.device.categories import OnCategory
from tacit.device.report_law import law_of
from tacit.sq.local_transcripts import LocalTranscript, epsilon_of
from tacit.sq.simulated_reports import ReportQueries


def response(epsilon: float, records: int = 3) -> np.ndarray:
    """Randomised response."""
    other = 1 / (math.exp(epsilon) + records - 1)
    return np.where(np.eye(records) > 0, math.exp(epsilon) * other, other)


def of_one(record: int, epsilon: float) -> np.ndarray:
    """Whether the record is this one, by one bit."""
    own = (np.arange(3) == record) + 0.0
    high = 1 / (1 + math.exp(-epsilon))
    return np.column_stack([1 - own, own]) * (2 * high - 1) + (1 - high)


def adaptive(said: tuple[int, ...]) -> np.ndarray:
    """First any of three; then whether it was really what was said, twice as loud if it was 0."""
    return response(0.5) if not said else of_one(said[0], 1.0 if said[0] == 0 else 0.5)


TWICE = LocalTranscript(2, lambda said: response(0.5))
ADAPTIVE = LocalTranscript(2, adaptive)
SHARES = np.array([0.5, 0.2, 0.3])


def test_a_transcript_has_the_sum_of_its_rounds():
    """Of one law twice exactly; of laws that follow from reports, that of the loudest reached."""
    assert TWICE.epsilon == pytest.approx(1.0) and TWICE.round_epsilons == pytest.approx((0.5, 0.5))
    assert ADAPTIVE.round_epsilons == pytest.approx((0.5, 1.0))
    assert 1.0 < ADAPTIVE.epsilon <= 1.5 + 1e-12
    assert ADAPTIVE.epsilon == pytest.approx(1.5)
    # A round alone is not what is promised.
    assert max(ADAPTIVE.round_epsilons) < ADAPTIVE.epsilon


@pytest.mark.parametrize("made", [TWICE, ADAPTIVE])
def test_transcripts_chances_add_up_to_one(made):
    """For every record."""
    np.testing.assert_allclose(sum(made.law.values()), 1.0)


def test_a_state_without_a_bound_is_refused():
    """Though nobody goes there on the way that is thought of, and though its round is the last."""

    def leaking(said: tuple[int, ...]) -> np.ndarray:
        return np.eye(3) if said[:1] == (2,) and len(said) == 2 else response(0.1)

    with pytest.raises(ValueError, match=r"after the reports \(2, 0\) one is possible for some"):
        LocalTranscript(3, leaking)
    assert LocalTranscript(2, leaking).epsilon == pytest.approx(0.2)


@pytest.mark.parametrize("made", [TWICE, ADAPTIVE])
def test_queries_make_the_populations_transcripts(made):
    """Chi-square of 6,000, which those of the first record are beyond; and within 3 deviations of
    what they take."""
    numbers, runs = np.random.default_rng(3), 6_000
    drawn = [made.simulated(lambda q: float(SHARES @ q), numbers, 10**6) for _ in range(runs)]
    places = {said: place for place, said in enumerate(made.law)}
    seen = np.bincount([places[said] for said, _ in drawn], minlength=len(places))
    chances = np.array([SHARES @ own for own in made.law.values()])
    first = np.array([own[0] for own in made.law.values()])
    asked = np.array([tries for _, tries in drawn])

    assert chisquare(seen, runs * chances).pvalue > 1e-4
    assert chisquare(seen, runs * first).pvalue < 1e-6
    assert asked.mean() < made.mean_queries + 3 * asked.std() / math.sqrt(runs)


def test_one_law_twice_takes_two_m_and_one():
    """Exactly, on average: M for the first report, M and one for the second."""
    own = ReportQueries(response(0.5)).mean_queries
    numbers, runs = np.random.default_rng(4), 4_000
    asked = [TWICE.simulated(lambda q: float(SHARES @ q), numbers, 10**6)[1] for _ in range(runs)]

    assert TWICE.mean_queries == pytest.approx(2 * own + 1)
    spread = math.sqrt(2 * own * (own - 1) / runs)
    assert abs(np.mean(asked) - TWICE.mean_queries) < 3 * spread


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: type(oracle).__name__)
def test_two_reports_of_every_mechanism_take_two_m_and_one(oracle):
    """Within 3 deviations, of all whose reports are finitely many; they promise twice as much."""
    law, runs = law_of(OnCategory(oracle)), 400
    made, numbers = LocalTranscript(2, lambda said: law), np.random.default_rng(7)
    shares, own = np.random.default_rng(0).dirichlet(np.ones(len(law))), ReportQueries(law)
    asked = [made.simulated(lambda q: float(shares @ q), numbers, 10**6)[1] for _ in range(runs)]
    spread = math.sqrt(2 * own.mean_queries * (own.mean_queries - 1) / runs)

    assert made.mean_queries == pytest.approx(2 * own.mean_queries + 1)
    assert abs(np.mean(asked) - made.mean_queries) < 3 * spread
    assert made.epsilon == pytest.approx(2 * oracle.epsilon, rel=1e-2)


@pytest.mark.parametrize("tolerance", [0.01, 0.1])
@pytest.mark.parametrize("made", [TWICE, ADAPTIVE])
def test_wrong_answers_move_transcripts_no_further_than_is_said(made, tolerance):
    """By every pattern of signs in the first round, and in the second after each first report; and
    more than a tenth of it."""
    first = made.next_law(())
    worst = _worst(np.ones(3), first, tolerance, exact=True)
    for report in range(first.shape[1]):
        past = first[:, report] / first[:, report].max()
        worst = max(worst, _worst(past, made.next_law((report,)), tolerance, exact=False))
    bound = made.distance(tolerance)

    assert bound / 10 < worst <= bound < 1
    assert made.distance(2.0) == 1.0


def test_wrong_answers_count_by_what_was_said_before():
    """M t/2 of the first report; of one after epsilons that sum up to e, M t/(e^-e - t/2); all, if
    the tolerance is as large as the share of those who would have said so."""
    thrice, m = LocalTranscript(3, lambda said: response(0.5)), ReportQueries(response(0.5))
    each = [1 / 2, *(1 / (math.exp(-past) - 0.005) for past in (0.5, 1.0))]

    assert thrice.distance(0.01) == pytest.approx(0.01 * m.mean_queries * sum(each), rel=1e-9)
    assert LocalTranscript(2, lambda said: response(8.0)).distance(0.002) == 1.0


def _worst(past: np.ndarray, law: np.ndarray, tolerance: float, exact: bool) -> float:
    """The largest distance of a report's law after this past, over all signs of errors."""
    view, base = ReportQueries(law), SHARES @ past
    shares = np.array([SHARES @ (past * (view.query(y) + 1) / 2) for y in range(law.shape[1])])
    truth, worst = SHARES @ (past[:, None] * law) / base, 0.0
    for signs in product((-0.5, 0.5), repeat=len(shares) + 1):
        below = base if exact else base + tolerance * signs[-1]
        kept = view.reference * np.clip((shares + tolerance * np.array(signs[:-1])) / below, 0, 1)
        worst = max(worst, np.abs(kept / kept.sum() - truth).sum() / 2)
    return worst


def test_who_is_never_kept_says_nothing():
    """After as many tries as there may be."""
    assert (None, 5) == TWICE.simulated(lambda q: -1.0, np.random.default_rng(0), 5)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: LocalTranscript(0, lambda said: response(1.0)), "rounds must be a positive whole"),
        (lambda: LocalTranscript(2, lambda said: response(1.0, 3 + len(said))), "same records"),
        (lambda: LocalTranscript(1, lambda said: np.ones((2, 2))), "a law must have"),
        (
            lambda: LocalTranscript(2, lambda said: np.full((2, 2048), 2.0**-11)),
            r"at most 2\^20 transcripts",
        ),
    ],
)
def test_what_is_no_protocol_is_refused(made, said):
    """With what is allowed."""
    with pytest.raises(ValueError, match=said):
        made()
    assert math.inf == epsilon_of(np.eye(2))


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_chances_whose_product_is_no_float_have_their_epsilon(order):
    """1e-170 twice is zero in floats; its ratio is eight times eight all the same."""
    law = np.array([[1 - 1e-170, 1e-170], [1 - 8e-170, 8e-170]])[:, order]
    whole = LocalTranscript(2, lambda said: law)

    assert whole.epsilon == pytest.approx(2 * math.log(8), rel=1e-9)
    assert whole.epsilon >= 2 * math.log(8)
