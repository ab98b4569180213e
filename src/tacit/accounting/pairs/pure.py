"""Pure local reports: randomised response is the worst of them, and it composes exactly.

A report that is e0-private, whatever its mechanism, is a post-processing of randomised response
with e0: the pair (E, 1)/(E+1) against (1, E)/(E+1), E = e^e0, whose loss is +e0 or -e0. So k
reports of one person are at worst k randomised responses, whose losses are (2i - k) e0 with
i ~ Bin(k, E/(E+1)): an exact sum, no grid. At delta = 0 the promise is the plain sum k e0.

Both weights come from the logistic function, never one as the other's difference from 1: of the
smaller one nothing would be left near e0 = 36, and a wrong epsilon below the true one.

References:
    Kairouz, Oh, Viswanath (2015), "The composition theorem for differential privacy", Theorem 3.3.
    Dwork, McSherry, Nissim, Smith (2006), for the plain sum.
"""

import math
from decimal import Decimal

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from tacit.accounting.decimals import ONE, UP
from tacit.accounting.events import LocalDpEvent
from tacit.accounting.loss import binomial
from tacit.accounting.loss.pld import Directions, Masses, deltas_at, on_grid, smallest_epsilon
from tacit.accounting.pairs.response import two_sided_renyi
from tacit.late import binom


def pure_epsilon(event: LocalDpEvent) -> float:
    """The epsilon at delta = 0 of one report."""
    return event.epsilon


def spread(event: LocalDpEvent) -> float:
    """The standard deviation of one randomised response's loss."""
    return event.epsilon / math.cosh(min(event.epsilon / 2, 700.0))


def repeated_epsilon(epsilon: float, count: int, delta: float) -> float:
    """The exact epsilon at `delta` of `count` randomised responses, in closed form, rounded up.

    **Guarantee.** An upper bound for any `count` epsilon-private reports, chosen adaptively. The
    result is the least float that is not below the exact value (`binomial`: floats only say where
    to look), where `epsilon` is the number that the float is.

    1. delta(e) is the largest of U_i - e^e B_i over i, with U_i and B_i the chances of at least i
       true responses, so epsilon is the largest log((U_i - delta) / B_i).
    2. That has one peak: the (B_i, U_i) lie on a concave curve, and a concave function over its
       argument first rises, then falls. So nothing is searched for but its top.
    """
    lowest, masses = _responses(epsilon, count)
    guess = smallest_epsilon(lowest, 2 * epsilon, masses, delta)
    near = math.ceil(min((guess / epsilon + count) / 2, count))
    found = _peak(epsilon, count, delta, min(near + 2, count))
    return _rounded_up(min(found, binomial.loss(epsilon, count, count)))


def certified_delta(epsilon: float, count: int, target: float) -> float:
    """The exact delta at `target`, at least 0, of `count` randomised responses, rounded up."""
    if target < _responses(epsilon, count)[0]:
        return 1.0
    at = Decimal(target)
    least = max(0, math.floor((target / epsilon + count) / 2) - 2)
    while least <= count and binomial.loss(epsilon, count, least) <= at:
        least += 1
    if least > count:
        return 0.0
    found = binomial.tails(epsilon, count, least)
    kept = UP.multiply(UP.multiply(found.absent, UP.exp(at)), UP.subtract(ONE, binomial.HAIR))
    present = UP.multiply(found.present, UP.add(ONE, binomial.HAIR))
    return min(1.0, _rounded_up(UP.subtract(present, kept)))


def repeated_delta(
    epsilon: float, count: int, targets: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """The exact delta at each of `targets`, at least 0, of `count` randomised responses.

    To about a relative 1e-12, for curves; `certified_delta` is rounded up.
    """
    lowest, masses = _responses(epsilon, count)
    found = deltas_at(lowest, 2 * epsilon, masses, targets)
    return np.where(targets < lowest, 1.0, found)


def losses(event: LocalDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one randomised response, split onto a grid; nothing is cut off."""
    del tail
    values = np.array([event.epsilon, -event.epsilon])
    both = on_grid(values, expit(values), 0.0, interval)
    return both, both


def renyi(
    event: LocalDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one randomised response: losses of 0 have no mass."""
    return two_sided_renyi(event.epsilon, float(expit(event.epsilon)), orders)


def _peak(epsilon: float, count: int, delta: float, least: int) -> Decimal:
    """The peak of step 2 at a loss above 0, looked for from `least` on down."""
    known, passed = binomial.tails(epsilon, count, least), False
    value = _solved(known, delta)
    while 2 * known.least > count:
        known = binomial.one_more(epsilon, count, known)
        earlier = _solved(known, delta)
        if earlier < value:
            break
        value, passed = earlier, True
    if passed or least == count:
        return value
    return max(value, _peak(epsilon, count, delta, min(2 * least - count // 2 + 2, count)))


def _solved(known: binomial.Tails, delta: float) -> Decimal:
    left = UP.subtract(UP.multiply(known.present, UP.add(ONE, binomial.HAIR)), Decimal(delta))
    if not left > 0:
        return Decimal("-inf")
    absent = UP.multiply(known.absent, UP.subtract(ONE, binomial.HAIR))
    return UP.add(UP.ln(UP.divide(left, absent)), binomial.HAIR)


def _rounded_up(number: Decimal) -> float:
    near = max(0.0, float(number))
    return near if Decimal(near) >= number else math.nextafter(near, math.inf)


def _responses(epsilon: float, count: int) -> tuple[float, Masses]:
    """The lowest loss kept, and the masses from it on, 2 epsilon apart.

    Beyond sixty standard deviations lies less than any float; losses below 0 are of no use.
    """
    truth, lie = float(expit(epsilon)), float(expit(-epsilon))
    reach = 60 * math.sqrt(count * truth * lie) + 60
    low = max(0, count // 2 - 1, math.floor(count * truth - reach))
    lies = np.arange(count - low, max(count - math.ceil(count * truth + reach), 0) - 1, -1)
    return (2 * low - count) * epsilon, binom.pmf(lies, count, lie)
