"""The mean of normal vectors from one direction a person: its error, promise, and other people."""

import math
from typing import Any, cast

import numpy as np
import pytest

import tacit
from tacit.ledger import OverBudget
from tacit.statistics import MeanByDirections, MeanBySigns, mean_by_directions

LOCAL = tacit.Local(4.0)
REPLACE = tacit.Relation.REPLACE_ONE
ASKED = MeanByDirections(6, 10.0, 1.0, LOCAL, 4_000)


def people(seed: int, many: int = 4_000, dim: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Their mean, and their rows."""
    drawn = np.random.default_rng(seed)
    mean = drawn.uniform(-9, 9, dim)
    return mean, mean + drawn.normal(size=(many, dim))


def answered(asked: MeanByDirections, rows, folder, seed: int) -> tacit.statistics.Answer:
    book = tacit.Ledger(folder / f"{seed}.db")
    if asked.plan.private:
        book.limit_for("people", asked.plan)
    return asked.of(rows, book, "people", seed=seed)


@pytest.mark.parametrize(
    "trust",
    [
        LOCAL,
        tacit.Shuffled(1.0, 1e-6),
        tacit.Federated(6.0, tacit.Central(1.0, 1e-6, REPLACE)),
        tacit.Central(1.0, 1e-6, REPLACE),
        tacit.NonPrivate(),
    ],
    ids=lambda trust: type(trust).__name__,
)
def test_one_learner_finds_the_mean_under_every_trust_model(trust, tmp_path):
    """With the predicted error: of 36 squares the mean's root is within 0.61 and 1.43 but for a
    chance of 1e-4 on either side."""
    asked, squares = MeanByDirections(6, 10.0, 1.0, trust, 4_000), []
    for seed in range(6):
        mean, rows = people(seed)
        squares.append(np.sum((answered(asked, rows, tmp_path, seed).estimate - mean) ** 2))

    assert 0.61 <= math.sqrt(np.mean(squares)) / asked.rmse <= 1.43


def test_the_whole_epsilon_is_in_the_one_report_of_each():
    """However many rounds there are; and a round of few people is chosen where noise is the
    devices' own, of many where it is the server's."""
    assert [each.epsilon for each in ASKED.plan.guarantees] == pytest.approx([4.0, 4.0])
    assert ASKED.plan.sums.times == 1
    central = MeanByDirections(6, 10.0, 1.0, tacit.Central(1.0, 1e-6, REPLACE), 4_000)
    assert central.plan.sums.rounds < ASKED.plan.sums.rounds == 48
    assert central.rmse < ASKED.rmse


def test_what_is_left_without_privacy_is_of_peoples_own_directions():
    """Each a vector of length one, so that a mean of so many is off by as much."""
    searched = MeanByDirections(6, 10.0, 1.0, tacit.NonPrivate(), 4_000).searched

    assert searched.noise == pytest.approx((searched.coarse + searched.fine) / 4_000)


def test_far_people_are_found_by_coarse_rounds_first():
    """The farther, the more of them."""
    coarse = [
        MeanByDirections(10, radius, 1.0, tacit.Local(1.0), 100_000).searched.coarse
        for radius in (1.0, 10.0, 1_000.0)
    ]

    assert coarse == sorted(coarse) and coarse[0] < coarse[2]


def test_directions_tell_more_than_signs_of_each_number():
    """At the same epsilon and people, each number's own share of them."""
    asked = MeanByDirections(50, 10.0, 1.0, tacit.Local(2.0), 100_000)
    signs = MeanBySigns(10.0, 1.0, tacit.Local(2.0), 2_000)

    assert asked.rmse < 0.8 * signs.rmse * math.sqrt(50)
    assert asked.searched.least < asked.rmse < 1.05 * asked.searched.least


def test_each_number_counts_in_units_of_its_spread(tmp_path):
    """One of a hundred times the spread of the others is within as few of them as it is."""
    spreads = (1.0, 100.0, 1.0, 1.0, 1.0, 1.0)
    mean, rows = people(2)
    wide = MeanByDirections(6, 900.0, cast(Any, np.array(spreads)), LOCAL, 4_000)
    found = answered(wide, rows * spreads, tmp_path, 3)

    off = (found.estimate - mean * spreads) / spreads
    assert wide.spread == spreads
    assert np.max(np.abs(off)) <= 5 * wide.searched.rmse / math.sqrt(6)
    assert wide.rmse == pytest.approx(wide.searched.rmse * np.sqrt(np.mean(np.square(spreads))))


def test_people_beyond_the_radius_are_answered_within_it(tmp_path):
    """The promise is the same."""
    _, rows = people(1)
    found = answered(ASKED, rows + 100.0, tmp_path, 1)

    assert np.max(np.abs(found.estimate)) <= 10.0 + 1e-5 and found.plan == ASKED.plan


def test_whoever_has_no_row_cancels(tmp_path):
    """A tenth of people: what they report is nowhere more than anywhere else."""
    mean, rows = people(4)
    rows[::10, 0], rows[5::100, 3] = np.nan, np.inf
    found = answered(ASKED, rows, tmp_path, 4).estimate

    assert np.linalg.norm(found - mean) <= 2.5 * ASKED.rmse


def test_one_call_asks_once_and_charges_once(tmp_path):
    """The number of people is that of the rows; there is no interval."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit_for("p", ASKED.plan)
    terms = {"radius": 10.0, "spread": 1.0, "trust": LOCAL, "ledger": book, "name": "p"}
    _, rows = people(0)
    found = mean_by_directions(rows, **terms, seed=1)

    assert found.plan == ASKED.plan and found.interval is None
    assert found.rmse == pytest.approx(ASKED.rmse / math.sqrt(6))
    assert found.labels == tuple("012345") and "expected to be off by" in repr(found)
    with pytest.raises(OverBudget):
        mean_by_directions(rows, **terms, seed=1)


def test_two_people_have_a_plan_too():
    """Which knows that they tell next to nothing."""
    few = MeanByDirections(6, 10.0, 1.0, tacit.Local(1.0), 2)

    assert few.rmse == pytest.approx(10 * math.sqrt(6 / 3), rel=0.2)


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"dim": 2}, "at least three numbers: of one or two ask mean_by_signs .* got dim=2"),
        ({"dim": 0}, "dim must be a whole number of at least 1, got 0"),
        ({"radius": np.nan}, "radius must be positive and finite, got nan"),
        ({"radius": 1e4}, "radius must be at most 1,000 spreads of 2, got 10000"),
        ({"spread": 0.0}, "spread must be positive and finite, got 0"),
        ({"spread": (1.0, 2.0)}, "spread must be a positive number, or one for each of 5 columns"),
        ({"spread": (1.0, 2.0, 1.0, np.nan, 1.0)}, "or one for each of 5 columns"),
        ({"people": 1}, "people must be at least two, one a round, got 1"),
        ({"trust": 1.0}, "trust must be Central"),
    ],
)
def test_directions_that_cannot_be_asked_are_refused(changed, sentence):
    """In a sentence, before anything is planned."""
    given = {"dim": 5, "radius": 4.0, "spread": 2.0, "trust": LOCAL, "people": 100}
    with pytest.raises(ValueError, match=sentence):
        MeanByDirections(**{**given, **changed})


@pytest.mark.parametrize(
    "trust, sentence",
    [
        (tacit.Central(1.0, 1e-6), r"REPLACE_ONE\), got add/remove"),
        (
            tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE), radius=0.5),
            "leave the radius of Federated infinite",
        ),
    ],
    ids=["add/remove", "projected"],
)
def test_a_trust_model_that_cannot_ask_once_is_refused(trust, sentence):
    """As the plan is made: nothing is charged."""
    with pytest.raises(ValueError, match=sentence):
        _ = MeanByDirections(5, 4.0, 2.0, trust, 100).plan
