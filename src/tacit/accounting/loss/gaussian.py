"""The Gaussian mechanism's exact privacy curve, its inverse and its calibration.

Two neighbouring answers at distance one, under noise of standard deviation `noise_multiplier`
= s, give N(0, s²) and N(1, s²). The privacy loss is itself Gaussian, and the hockey-stick
divergence is

    delta(epsilon) = Phi(1/2s - epsilon s) - e^epsilon Phi(-1/2s - epsilon s),

an equality (Balle and Wang 2018, Theorem 8).

1. With x = epsilon s - 1/2s and y = epsilon s + 1/2s we have y² - x² = 2 epsilon, so that
   e^epsilon Phi(-y) = erfcx(y/√2) exp(-x²/2) / 2: the huge factor e^epsilon cancels exactly, and
   for x > 0 so does the common exp(-x²/2).
2. What is left is a difference of two numbers of moderate size, which is why the curve below is
   accurate for epsilon in the thousands and for delta far below the smallest float.
3. delta(epsilon) falls as epsilon grows and as s grows, so both inverses are found by bisection,
   which keeps a private end and a not private end and returns the private one: neither can
   overshoot.
4. Rounding is added. With u the unit roundoff, x and y err by at most v = 3u y, as the terms of x
   are no larger than y. From just below 0 on erfcx and ndtr change by less than their own value a
   unit, so with what they err by themselves each is off by a part of itself, and is moved by as
   much. The common factor is that of the x nearest to, or farthest from, zero; and each logarithm
   and square errs by u of itself. Where v is not small delta counts as 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import erfcx, ndtr

from tacit.accounting.loss.pld import UNIT
from tacit.argument import got, is_number, refuse_not_positive

# Relative, of what bisection returns: some thousand roundings, and no digit that is shown.
_TOLERANCE = 1e-12
# Below this shift the closed form loses digits; the integral's own error is less than _ROUNDING.
_SMALL, _ROUNDING = 1e-2, 1e-12
# What SciPy's erfcx and ndtr err by, of themselves: less than 9 units roundoff, held by a test.
_SPECIAL = 16 * UNIT
# How well x has to be told: down to -0.05 both functions change by 0.84 of themselves at most.
_TOLD = 0.05
# Beyond so many deviations lies less than any float: e^-1250.
_UNSEEN = 50
# Deviations beyond which less than e^-800 lies, and panels of at most a deviation and a third.
_FAR, _PANELS = 40.0, 60
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def gaussian_delta(noise_multiplier: float, epsilon: float) -> float:
    """The smallest delta for which the mechanism is (epsilon, delta)-private.

    **Guarantee**: exact for one release and any relation under which the answer moves by at most
    `noise_multiplier`⁻¹ standard deviations in L2, rounded up (step 4), so that it is never zero.

    Raises:
      ValueError: if `noise_multiplier` is not positive and finite, or `epsilon` not in [0, inf).

    References:
        Balle and Wang 2018, "Improving the Gaussian mechanism for differential privacy", Theorem 8.
    """
    refuse_not_positive("noise_multiplier", noise_multiplier)
    _refuse_no_epsilon(epsilon)
    return min(math.nextafter(math.exp(_log_delta(noise_multiplier, epsilon)), math.inf), 1.0)


def gaussian_epsilon(noise_multiplier: float, delta: float) -> float:
    """The smallest epsilon at `delta`, rounded up; zero where delta(0) is already below.

    Raises:
      ValueError: if `noise_multiplier` is not positive and finite, or `delta` not in (0, 1).
    """
    refuse_not_positive("noise_multiplier", noise_multiplier)
    target = _log_target(delta)
    if _log_delta(noise_multiplier, 0.0) <= target:
        return 0.0
    # The Gaussian is (1/2s²)-zCDP, whose conversion (Bun and Steinke 2016, Proposition 1.3) is an
    # upper bound on the root.
    shift = 1 / noise_multiplier
    above = 0.5 * shift * shift + math.sqrt(-2 * target) * shift
    return _least(lambda epsilon: _log_delta(noise_multiplier, epsilon) <= target, 0.0, above)


def gaussian_noise_multiplier(epsilon: float, delta: float) -> float:
    """The smallest noise multiplier that is (epsilon, delta)-private, rounded up.

    **Guarantee**: `gaussian_delta(result, epsilon) <= delta`, checked on the way out.

    Raises:
      ValueError: if `epsilon` is not in [0, inf) or `delta` not in (0, 1).
    """
    _refuse_no_epsilon(epsilon)
    target = _log_target(delta)

    def private(noise_multiplier: float) -> bool:
        return _log_delta(noise_multiplier, epsilon) <= target

    high = 1.0
    while not private(high):
        high *= 2
    low = high / 2
    while private(low):
        low /= 2
    return _least(private, low, high)


def _log_delta(noise_multiplier: float, epsilon: float) -> float:
    half = 0.5 / noise_multiplier
    x, y = epsilon * noise_multiplier - half, epsilon * noise_multiplier + half
    off = 3 * UNIT * y
    if x - off > _UNSEEN or x == math.inf:
        return -math.inf
    if not off < _TOLD:
        return 0.0
    if half < _SMALL:
        return _log_delta_of_small_shift(2 * half, x - off)
    return min(_log_delta_of_large_shift(x, y, off), 0.0)


def _log_delta_of_large_shift(x: float, y: float, off: float) -> float:
    """The closed form, each of its parts raised or lowered by what it errs by at most (step 4)."""
    part = _SPECIAL + off
    second = 0.5 * erfcx(y / math.sqrt(2)) * (1 - part)
    # Step 1.
    if x > 0:
        common = 0.5 * max(x - off, 0.0) ** 2
        log = math.log(0.5 * erfcx(x / math.sqrt(2)) * (1 + part) - second) - common
    else:
        common = 0.5 * (off - x) ** 2
        log = math.log(ndtr(-x) * (1 + part) - max(second, 0.0) * math.exp(-common))
    return log + 4 * UNIT * (common + abs(log))


def _log_delta_of_small_shift(shift: float, x: float) -> float:
    """The same delta as the integral over u > 0 of phi(x + u) (1 - e^(-shift u)): no cancellation.

    With x = epsilon / shift - shift / 2, the loss exceeds epsilon by shift u at the outcome x + u.
    """
    low = max(0.0, -x - _FAR)
    high = max(-x, 0.0) + _FAR / max(1.0, x / _FAR)
    edges = np.linspace(low, high, _PANELS + 1)
    half = np.diff(edges)[:, None] / 2
    u = edges[:-1, None] + half * (1 + _NODES)
    logs = -0.5 * u * u - x * u + np.log(-np.expm1(-shift * u)) + np.log(half * _WEIGHTS)
    top = logs.max()
    whole = top + math.log(np.exp(logs - top).sum())
    return whole - 0.5 * x * x - 0.5 * math.log(2 * math.pi) + _ROUNDING


def _refuse_no_epsilon(epsilon: Any) -> None:
    if not (is_number(epsilon) and 0 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least zero and finite, got {got(epsilon)}")


def _log_target(delta: Any) -> float:
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must lie strictly between zero and one, got {got(delta)}")
    # What is found below it is, rounded up, no more than delta.
    log = math.log(delta)
    return log - 4 * UNIT * (1 + abs(log))


def _least(private: Callable[[float], bool], low: float, high: float) -> float:
    """The least private number, from above, between one that is not and one that is (step 3)."""
    while high - low > _TOLERANCE * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if private(middle) else (middle, high)
    return high
