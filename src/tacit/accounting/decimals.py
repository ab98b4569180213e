"""Exact decimals, rounded up: the arithmetic in which a ledger adds what people have spent.

A float is read as the decimal that a person reads when it is printed, so 0.1 + 0.2 fills a limit
of 0.3 and nothing more does. Sums keep sixty digits and are rounded up; so is every function here,
or down where its name says so.
"""

import math
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    InvalidOperation,
)
from fractions import Fraction

_RANGE = {"prec": 60, "Emax": MAX_EMAX, "Emin": MIN_EMIN, "traps": [InvalidOperation]}
UP = Context(rounding=ROUND_CEILING, **_RANGE)
DOWN = Context(rounding=ROUND_FLOOR, **_RANGE)
# Made once, for whoever adds.
ZERO, ONE = Decimal(0), Decimal(1)
# Beyond this an exponential says no more than "all of it", and would take long.
_LARGEST_EXPONENT = Decimal(10_000)


def exact(number: float) -> Decimal:
    """The decimal that a person reads when this float is printed."""
    return Decimal(repr(float(number)))


def at_least(number: Decimal | Fraction | int) -> float:
    """The least float that is no smaller."""
    try:
        near = float(number)
    except OverflowError:
        return math.inf
    return near if near >= number else math.nextafter(near, math.inf)


def printed(number: Decimal) -> float:
    """The least float whose printed decimal is at least `number`."""
    near = float(number)
    while exact(near) < number:
        near = math.nextafter(near, math.inf)
    return near


def add(first: tuple[Decimal, ...], second: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """The sum of two vectors, each coordinate rounded up."""
    return tuple(UP.add(a, b) for a, b in zip(first, second, strict=True))


def exp_up(exponent: Decimal) -> Decimal:
    """An upper bound on e^exponent; infinite beyond ten thousand."""
    if exponent > _LARGEST_EXPONENT:
        return Decimal("inf")
    # Context.exp rounds to nearest in every context.
    return UP.next_plus(UP.exp(exponent))


def log_up(number: Decimal) -> Decimal:
    """An upper bound on the logarithm of a positive number; of one it is zero."""
    return ZERO if number == 1 else UP.next_plus(UP.ln(number))


def exp_down(exponent: Decimal) -> Decimal:
    """A lower bound on e^exponent; constant beyond ten thousand."""
    return DOWN.next_minus(DOWN.exp(min(exponent, _LARGEST_EXPONENT)))
