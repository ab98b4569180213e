"""Bounds of exponentials contain them, and are narrow; judged by decimal arithmetic."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from tacit.noise.weights import ONE, exponential, weights

DIGITS = 120


def decimal(x: Fraction | int) -> Decimal:
    return Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator)


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(2.0**-1074), Fraction(2.0**-40), Fraction(1, 3), 1, 50, 191, 192]
)
def test_an_exponential_lies_between_its_bounds(x):
    """Below and above e^-x, 2^-170 apart at most."""
    bounds = exponential(Fraction(x))
    with localcontext(prec=DIGITS):
        exact = (-decimal(x)).exp() * ONE
        assert bounds.below <= exact <= bounds.above
    assert bounds.above - bounds.below <= 2**22


def test_a_vanishing_exponential_is_at_most_one_unit():
    """However large x is, without any work."""
    assert (0, 1) == exponential(Fraction(1e300))


def test_the_bounds_are_not_wide_enough_for_a_wrong_series():
    """One unit more in the sixteenth digit is outside."""
    bounds = exponential(Fraction(0.7))
    with localcontext(prec=DIGITS):
        assert (-Decimal("0.7000000000000001")).exp() * ONE < bounds.below


@pytest.mark.parametrize(
    "start, first, second",
    [(0, 0.125, 0.25), (0, 2.0**-30, 0), (0.3, 0.3, 0), (0.01, 0.03, 0.02), (0, 50, 100)],
)
def test_weights_lie_within_their_slack_and_the_rest_within_the_tail(start, first, second):
    """Lower bounds, whose sum falls short by at most the slack; the tail covers ten times more."""
    count = 300
    start, first, second = (Fraction(x) for x in (start, first, second))
    made = weights(start, first, second, count)
    with localcontext(prec=DIGITS):
        exact = [
            (-decimal(start + first * j + second * j * (j - 1) / 2)).exp() * ONE
            for j in range(10 * count)
        ]
        short = [true - low for true, low in zip(exact, made.lower, strict=False)]
        assert 0 <= min(short) and sum(short) <= made.slack <= 2**40
        assert sum(exact[count:]) <= made.tail


def test_the_tail_of_a_geometric_law_is_its_own():
    """Where the ratios are constant, the bound is the sum up to rounding."""
    made = weights(Fraction(0), Fraction(1, 8), Fraction(0), 100)
    with localcontext(prec=DIGITS):
        ratio = (-Decimal("0.125")).exp()
        exact = ratio**100 / (1 - ratio) * ONE
        assert 0 <= made.tail - exact <= 2**30
