"""Every question in words: what is asked, of whom, how often."""

import numpy as np
import pytest

from tacit.contribution import Ball, Interval, OneHot, Outer, Product
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.composed_workloads import WithNone
from tacit.question.dropouts import DropOuts
from tacit.question.laws import NearestLaw
from tacit.question.linear import Linear
from tacit.question.linear_models import LastIterate, Minimiser
from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.question.participation import (
    AtMost,
    Available,
    Cyclic,
    Everyone,
    Fixed,
    Once,
    Poisson,
)
from tacit.question.rows import LeadingDirection, OfRows
from tacit.question.running import Running
from tacit.question.sums import Above, Mean, Select
from tacit.question.words import in_words
from tacit.question.workloads import Prefix
from tacit.solve.losses import Logistic
from tacit.solve.regularisers import L2

UNIT = Interval(0, 1)
ROW = Product(Ball(3, 1), Interval(-1, 1))
LOSS = Logistic(), L2(0.1)


@pytest.mark.parametrize(
    "participation, rounds, when",
    [
        (Everyone(), 1, ""),
        (Everyone(), 3, ", in 3 rounds of everybody"),
        (Poisson(0.05), 1000, ", in 1,000 rounds of each with chance 0.05"),
        (Fixed(20), 1, ", in 1 round of 20 drawn anew"),
        (Once(), 4, ", in 4 rounds with each person in one"),
        (AtMost(2), 4, ", in 4 rounds with each person in 2"),
        (Cyclic(2), 4, ", in 4 rounds with each person in 2"),
        (Available(0.5), 2, ", in 2 rounds of whoever turns up, each with chance 0.5"),
        (DropOuts(Fixed(7), 0.1), 2, ", in 2 rounds of 7 drawn anew, 0.1 of whom drop out"),
    ],
)
def test_a_mean_is_said_with_who_takes_part_when(participation, rounds, when):
    """Nothing more where everybody is asked once."""
    words = in_words(Mean(UNIT, participation, rounds, 10_000))

    assert f"the mean of a number in [0, 1], of 10,000 people{when}" == words


SUMS = Mean(UNIT, Everyone(), 4, 50)
VOTES = Mean(OneHot(9), Everyone(), 1, 1)


@pytest.mark.parametrize(
    "question, words",
    [
        (Select(VOTES), "the largest mean of one of 9 categories, of 1 person"),
        (Above(SUMS, 0.25, 2), "up to 2 times that a mean reaches 0.25, the mean of a number"),
        (Running(Mean(UNIT, Once(), 4, 50), 2), "running sums of means of a number"),
    ],
)
def test_every_question_about_sums_is_said(question, words):
    """Its answer first."""
    assert in_words(question).startswith(words)


def test_a_workload_is_said_by_its_own_name():
    """And by how many queries it has, wherever those are who are in no cell."""
    aside = Linear(Mean(OneHot(10), Everyone(), 1, 1), WithNone(Prefix(9)))
    for question in (aside, Linear(VOTES, Prefix(9))):
        assert in_words(question).startswith("9 linear queries (Prefix) of one of ")


@pytest.mark.parametrize(
    "shape, statistic, words",
    [
        (UNIT, Quantile(), "the median"),
        (UNIT, Quantiles((0.1, 0.5)), "the 0.1, 0.5 quantiles, to the nearest of 1,048,576 steps,"),
        (UNIT, SmoothQuantile(0.25), "the 0.25 quantile"),
        (UNIT, ProposedQuantile(0.1, 0.9), "the 0.9 quantile"),
        (UNIT, TrimmedMean(0.1), "the mean without 0.1 at either end"),
        (UNIT, BlockMeans(np.mean, 7, (UNIT,)), "means over 7 blocks of a function"),
        (UNIT, BlockMedians(np.mean, 7, (UNIT,)), "medians over 7 blocks of a function"),
        (OneHot(2), NearestLaw(np.array([[0.5, 0.5], [0.1, 0.9]])), "the nearest of 2 laws"),
        (Outer(3, 1.0), LeadingDirection(), "the direction of most"),
        (ROW, Minimiser(*LOSS), "a linear model of least Logistic loss"),
        (ROW, LastIterate(*LOSS, 1.0, 5), "a linear model of least Logistic loss"),
    ],
)
def test_every_statistic_of_rows_is_said(shape, statistic, words):
    """By name, of whose rows."""
    assert in_words(OfRows(shape, 1000, statistic)).startswith(f"{words} of ")
