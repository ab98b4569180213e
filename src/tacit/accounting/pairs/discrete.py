"""Integers with discrete Laplace or discrete Gaussian noise: exact losses of exact releases.

**Why moving by s is the worst**, if a neighbour moves the integer by at most s and the noise's mass
p is log-concave.

1. p(k) / p(k - s) falls as k grows, so the best test between the two is a threshold, and with F
   the distribution function

       sum over k of min(p(k), g p(k - s)) = min over t of g F(t - s) + 1 - F(t).

2. The right side falls as s grows, and the hockey stick is 1 less it.
3. Both noises are even, so both pairs are symmetric.

**Discrete Laplace**, p(k) proportional to e^(-a |k|).

4. The loss a (|k - s| - |k|) is +as for k <= 0, with mass 1/(1 + e^-a), and -as for k >= s, with
   e^-as times that; in between it is a (s - 2k).
5. Consecutive integers in between are together one outcome whose loss is exactly that of the
   middle: their P-masses and, in reverse, their Q-masses are one geometric sum. If they lie in one
   cell of the grid, to split the middle is to split each of them, for a split keeps both masses.

**Discrete Gaussian**, p(k) proportional to e^(-k^2 / 2 sigma^2).

6. The loss is s (s - 2k) / 2 sigma^2.
7. A tail from m on is at most p(m) / (1 - q), q = p(m + 1) / p(m), as the ratios only fall.
8. The sum of e^(-k^2 / 2 sigma^2) over the integers is also sigma sqrt(2 pi) times that of
   e^(-2 pi^2 sigma^2 k^2) (Poisson), and one of the two needs only a dozen terms.

References:
    Ghosh, Roughgarden, Sundararajan (2012), "Universally utility-maximizing privacy mechanisms";
    Canonne, Kamath, Steinke (2020), "The discrete Gaussian for differential privacy".
"""

import math
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from tacit.accounting.decimals import at_least
from tacit.accounting.events import DiscreteGaussianDpEvent
from tacit.accounting.loss.pld import UNIT, Directions, Masses, on_grid
from tacit.argument import (
    refuse_negative,
    refuse_not_counted,
    refuse_not_positive,
)
from tacit.borrowed import DiscreteLaplaceDpEvent

# Integers in one sum: 128 MiB an array.
_OUTCOMES = 2**24
# Roundings of a release's whole epsilon that its divergences err by at most.
_CANCELLED = 32 * UNIT
# Deviations that are summed, beyond what the threshold is away: the rest has a mass below 1e-18.
_REACH = 9.0
Orders = Float[np.ndarray, " orders"]


def discrete_laplace_spread(event: DiscreteLaplaceDpEvent) -> float:
    """The standard deviation of one release's loss, to leading order."""
    return min(discrete_laplace_pure_epsilon(event), math.sqrt(3))


def discrete_laplace_losses(
    event: DiscreteLaplaceDpEvent, interval: float, tail: float
) -> Directions:
    """The losses of one discrete Laplace release, split onto a grid.

    **Guarantee.** Its delta is at least that of the mechanism at every epsilon.

    **Error.** Second order in `interval`; P-mass of at most `tail` counts as an infinite loss.
    """
    a, s = event.noise_parameter, event.sensitivity
    # Step 4.
    one = 1 / (1 + math.exp(-a))
    last = min(s, math.ceil(-math.log(tail) / a))
    beyond = one * math.exp(-a * last)
    first, counts = _together(a, s, last, interval)
    middles = a * (s - 2 * first - counts + 1)
    between = one * np.exp(-a * first) * -np.expm1(-a * counts)
    values = np.concatenate([[a * s], middles, [-a * s] if last == s else []])
    masses = np.concatenate([[one], between, [beyond] if last == s else []])
    both = on_grid(values, masses, beyond if last < s else 0.0, interval)
    return both, both


def discrete_laplace_renyi(event: DiscreteLaplaceDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one discrete Laplace release, in closed form.

    **Guarantee.** Upper bounds. The P-mean of e^((order - 1) loss) is a geometric sum; with
    w = e^-a and r = e^(-(2 order - 1) a) it is
    e^((order - 1) a s) (1 - (w - r)(1 - r^s) / ((1 + w)(1 - r))). What is taken off is at most a
    half, and its logarithm cancels a s; that is right to a few units of it, which are added.
    """
    a, s, less, twice = event.noise_parameter, event.sensitivity, orders - 1, 2 * orders - 1
    differ = math.exp(-a) * -np.expm1(-2 * less * a)
    missing = differ * np.expm1(-twice * a * s) / np.expm1(-twice * a) / (1 + math.exp(-a))
    most = discrete_laplace_pure_epsilon(event)
    return np.minimum(most + np.log1p(-missing) / less + _CANCELLED * most, most)


def discrete_laplace_pure_epsilon(event: DiscreteLaplaceDpEvent) -> float:
    """The epsilon at delta = 0, rounded up."""
    return at_least(Fraction(event.noise_parameter) * event.sensitivity)


def discrete_gaussian_spread(event: DiscreteGaussianDpEvent) -> float:
    """The standard deviation of one release's loss, to leading order; never below it."""
    return event.sensitivity / event.sigma


def discrete_gaussian_losses(
    event: DiscreteGaussianDpEvent, interval: float, tail: float
) -> Directions:
    """The losses of one discrete Gaussian release, split onto a grid.

    **Guarantee.** Its delta is at least that of the mechanism at every epsilon.

    **Error.** Second order in `interval`; P-mass of at most `tail` counts as an infinite loss.

    Raises:
      ValueError: if more than 2^24 integers would be summed, `sigma` above about 800,000.
    """
    reach, cut = _cut(event.sigma, tail)
    k = np.arange(-reach, reach + 1.0)
    shift = event.sensitivity
    # Step 6.
    loss = shift * (shift - 2 * k) / (2 * event.sigma**2)
    masses = np.exp(_log_mass(event.sigma, k))
    both = on_grid(loss, masses, cut, interval)
    return both, both


def discrete_gaussian_renyi(event: DiscreteGaussianDpEvent, orders: Orders) -> Orders:
    """Upper bounds on the Renyi divergences: a s^2 / (2 sigma^2), that of the Gaussian.

    **Guarantee.** Met where a s is a whole number. The divergence is the bound plus
    log(Z(a s) / Z(0)) / (a - 1), and Z(x), the sum over the integers k of
    e^(-(k - x)^2 / 2 sigma^2), is largest where x is one of them.

    References:
        Canonne, Kamath, Steinke (2020).
    """
    return orders * (event.sensitivity / event.sigma) ** 2 / 2


def discrete_gaussian_pure_epsilon(event: DiscreteGaussianDpEvent) -> float:
    """The epsilon at delta = 0: none, as the loss grows without bound."""
    return math.inf


def discrete_gaussian_delta(sigma: float, sensitivity: int, epsilon: float) -> float:
    """The smallest delta for which one release is (epsilon, delta)-private, rounded up.

    **Guarantee.** At least the mechanism's delta; float64 rounding is not added.

    **Error.** The tails that are added instead of summed are below 1e-12 of the result.

    Raises:
      ValueError: if `sigma` is not positive and finite, `sensitivity` is not a whole number of at
        least 1, `epsilon` is not in [0, inf), or `sigma` is above about 900,000.
    """
    refuse_not_positive("sigma", sigma)
    refuse_not_counted("sensitivity", sensitivity)
    refuse_negative("epsilon", epsilon)
    # The losses above epsilon are those of the integers below this one.
    below = math.ceil(sensitivity / 2 - epsilon * sigma**2 / sensitivity)
    margin = _summable(sigma, math.ceil(_REACH * sigma) + 1)
    low, high = min(below - 1, 0) - margin, min(below - 1, margin)
    k = np.arange(low, high + 1.0)
    gains = -np.expm1(epsilon - sensitivity * (sensitivity - 2 * k) / (2 * sigma**2))
    delta = float(np.exp(_log_mass(sigma, k)) @ np.maximum(gains, 0.0))
    above = _tail(sigma, high + 1) if high < below - 1 else 0.0
    return min(delta + _tail(sigma, 1 - low) + above, 1.0)


def _together(a: float, s: int, last: int, interval: float) -> tuple[Masses, Masses]:
    """The integers 1 .. last - 1 in runs within one cell (step 5): first of each, and count."""
    if last == 1:
        return np.empty(0), np.empty(0)
    lowest, highest = (math.floor(a * (s - 2 * k) / interval) for k in (last - 1, 1))
    if highest - lowest > last:
        first = np.arange(1.0, last)
    else:
        meets = (s - np.arange(lowest, highest + 1) * interval / a) / 2
        first = np.unique(np.clip(np.floor(meets) + 1, 1, last - 1))
        first = np.union1d(first, [1.0])
    return first, np.diff(np.append(first, last))


def _log_mass(sigma: float, k: Masses) -> Masses:
    return -((k / sigma) ** 2) / 2 - _log_normaliser(sigma)


def _log_normaliser(sigma: float) -> float:
    """The log of the sum of e^(-k^2 / 2 sigma^2) over the integers k: step 8."""
    others = np.arange(1.0, 13)
    if sigma < 1:
        return math.log1p(2 * float(np.exp(-((others / sigma) ** 2) / 2).sum()))
    dual = math.log1p(2 * float(np.exp(-2 * (math.pi * sigma * others) ** 2).sum()))
    return math.log(sigma) + math.log(2 * math.pi) / 2 + dual


def _tail(sigma: float, m: int) -> float:
    """A bound on the mass of the integers from m >= 0 on: step 7."""
    log_ratio = -(2 * m + 1) / (2 * sigma**2)
    return math.exp(-((m / sigma) ** 2) / 2 - _log_normaliser(sigma)) / -math.expm1(log_ratio)


def _cut(sigma: float, tail: float) -> tuple[int, float]:
    """How far out to sum so that the rest has at most mass `tail`, and a bound on that rest."""
    reach = math.floor(sigma * math.sqrt(2 * math.log(1 / tail)))
    while 2 * _tail(sigma, reach + 1) > tail:
        reach += math.ceil(sigma / 16)
    return _summable(sigma, reach), 2 * _tail(sigma, reach + 1)


def _summable(sigma: float, reach: int) -> int:
    if 2 * reach >= _OUTCOMES:
        raise ValueError(f"sigma must be at most about 800,000, got {sigma}")
    return reach
