"""How numbers are written for people: an epsilon is never rounded down."""

import math
from decimal import ROUND_CEILING, Context, Decimal

_UP = Context(prec=5, rounding=ROUND_CEILING)


def upper(value: float) -> str:
    """An upper bound in five significant digits, so that what is printed still bounds.

    | value | written |
    | --- | --- |
    | 1.99998 | 2 |
    | 1.000049 | 1.0001 |
    | infinite | the sign for it |
    """
    if math.isinf(value):
        return "∞"
    return f"{_UP.create_decimal(Decimal(value)).normalize():f}"
