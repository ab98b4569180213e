"""The mean of a normal distribution: its error, its promise, and people it was not made for."""

import numpy as np
import pytest

import tacit
from tacit.statistics.gaussian_mean import GaussianMean
from tacit.statistics.remarks import MISSING_THERE

REPLACE = tacit.Relation.REPLACE_ONE
ASKED = GaussianMean(20, 20.0, 0.5, tacit.Central(1.0, 1e-6, REPLACE), 2_000)


def answered(asked: GaussianMean, rows: np.ndarray, folder, seed: int) -> tacit.statistics.Answer:
    book = tacit.Ledger(folder / f"{seed}.db")
    if asked.plan.private:
        book.limit_for("people", asked.plan)
    return asked.of(rows, book, "people", seed=seed)


def people(seed: int, length: float = 20.0, many: int = 2_000) -> tuple[np.ndarray, np.ndarray]:
    """Their mean, and their rows."""
    drawn = np.random.default_rng(seed)
    way = drawn.normal(size=20)
    mean = length * way / np.linalg.norm(way)
    return mean, mean + ASKED.spread * drawn.normal(size=(many, 20))


def test_the_mean_is_found_with_the_predicted_error(tmp_path):
    """Twelve sets of 20 numbers: a chi-square's sum; one wide round alone is 5 times as far."""
    squares = []
    for seed in range(12):
        mean, rows = people(seed)
        squares.append(np.sum((answered(ASKED, rows, tmp_path, seed).estimate - mean) ** 2))
    found = np.sqrt(np.mean(squares))

    # 240 squares: their mean's root is within 20% but for a chance of 1e-4.
    assert 0.8 <= found / ASKED.rmse <= 1.2
    alone = tacit.Central(1.0, 1e-6, REPLACE).plan(
        tacit.Mean(tacit.Ball(20, 20.0 + 3), tacit.Everyone(), 1, 2_000)
    )
    assert 4 * ASKED.rmse <= np.sqrt(alone.error)


def test_the_promise_is_one_release_of_the_whole(tmp_path):
    """Whatever shares its rounds have; and they rise."""
    (promise,) = ASKED.plan.guarantees

    assert (promise.epsilon <= 1.0, promise.delta) == (True, 1e-6)
    assert list(ASKED.shares) == sorted(ASKED.shares) and len(ASKED.shares) > 1
    assert 1.0 == pytest.approx(sum(ASKED.plan.question.shares))


def test_shares_are_the_best_for_their_own_noise():
    """Pure noise grows faster as a share gets smaller: each is worse with the other's shares."""
    pure, other = (
        GaussianMean(20, 40.0, 1.0, tacit.Central(1.0, delta, REPLACE), 20_000)
        for delta in (0.0, 1e-6)
    )

    for own, others in ((pure, other), (other, pure)):
        assert own.rmse < own._narrowing(others.shares).rmse
    assert pure.plan.guarantees[0].epsilon <= 1.0 and other.rmse < pure.rmse < 1.0


def test_rounds_that_would_tell_nothing_are_not_taken():
    """Few people for pure noise in 2,000 dimensions: wide rounds would only lose them."""
    asked = GaussianMean(2_000, 100.0, 1.0, tacit.Central(1.0, 0.0, REPLACE), 10_000)

    assert (1.0,) == asked.shares and 0 < asked.rmse < np.inf


def test_the_spread_is_a_unit(tmp_path):
    """Numbers and radius a thousand times as large have the same shares, and so has the error."""
    _, rows = people(3)
    large = GaussianMean(20, 20_000.0, 500.0, ASKED.trust, 2_000)
    near, far = (
        answered(asked, own, tmp_path / str(asked.spread), 5).estimate
        for asked, own in ((ASKED, rows), (large, 1_000 * rows))
        if (tmp_path / str(asked.spread)).mkdir() is None
    )

    assert large.rmse == pytest.approx(1_000 * ASKED.rmse)
    np.testing.assert_allclose(far, 1_000 * near, rtol=1e-3, atol=0.5)


def test_without_privacy_it_is_near_the_mean_of_the_rows(tmp_path):
    """What is left is the clipping's own price."""
    _, rows = people(4)
    asked = GaussianMean(20, 20.0, 0.5, tacit.NonPrivate(), 2_000)
    found = answered(asked, rows, tmp_path, 0).estimate

    assert np.linalg.norm(found - rows.mean(axis=0)) <= 0.25 * np.sqrt(20 / 2_000)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e38, 1e300])
def test_broken_rows_move_the_answer_by_no_more_than_any(tmp_path, bad):
    """One of them counts as the centre, and everybody else is answered."""
    mean, rows = people(5)
    rows[0] = bad
    found = answered(ASKED, rows, tmp_path, 1).estimate

    assert np.linalg.norm(found - mean) <= 2.5 * ASKED.rmse


def test_people_who_all_are_alike_are_answered(tmp_path):
    """No spread at all: the law is another one, and the answer near."""
    found = answered(ASKED, np.ones((2_000, 20)), tmp_path, 2).estimate

    assert np.all(np.isfinite(found)) and np.linalg.norm(found - 1.0) <= 1.0


def test_people_beyond_the_ball_are_answered_at_its_edge(tmp_path):
    """At the same price, and the answer says that it was found beyond."""
    found = answered(ASKED, people(6, length=2e6)[1], tmp_path, 3)

    assert np.linalg.norm(found.estimate) <= 20.0 * (1 + 1e-9)
    assert "the estimate came out beyond the radius" in repr(found)


def test_a_mean_at_the_edge_is_no_remark(tmp_path):
    """Noise brings half of such answers beyond it."""
    for seed in range(4):
        assert answered(ASKED, people(seed)[1], tmp_path, seed).remarks == (MISSING_THERE,)


def test_so_few_people_that_nothing_is_learnt_are_told_so(tmp_path):
    """An error beyond the radius is that of saying nothing: refused."""
    few = people(0, many=5)[1]
    asked = GaussianMean(20, 40.0, 1.0, tacit.Central(1.0, 1e-6, REPLACE), 5)
    with pytest.raises(ValueError, match=r"the mean is predicted to be off by .* for 5 people"):
        asked.of(few, tmp_path / "no.db", "p")
    assert not (tmp_path / "no.db").exists()


def test_so_few_people_that_nothing_is_promised_or_learnt_are_told_so(tmp_path):
    """It is said beside the answer."""
    few = people(0, many=5)[1]
    exact = GaussianMean(20, 0.5, 1.0, tacit.NonPrivate(), 5)
    assert "nothing is learnt" in repr(exact.of(few, tmp_path / "l.db", "p"))


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"dim": 0}, "dim must be a whole number of at least 1, got 0"),
        ({"dim": 2.5}, "dim must be a whole number of at least 1, got 2.5"),
        ({"radius": np.nan}, "radius must be positive and finite, got nan"),
        ({"spread": 0.0}, "spread must be positive and finite, got 0"),
        ({"spread": 1e-7}, "radius must be from 1e-06 to 1e[+]06 times the spread, got 4e[+]07"),
        ({"radius": 1e300, "spread": 1e-300}, "times the spread, got inf times"),
        ({"radius": 1e-300}, "times the spread, got 1e-300 times"),
        ({"people": 0}, "at least one person"),
        ({"trust": 1.0}, "trust must be Central"),
        ({"trust": tacit.Local(1.0)}, "asked of a curator"),
        ({"trust": tacit.Shuffled(1.0, 1e-6)}, "asked of a curator"),
        ({"trust": tacit.Federated(9.0, ASKED.trust)}, "asked of a curator"),
    ],
)
def test_what_is_no_question_is_refused(changed, sentence):
    """In a sentence, before anything is planned."""
    given = {"dim": 20, "radius": 4.0, "spread": 1.0, "trust": ASKED.trust, "people": 10}
    with pytest.raises(ValueError, match=sentence):
        GaussianMean(**{**given, **changed})


def test_rows_of_another_shape_are_refused_and_cost_nothing(tmp_path):
    """The sentence says what is asked for."""
    book = tacit.Ledger(tmp_path / "l.db")
    book.limit_for("people", ASKED.plan)
    with pytest.raises(ValueError, match="rows must have 20 columns, as was declared, got 3"):
        ASKED.of(np.zeros((5, 3)), book, "people")

    assert [] == book.history("people")


def test_it_prints_what_is_known_of_its_error(tmp_path):
    """There is no interval, and none is spoken of."""
    shown = repr(answered(ASKED, people(0)[1], tmp_path, 9))

    assert "intervals" not in shown and "expected to be off by" in shown
