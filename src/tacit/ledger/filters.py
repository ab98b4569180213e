"""Filters and odometers: what an account admits, and what it has spent, for any adaptive analyst.

Every mechanism and every epsilon may be chosen with all earlier answers in view; what is chosen is
charged before it is computed. Fix two neighbours, and let P and Q be the laws of the whole
transcript on them. A filter turns the charges so far into a *reading* (epsilon_t, delta_t), and
admits a charge only if the reading with it stays within the account's limit (epsilon, delta).

**Guarantee.** For every rule T of stopping and every set S of transcripts,

    P(S) <= (the integral over S of e^(epsilon_T) dQ) + delta,

so that whatever is stopped at the limit is (epsilon, delta)-private (a *filter*), and, on the
transcripts where the reading is at most some e, (e, delta)-private (an *odometer*).

**Proof, `Basic`.** Write P_i, Q_i for the laws of step i given the past, (e_i, d_i) for its
promise.

1. The part of P_i above e^(e_i) Q_i has mass at most d_i.
2. Paths that never enter such a part have density at most e^(sum of e_i) times Q's; the others
   have, together, a P-mass of at most the mean of the sum of the d_i, and that sum never exceeds
   delta.

**Proof, `Renyi`.** Let L_t be the log of P's density over Q's after t charges, and R_t(a) the sum
of their Renyi divergences at order a, each a function of the past.

3. Given the past, a step's loss l has E e^((a-1) l) <= e^((a-1) rho(a)); so e^((a-1)(L_t - R_t(a)))
   is a supermartingale that starts at 1, and its mean at any stopping time is at most 1.
4. With k orders fixed beforehand, let

       c_a = max over x of (1 - e^-x) e^-((a-1) x) = (1 - 1/a)^(a-1) / a,
       epsilon_t(a) = R_t(a) + log(k c_a / delta) / (a - 1),     epsilon_t = the least of these.

   Then P(S) minus the integral is at most the mean of (1 - e^(epsilon_T - L_T))_+, hence at most
   the sum over the orders of c_a times the mean of e^((a-1)(L_T - epsilon_T(a))), which is at most
   k (delta / k).
5. One number more, the sum of pure epsilons, bounds L_t surely: it joins the minimum free of delta.

**Releases that are not quite their event.**

6. A release may differ from the one its divergences are of, with a chance p on either neighbour, as
   a cohort does that is cut at its capacity: a promise of e has the reserve of p in its delta
   (`accounting.reserve`).
7. Of a release with (e, d) alone known, two laws exist within total variation p = d / (1 + e^e) of
   its own that are purely e-private: where P > e^e Q both are set to their sum, divided e^e to 1;
   likewise where Q > e^e P; what one law then has too much of, and the other too little, is moved
   where it brings the two closer together. Its divergences are those of randomised response at e.
8. Replacing every release by its ideal changes P and Q by at most the largest sum of the p, by a
   coupling that is lost at step i with a chance of at most p_i, so the promise of the ideal run
   costs the reserve of that sum more, at its own epsilon. A tenth of delta is set aside for it.

**Runs of many rounds** are charged whole before the first. If several runs are played round by
round in turn, each round is a step of its own in the proof for `Renyi`, its divergence bounded
given any past; for promises of a whole run, that this composes alike is the theorem of concurrent
composition.

References:
    Rogers, Roth, Ullman, Vadhan (2016), "Privacy odometers and filters"; Feldman, Zrnic (2021),
    and Lécuyer (2021), for filters in Renyi divergences; Canonne, Kamath, Steinke (2020),
    Proposition 12, for c_a; Kairouz, Oh, Viswanath (2015), for (e, d) as randomised response;
    Vadhan, Zhang (2023), "Concurrent composition theorems for differential privacy".
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Self

import numpy as np
from jaxtyping import Float

from tacit.accounting.decimals import DOWN, ONE, UP, ZERO, exact, exp_down, exp_up
from tacit.accounting.events import local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.loss.renyi import divergences
from tacit.argument import got, is_number, keep_pythons, listed, refuse_not_positive

Cost = tuple[Decimal, ...]
Reading = tuple[Decimal, Decimal]
Orders = Float[np.ndarray, " orders"]

# Powers of two by which the best order's distance from 1 is multiplied (`Renyi.fitting`).
_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0)
_HAIR = Decimal("1e-40")


@dataclass(frozen=True)
class Basic:
    """Admits while the sums of epsilons and of deltas stay within the limit; reads those sums."""

    @property
    def nothing(self) -> Cost:
        """The cost of no charge."""
        return ZERO, ZERO

    def cost(self, promise: Guarantee) -> Cost:
        """What one promise adds: its epsilon and its delta."""
        return exact(promise.epsilon), exact(promise.delta)

    def reading(self, sums: Cost, epsilon: Decimal, delta: Decimal) -> Reading:
        """The sums themselves, whatever the limit."""
        del epsilon, delta
        return sums[0], sums[1]


@dataclass(frozen=True)
class Renyi:
    """Admits while, at one of a few orders, divergences leave the limit unreached.

    Args:
      orders: Renyi orders, fixed before the first charge; fewer cost less. Kept as a tuple.
      aside: the share of delta set aside for releases that are not quite their event.

    Raises:
      ValueError: an order is not above 1 and finite or occurs twice, or aside is not in [0, 1).
    """

    orders: tuple[float, ...]
    aside: float = 0.1

    def __post_init__(self) -> None:
        orders = listed(self.orders)
        if not (orders and all(is_number(order) and 1 < order < math.inf for order in orders)):
            said = got(self.orders) if orders is None else f"({', '.join(map(got, orders))})"
            raise ValueError(f"orders must be a tuple of finite numbers above 1, got {said}")
        object.__setattr__(self, "orders", tuple(map(float, orders)))
        if len(set(self.orders)) < len(self.orders):
            raise ValueError(f"orders must be distinct, got {self.orders}")
        keep_pythons(self, "aside")
        if not (is_number(self.aside) and 0 <= self.aside < 1):
            raise ValueError(f"aside must be in [0, 1), got {got(self.aside)}")

    @classmethod
    def fitting(cls, epsilon: float, delta: float) -> Self:
        """Seven orders for an account of this limit, around the best one for Gaussian releases.

        That is 1 + sqrt(log(1/delta) / rho), for rho-zCDP with rho + 2 sqrt(rho log(1/delta)) =
        epsilon. Sampled releases are best above or below it, and high orders make the odometer's
        first readings small. How many equal Gaussian releases of noise multiplier 200 / epsilon
        fit, and the odometer after the first of very many:

        | epsilon, delta | sums | zCDP | these orders | all at once, exactly | first reading |
        | --- | --- | --- | --- | --- | --- |
        | 0.1, 1e-8 | 43 | 1082 | 1426 | 1895 | 0.002 |
        | 1, 1e-6 | 48 | 1397 | 1622 | 2241 | 0.019 |
        | 3, 1e-5 | 51 | 1542 | 1673 | 2298 | 0.059 |
        | 10, 1e-5 | 48 | 1240 | 1249 | 1600 | 0.20 |
        | 50, 1e-6 | 40 | 583 | 568 | 652 | 0.88 |

        Raises:
          ValueError: epsilon is not positive and finite, or delta not in (0, 1).
        """
        refuse_not_positive("epsilon", epsilon)
        if not (is_number(delta) and 0 < delta < 1):
            raise ValueError(f"delta must lie strictly between 0 and 1, got {got(delta)}")
        root = math.sqrt(-math.log(delta))
        best = root / (math.sqrt(root**2 + epsilon) - root)
        return cls(tuple(1 + best * 2**step for step in _STEPS))

    @property
    def nothing(self) -> Cost:
        """The cost of no charge."""
        return (ZERO,) * (2 + len(self.orders))

    def cost(self, promise: Guarantee) -> Cost:
        """What one promise adds: a pure epsilon, a chance, and a divergence at each order.

        | the event's divergences | pure epsilon | the chance, as its reserve | divergences |
        | --- | --- | --- | --- |
        | finite at some order | epsilon, if delta is all reserve; or infinite | reserve | its own |
        | infinite at all | epsilon | delta | those of randomised response at epsilon |
        """
        orders = np.array(self.orders)
        bounds = divergences(promise.event, promise.relation, orders)
        flaw, sure = promise.delta_reserved, promise.delta == promise.delta_reserved
        if not np.isfinite(bounds).any():
            flaw, sure = promise.delta, True
            bounds = _randomised_response(promise, orders)
        # Step 5, and then steps 6 and 7.
        pure = exact(promise.epsilon if sure else math.inf)
        return pure, _chance(flaw, promise.epsilon), *_upper(bounds)

    def reading(self, sums: Cost, epsilon: Decimal, delta: Decimal) -> Reading:
        """The least of the k + 1 bounds on epsilon; at a delta fixed by the limit.

        Delta is 0 as long as the pure epsilons are the least and no release was imperfect.
        """
        pure, chance, *totals = sums
        ideal = UP.multiply(delta, UP.subtract(ONE, exact(self.aside)))
        bounds = [UP.add(*pair) for pair in zip(totals, _offsets(self.orders, ideal), strict=True)]
        least = max(ZERO, min(bounds))
        if pure <= least and chance == 0:
            return pure, ZERO
        # Step 8.
        flaws = ZERO if chance == 0 else UP.multiply(UP.add(ONE, exp_up(epsilon)), chance)
        return min(pure, least), min(ONE, UP.add(ideal, flaws))


Filter = Basic | Renyi


def _randomised_response(promise: Guarantee, orders: Orders) -> Orders:
    if promise.epsilon == 0:
        return np.zeros(len(orders))
    return divergences(local(promise.epsilon), promise.relation, orders)


def _upper(bounds: Orders) -> Cost:
    # A rounding below 0 is 0; NaN compares as neither, and is no bound at all.
    return tuple(exact(max(0.0, b)) if b < math.inf else Decimal("inf") for b in bounds.tolist())


def _chance(flaw: float, epsilon: float) -> Decimal:
    if flaw == 0:
        return ZERO
    return UP.divide(exact(flaw), DOWN.add(ONE, exp_down(exact(epsilon))))


@lru_cache(maxsize=256)
def _offsets(orders: tuple[float, ...], delta: Decimal) -> Cost:
    """log(k c_a / delta) / (a - 1) at every order a, of step 4."""
    if delta == 0:
        return (Decimal("inf"),) * len(orders)
    return tuple(_offset(exact(order), len(orders), delta) for order in orders)


def _offset(order: Decimal, orders: int, delta: Decimal) -> Decimal:
    less = UP.subtract(order, ONE)
    constant = UP.subtract(UP.ln(UP.divide(Decimal(orders), delta)), UP.ln(order))
    kept = UP.ln(UP.divide(less, order))
    # Sixty digits of a few nearest roundings: the hair is wider than all of their errors.
    return UP.add(UP.add(UP.divide(constant, less), kept), _HAIR)
