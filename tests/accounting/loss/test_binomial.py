"""Binomial tails: right to forty-five digits, by an oracle of a hundred."""

import math
from decimal import Decimal, localcontext

import mpmath
import pytest

from tacit.accounting.decimals import UP
from tacit.accounting.loss import binomial
from tacit.accounting.loss.binomial import Tails, one_more, tails

DIGITS = 100


def exact(epsilon: float, count: int, least: int) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """The first mass and both tails, term by term."""
    odds = mpmath.exp(mpmath.mpf(epsilon))
    first = mpmath.binomial(count, least) * odds**least / (1 + odds) ** count
    mass, present, absent = first, mpmath.mpf(0), mpmath.mpf(0)
    for true in range(least, count + 1):
        present, absent = present + mass, absent + mass * odds ** (count - 2 * true)
        mass *= odds * (count - true) / (true + 1)
    return first, present, absent


def near(found: Decimal, truth: mpmath.mpf) -> bool:
    """Within the relative error that is allowed for."""
    with mpmath.workdps(DIGITS):
        return abs(mpmath.mpf(str(found)) / truth - 1) < mpmath.mpf(str(binomial.HAIR))


def right(found: Tails, epsilon: float, count: int) -> bool:
    with mpmath.workdps(DIGITS):
        truth = exact(epsilon, count, found.least)
    return all(map(near, (found.mass, found.present, found.absent), truth))


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 4.0, 50.0])
@pytest.mark.parametrize(
    ("count", "least"), [(1, 0), (1, 1), (9, 4), (60, 0), (60, 59), (400, 230)]
)
def test_tails_are_exact(epsilon: float, count: int, least: int) -> None:
    """Of the value that was reported and of the other one, wherever the tail begins."""
    assert right(tails(epsilon, count, least), epsilon, count)


@pytest.mark.parametrize("count", [999, 1000, 1600])
def test_tails_stay_exact_where_factorials_are_a_series(count: int) -> None:
    """Below a thousand factorials are multiplied out; from there on they are Stirling's."""
    assert right(tails(0.02, count, count // 2), 0.02, count)


def test_a_series_ends_only_where_nothing_is_left() -> None:
    """Neither where ratios begin near one nor where they begin small is it cut too early."""
    for least in (1500, 1900):
        assert right(tails(1e-3, 3000, least), 1e-3, 3000)


@pytest.mark.parametrize(("epsilon", "count"), [(0.7, 12), (30.0, 5), (0.01, 1003)])
def test_one_response_earlier_is_the_tail_from_there(epsilon: float, count: int) -> None:
    """Step by step from the last response down to fewer than none is lost."""
    known = tails(epsilon, count, count)
    for _ in range(min(count, 12)):
        known = one_more(epsilon, count, known)
        assert right(known, epsilon, count)
    assert known.least == max(0, count - 12)


def test_all_responses_together_are_sure() -> None:
    """From none on, each of the two laws has mass one."""
    found = tails(1.3, 25, 0)
    assert near(found.present, mpmath.mpf(1)) and near(found.absent, mpmath.mpf(1))


def test_a_loss_is_of_the_number_that_the_float_is() -> None:
    """Twice the true responses less all, times epsilon; 0.1 is its binary self, not a decimal."""
    assert binomial.loss(0.1, 7, 5) == UP.multiply(Decimal(3), Decimal.from_float(0.1))
    assert UP.minus(binomial.loss(0.1, 7, 0)) == binomial.loss(0.1, 7, 7)
    found = tails(0.1, 7, 7)
    assert math.log(found.mass / found.absent) == pytest.approx(0.7, rel=1e-15)


def test_no_other_context_of_decimals_is_read() -> None:
    """Whoever counts money in two digits beside it, and what they set, changes nothing."""
    known = tails(0.3, 9, 5)
    with localcontext(prec=2):
        assert tails(0.3, 9, 5) == known
        assert one_more(0.3, 9, known) == one_more(0.3, 9, tails(0.3, 9, 5))
        assert right(one_more(0.3, 9, known), 0.3, 9)
