"""Both binomial tails that randomised response needs, to fifty digits.

Of `count` responses at epsilon, i are true with probability C(count, i) E^i / (1 + E)^count, where
E = e^epsilon; had the other value been reported, with C(count, i) E^(count - i) / (1 + E)^count.
A float's sixteen digits do not suffice for a certificate: epsilon is the logarithm of a ratio of
tails, and where it is small itself, an error in the ratio's last digit is one in its leading ones.

1. The tails are their first term times a sum of at least 1, of positive terms in whole 2^-256ths,
   each a few roundings from the one before; it stops where all that is left is less than 2^-155 of
   it. So after up to a million terms the relative error is below 2^-154.
2. The logarithms of factorials are exact, or Stirling's series with an error below its first
   missing term, less than 1e-64.
3. All else has sixty digits. Of `count` up to 10^10 the logarithm of the first term is made of some
   fifty sums of numbers below 10^13, so it is off by less than 2e-46.
4. Together the relative error is below `HAIR`.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tacit.accounting.decimals import ONE, UP

HAIR = Decimal("1e-45")
# Of step 1: 2^-155 is a tenth of 1e-45 and less, and 256 bits leave a million roundings below it.
_BITS, _UNNOTICED = 256, 155
_UNIT = Decimal(2**_BITS)
# Of step 2: from here on Stirling's series has 64 digits with the eleven numbers below.
_EXACT = 1000
_LOG_TWO_PI = UP.ln(Decimal("6.2831853071795864769252867665590057683943387987502116419498891846"))
# Bernoulli's B_2, B_4, ... as fractions.
_BERNOULLI = (
    (1, 6),
    (-1, 30),
    (1, 42),
    (-1, 30),
    (5, 66),
    (-691, 2730),
    (7, 6),
    (-3617, 510),
    (43867, 798),
    (-174611, 330),
    (854513, 138),
)


@dataclass(frozen=True)
class Tails:
    """At least `least` true responses: how likely that is, and how likely with the other value."""

    least: int
    mass: Decimal
    present: Decimal
    absent: Decimal


def tails(epsilon: float, count: int, least: int) -> Tails:
    """The tails of the two laws from `least` on."""
    mass, odds = _mass(epsilon, count, least), _odds(epsilon)
    other = _with_other(mass, epsilon, count, least)
    present = UP.multiply(mass, _series(count, least, odds))
    absent = UP.multiply(other, _series(count, least, UP.divide(ONE, odds)))
    return Tails(least, mass, present, absent)


def one_more(epsilon: float, count: int, known: Tails) -> Tails:
    """The tails that begin one response earlier."""
    least = known.least - 1
    ratio = UP.divide(Decimal(known.least), Decimal(count - least))
    mass = UP.multiply(known.mass, UP.divide(ratio, _odds(epsilon)))
    other = _with_other(mass, epsilon, count, least)
    return Tails(least, mass, UP.add(known.present, mass), UP.add(known.absent, other))


def loss(epsilon: float, count: int, true: int) -> Decimal:
    """The privacy loss of so many true responses."""
    return UP.multiply(Decimal(2 * true - count), Decimal(epsilon))


@lru_cache(maxsize=256)
def _odds(epsilon: float) -> Decimal:
    return UP.exp(Decimal(epsilon))


def _mass(epsilon: float, count: int, true: int) -> Decimal:
    """How likely exactly so many responses are true."""
    ways = UP.subtract(_log_factorial(count), _log_factorial(true))
    ways = UP.subtract(ways, _log_factorial(count - true))
    all_true = UP.multiply(Decimal(true), Decimal(epsilon))
    norm = UP.multiply(Decimal(count), UP.ln(UP.add(ONE, _odds(epsilon))))
    return UP.exp(UP.add(ways, UP.subtract(all_true, norm)))


def _with_other(mass: Decimal, epsilon: float, count: int, true: int) -> Decimal:
    """How likely so many true responses would have been with the other value."""
    # A bare minus sign would round to the digits of the context that happens to be set.
    return UP.multiply(mass, UP.exp(UP.minus(loss(epsilon, count, true))))


def _series(count: int, least: int, odds: Decimal) -> Decimal:
    """1 + r + r r' + ..., with r the ratio of one mass to the one before; in whole 2^-256ths."""
    scaled, last = int(UP.multiply(odds, _UNIT)), 0
    total = term = int(_UNIT)
    for true in range(least, count):
        last, term = term, term * scaled * (count - true) // (true + 1) >> _BITS
        total += term
        # The ratios fall, so all that follows is at most term r / (1 - r).
        if term << _UNNOTICED < total and term * last << _UNNOTICED < total * (last - term):
            break
    return UP.divide(Decimal(total), _UNIT)


@lru_cache(maxsize=256)
def _log_factorial(number: int) -> Decimal:
    if number < _EXACT:
        return UP.ln(Decimal(math.factorial(number)))
    n = Decimal(number)
    log = UP.ln(n)
    total = UP.subtract(UP.multiply(n, log), n)
    total = UP.add(total, UP.divide(UP.add(_LOG_TWO_PI, log), Decimal(2)))
    for at, (above, below) in enumerate(_BERNOULLI, start=1):
        power = UP.multiply(Decimal(2 * at * (2 * at - 1) * below), UP.power(n, 2 * at - 1))
        total = UP.add(total, UP.divide(Decimal(above), power))
    return total
