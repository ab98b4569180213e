"""What a secret sample adds to any release, from the losses of the release itself.

Write q for the sampling rate, and let the release be dominated by (P, Q): P with the observed
person, Q without; or, under replace-one, by (P, Q) whichever of the two data sets comes first. H_a
is the hockey-stick divergence, the integral of (P - a Q)_+.

**Poisson sampling** (add/remove; or zero-out, if a zeroed person is like one not drawn).

1. Given who else is drawn, the release is B without the person and (1-q) B + q A with. The integral
   of ((1-q) B + q A - a B)_+ is q H_c(A, B) with c = 1 + (a - 1)/q where c >= 0, and 1 - a
   elsewhere.
2. It rises with H_c(A, B) <= H_c(P, Q), so the pair below dominates; averaging over the others
   keeps it, by joint convexity.

| direction | without sampling | with sampling |
| --- | --- | --- |
| the person is removed | (P, Q) | ((1-q) Q + q P, Q) |
| the person is added | (Q, P) | (Q, (1-q) Q + q P) |

3. *Removed.* A mass m at the loss l becomes q m + (1-q) m e^-l at the loss log(1 - q + q e^l), and
   what only Q has becomes 1 - q times its mass, at the loss log(1 - q).
4. *Added.* This row is the first with its two measures exchanged, so it is built from the *second*
   of the base's directions: an outcome of loss l and mass m keeps m, and its loss becomes
   -log(1 - q + q e^-l). An outcome that only Q has gives itself away without sampling; with it, it
   has the finite loss -log(1 - q).

**Sampling without replacement** (replace-one; exactly m of n, q = m/n).

5. A person who is not drawn is replaced by another, so with A and A' the release given that the one
   or the other neighbour's person is drawn, and B given that neither is, all three are neighbours
   of one another.
6. For a = 1 + q (c - 1) >= 1 and b = a/c, advanced joint convexity says

       H_a((1-q) B + q A, (1-q) B + q A') = q H_c(A, (1-b) B + b A') <= q H_c(P, Q).

7. At a >= 1 this is the profile of ((1-q) Q + q P, Q), and below 1 that of (P, (1-q) P + q Q):
   above 0 the losses are those of the first pair, below 0 their mirror image, and the mass that is
   missing is an atom at 0.
8. B may stand on either side of A, so H_c must bound both orders: a base of two different
   directions first becomes the symmetric pair that dominates both (`worse_of`).

**The grid is safe**: the base's gridded pair dominates the base, hence may stand for it in every
step above; the new losses are put on a grid once more.

References:
    Zhu, Dong, Wang (2022), "Optimal accounting of differential privacy via characteristic
    function", for the pairs; Balle, Barthe, Gaboardi (2018), "Privacy amplification by
    subsampling: tight analyses via couplings and divergences", for advanced joint convexity and
    the closed form.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from tacit.accounting.decimals import at_least
from tacit.accounting.loss.pld import LEAST, UNIT, Directions, Losses, Masses, on_grid
from tacit.accounting.pairs.profile import worse_of
from tacit.argument import got, is_number, refuse_negative

# What a sum of masses near 1 may be short of it: nine units in the last place.
_ROUNDING = 1e-15
Orders = Float[np.ndarray, " orders"]


def amplified(epsilon: float, delta: float, rate: float) -> tuple[float, float]:
    """What an (epsilon, delta)-private release is on a secret sample: tight, and in closed form.

    **Guarantee.** Poisson sampling under add/remove or zero-out, or sampling without replacement
    under replace-one; the release's own promise is for the same relation.

    **Error.** None but rounding, upwards: the worst release reaches
    log(1 + rate (e^epsilon - 1)) and rate delta.

    Raises:
      ValueError: if an argument is out of its range.

    References:
        Balle, Barthe, Gaboardi (2018), Theorems 8 and 9.
    """
    _check_rate(rate)
    refuse_negative("epsilon", epsilon)
    if not (is_number(delta) and 0 <= delta <= 1):
        raise ValueError(f"delta must be in [0, 1], got {got(delta)}")
    if epsilon < 1:
        exact = math.log1p(rate * math.expm1(epsilon))
    else:
        exact = float(_mixed(np.array([epsilon]), rate)[0])
    # The rate's logarithm and epsilon are added, and a release that is not void is never free.
    rounded = exact * (1 + 4 * UNIT * (4 - math.log(rate) + epsilon)) + 4 * LEAST
    return min(rounded, epsilon), at_least(Fraction(rate) * Fraction(delta))


def poisson(base: Directions, rate: float, interval: float) -> Directions:
    """The losses of a release on a Poisson sample, from those of the release: both directions.

    **Guarantee.** Each direction's delta is at least the sampled release's, at every epsilon.

    **Error.** Second order in both grids; `base` should be on one at least as fine as `interval`.

    Args:
      base: the losses (with the person, without) and (without, with); where either law may be
        with the person, a symmetric pair (`worse_of`).
      rate: the chance that the person joins.
      interval: the new grid's, in nats.

    Raises:
      ValueError: if `rate` is not in (0, 1].
    """
    _check_rate(rate)
    removed, added = base
    return _removed(removed, rate, interval), _added(added, rate, interval)


def without_replacement(base: Directions, rate: float, interval: float) -> Directions:
    """The losses of a release on a sample of fixed size, from those of the release.

    **Guarantee.** The symmetric pair's delta is at least the sampled release's, whichever of the
    two neighbours comes first.

    **Error.** As `poisson`.

    Args:
      base: the losses of the release under replace-one; two different directions are allowed.
      rate: the sample's size over the number of people.
      interval: the new grid's, in nats.

    Raises:
      ValueError: if `rate` is not in (0, 1].
    """
    _check_rate(rate)
    # Step 8.
    symmetric = worse_of(base)
    losses, masses = _atoms(symmetric)
    above = losses > 0
    losses, masses, infinite = losses[above], masses[above], rate * symmetric.infinite
    other = np.exp(np.log(masses) - losses)
    present = rate * masses + (1 - rate) * other
    # Step 7.
    at_zero = max(1 - present.sum() - other.sum() - infinite, 0.0) + _ROUNDING
    sampled = _mixed(losses, rate)
    values = np.concatenate([sampled, -sampled, [0.0]])
    both = on_grid(values, np.concatenate([present, other, [at_zero]]), infinite, interval)
    return both, both


def renyi(losses: Directions, orders: Orders) -> Orders:
    """The Renyi divergences of a gridded pair: the larger direction's, by direct summation.

    **Guarantee.** At least those of the release, since the gridded pair dominates it.

    | infinite mass | result |
    | --- | --- |
    | above 0 in either direction | infinity at every order, even if it stands for a tail cut off |
    | none | finite |

    Args:
      orders: above 1.
    """
    directions = losses[:1] if losses[0] is losses[1] else losses
    return np.max([_divergences(one, orders) for one in directions], axis=0)


def union(weighted: Sequence[tuple[float, Directions]]) -> Directions:
    """The losses of releasing one of several pairs, drawn with the given chances, and which.

    **Guarantee.** Exact, if all pairs are on one grid and the chances do not depend on the person.
    """
    forth = _union([(weight, both[0]) for weight, both in weighted])
    if all(both[0] is both[1] for _, both in weighted):
        return forth, forth
    return forth, _union([(weight, both[1]) for weight, both in weighted])


def _union(weighted: Sequence[tuple[float, Losses]]) -> Losses:
    interval = weighted[0][1].interval
    lowest = min(one.lowest for _, one in weighted)
    masses = np.zeros(max(one.lowest + len(one.masses) for _, one in weighted) - lowest)
    for weight, one in weighted:
        start = one.lowest - lowest
        masses[start : start + len(one.masses)] += weight * one.masses
    return Losses(interval, lowest, masses, sum(weight * one.infinite for weight, one in weighted))


def _divergences(one: Losses, orders: Orders) -> Orders:
    if one.infinite > 0:
        return np.full(len(orders), math.inf)
    values, masses = _atoms(one)
    logs = np.log(masses)
    sums = np.array([logsumexp(logs + (order - 1) * values) for order in orders])
    return np.maximum(sums / (orders - 1), 0.0)


def _removed(base: Losses, rate: float, interval: float) -> Losses:
    """((1-q) Q + q P, Q) from (P, Q): step 3."""
    losses, masses = _atoms(base)
    absent = np.exp(np.log(masses) - losses)
    present = rate * masses + (1 - rate) * absent
    sampled = _mixed(losses, rate)
    if rate < 1:
        # What only Q has is a difference; rounding may not lose any of it.
        only = max(1 - absent.sum(), 0.0) + _ROUNDING
        sampled = np.append(sampled, math.log1p(-rate))
        present = np.append(present, (1 - rate) * only)
    return on_grid(sampled, present, rate * base.infinite, interval)


def _added(base: Losses, rate: float, interval: float) -> Losses:
    """(Q, (1-q) Q + q P) from (Q, P): step 4."""
    losses, masses = _atoms(base)
    sampled = -_mixed(-losses, rate)
    if rate == 1:
        return on_grid(sampled, masses, base.infinite, interval)
    sampled = np.append(sampled, -math.log1p(-rate))
    return on_grid(sampled, np.append(masses, base.infinite), 0.0, interval)


def _mixed(losses: Masses, rate: float) -> Masses:
    """log(1 - rate + rate e^loss), the loss of a mixture."""
    if rate == 1:
        return losses
    return np.logaddexp(math.log1p(-rate), math.log(rate) + losses)


def _atoms(one: Losses) -> tuple[Masses, Masses]:
    """The finite losses that have any mass, and their masses."""
    kept = np.flatnonzero(one.masses > 0)
    return (one.lowest + kept) * one.interval, one.masses[kept]


def _check_rate(rate: float) -> None:
    if not (is_number(rate) and 0 < rate <= 1):
        raise ValueError(f"rate must be in (0, 1], got {got(rate)}")
