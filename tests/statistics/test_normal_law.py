"""A normal law of which neither mean nor covariance is known: one question, and its answer."""

import math

import numpy as np
import pytest

import tacit
from tacit.statistics import FoundLaw, NormalLaw, ladder
from tacit.statistics.gaussian_mean import MOST_SPREADS
from tacit.statistics.normal_law import KNOWN
from tacit.statistics.remarks import MISSING_THERE

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL = tacit.Central(1.0, 1e-6, REPLACE)
DIM, PEOPLE = 3, 6_000
DEVIATIONS, MEAN = np.array([10.0, 1.0, 3.0]), np.array([20.0, -15.0, 8.0])


def law(trust=CENTRAL, radius: float = 40.0, people: int = PEOPLE) -> NormalLaw:
    return NormalLaw(DIM, radius, (1.0, 10.0), trust, people)


def rows(seed: int = 0) -> np.ndarray:
    return MEAN + DEVIATIONS * np.random.default_rng(seed).normal(size=(PEOPLE, DIM))


def answered(asked: NormalLaw, folder, values: np.ndarray, seed: int = 0) -> FoundLaw:
    book = tacit.Ledger(folder / f"{seed}.db")
    book.limit_for("people", asked.plan)
    return asked.of(values, book, "people", seed=seed)


def test_it_is_near_what_was_foreseen(tmp_path):
    """Both answers, in the law's own units; as if bounds were known the mean is twice as far."""
    asked = law()
    found = [answered(asked, tmp_path, rows(seed), seed) for seed in range(6)]
    means = [np.linalg.norm((each.mean - MEAN) / DEVIATIONS) for each in found]
    scales = 1 / DEVIATIONS
    whites = [scales[:, None] * each.covariance * scales - np.eye(DIM) for each in found]

    # 18 squares of the mean, 36 of the covariance: but for chances of 1e-4.
    assert 0.47 <= math.sqrt(np.mean(np.square(means))) / asked.rmse <= 1.66
    assert 0.6 <= math.sqrt(np.mean(np.square(whites)) * DIM**2) / asked.covariance_rmse <= 1.45
    plain = asked.trust.plan(tacit.Mean(tacit.Ball(DIM, 40.0), tacit.Everyone(), 1, PEOPLE))
    assert asked.rmse < 0.5 * math.sqrt(plain.error / DIM * np.sum(DEVIATIONS**-2.0))


def test_an_answer_says_what_it_is(tmp_path):
    """With the errors that were foreseen, its promise and its labels."""
    asked = law()
    found = answered(asked, tmp_path, rows())

    assert (found.mean_rmse, found.covariance_rmse) == (asked.rmse, asked.covariance_rmse)
    first, *others = repr(found).splitlines()
    columns, below = others[:DIM], " ".join(others[DIM:])
    assert first == "normal law of people" and all("deviation" in each for each in columns)
    assert below.startswith(f"mean off by about {asked.rmse:.2g} deviations, covariance by ")
    assert below.endswith(MISSING_THERE) and found.remarks == (MISSING_THERE,)
    assert found.receipt()["plan"]["question"]["type"] == "Uneven" and found.plan is asked.plan


def test_people_who_are_not_as_declared_are_answered_with_a_remark(tmp_path):
    """Of a mean found beyond the radius, which is brought back to it, and of deviations."""
    far = answered(law(), tmp_path, rows() + 200.0, 1)

    assert np.linalg.norm(far.mean) <= 40.0 * (1 + 1e-9)
    assert "beyond the radius" in far.remarks[0] and far.remarks[-1] == MISSING_THERE

    long = answered(law(), tmp_path, MEAN + 50 * (rows() - MEAN), 2)
    assert any("deviation was found" in each for each in long.remarks)


def test_nothing_that_is_missing_moves_it(tmp_path):
    """A row with a NaN or an infinity counts as the centre in every round."""
    people = rows()
    people[:5] = [np.nan, 1.0, 2.0]
    people[5:10] = [np.inf, 1.0, 2.0]

    found = answered(law(), tmp_path, people)
    white = found.covariance / np.outer(DEVIATIONS, DEVIATIONS)
    assert np.linalg.norm((found.mean - MEAN) / DEVIATIONS) < 4 * found.mean_rmse
    assert np.linalg.norm(white - np.eye(DIM)) < 4 * found.covariance_rmse


def test_shares_are_those_of_one_promise_and_bounds_those_of_the_ladder():
    """Wide rounds until the mean is known within a deviation; a radius further out takes more."""
    near, far = law(), law(radius=4_000.0)

    assert math.fsum(near.shares) == pytest.approx(1)
    assert near.plan.question.shares == pytest.approx(near.shares)
    assert near._known(near.wide) <= KNOWN
    assert math.fsum(near.wide) <= math.fsum(far.wide) < 0.5
    assert near.plan.sums.contribution.dim == DIM + 1
    assert len(near.learner().wide) == len(near.wide)


def test_the_mean_costs_little_beside_the_covariance():
    """Where people are replaced; the noise on its numbers is that of their squares' unit."""
    asked = law()
    alone = asked.trust.plan(tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), 1, PEOPLE))
    assert asked._of_mean((1.0,))[0] == pytest.approx(
        math.sqrt(1.125 * alone.error / DIM), rel=1e-3
    )


@pytest.mark.parametrize("trust", [tacit.Central(4.0, 0.0), tacit.NonPrivate()])
def test_it_is_asked_of_every_curator(trust, tmp_path):
    """Without a delta too, and without a promise."""
    asked = law(trust)
    found = answered(asked, tmp_path, rows())

    assert np.linalg.norm((found.mean - MEAN) / DEVIATIONS) < 4 * asked.rmse


@pytest.mark.parametrize(
    "dim, radius, deviations, trust, people, said",
    [
        (0, 1.0, (1.0, 2.0), CENTRAL, 10, "dim"),
        (2, math.nan, (1.0, 2.0), CENTRAL, 10, "radius"),
        (2, 1.1 * MOST_SPREADS, (1.0, 2.0), CENTRAL, 10, "radius must be at most 1e"),
        (2, 1.0, (2.0, 1.0), CENTRAL, 10, "deviations must be"),
        (2, 1.0, (1.0, 2.0), tacit.Local(1.0), 10, "is asked of a curator"),
        (2, 1.0, (1.0, 2.0), CENTRAL, 0, "people"),
    ],
)
def test_what_is_no_question_is_refused(dim, radius, deviations, trust, people, said):
    """Before anything is planned."""
    with pytest.raises(ValueError, match=said):
        NormalLaw(dim, radius, deviations, trust, people)


@pytest.mark.parametrize("people", [1, 200])
def test_few_people_and_a_small_epsilon_have_a_plan(people, monkeypatch):
    """It is foreseen that the mean is not found, and the promise is kept."""
    monkeypatch.setattr(ladder, "BETWEEN", ladder.BETWEEN[:2])
    asked = law(tacit.Central(0.1, 1e-6), 80.0, people)
    (promise,) = asked.plan.guarantees

    assert promise.epsilon <= 0.1 and promise.delta <= 1e-6
    assert asked.rmse == math.inf and 0 < asked.covariance_rmse < math.inf
