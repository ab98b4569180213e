"""A symmetric pair known only by an upper bound on its privacy profile, as losses on a grid.

Many amplification theorems bound delta(epsilon) and name no pair. But a function of a = e^epsilon
that is convex, non-increasing and at least (1 - a)_+, and 1 at a = 0, *is* the profile of some
pair, and that pair dominates every pair whose profile it bounds. So a bound may be composed.

**From points to a profile.** Let d(a) be the true profile, of a symmetric pair or the supremum of
the profiles of all pairs of a symmetric relation; it is convex in a and non-increasing. Let D_i
bound it at the grid's points a_i = e^(i h). Then each of these still bounds d:

1. the running minimum of the D_i, since d does not increase;
2. at a = 1, every D_i + (1 - D_i) (a_i - 1) / (a_i + 1): the total variation of the worst
   (epsilon_i, D_i)-private pair;
3. the *lower convex hull* of the points: between two vertices d lies below its own chord, and that
   below the chord of the bounds. No bound that is not convex has to be raised.

Below a = 1, symmetry says d(1/a) = 1 - 1/a + d(a)/a; step 2 is what makes the hull of both halves
convex across a = 1. Beyond the last point d does not exceed D there: an infinite loss.

**From a profile to masses.** The slope of d between two vertices is minus the Q-mass of all losses
from the upper one on. At a vertex b between a and c, whose losses differ by g and k, the P-mass is

    (D_a - D_b) / (1 - e^-g) - (D_b - D_c) / (e^k - 1),

which has no factor e^epsilon to overflow, and is as accurate, relatively, as the second differences
of D are. The mirror loss has e^-loss times that mass; what is missing to 1 is an atom at 0.

References:
    Zhu, Dong, Wang (2022), "Optimal accounting of differential privacy via characteristic
    function", on which functions are profiles; Doroshenko, Ghazi, Kamath, Kumar, Manurangsi
    (2022), "Connect the Dots".
"""

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from tacit.accounting.loss.discounted import discounted
from tacit.accounting.loss.pld import Directions, Losses, on_grid

# What a sum of masses near 1 may be short of it: nine units in the last place.
_ROUNDING = 1e-15
Deltas = Float[np.ndarray, " points"]
Vertices = Int[np.ndarray, " vertices"]


def from_profile(
    delta_at: Callable[[Deltas], Deltas], span: float, interval: float, infinite: float
) -> Directions:
    """The losses of a symmetric pair whose profile is at least the given bound's convex hull.

    **Guarantee.** Its delta is at least the true profile's at every epsilon, below 0 too.

    **Error.** Second order in `interval`, plus `delta_at(span)` and `infinite` as infinite losses.

    Args:
      delta_at: upper bounds on delta at the given epsilons, all at least 0.
      span: the largest epsilon asked for.
      interval: distance of the grid's points, in nats.
      infinite: what `delta_at` leaves out: it is added to delta at every epsilon.

    Raises:
      ValueError: if `span`, `interval` or `infinite` is out of range, or a delta is below 0.
    """
    if not 0 < interval <= span < math.inf:
        raise ValueError(f"interval and span must satisfy 0 < interval <= span, got {interval}")
    if not 0 <= infinite <= 1:
        raise ValueError(f"infinite must be in [0, 1], got {infinite}")
    epsilons = np.arange(math.ceil(span / interval) + 1) * interval
    given = np.asarray(delta_at(epsilons), dtype=float)
    if not np.all(given >= 0):
        raise ValueError("delta_at must return deltas of at least 0")
    deltas = _tightened(epsilons, np.minimum(given + infinite, 1.0))
    vertices = _hull(deltas, interval)
    both = _symmetric_losses(epsilons[vertices], deltas[vertices], interval)
    return both, both


def worse_of(directions: Directions) -> Losses:
    """The losses of one symmetric pair that dominates both directions.

    **Guarantee.** Its delta is at least the larger of the two directions' at every epsilon. A pair
    that is one object in both directions is returned as it is.
    """
    first, second = directions
    if first is second:
        return first
    interval = first.interval
    top = max(one.lowest + len(one.masses) - 1 for one in directions)
    size = max(top, 1) + 1
    deltas = np.maximum(deltas_of(first, size), deltas_of(second, size))
    return from_profile(lambda _: deltas, (size - 1) * interval, interval, 0.0)[0]


def deltas_of(losses: Losses, size: int) -> Deltas:
    """delta at the epsilons 0, h, ..., (size - 1) h of the losses' own grid, h its interval.

    Why no difference is taken: from one grid point down to the next delta grows by (1 - e^-h) times
    the sum of e^(epsilon - loss) over the losses above, and that sum is a sum of positive terms.
    """
    masses = np.zeros(size)
    start = max(losses.lowest, 0)
    above = losses.masses[start - losses.lowest : max(size - losses.lowest, 0)]
    masses[start : start + len(above)] = above
    growth = -math.expm1(-losses.interval) * discounted(masses[:0:-1], losses.interval)
    return losses.infinite + np.append(0.0, np.cumsum(growth))[::-1]


def _tightened(epsilons: Deltas, deltas: Deltas) -> Deltas:
    """Steps 1 and 2: a non-increasing bound whose value at 0 the others do not contradict."""
    falling = np.minimum.accumulate(deltas)
    variations = falling + (1 - falling) * np.tanh(epsilons / 2)
    falling[0] = min(falling[0], float(variations[1:].min()))
    return np.minimum.accumulate(falling)


def _hull(deltas: Deltas, interval: float) -> Vertices:
    """Step 3: the points that are vertices of the lower convex hull, as seen from a = e^epsilon."""
    falls = -np.diff(deltas)
    if np.all(falls[:-1] >= math.exp(-interval) * falls[1:]):
        return np.arange(len(deltas))
    kept: list[int] = []
    values = deltas.tolist()
    for point in range(len(values)):
        while len(kept) > 1 and _mass(kept[-2], kept[-1], point, values, interval) < 0:
            kept.pop()
        kept.append(point)
    return np.array(kept)


def _mass(before: int, vertex: int, after: int, deltas: list[float], interval: float) -> float:
    """The P-mass at a vertex; negative where it lies above the chord of its neighbours."""
    arriving = (deltas[before] - deltas[vertex]) / -math.expm1((before - vertex) * interval)
    gap = min((after - vertex) * interval, 700.0)
    return arriving - (deltas[vertex] - deltas[after]) / math.expm1(gap)


def _symmetric_losses(epsilons: Deltas, deltas: Deltas, interval: float) -> Losses:
    """The losses of the symmetric pair whose profile joins the given vertices."""
    falls, gaps = -np.diff(deltas), np.diff(epsilons)
    masses = falls / -np.expm1(-gaps)
    masses[:-1] -= falls[1:] / np.expm1(np.minimum(gaps[1:], 700.0))
    masses = np.maximum(masses, 0.0)
    mirrored = masses * np.exp(-epsilons[1:])
    infinite = float(deltas[-1])
    at_zero = max(1 - masses.sum() - mirrored.sum() - infinite, 0.0) + _ROUNDING
    losses = np.concatenate([epsilons[1:], -epsilons[1:], [0.0]])
    return on_grid(losses, np.concatenate([masses, mirrored, [at_zero]]), infinite, interval)
