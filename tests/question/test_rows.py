"""Questions about all rows: what may be asked, of whom, and what is written down of it."""

import dataclasses
import json
import math

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product
from tacit.question.participation import Everyone
from tacit.question.rows import (
    BlockMeans,
    BlockMedians,
    LastIterate,
    Minimiser,
    OfRows,
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.record import plain
from tacit.solve.losses import Logistic
from tacit.solve.one_versus_rest import OneVersusRest
from tacit.solve.regularisers import L2
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


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
@pytest.mark.parametrize("blocks", [0, -1, 31, 2.5, math.nan, "5", True])
def test_blocks_are_a_whole_number_of_people_or_fewer(kind, blocks):
    """One person a block is the most there can be; the sentence says so."""
    said = "from 1 to the 30 people" if blocks == 31 else "of at least 1"
    with pytest.raises(ValueError, match=f"whole number {said}, got {blocks!r}"):
        OfRows(UNIT, 30, kind(np.mean, blocks, (UNIT,)))
    for most in (1, 30):
        assert OfRows(UNIT, 30, kind(np.mean, most, (UNIT,))).statistic.blocks == most


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_without_outputs_is_refused(kind):
    """There is nothing that it could be asked."""
    with pytest.raises(ValueError, match="needs at least one output, got none"):
        kind(np.mean, 5, ())


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_of_blocks_has_intervals_for_outputs(kind):
    """The sentences say that, and that a function is one."""
    for outputs in (UNIT, (Ball(2, 1.0),), (0.0, 1.0), None):
        with pytest.raises(ValueError, match="outputs must be a tuple of Intervals, got"):
            kind(np.mean, 5, outputs)
    with pytest.raises(ValueError, match="function must be one of a block's rows, got 3"):
        kind(3, 5, (UNIT,))
    assert kind(np.mean, 5, (UNIT,)) == kind(np.mean, np.int8(5), [UNIT])


@pytest.mark.parametrize("share", [50, -0.1, 1.1, math.nan, "0.5", None, True])
@pytest.mark.parametrize(
    "make", [Quantile, SmoothQuantile, lambda share: ProposedQuantile(1.0, share)]
)
def test_a_share_is_no_percentage(make, share):
    """It is from 0 to 1, both of which are allowed, and refused where it is written."""
    with pytest.raises(ValueError, match=f"share must be a number from 0 to 1, .* got {share!r}"):
        make(share)
    assert (make(0).share, make(1).share, make(np.float32(0.5)).share) == (0, 1, 0.5)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Quantile(0.5, 2.5), r"cells must be a whole number from 1 to 2\^30 - 1, got 2.5"),
        (lambda: Quantile(0.5, 2**30), r"cells must be a whole number from 1 to 2\^30 - 1, got 10"),
        (lambda: Quantile(0.5, "8"), r"cells must be a whole number from 1 to 2\^30 - 1, got '8'"),
        (lambda: TrimmedMean(0.5), "trim must be a share of at least 0 and below 1/2, got 0.5"),
        (lambda: TrimmedMean("0.1"), "trim must be a share of at least 0 and below 1/2, got '0.1'"),
        (lambda: ProposedQuantile(0.0), "bound must be a number, positive and finite, got 0.0"),
        (lambda: ProposedQuantile("1"), "bound must be a number, positive and finite, got '1'"),
        (lambda: LastIterate(Logistic(), L2(1), math.inf, 3), "radius must be .* got inf"),
        (lambda: LastIterate(Logistic(), L2(1), 1.0, 2.5), "steps must be a whole number .* 2.5"),
        (lambda: LastIterate(Logistic(), L2(1), 1.0, 0), "steps must be a whole number .* got 0"),
        (lambda: Minimiser(Logistic, L2(1)), r"write Logistic\(\) and L2"),
        (lambda: Minimiser(Logistic(), 0.1), "a penalty L2, got Logistic and 0.1"),
        (
            lambda: OfRows(UNIT, 30, Quantile),
            r"a Quantile, .* got Quantile without .*: write Quantile",
        ),
        (lambda: OfRows(UNIT, 30, 0.5), "statistic must be a Quantile, .* got 0.5"),
        (lambda: OfRows(Interval, 30, Quantile()), r"contribution must be .* write Interval\("),
    ],
)
def test_unusable_statistics_are_refused_when_they_are_made(make, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        make()


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


LABELLED = Product(Ball(2, 1.0), Interval(-1.0, 1.0))


@dataclasses.dataclass(frozen=True)
class Own(Logistic):
    """A loss by another's name and numbers, that does what it likes."""


Own.__name__ = "Logistic"


@pytest.mark.parametrize("loss", [Own(), OneVersusRest(Own(), 3)], ids=["alone", "of classes"])
@pytest.mark.parametrize("kind", [Minimiser, lambda *own: LastIterate(*own, 1.0, 3)])
def test_a_loss_of_ones_own_is_refused(kind, loss):
    """Its bounds are not proved, and no plan says what it does: another each time, it may be."""
    with pytest.raises(ValueError, match="a linear model is of a loss of"):
        OfRows(LABELLED, 30, kind(loss, L2(0.1)))


@pytest.mark.parametrize("loss", [Logistic(), OneVersusRest(Logistic(), 3)])
def test_a_loss_of_the_library_is_not(loss):
    """Also for several classes."""
    label = OneHot(3) if isinstance(loss, OneVersusRest) else Interval(-1.0, 1.0)

    assert OfRows(Product(Ball(2, 1.0), label), 30, Minimiser(loss, L2(0.1))).features.dim == 2
