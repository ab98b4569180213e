"""What it costs to tell which of many sums reach a threshold, with Laplace noise on the sums alone.

Sums f_1, f_2, ... are chosen one after the other, one person moves each by at most u, and sum t is
answered "above" iff f_t + v_t >= T, with discrete Laplace noise v_t of parameter b drawn afresh.
After c answers "above" the data are not used again.

1. Let w = bu, and p, p' an "above"'s chance on two neighbours. Then p/p' and (1-p)/(1-p') lie in
   [e^-w, e^w]: the pairs fill a quadrilateral with corners (0, 0), (1, 1), (e^w, 1)/(1+e^w) and
   (1, e^w)/(1+e^w).
2. For l > 0 call R >= 1 a price if p (p/p')^l / R + (1-p) ((1-p)/(1-p'))^l <= 1 on all of it. The
   left side is jointly convex, so the corners decide; the first two hold, and the others ask for
   R >= e^(w(1+l)) / (1 + e^w - e^-wl) and R >= e^-wl / (1 + e^w - e^(w(1+l))), with
   e^(w(1+l)) < 1 + e^w.
3. With L the loss of the answers so far and N <= c the number of "above"s, e^(lL) R^-N is then a
   supermartingale, however the sums are chosen, so E e^(lL) <= R^c. So the Rényi divergence of
   order 1 + l is at most c ln R / l, about c w² (1+l), however many sums there are. At u = 1
   discrete Laplace noise attains the corners, so no smaller R serves.
4. A value released with each "above", of pure epsilon y, multiplies the price by at most that of
   randomised response, (e^(y(1+l)) + e^(-yl)) / (1 + e^y).
5. In terms of delta,

       delta(epsilon) <= min over l of R^c e^(-l epsilon) / l (1 - 1/(1+l))^(1+l).

References:
    Hardt and Rothblum 2010, "A multiplicative weights mechanism for privacy-preserving data
    analysis" (one noise); the constants as in Dwork 2011, "The promise of differential privacy",
    and in Wang, "Differential privacy: a short tutorial".
    Zhu and Wang 2020, "Improving sparse vector technique with Rényi differential privacy".
    Canonne, Kamath and Steinke 2020 (from Rényi divergence to delta).
"""

import math
from collections.abc import Callable

import numpy as np

from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_not_counted,
    refuse_not_positive,
)

# Nothing is proved of noise of less than a hundredth of the sensitivity.
_MOST_RATE = 100.0
# Covers the float64 rounding of prices.
_SLACK = 1e-12


def curve(epsilon: float, positives: int, rate: float, values: float = 0.0) -> float:
    """The delta proved at `epsilon` for Laplace noise on the sums alone.

    Args:
      rate: w, a sum's sensitivity over the scale of its noise.
      values: y, the same for a value released with each "above"; zero for none.
    """
    _refuse(epsilon, positives)
    refuse_negative("values", values)
    if not is_number(rate):
        raise ValueError(f"rate must be a number, got {got(rate)}")
    return _proved(epsilon, positives, rate, values) if 0 < rate <= _MOST_RATE else 1.0


def _proved(epsilon: float, positives: int, rate: float, values: float) -> float:
    # Step 2: beyond the last order e^(w(1+l)) < 1 + e^w fails.
    l = np.geomspace(1e-9, 1 - 1e-9, 5000) * math.log1p(math.exp(-rate)) / rate
    growth = np.expm1(rate * l)
    price = np.maximum(
        rate * l - np.log1p(-math.exp(-rate) * np.expm1(-rate * l)),
        -rate * l - np.log1p(-math.exp(rate) * growth),
    )
    # Step 4.
    price += np.logaddexp(values * (1 + l), -values * l) - np.logaddexp(0, values)
    conversion = l * np.log(l) - (1 + l) * np.log1p(l)
    exponent = positives * price * (1 + 1e-9) - l * epsilon + conversion
    return math.exp(min(0.0, float(np.min(exponent)) + _SLACK * positives))


def most(allowed: Callable[[float], bool], epsilon: float) -> float:
    """The largest rate up to `epsilon` that is allowed, to nine digits; all below it are, too."""
    refuse_not_positive("epsilon", epsilon)
    low, high = math.log(epsilon) - 60, math.log(epsilon)
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(math.exp(middle)) else (low, middle)
    return math.exp(low)


def published(epsilon: float, delta: float, positives: int) -> float:
    """Hardt and Rothblum's: a sum's sensitivity over the scale of their noise."""
    _refuse(epsilon, positives)
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be in (0, 1), got {got(delta)}")
    l = math.log(2 / delta)
    return epsilon / (8 * math.sqrt(2 * l * (4 * positives + l)))


def _refuse(epsilon: float, positives: int) -> None:
    refuse_not_positive("epsilon", epsilon)
    refuse_not_counted("positives", positives)
