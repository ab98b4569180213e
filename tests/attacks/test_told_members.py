"""Members by the scores of others: a true promise is refuted as rarely as the limits say, of few
others too."""

import math

import numpy as np
import pytest
from scipy.stats import betabinom

from tacit.attacks.told_members import told_members
from tacit.statistics.chance_limits import lower_limit


def beaten(members: int, others: int, rate: float, taken: float | None = None) -> float:
    """How often people who are all alike are found above what a promise of nothing allows, exactly:
    of ranks alone, the number told is a beta-binomial draw.

    Args:
      taken: the rate at which it is allowed; the limit's where there is none.
    """
    told = told_members(np.zeros(members), np.arange(others, dtype=float), rate)
    rank = round(told.others * (others + 1))
    many = np.arange(members + 1)
    over = lower_limit(many, np.full(members + 1, members), 0.025) > (taken or told.most)
    return float(betabinom(members, rank, others + 1 - rank).pmf(many)[over].sum())


@pytest.mark.parametrize("members", [1, 2, 15, 30, 100, 1_000])
@pytest.mark.parametrize("others", [1, 2, 15, 30, 100, 5_000])
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.5])
def test_who_is_like_others_is_rarely_proved_to_be_told_apart(members, others, rate):
    """At most as rarely as each limit errs."""
    assert beaten(members, others, rate) <= 0.025 + 1e-9


def test_at_the_rate_itself_few_others_refute_what_is_true():
    """Ten times or twice as often as the limits say; of five thousand others hardly more."""
    assert beaten(1_000, 15, 0.05, 1 / 16) > 0.25
    assert beaten(15, 15, 0.05, 0.05) > 0.049
    assert beaten(100, 5_000, 0.01, 50 / 5_001) < 0.03


def test_the_threshold_is_one_of_the_others():
    """Of nineteen the largest, at one in twenty; of two hundred the tenth; whoever equals it is not
    told."""
    few = told_members(np.array([18.0, 18.5, 3.0]), np.arange(19.0)[::-1], 0.05)
    many = told_members(np.array([190.0, 191.0, 189.5]), np.arange(200.0), 0.05)

    assert few.found.breaches == 1 and few.others == 0.05
    assert many.found.breaches == 1 and many.others == 10 / 201
    assert 0.05 < many.most < few.most < 0.2


def test_one_other_is_enough():
    """One in two like it is above it, and nothing above that is known."""
    told = told_members(np.array([1.0, -1.0]), np.zeros(1), 0.05)

    assert told.others == 0.5 and told.found.breaches == 1
    assert told.most == pytest.approx(0.975, abs=1e-9)


def test_a_rate_that_is_no_float_is_reached():
    """29 of 100, though .29 x 100 is below it in floats."""
    assert math.floor(0.29 * 100) == 28
    assert told_members(np.zeros(2), np.arange(99.0), 0.29).others == 0.29
