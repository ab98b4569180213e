"""Decimals: read as printed, summed to sixty digits, and never below what they stand for."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from tacit.accounting import decimals
from tacit.accounting.decimals import exact


def test_a_float_is_the_decimal_that_is_printed() -> None:
    """0.1 + 0.2 fills a limit of 0.3, which no sum of floats does, and the next float above 0.2
    does not fit."""
    limit = exact(0.3)
    assert decimals.add((exact(0.1),), (exact(0.2),)) == (limit,)
    assert decimals.add((exact(0.1),), (exact(math.nextafter(0.2, 1.0)),)) > (limit,)
    assert 0.1 + 0.2 > 0.3


def test_a_float_is_at_least_what_it_stands_for() -> None:
    """And the one below is not; what no float holds is infinite."""
    for number in (Fraction(1, 3), Fraction(-1, 3), Decimal("0.1"), Fraction(0.25), 2**60 + 1):
        found = decimals.at_least(number)
        assert found >= number > math.nextafter(found, -math.inf)
    assert decimals.at_least(10**400) == math.inf


def test_a_logarithm_is_no_smaller_than_it_is() -> None:
    """In the last of sixty digits; that of one is zero."""
    with mpmath.workdps(120):
        for number in ("2", "3", "1.0000000000000000000001", "0.7", "1e300"):
            found = mpmath.mpf(str(decimals.log_up(Decimal(number))))
            exact_log = mpmath.log(mpmath.mpf(number))
            assert exact_log < found < exact_log + abs(exact_log) * mpmath.mpf("1e-35")
    assert decimals.log_up(Decimal(1)) == 0


def test_costs_are_rounded_up() -> None:
    """A hundred thirds are never less than they are, though no sum of them fits sixty digits."""
    third = (decimals.UP.divide(Decimal(1), Decimal(3)),)
    total = (Decimal(0),)
    for _ in range(100):
        total = decimals.add(total, third)
    assert Fraction(1, 3) < Fraction(third[0])
    assert 100 * Fraction(third[0]) < Fraction(total[0])


def test_a_cost_of_other_coordinates_is_not_added() -> None:
    """A coordinate that one of two vectors lacks is not taken for zero."""
    with pytest.raises(ValueError, match="zip"):
        decimals.add((Decimal(1), Decimal(2)), (Decimal(1),))


@pytest.mark.parametrize("exponent", ["-800.5", "-0.7", "1e-40", "1", "2.5", "9999.9"])
def test_exponentials_lie_on_both_sides(exponent: str) -> None:
    """By an oracle of a hundred digits the one is above, the other below, and both are near."""
    low, high = decimals.exp_down(Decimal(exponent)), decimals.exp_up(Decimal(exponent))
    with mpmath.workdps(100):
        truth = mpmath.exp(mpmath.mpf(exponent))
        assert mpmath.mpf(str(low)) < truth < mpmath.mpf(str(high))
        assert mpmath.mpf(str(high)) / mpmath.mpf(str(low)) < 1 + mpmath.mpf("1e-57")


def test_exponentials_end_at_ten_thousand() -> None:
    """Beyond it the upper bound is infinite and the lower one stays; at it neither is."""
    last = Decimal(10_000)
    assert decimals.exp_up(last).is_finite()
    assert decimals.exp_up(last.next_plus()) == Decimal("inf")
    assert decimals.exp_down(Decimal(10**9)) == decimals.exp_down(last) < decimals.exp_up(last)


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        ("0.3", 0.3),
        ("0", 0.0),
        ("0.1000000000000000000001", math.nextafter(0.1, 1.0)),
        # The float 0.1 is this number, and is printed as less.
        ("0.1000000000000000055511151231257827021181583404541015625", math.nextafter(0.1, 1.0)),
        ("1e-400", 5e-324),
        ("1e400", math.inf),
    ],
)
def test_what_is_shown_is_the_least_float_printed_at_or_above(number: str, printed: float) -> None:
    """What an account says that it spent is never below what it spent."""
    found = decimals.printed(Decimal(number))
    assert found == printed
    assert exact(found) >= Decimal(number)
    assert found == 0 or exact(math.nextafter(found, 0.0)) < Decimal(number)
