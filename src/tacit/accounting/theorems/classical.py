"""The field's composition theorems, one function each, to lay beside the accountant's numbers.

Nothing in tacit is certified by these: `accountant.epsilon` is never looser. They are here because
papers, courses and older systems speak in them, and because an accountant that lost to one would
be a poor one. Every result is an upper bound for adaptively chosen
releases, except `approximate_clt_mu`, whose name says what it is.

Two of them are sharper than their usual statement, and proved here. Of all epsilon-private pairs
randomised response, whose loss L is +epsilon or -epsilon, is the worst (the others are its
post-processings), so its divergences bound every pair's:

* **mean loss.** E[L] = epsilon (e^epsilon - 1)/(e^epsilon + 1) = epsilon tanh(epsilon/2).
* **zCDP.** With x = epsilon/2 and y = (2a - 1) x, (a - 1) D_a = log cosh y - log cosh x. As
  log cosh sqrt(u) is concave in u (its slope tanh(sqrt u)/(2 sqrt u) falls), this is at most
  (y^2 - x^2) tanh(x)/(2x) = a (a - 1) epsilon tanh(epsilon/2): rho = epsilon tanh(epsilon/2), which
  a -> 1 attains.

**Moments.**

1. For an integer order a the sampled Gaussian (rate q, multiplier z) has divergence
   log(sum over k of Binomial(a, q)(k) e^(k(k-1)/2z^2))/(a - 1).
2. With r = e^((a-1)/2z^2) each of these exponentials is at most 1 + k(k-1)/2z^2 r^k, and the
   binomial's second factorial moment gives

       D_a <= a q^2 r^2 (1 + q (r - 1))^(a-2) / (2 z^2).

3. If r^2 (1 + q (r - 1))^(a-2) <= 2 at a = 1 + ceil(2 ln(1/delta)/epsilon) <=
   4 ln(1/delta)/epsilon, then z = q sqrt(8 T ln(1/delta))/epsilon gives T D_a <= epsilon/2.
4. The conversion ln(1/delta)/(a - 1) <= epsilon/2 is the other half: Abadi et al.'s shape, with its
   constants.

References:
    Dwork, McSherry, Nissim, Smith (2006). Dwork, Rothblum, Vadhan (2010), "Boosting and
    differential privacy". Kairouz, Oh, Viswanath (2015), "The composition theorem for differential
    privacy", Theorem 3.3. Bun and Steinke (2016), "Concentrated differential privacy". Canonne,
    Kamath, Steinke (2020), Proposition 12. Dong, Roth, Su (2022), "Gaussian differential privacy".
    Bassily, Smith, Thakurta (2014). Abadi et al. (2016), "Deep learning with differential privacy".
"""

import math
from collections.abc import Sequence

import numpy as np

from tacit.accounting.loss.gaussian import gaussian_epsilon
from tacit.accounting.loss.pld import UNIT
from tacit.accounting.pairs.pure import repeated_epsilon
from tacit.argument import got, is_number, refuse_not_counted, refuse_not_positive


def basic(epsilons: Sequence[float], deltas: Sequence[float]) -> tuple[float, float]:
    """Epsilons and deltas add up: the (epsilon, delta) of all releases together."""
    _check_each(epsilons, deltas)
    return math.fsum(epsilons), min(1.0, math.fsum(deltas))


def group(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """The promise to `size` people who change together: one person at a time, `size` times.

    epsilon is multiplied by size, and delta by 1 + e^epsilon + ... + e^((size-1) epsilon), rounded
    up.
    """
    _check_each([epsilon], [delta])
    refuse_not_counted("size", size)
    if delta == 0:
        return size * epsilon, 0.0
    whole = size * epsilon + math.log(-math.expm1(-size * epsilon))
    one = epsilon + math.log(-math.expm1(-epsilon))
    log = math.log(delta)
    rounding = 4 * UNIT * (4 + abs(log) + abs(whole) + abs(one))
    return size * epsilon, math.exp(min(0.0, log + whole - one + rounding))


def advanced(epsilon: float, delta: float, count: int, slack: float) -> tuple[float, float]:
    """`count` = k releases that are each (epsilon, delta)-private, by the advanced theorem.

    Together epsilon is sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon - 1), and delta is
    k delta + slack.

    Args:
      slack: what the total delta may be above the sum of deltas, in (0, 1).
    """
    _check_each([epsilon], [delta])
    refuse_not_counted("count", count)
    _check_delta("slack", slack)
    spread = math.sqrt(2 * count * -math.log(slack)) * epsilon
    return spread + count * kl_of_pure(epsilon), min(1.0, count * delta + slack)


def heterogeneous(
    epsilons: Sequence[float], deltas: Sequence[float], slack: float
) -> tuple[float, float]:
    """Releases of different epsilons: the smaller of their sum and Hoeffding's bound on it.

    A loss of randomised response lies in [-e, e] and has mean e tanh(e/2), so their sum exceeds
    sum e tanh(e/2) + sqrt(2 ln(1/slack) sum e^2) with probability at most `slack`; delta is
    1 - (1 - slack) times the product of all 1 - delta.
    """
    _check_each(epsilons, deltas)
    _check_delta("slack", slack)
    means = math.fsum(tight_kl_of_pure(epsilon) for epsilon in epsilons)
    spread = math.sqrt(-2 * math.log(slack) * math.fsum(e * e for e in epsilons))
    delta = -math.expm1(math.log1p(-slack) + math.fsum(math.log1p(-delta) for delta in deltas))
    return min(math.fsum(epsilons), means + spread), delta


def optimal(epsilon: float, delta: float, count: int, total_delta: float) -> float:
    """The smallest epsilon that `count` (epsilon, delta)-private releases keep at `total_delta`.

    Nothing smaller holds for all such releases. Each is at worst a failure with probability delta
    and randomised response otherwise, so the responses may use what 1 - (1 - delta)^count leaves.
    Infinite where it leaves nothing.
    """
    _check_each([epsilon], [delta])
    refuse_not_counted("count", count)
    _check_delta("total_delta", total_delta)
    left = -math.expm1(math.log1p(-total_delta) - count * math.log1p(-delta))
    # The two logs may cancel: what their rounding could add is not spent.
    left -= 1e-15 * (total_delta if delta > 0 else 0.0)
    return repeated_epsilon(epsilon, count, left) if left > 0 else math.inf


def lifetime(total: float, databases: int, slack: float) -> float:
    """The epsilon each of `databases` may spend on a person so that `advanced` stays at `total`.

    **Guarantee.** `advanced(result, 0, databases, slack)` is at most (`total`, `slack`).
    """
    refuse_not_positive("total", total)
    low, high = 0.0, total
    while high - low > 1e-15 * high:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        private = advanced(middle, 0.0, databases, slack)[0] <= total
        low, high = (middle, high) if private else (low, middle)
    return low


def kl_of_pure(epsilon: float) -> float:
    """A bound on the mean loss of an epsilon-private release: epsilon (e^epsilon - 1)."""
    refuse_not_positive("epsilon", epsilon)
    return epsilon * math.expm1(epsilon) if epsilon < 700 else math.inf


def tight_kl_of_pure(epsilon: float) -> float:
    """The largest mean loss of an epsilon-private release: epsilon tanh(epsilon/2)."""
    refuse_not_positive("epsilon", epsilon)
    return epsilon * math.tanh(epsilon / 2)


def zcdp_of_pure(epsilon: float) -> float:
    """The rho of an epsilon-private release: epsilon^2/2."""
    refuse_not_positive("epsilon", epsilon)
    return epsilon**2 / 2


def tight_zcdp_of_pure(epsilon: float) -> float:
    """The smallest rho that every epsilon-private release keeps: epsilon tanh(epsilon/2)."""
    return tight_kl_of_pure(epsilon)


def zcdp_epsilon(rho: float, delta: float) -> float:
    """The epsilon at `delta` of a rho-zCDP release, through its Renyi divergences rho a.

    The minimum over orders a > 1 of rho a + ln(1 - 1/a) - ln(delta a)/(a - 1); every a is a bound.
    """
    refuse_not_positive("rho", rho)
    _check_delta("delta", delta)
    above = math.sqrt(-math.log(delta) / rho) * np.geomspace(1e-3, 1e3, 30_001)
    orders = 1 + above
    bounds = rho * orders + np.log(above / orders) - (math.log(delta) + np.log(orders)) / above
    return max(0.0, float(bounds.min()))


def gdp_epsilon(mu: float, delta: float) -> float:
    """The epsilon at `delta` of a mu-GDP release: the Gaussian's own, exactly."""
    refuse_not_positive("mu", mu)
    return gaussian_epsilon(1 / mu, delta)


def approximate_clt_mu(rate: float, noise_multiplier: float, steps: int) -> float:
    """An approximation, never a certificate: the mu that many Poisson-sampled Gaussians tend to.

    rate sqrt(steps (e^(1/z^2) - 1)). At finitely many steps the truth may be larger.
    """
    _check_rate(rate)
    refuse_not_positive("noise_multiplier", noise_multiplier)
    refuse_not_counted("steps", steps)
    return rate * math.sqrt(steps * math.expm1(noise_multiplier**-2))


def sgd_noise_advanced(
    lipschitz: float, people: int, steps: int, epsilon: float, delta: float
) -> float:
    """The noise per gradient of SGD by amplification and advanced composition (course version).

    One of `people` records a step, uniformly; 16 l sqrt(T ln(2/delta) ln(2.5 T/(delta n)))/(n e).
    Replace-one. Each noisy gradient is n epsilon/(4 sqrt(2 T ln(2/delta)))-private at delta n/2T;
    both must be at most 1 for the Gaussian theorem and the linearised amplification to hold.

    Raises:
      ValueError: `epsilon` is above 1, or there are too few steps for the theorem.
    """
    refuse_not_positive("lipschitz", lipschitz)
    refuse_not_counted("people", people)
    refuse_not_counted("steps", steps)
    _check_delta("delta", delta)
    if not (is_number(epsilon) and 0 < epsilon <= 1):
        raise ValueError(f"epsilon must be in (0, 1], got {got(epsilon)}")
    composition = math.log(2 / delta)
    fewest = max((people * epsilon) ** 2 / (32 * composition), delta * people / 2)
    if not steps >= fewest:
        raise ValueError(f"steps must be at least {math.ceil(fewest)}, got {steps}")
    gaussian = math.log(2.5 * steps / (delta * people))
    return 16 * lipschitz * math.sqrt(steps * composition * gaussian) / (people * epsilon)


def sgd_noise_moments(rate: float, steps: int, epsilon: float, delta: float) -> float:
    """The noise multiplier of Poisson-sampled SGD by its moments: q sqrt(8 T ln(1/delta))/epsilon.

    Add/remove and zero-out. Abadi et al. leave two constants open; these are proved above.

    Raises:
      ValueError: the setting is outside the theorem: epsilon too large for rate^2 steps, or
        rate steps too small for ln(1/delta).
    """
    _check_rate(rate)
    refuse_not_counted("steps", steps)
    refuse_not_positive("epsilon", epsilon)
    _check_delta("delta", delta)
    log = -math.log(delta)
    multiplier = rate * math.sqrt(8 * steps * log) / epsilon
    order = 1 + math.ceil(2 * log / epsilon)
    growth = (order - 1) / (2 * multiplier**2)
    # Step 3.
    if not (order <= 4 * log / epsilon and growth < 0.5 * math.log(2)):
        raise ValueError(
            "epsilon must be below ln(1/delta) and about 2 rate^2 steps = "
            f"{2 * rate**2 * steps:.3g}, got {epsilon}"
        )
    if not 2 * growth + (order - 2) * math.log1p(rate * math.expm1(growth)) <= math.log(2):
        raise ValueError(f"steps must be more for a rate of {rate}, got {steps}")
    return multiplier


def _check_delta(name: str, value: float):
    if not (is_number(value) and 0 < value < 1):
        raise ValueError(f"{name} must be in (0, 1), got {got(value)}")


def _check_rate(value: float):
    if not (is_number(value) and 0 < value <= 1):
        raise ValueError(f"rate must be in (0, 1], got {got(value)}")


def _check_each(epsilons: Sequence[float], deltas: Sequence[float]):
    if not len(epsilons) == len(deltas) >= 1:
        raise ValueError(f"there must be one delta per epsilon, got {len(deltas)}")
    for epsilon in epsilons:
        refuse_not_positive("epsilon", epsilon)
    for delta in deltas:
        if not (is_number(delta) and 0 <= delta < 1):
            raise ValueError(f"delta must be in [0, 1), got {got(delta)}")
