"""Several quantiles are drawn in the way of the least predicted error, proved for the promise."""

import math
from typing import Any

import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Interval
from tacit.mechanisms.rows.approximate_quantiles import ApproximateQuantiles
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.rows.quantiles import ExponentialQuantiles
from tacit.question.order_statistics import Quantiles
from tacit.question.rows import OfRows
from tacit.server.by_rank import _by_halving, _each, _together, several_by_rank
from tacit.trust.central import Central

UNIT, THREE = Interval(-1.0, 1.0), (0.1, 0.5, 0.6)


def evenly(m):
    """So many shares."""
    return tuple((place + 1) / (m + 1) for place in range(m))


@pytest.mark.parametrize("relation", Relation)
def test_every_way_keeps_the_promise(relation):
    """Only who comes or goes moves all ranks one way: rates are those of that relation's proof."""
    asked, budget = Quantiles(THREE, 1000), Central(1.0, 0.0, relation)
    joins = relation is Relation.ADD_REMOVE
    each: Any = _each(budget, UNIT, asked, 60)
    halved: Any = _by_halving(budget, UNIT, asked, 60)
    joint: Any = _together(budget, UNIT, asked, 60)
    alone = ExponentialQuantile.add_remove if joins else ExponentialQuantile.replace_one

    assert 1 - 1e-9 <= math.fsum(one.epsilon for one in each.each) <= 1.0
    for one, share in zip(each.each, THREE, strict=True):
        assert one.choice.grid == alone(share, one.epsilon, -1.0, 1.0, 1000).choice.grid
    assert (halved.epsilon, halved.replaced) == (1.0, not joins)
    assert joint.epsilon == 1.0
    assert joint.exponent + joint.asking <= (1.0 if joins else 0.5)


@pytest.mark.parametrize(
    "shares, epsilon, people, kind",
    [
        (evenly(1), 1.0, 1_000, ExponentialQuantiles),
        (evenly(7), 1.0, 1_000, JointQuantiles),
        (evenly(31), 1.0, 1_000, JointQuantiles),
        (evenly(31), 0.1, 1_000, ApproximateQuantiles),
        (evenly(31), 0.1, 10_000, JointQuantiles),
        # More lists than floats can weigh.
        (evenly(120), 1.0, 100_000, ApproximateQuantiles),
    ],
)
def test_a_way_of_nearly_least_predicted_error_is_chosen(shares, epsilon, people, kind):
    """One on its own; some together; many, or few people for them, by halving."""
    asked = Quantiles(shares, 10**6)
    made = several_by_rank(Central(epsilon, 0.0), UNIT, asked, people)
    others = [_by_halving, _together] if len(shares) < 100 else [_by_halving]

    assert type(made) is kind
    for way in others:
        other = way(Central(epsilon, 0.0), UNIT, asked, people)
        assert made.predicted(people) <= 1.25 * other.predicted(people)


def test_of_ways_that_are_about_as_near_the_one_of_the_least_bound_is_taken():
    """By halving quartiles are predicted to be off a little less, and bounded by nearly twice as
    much; the bound is less than that of three calls with a third of epsilon each."""
    asked, budget = Quantiles((0.25, 0.5, 0.75), 10**6), Central(1.0, 0.0)
    made = several_by_rank(budget, UNIT, asked, 1_000)
    halved = _by_halving(budget, UNIT, asked, 1_000)
    apart = ExponentialQuantile.add_remove(0.25, 1 / 3, -1.0, 1.0, 10**6)

    assert isinstance(made, JointQuantiles)
    assert halved.predicted(1_000) < made.predicted(1_000) < 1.25 * halved.predicted(1_000)
    assert 1.8 * made.ranks(0.95) < halved.ranks(0.95)
    assert made.ranks(0.95) < 0.9 * apart.rank_error(1, -math.log(0.05))


def test_the_page_says_who_draws_and_how_far_off():
    """Before anything is spent."""
    plan = Central(1.0, 0.0).plan(OfRows(UNIT, 1_000, Quantiles(evenly(7), 10**6)))

    assert "JointQuantiles draws the answer" in str(plan)
    assert "about 3.1 people off in rank on average" in " ".join(str(plan).split())


def test_how_many_people_there_are_is_asked_unless_it_is_known():
    """With a part of epsilon; where it is public, with none."""

    def server(exact: bool) -> Any:
        asked = Quantiles(evenly(7), 10**6, exact)
        return Central(1.0, 0.0).plan(OfRows(UNIT, 1_000, asked)).server

    guessed, known = server(False), server(True)

    assert guessed.mechanism.asking > 0 and guessed.mechanism.people is None
    assert known.mechanism.asking == 0 and known.mechanism.people == 1_000
    assert known.off < guessed.off


def test_what_no_way_can_answer_is_refused():
    """With the least epsilon that is enough for some way, and the one that was given."""
    said = r"epsilon must be between 0.01 and 1000 for 3 quantiles together, got 0.005"
    with pytest.raises(ValueError, match=said):
        several_by_rank(Central(0.005, 0.0), UNIT, Quantiles(THREE), 60)
    with pytest.raises(ValueError, match=r"between 0.01 and 1000 for 3 quantiles together, got 1"):
        several_by_rank(Central(1e5, 0.0), UNIT, Quantiles(THREE), 60)


@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.REPLACE_ONE])
def test_the_least_epsilon_of_many_quantiles_is_enough(relation):
    """What a refusal names is answered."""
    many = Quantiles(evenly(200))
    with pytest.raises(
        ValueError, match=r"epsilon must be between 0.08 and 1000 for 200 quantiles"
    ):
        several_by_rank(Central(0.01, 0.0, relation), UNIT, many, 1_000)

    assert several_by_rank(Central(0.08, 0.0, relation), UNIT, many, 1_000).epsilon <= 0.08
