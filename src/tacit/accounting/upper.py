"""How numbers are written for people: a bound is rounded up, what is left of one is rounded down.

What is at most a billionth above a short number is that number: sums of floats and certified
searches end as far above 0.1, and 0.10001 would say what nobody spent. So a bound shown as s is
at most s (1 + 1e-9); the ledger, receipts and JSON hold it to the last digit.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from tacit.accounting.decimals import exact

# Digits that are shown: of an epsilon what a search tells from its neighbours, of a delta enough.
EPSILON_DIGITS, DELTA_DIGITS = 5, 4
BELOW_ONE = 1 - Decimal("1e-9")


def upper(value: float) -> str:
    """An upper bound in five significant digits, so that what is printed still bounds.

    | value | written |
    | --- | --- |
    | 1.99998 | 2 |
    | 1.000049 | 1.0001 |
    | 0.1, or 0.1 (1 + 1e-10) | 0.1 |
    | infinite | the sign for it |
    """
    if math.isinf(value):
        return "∞"
    return f"{_rounded_up(value, EPSILON_DIGITS):f}"


def upper_delta(value: float) -> str:
    """The same in four digits, as floats are written: a delta may be 1e-12."""
    return f"{float(_rounded_up(value, DELTA_DIGITS)):g}"


def lower(value: float) -> str:
    """What is left of a limit, in as many digits as an epsilon, rounded down: so much is there."""
    if math.isinf(value):
        return "∞"
    down = Context(prec=EPSILON_DIGITS, rounding=ROUND_FLOOR)
    return f"{down.create_decimal(exact(value)).normalize():f}"


def enough(value: float) -> float:
    """A number of as few digits that is at least this one, exactly: a limit that has room for it,
    to be written down."""
    if math.isinf(value):
        return value
    up = Context(prec=EPSILON_DIGITS, rounding=ROUND_CEILING)
    return float(up.create_decimal(exact(value)))


def _rounded_up(value: float, digits: int) -> Decimal:
    up = Context(prec=digits, rounding=ROUND_CEILING)
    return up.create_decimal(Decimal(value) * BELOW_ONE).normalize()
