"""What is asked of a workload is about a histogram of as many cells."""

import pytest

import tacit
from tacit.question.objectives import MaxError
from tacit.question.workloads import Prefix


def asked(shape):
    return tacit.question.Linear(tacit.Mean(shape, tacit.Everyone(), 1, 50), Prefix(8))


@pytest.mark.parametrize("shape", [tacit.OneHot(7), tacit.Interval(0, 1), tacit.Counts(8, 1, 2)])
def test_other_shapes_are_refused(shape):
    """By the shape that is meant."""
    with pytest.raises(ValueError, match=r"a workload of 8 cells is about OneHot\(8\), got"):
        asked(shape)


@pytest.mark.parametrize(
    ("sums", "workload", "message"),
    [
        (tacit.OneHot(8), Prefix(8), "sums must be a Mean"),
        (asked(tacit.OneHot(8)).sums, 8, "a workload is"),
        (asked(tacit.OneHot(8)).sums, Prefix, "a workload is"),
    ],
)
def test_what_is_no_question_is_refused(sums, workload, message):
    """Sums and a workload are asked for."""
    with pytest.raises(ValueError, match=message):
        tacit.question.Linear(sums, workload)


@pytest.mark.parametrize("given", ["max", None, MaxError])
def test_an_objective_is_an_object(given):
    """No string, and no class that nobody called."""
    with pytest.raises(ValueError, match=r"an objective is MeanError\(\) or MaxError\(\), got"):
        tacit.question.Linear(asked(tacit.OneHot(8)).sums, Prefix(8), given)


def test_it_is_said_in_words():
    """How many queries, of which kind, about what."""
    page = str(tacit.NonPrivate().plan(asked(tacit.OneHot(8))))

    assert "8 linear queries (Prefix) of one of 8 categories, of 50 people" in page
