"""The covariance of a normal distribution: its error, its promise, people it was not made for."""

import numpy as np
import pytest

import tacit
from tacit.statistics import FoundCovariance, NormalCovariance, ladder

REPLACE = tacit.Relation.REPLACE_ONE
CURATOR = tacit.Central(1.0, 1e-6, REPLACE)
ASKED = NormalCovariance(4, (1.0, 30.0), CURATOR, 3_000)
SHAPE = np.array([900.0, 30.0, 1.0, 1.0])
TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]


def answered(asked: NormalCovariance, rows: np.ndarray, folder, seed: int) -> FoundCovariance:
    book = tacit.Ledger(folder / f"{seed}.db")
    if asked.plan.private:
        book.limit_for("people", asked.plan)
    return asked.of(rows, book, "people", seed=seed)


def people(seed: int) -> np.ndarray:
    """Long in one direction, short in two, and turned."""
    return np.random.default_rng(seed).normal(size=(3_000, 4)) * np.sqrt(SHAPE) @ TURN.T


def distance(found: FoundCovariance) -> float:
    """In the distribution's own units."""
    back = TURN.T @ found.covariance @ TURN / np.sqrt(np.outer(SHAPE, SHAPE))
    return float(np.linalg.norm(back - np.eye(4)))


def test_the_covariance_is_found_with_the_predicted_error(tmp_path):
    """Twelve sets of 10 numbers: a chi-square's mean; as if bounds were known it is 100 times as
    far."""
    squares = [distance(answered(ASKED, people(seed), tmp_path, seed)) ** 2 for seed in range(12)]

    # 120 squares: their mean's root is within 27% but for a chance of 1e-4.
    assert 0.73 <= np.sqrt(np.mean(squares)) / ASKED.rmse <= 1.27
    assert ASKED.rmse <= 0.13


@pytest.fixture
def few_ladders(monkeypatch):
    """Not all are tried: what holds is of any. Those that were found are kept, of other people."""
    monkeypatch.setattr(ladder, "LEVELS", ladder.LEVELS[:2])
    monkeypatch.setattr(ladder, "BETWEEN", ladder.BETWEEN[:2])


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_the_promise_is_one_release_of_the_whole(few_ladders, delta):
    """Pure without a delta; whatever shares its rounds have."""
    trust = tacit.Central(1.0, delta, REPLACE)
    asked = NormalCovariance(4, (1.0, 30.0), trust, 2_999)
    (promise,) = asked.plan.guarantees
    noise = asked.plan.server.rounds[0].mechanism

    assert promise.epsilon <= 1.0 and promise.delta <= max(trust.delta, 1e-15)
    assert len(asked.ladder.shares) > 1
    assert (type(noise).__name__ == "WishartDifference") is (delta == 0.0)


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_what_is_played_has_the_noise_of_the_plan(few_ladders, delta):
    """On the diagonal, round by round."""
    asked = NormalCovariance(4, (1.0, 30.0), tacit.Central(1.0, delta, REPLACE), 2_999)
    played = asked.ladder.noise.at(asked.ladder.shares)

    assert played == pytest.approx(asked.plan.server.deviations, rel=1e-3)


def test_without_privacy_it_is_near_that_of_the_rows(tmp_path):
    """What is left is the clipping's own price."""
    rows = people(20)
    found = answered(NormalCovariance(4, (1.0, 30.0), tacit.NonPrivate(), 3_000), rows, tmp_path, 0)
    exact = np.linalg.inv(np.linalg.cholesky(rows.T @ rows / len(rows)))

    assert np.linalg.norm(exact @ found.covariance @ exact.T - np.eye(4)) <= 0.06


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30, 1e300])
def test_broken_rows_move_the_answer_by_no_more_than_any(tmp_path, bad):
    """Ten of them count as zero or as the longest there are, and everybody else is answered."""
    rows = people(5)
    rows[:10] = bad

    assert distance(answered(ASKED, rows, tmp_path, 1)) <= 4 * ASKED.rmse


@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_a_unit_of_length_does_not_matter_to_a_covariance(tmp_path, unit):
    """Though squares in it are beyond float32."""
    asked = NormalCovariance(4, (unit, 30 * unit), CURATOR, 3_000)
    found = answered(asked, unit * people(3), tmp_path, 3).covariance / unit**2
    (tmp_path / "same").mkdir()
    same = answered(ASKED, people(3), tmp_path / "same", 3).covariance

    assert asked.rmse == pytest.approx(ASKED.rmse, rel=1e-3)
    np.testing.assert_allclose(found, same, rtol=1e-2, atol=0.1)


@pytest.mark.parametrize("rows", [np.zeros((0, 4)), np.zeros((3_000, 4)), np.full((3_000, 4), 1e6)])
def test_people_it_was_not_made_for_are_answered_with_finite_numbers(tmp_path, rows):
    """Nobody, no length at all, and all far beyond: at the same price, and no negative variance."""
    secret = NormalCovariance(4, (1.0, 30.0), tacit.Central(1.0, 1e-6), 3_000)
    found = answered(secret, rows, tmp_path, 2).covariance
    lengths = np.linalg.eigvalsh(found)

    assert np.isfinite(found).all() and lengths[0] >= -1e-6 * lengths[-1]


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"dim": 0}, "dim must be a whole number of at least 1, got 0"),
        ({"deviations": (0.0, 1.0)}, "deviations must be .least, most., positive"),
        ({"deviations": (2.0, 0.3)}, r"deviations must be .*got \(2, 0\.3\)$"),
        ({"deviations": (1.0, 1e4)}, "at most 1,000 times the least"),
        ({"deviations": (1.0, np.nan)}, "deviations must be"),
        ({"deviations": (1e-200, 1e-199)}, "finite as their squares are"),
        ({"deviations": (1e199, 1e200)}, "finite as their squares are"),
        ({"deviations": 3.0}, "deviations must be"),
        ({"people": 0}, "at least one person"),
        ({"trust": 1.0}, "trust must be Central"),
        ({"trust": tacit.Local(1.0)}, "asked of a curator"),
        ({"trust": tacit.Shuffled(1.0, 1e-6)}, "asked of a curator"),
    ],
)
def test_what_is_no_covariance_to_ask_is_refused(changed, sentence):
    """In a sentence, before anything is planned."""
    given = {"dim": 4, "deviations": (1.0, 2.0), "trust": CURATOR, "people": 10}
    with pytest.raises(ValueError, match=sentence):
        NormalCovariance(**{**given, **changed})


def test_rows_of_other_columns_are_refused_and_cost_nothing_of_a_covariance(tmp_path):
    """The sentence says how many were declared."""
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit_for("people", ASKED.plan)
    with pytest.raises(ValueError, match="rows must have 4 columns, as was declared, got 3"):
        ASKED.of(np.zeros((5, 3)), book, "people")

    assert [] == book.history("people")


def test_it_prints_deviations_and_how_far_it_is_off(tmp_path):
    """In words; and what was run is there to be checked."""
    found = answered(ASKED, people(0), tmp_path, 9)

    assert "deviation" in repr(found) and "in its own units" in repr(found)
    assert found.receipt()["plan"]["question"]["type"] == "Uneven"
    assert found.plan is found.release.plan


@pytest.mark.parametrize("people", [1, 50])
@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-6), tacit.Central(0.1, 0.0)])
@pytest.mark.parametrize("dim, deviations", [(1, (1e-3, 1.0)), (5, (1.0, 30.0))])
def test_few_people_and_a_small_epsilon_have_a_plan(few_ladders, people, trust, dim, deviations):
    """A finite error is foreseen, however large, and the promise is kept."""
    asked = NormalCovariance(dim, deviations, trust, people)
    (promise,) = asked.plan.guarantees

    assert promise.epsilon <= trust.epsilon and promise.delta <= max(trust.delta, 1e-15)
    assert 0 < asked.rmse < np.inf
