"""Quantiles of groups, from counts on a grid."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tacit
from tables.records import table
from tables.released import counted, noisy
from tacit import tables
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.tables.caps import Caps

GROUPS = 2000
ONE = Caps(1, 1, 1)


def read(asked, numbers, delta, larger=1.0):
    """What two thousand groups of these numbers are told."""
    exact, shape = counted(asked.laid, numbers), asked.shape(ONE, 1)
    return asked.read(noisy(shape, exact, tacit.Central(1.0, delta), GROUPS, larger))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_hold_at_least_as_often_as_they_say(delta):
    """Of rows at every level, by exact binomial limits, with the estimate inside."""
    numbers = np.repeat(np.arange(41), 3)
    found = read(tables.quantiles("days", [0.1, 0.5, 0.9], 0, 40, steps=40), numbers, delta)
    for share in (0.1, 0.5, 0.9):
        own = found[f"_{100 * share:g}"]
        value = np.quantile(numbers, share, method="inverted_cdf")
        held = ((own.low <= value) & (value <= own.high)).sum()
        assert binom.ppf(1e-6, GROUPS, 0.95) <= held
        assert (own.low <= own.estimate).all() and (own.estimate <= own.high).all()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_each_end_misses_a_median_with_half_of_the_chance(delta):
    """Of two heaps of rows, either of which has one, as often as that and no more: so no nearer end
    would do; and of noise half as large again as was said, more often."""
    asked, numbers = tables.median("days", 0, 40, steps=40), np.repeat([10, 30], 400)
    enough, many = binom.ppf(1e-6, GROUPS, 0.975), binom.ppf(1 - 1e-6, GROUPS, 0.98)
    for larger in (1.0, 1.6):
        found = read(asked, numbers, delta, larger)[""]
        held = (found.low <= 10).sum(), (found.high >= 30).sum()
        assert max(held) <= many
        assert min(held) >= enough if larger == 1 else max(held) < enough


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rows", [200, 1000])
def test_both_ends_are_as_near_in_rank_as_the_plan_says(delta, rows):
    """Of rows spread over many steps, where a noisy end is farther from its rank than one count is,
    at least as often as the confidence; the noise of one count alone would not do."""
    asked = tables.median("days", 0, 1)
    places = np.random.default_rng(3).integers(0, asked.levels + 1, rows)
    exact, shape = counted(asked.laid, places), asked.shape(ONE, 1)
    told = noisy(shape, exact, tacit.Central(1.0, delta), GROUPS)
    said = asked.width(told.noise, told.chance).removeprefix("ends' ranks ± ")
    promised = float(said.split("% of 1,000")[0]) * 1000 / 100

    upto, found = np.bincount(places, minlength=asked.levels + 1).cumsum(), asked.read(told)[""]
    low, high = np.ceil(found.low * asked.levels), np.floor(found.high * asked.levels)
    over = np.where(high > 0, upto[np.maximum(high.astype(int) - 1, 0)], 0) - rows / 2
    off = np.maximum(over, rows / 2 - upto[low.astype(int)])
    alone = float(told.reaches(asked.laid.weights - asked.laid.weights[-1] / 2).max())
    assert (off <= promised).sum() >= binom.ppf(1e-6, GROUPS, 0.95) > (off <= alone).sum()


def test_without_noise_they_are_those_of_the_rows(tmp_path):
    """Where whole numbers are levels, exactly; ties, and an even number's two middle rows."""
    given = [7.0, 7, 1, 2, 3, 9, 30, 31, np.nan, None, -5]
    frame = pd.DataFrame({"patient": range(len(given)), "days": given})
    made = {
        "stay": tables.quantiles("days", [0.25, 0.5], 0, 30),
        "pair": tables.median("days", 0, 8),
    }
    ask = table(frame[frame.days != 3], tmp_path).ask(**made, rows_per_person=1)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    own = frame.days[frame.days != 3].dropna().clip(0, 30)
    assert np.quantile(own, 0.25, method="averaged_inverted_cdf") == pytest.approx(found["stay_25"])
    assert own.median() == pytest.approx(found["stay_50"]) and 7 == pytest.approx(found["pair"])
    assert found["stay_50_high"] - found["stay_50_low"] == pytest.approx(1 / 17)


def test_of_no_rows_nothing_is_known(tmp_path):
    """The middle of the bounds, between both; with noise about as much."""
    frame = pd.DataFrame({"patient": ["a"], "days": [None]}).astype({"days": "float64"})
    ask = table(frame, tmp_path).ask(q=tables.median("days", 0, 30), rows_per_person=1)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    assert [15.0, 0.0, 30.0] == [found[name] for name in ("q", "q_low", "q_high")]


def test_a_plan_says_how_many_ranks_they_may_be_off(tmp_path):
    """More where noise is larger, and how far apart steps are."""
    frame = pd.DataFrame({"patient": ["a"], "days": [1.0]})
    ask = table(frame, tmp_path).ask(q=tables.median("days", 0, 30), rows_per_person=1)
    widths = [str(ask.plan(tacit.Central(epsilon, 1e-6))) for epsilon in (1.0, 0.1)]

    assert (
        "q  ends' ranks ± 10.7% of 1,000, ± 0.107% of 100,000 rows; steps of 0.05882" in widths[0]
    )
    assert (
        "q  ends' ranks ± 92.4% of 1,000, ± 0.924% of 100,000 rows; steps of 0.05882" in widths[1]
    )


@pytest.mark.parametrize(
    "lower, upper, steps, says",
    [
        (0, 120, 512, "steps of 0.25: if they are whole numbers, steps=120"),
        (-5, 5.0, 512, "steps of 0.01961: if they are whole numbers, steps=10"),
        (0, 120, 120, "steps of 1"),
        (0, 300, 512, "steps of 1"),
        (0, 1000, 512, "steps of 1.953"),
        (0, 30, 20, "steps of 1.5"),
        (0, 1, 512, "steps of 0.001953"),
        (0.5, 30, 512, "steps of 0.05762"),
    ],
)
def test_a_plan_says_where_fewer_steps_do_for_whole_numbers(lower, upper, steps, says):
    """Of whole bounds with several steps to a whole number; and these have less noise."""
    asked = tables.median("age", lower, upper, steps=steps)
    server = tacit.Central(1.0, 1e-6).plan(Mean(asked.shape(ONE, 1), Everyone(), 1, 100)).server
    told = asked.width(server, 0.05).split("; ")[1]
    assert told in (says, f"{says} in Python has less noise") and (told == says) == (
        ":" not in says
    )


@pytest.mark.parametrize("kind", ["int64", "Int64", "float64"])
def test_whole_numbers_have_less_noise_in_steps_of_one(tmp_path, kind):
    """Of ages three quarters of it; the median is theirs, of whatever type the column is: two
    tables that differ in one person's missing age are asked the same."""
    ages = pd.DataFrame({"patient": range(41), "age": np.arange(40, 81)})
    asked = {steps: tables.median("age", 0, 120, steps=steps) for steps in (512, 120)}
    far, pages = {}, []
    for steps, q in asked.items():
        own = table(ages.astype({"age": kind}), tmp_path).ask(q=q, rows_per_person=1)
        whole = table(ages, tmp_path).ask(q=q, rows_per_person=1)
        pages.append([str(each.plan(tacit.Central(1.0, 1e-6))) for each in (own, whole)])
        width = own.plan(tacit.Central(1.0, 1e-6)).widths["q"]
        far[steps] = float(width.split("% of 1,000")[0].removeprefix("ends' ranks ± "))
        assert 60 == own.run(tacit.NonPrivate()).frame.q[0]
    assert far[512] > 1.3 * far[120] and all(one == other for one, other in pages)


@pytest.mark.parametrize("shares", [[], [0.5, 0.5], [0.9, 0.1], [0.0], [1.0], [np.nan], ["0.5"], 3])
def test_shares_that_are_none_are_refused(shares):
    """In one sentence."""
    with pytest.raises(ValueError, match="rising shares"):
        tables.quantiles("days", shares, 0, 1)


@pytest.mark.parametrize("steps", [1, 2.5, 5000, "9"])
def test_steps_that_are_none_are_refused(steps):
    """In one sentence that says how many there may be."""
    with pytest.raises(ValueError, match="from 2 to 4,096"):
        tables.median("days", 0, 1, steps=steps)
