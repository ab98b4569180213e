"""The mean of a normal law from one bit a person: its error, its promise, and other people."""

import math

import numpy as np
import pytest

import tacit
from tacit.ledger import OverBudget
from tacit.statistics import MeanBySigns, mean_by_signs

LOCAL = tacit.Local(1.0)
ASKED = MeanBySigns(10.0, 1.0, LOCAL, 3_000, rounds=12)


def answered(asked: MeanBySigns, numbers, folder, seed: int) -> tacit.statistics.Answer:
    book = tacit.Ledger(folder / f"{seed}.db")
    book.limit_for("people", asked.plan)
    return asked.of(numbers, book, "people", seed=seed)


def people(seed: int, mean: float, many: int = 3_000) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 1.0, many)


def test_the_mean_behind_signs_is_found_with_the_predicted_error(tmp_path):
    """Twelve sets of people, their means far apart: the root of a chi-square's mean is within 0.43
    and 1.66 but for a chance of 1e-3 on either side, and clipping would be many times as far."""
    far = [
        answered(ASKED, people(seed, mean), tmp_path, seed).estimate - mean
        for seed, mean in enumerate(np.linspace(-9, 9, 12))
    ]

    assert 0.43 <= math.sqrt(np.mean(np.square(far))) / ASKED.rmse <= 1.66
    bounded = tacit.statistics.BoundedMean((-13, 13), LOCAL, 3_000)
    assert bounded.rmse > 6 * ASKED.rmse


def test_the_whole_epsilon_is_in_the_one_report_of_each(tmp_path):
    """No share of it for a round: a report is right with chance e/(1 + e)."""
    assert [each.epsilon for each in ASKED.plan.guarantees] == pytest.approx([1.0, 1.0])
    assert {each.observer for each in ASKED.plan.guarantees} == {"server", "public"}
    assert ASKED.searched.own == pytest.approx(math.e / (1 + math.e))
    assert ASKED.searched.people == 250.0 and ASKED.plan.sums.times == 1


def test_the_error_is_near_the_least_there_is():
    """Within a tenth for a hundred thousand people, who may be a hundred spreads away."""
    for radius, epsilon in ((1.0, 1.0), (10.0, 0.5), (10.0, 1.0), (100.0, 1.0)):
        asked = MeanBySigns(radius, 1.0, tacit.Local(epsilon), 100_000)
        assert asked.searched.least <= asked.rmse <= 1.1 * asked.searched.least


@pytest.mark.parametrize("radius, rounds", [(10.0, 32), (100.0, 64), (1_000.0, 128)])
def test_a_wider_radius_takes_more_rounds(radius, rounds):
    """As many as bring the predicted error within 1.08 of the least; half of them would not, and
    those that are given are asked for."""
    asked = MeanBySigns(radius, 1.0, LOCAL, 10_000)
    half = MeanBySigns(radius, 1.0, LOCAL, 10_000, rounds // 2).searched

    assert asked.plan.sums.rounds == asked.searched.rounds == rounds
    assert asked.rmse <= 1.08 * asked.searched.least
    assert half.rounds == rounds // 2 and half.rmse > 1.08 * half.least


def test_rounds_that_do_not_help_are_not_asked_for():
    """Of people who are too few for the radius, of no more rounds than people, and never of more
    than 256."""
    few = MeanBySigns(10.0, 1.0, tacit.Local(0.2), 1_000)
    assert few.searched.rounds == 32 and few.rmse > 1.3 * few.searched.least
    assert MeanBySigns(100.0, 1.0, tacit.Local(3.0), 60).searched.rounds == 32
    assert MeanBySigns(10_000.0, 1.0, tacit.Local(0.2), 1_000).searched.rounds == 256


def test_numbers_count_in_units_of_their_spread(tmp_path):
    """A thousand times as large in all: the estimate is, and the error."""
    numbers = people(3, 4.0)
    large = MeanBySigns(10_000.0, 1_000.0, LOCAL, 3_000, rounds=12)
    near = answered(ASKED, numbers, tmp_path, 5).estimate
    (tmp_path / "large").mkdir()

    assert large.rmse == pytest.approx(1_000 * ASKED.rmse)
    far = answered(large, 1_000 * numbers, tmp_path / "large", 5).estimate
    assert far == pytest.approx(1_000 * near, rel=1e-3)


def test_a_shuffler_lets_reports_say_more(tmp_path):
    """The same bits, mixed: less noise for the same promise to the public."""
    shuffled = MeanBySigns(10.0, 1.0, tacit.Shuffled(1.0, 1e-6), 3_000, rounds=12)

    assert shuffled.rmse < 0.8 * ASKED.rmse and shuffled.searched.own > ASKED.searched.own
    found = answered(shuffled, people(2, -6.0), tmp_path, 2)
    assert abs(found.estimate + 6.0) <= 5 * shuffled.rmse


def test_people_beyond_the_radius_are_answered_at_its_end(tmp_path):
    """The promise is the same, and the answer a point within it."""
    found = answered(ASKED, people(1, 40.0), tmp_path, 1)

    assert 9.0 < found.estimate <= 10.0 + 1e-5


def test_whoever_has_no_number_says_no(tmp_path):
    """A tenth of people: the estimate falls by what a tenth of "not above" does, and by no more."""
    numbers = people(4, 2.0)
    numbers[::10] = np.nan
    found = answered(ASKED, numbers, tmp_path, 4).estimate

    assert abs(found - 2.0) <= 0.14 + 5 * ASKED.rmse


def test_one_call_asks_once_and_charges_once(tmp_path):
    """The number of people is that of the rows; there is no interval."""
    asked = MeanBySigns(10.0, 1.0, LOCAL, 3_000, rounds=12)
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit_for("p", asked.plan)
    terms = {"radius": 10.0, "spread": 1.0, "trust": LOCAL, "ledger": book, "name": "p"}
    found = mean_by_signs(people(0, 1.0), **terms, rounds=12, seed=1)

    assert found.plan == asked.plan and found.interval is None
    assert found.rmse == asked.rmse and "expected to be off by" in repr(found)
    with pytest.raises(OverBudget):
        mean_by_signs(people(0, 1.0), **terms, rounds=12, seed=1)


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"radius": 0.0}, "radius must be positive and finite, got 0"),
        ({"radius": np.nan}, "radius must be positive and finite, got nan"),
        ({"radius": 1e5}, "radius must be at most 10,000 spreads of 2, got 100000"),
        ({"spread": np.inf}, "spread must be positive and finite, got inf"),
        ({"people": 0}, "at least one person"),
        ({"people": 11}, "rounds must be a whole number from 2 to 1,024, and at most the number"),
        ({"rounds": 1}, "rounds must be a whole number from 2"),
        ({"rounds": 2.5}, "rounds must be a whole number from 2 .* got 2.5"),
        ({"trust": 1.0}, "trust must be Central"),
        ({"trust": tacit.NonPrivate()}, "of a curator ask mean or GaussianMean, got NonPrivate"),
        ({"trust": tacit.Central(1.0, 0.0)}, "of a curator ask mean or GaussianMean, got Central"),
    ],
)
def test_signs_that_cannot_be_asked_are_refused(changed, sentence):
    """In a sentence, before anything is planned."""
    given = {"radius": 4.0, "spread": 2.0, "trust": LOCAL, "people": 100, "rounds": 12}
    with pytest.raises(ValueError, match=sentence):
        MeanBySigns(**{**given, **changed})
