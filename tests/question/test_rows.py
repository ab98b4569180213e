"""Questions about all rows: what may be asked, of whom, and what is written down of it."""

import json

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.question.participation import Everyone
from tacit.question.rows import OfRows
from tacit.record import plain
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled

UNIT = Interval(0.0, 1.0)
NUMBERS = [Quantile(), SmoothQuantile(), TrimmedMean(0.1), ProposedQuantile(0.5)]
BLOCKS = [BlockMeans(np.mean, 5, (UNIT,)), BlockMedians(np.mean, 5, (UNIT, UNIT))]
STATISTICS = [*NUMBERS, *BLOCKS]


def name(value) -> str:
    return type(value).__name__


@pytest.mark.parametrize("statistic", STATISTICS, ids=name)
def test_everybody_is_asked_once(statistic):
    """One round of all people; a statistic of numbers has one answer, of blocks one each output."""
    fit = OfRows(UNIT, 30, statistic)

    assert isinstance(fit.sums.participation, Everyone)
    assert (fit.sums.rounds, fit.sums.times, fit.sums.people) == (1, 1, 30)
    assert fit.sums.contribution is UNIT
    assert statistic.size == (2 if isinstance(statistic, BlockMedians) else 1)


@pytest.mark.parametrize("statistic", NUMBERS, ids=name)
@pytest.mark.parametrize(
    "shape",
    [Ball(2, 1.0), Cube(1, 0.0, 1.0), OneHot(3), Counts(3, 1, 1), Grid(0, 9), Product(UNIT, UNIT)],
    ids=name,
)
def test_statistics_of_numbers_are_about_an_interval(statistic, shape):
    """Any other shape is refused by both names, before there is a question."""
    with pytest.raises(ValueError, match=f"{name(statistic)} is about .* got {name(shape)}"):
        OfRows(shape, 30, statistic)


@pytest.mark.parametrize("statistic", BLOCKS, ids=name)
@pytest.mark.parametrize("shape", [UNIT, Ball(2, 1.0), OneHot(3), Product(UNIT, UNIT)], ids=name)
def test_blocks_are_of_rows_of_any_shape(statistic, shape):
    """What a function makes of them is its own affair."""
    assert OfRows(shape, 30, statistic).sums.contribution is shape


@pytest.mark.parametrize(
    "kind, own, sentence",
    [
        (OfRows, (UNIT, 30, Quantile), r"a Quantile, .* got Quantile without .*: write Quantile"),
        (OfRows, (UNIT, 30, 0.5), "statistic must be a Quantile, .* got 0.5"),
        (OfRows, (Interval, 30, Quantile()), r"contribution must be .* write Interval\("),
    ],
)
def test_unusable_questions_are_refused_when_they_are_made(kind, own, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        kind(*own)


@pytest.mark.parametrize("people", [0, -1, 1.5, "30", True])
def test_nobody_is_no_question(people):
    """As for every other question, when it is made."""
    with pytest.raises(ValueError, match="a whole number of people, at least one person, got"):
        OfRows(UNIT, people, Quantile())


@pytest.mark.parametrize("statistic", STATISTICS, ids=name)
@pytest.mark.parametrize("trust", [Local(1.0), Federated(4.0, Central(1.0, 1e-5))], ids=name)
def test_only_a_curator_can_answer(trust, statistic):
    """One sentence that names the question, and who can."""
    with pytest.raises(ValueError, match="OfRows needs all rows in one place: only Central"):
        trust.plan(OfRows(UNIT, 30, statistic))


def test_a_shuffler_cannot_answer_either():
    """It is refused when planned."""
    with pytest.raises(ValueError):
        Shuffled(1.0, 1e-6).plan(OfRows(UNIT, 30, Quantile()))


@pytest.mark.parametrize("statistic", BLOCKS, ids=name)
def test_a_function_is_not_written_down(statistic):
    """It is nobody's number, and may hold anything; how many blocks and which bounds are."""
    plan = Central(1.0, 1e-6, Relation.REPLACE_ONE).plan(OfRows(UNIT, 30, statistic))
    recorded = json.dumps(plain(plan))

    assert "function" not in recorded and "mean" not in recorded.replace("BlockMean", "")
    assert '"blocks": 5' in recorded and '"outputs": [{"type": "Interval"' in recorded
    with pytest.raises(TypeError, match="only public, plain values"):
        plain(statistic.function)


@pytest.mark.parametrize("statistic", NUMBERS, ids=name)
def test_all_other_numbers_are_written_down(statistic):
    """The statistic, by its name, as it was asked."""
    plan = Central(1.0, 1e-6, Relation.REPLACE_ONE).plan(OfRows(UNIT, 30, statistic))
    recorded = plain(plan)["question"]["statistic"]

    assert recorded == {"type": name(statistic), **vars(statistic)}
