"""A mean's people, epsilon and error: two are given, the third is planned."""

import pytest

import tacit
from tacit.cli.sizing import Sizing, answer_rmse
from tacit.planner import OutOfReach

NUMBER = tacit.Interval(0.0, 1.0)


def test_what_is_asked_is_said_in_one_line():
    """What is the answer is no part of it, nor is a single round."""
    one = Sizing(NUMBER, 1, 1e-6, 1000, 1.0, None).title
    two = Sizing(NUMBER, 2, 1e-6, None, 1.0, 0.1).title

    assert one.endswith("1,000 people, ε 1, δ 1e-06") and one.startswith("mean of ")
    assert two.endswith("ε 1, rmse 0.1, δ 1e-06, 2 rounds")


def test_an_answer_is_what_is_printed_and_was_planned():
    """Of people and epsilon, the error; in every trust model, the least with a curator."""
    asked = Sizing(NUMBER, 1, 1e-6, 1000, 1.0, None)
    rows = asked.rows()

    assert ["central", "shuffled", "local"] == [row.trust for row in rows]
    assert [f"{row.plan.error**0.5:.3g}" for row in rows] == [asked.answer(row) for row in rows]
    assert sorted(rows, key=lambda row: answer_rmse(row.plan)) == rows
    assert all(row.epsilon == 1.0 and row.plan.sums.people == 1000 for row in rows)


@pytest.mark.parametrize("given", [(1000, 1.0, 0.1), (1000, None, None), (None, 1, 0.1)])
def test_a_mean_is_sized_by_two_of_three(given):
    """All, or one, or a whole number for an epsilon, is no question."""
    with pytest.raises(ValueError, match="two of people, epsilon and error"):
        Sizing(NUMBER, 1, 1e-6, *given).rows()


def test_none_in_any_model_is_refused():
    with pytest.raises(OutOfReach):
        Sizing(NUMBER, 1, 1e-6, 10, None, 1e-9).rows()
