"""Questions about all rows: what may be asked, of whom, and what is written down of it."""

import json
import math

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product
from tacit.fit import (
    BlockMeans,
    BlockMedians,
    Fit,
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.participation import Everyone
from tacit.record import plain
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
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
    fit = Fit(UNIT, 30, statistic)

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
        Fit(shape, 30, statistic)


@pytest.mark.parametrize("statistic", BLOCKS, ids=name)
@pytest.mark.parametrize("shape", [UNIT, Ball(2, 1.0), OneHot(3), Product(UNIT, UNIT)], ids=name)
def test_blocks_are_of_rows_of_any_shape(statistic, shape):
    """What a function makes of them is its own affair."""
    assert Fit(shape, 30, statistic).sums.contribution is shape


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
@pytest.mark.parametrize("blocks", [0, -1, 31, 2.5, math.nan])
def test_blocks_are_a_whole_number_of_people_or_fewer(kind, blocks):
    """One person a block is the most there can be; the sentence says so."""
    with pytest.raises(ValueError, match=f"whole number from 1 to the 30 people, got {blocks}"):
        Fit(UNIT, 30, kind(np.mean, blocks, (UNIT,)))
    for most in (1, 30):
        assert Fit(UNIT, 30, kind(np.mean, most, (UNIT,))).statistic.blocks == most


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_without_outputs_is_refused(kind):
    """There is nothing that it could be asked."""
    with pytest.raises(ValueError, match="needs at least one output, got none"):
        Fit(UNIT, 30, kind(np.mean, 5, ()))


@pytest.mark.parametrize("people", [0, -1])
def test_nobody_is_no_question(people):
    """As for every other question, once its sums are looked at: when it is planned."""
    with pytest.raises(ValueError, match="at least one person"):
        Central(1.0, 0.0).plan(Fit(UNIT, people, Quantile()))


@pytest.mark.parametrize("statistic", STATISTICS, ids=name)
@pytest.mark.parametrize(
    "trust", [Local(1.0), NonPrivate(), Federated(4.0, Central(1.0, 1e-5))], ids=name
)
def test_only_a_curator_can_answer(trust, statistic):
    """One sentence that names the question, and who can."""
    with pytest.raises(ValueError, match="Fit needs all rows in one place: only Central"):
        trust.plan(Fit(UNIT, 30, statistic))


def test_a_shuffler_cannot_answer_either():
    """It is refused when planned."""
    with pytest.raises(ValueError):
        Shuffled(1.0, 1e-6).plan(Fit(UNIT, 30, Quantile()))


@pytest.mark.parametrize("statistic", BLOCKS, ids=name)
def test_a_function_is_not_written_down(statistic):
    """It is nobody's number, and may hold anything; how many blocks and which bounds are."""
    plan = Central(1.0, 1e-6, Relation.REPLACE_ONE).plan(Fit(UNIT, 30, statistic))
    recorded = json.dumps(plain(plan))

    assert "function" not in recorded and "mean" not in recorded.replace("BlockMean", "")
    assert '"blocks": 5' in recorded and '"outputs": [{"type": "Interval"' in recorded
    with pytest.raises(TypeError, match="only public, plain values"):
        plain(statistic.function)


@pytest.mark.parametrize("statistic", NUMBERS, ids=name)
def test_all_other_numbers_are_written_down(statistic):
    """The statistic, by its name, as it was asked."""
    plan = Central(1.0, 1e-6, Relation.REPLACE_ONE).plan(Fit(UNIT, 30, statistic))
    recorded = plain(plan)["question"]["statistic"]

    assert recorded == {"type": name(statistic), **vars(statistic)}
