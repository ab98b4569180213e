"""K-norm noise: generic for any norm, and exact, in any dimension, for the Euclidean one.

Noise of density proportional to e^(-epsilon ||z||) makes a release of vectors epsilon-private for
neighbours at distance at most 1 in that norm, whatever the norm: pure epsilon. `KNormDpEvent` says
only that, and its pair is randomised response, in `pairs.pure`. `EuclideanNormDpEvent` says more:
in d dimensions most of the noise is across the direction in which a neighbour moves, and there the
loss is near 0. For many dimensions the release is near a Gaussian one of multiplier
sqrt(d) / epsilon.

**Why distance exactly 1 is the worst.**

1. The hockey stick between the density f and its translate by v is 1 less the integral over z of
   min(f(z), e^e f(z - v)). The integrand is log-concave in (z, v), so the integral is log-concave
   in v (Prekopa).
2. It is even in v, as f is: turn z around.
3. So along each ray it falls and the hockey stick grows; by rotation every direction is the same.

**Why the loss has a closed density.**

4. Let v have length 1, x = ||z|| + ||z - v|| >= 1 and y = ||z - v|| - ||z||, in [-1, 1]: the loss
   is epsilon y, and f is e^(-epsilon (x - y)/2).
5. These are prolate spheroidal coordinates with foci 0 and v, in which the distance from the axis
   is sqrt((x^2 - 1)(1 - y^2)) / 2 and volume is proportional, for d >= 2, to

       (x^2 - y^2) ((x^2 - 1)(1 - y^2))^((d - 3)/2) dx dy.

6. As x^2 - y^2 = (x^2 - 1) + (1 - y^2), integrating x out leaves two of Bessel's K, and the
   P-density of y is proportional to

       e^(epsilon y / 2) (1 - y^2)^((d - 3)/2) (R + 1 - y^2),
       R = 2 (d - 1)/epsilon K_{d/2}(epsilon/2) / K_{d/2 - 1}(epsilon/2).

7. The Q-density is e^(-epsilon y) times it, its mirror image: the pair is symmetric.
8. With y = sin(angle) the density of the angle is analytic on the whole of [-pi/2, pi/2].

For d = 1 the release is Laplace's.

References:
    Hardt, Talwar (2010), "On the geometry of differential privacy", for the mechanism; Prekopa
    (1973), "On logarithmic concave measures and functions".
"""

import math
from functools import cache

import numpy as np
from jaxtyping import Float
from scipy.special import k0e, k1e

from tacit.accounting.events import EuclideanNormDpEvent
from tacit.accounting.loss.pld import Directions, on_grid
from tacit.accounting.pairs import laplace
from tacit.borrowed import LaplaceDpEvent

# Four nodes in a cell of a twentieth of the density's scale are off by 1e-17 of it: below rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_STEP = 0.05
# Deviations on either side of a summit: beyond lie e^-98 of it.
_REACH = 14.0
# Renyi divergences were off by up to 1e-12 against 25 digits, from 2 to 40 dimensions.
_ROUNDING = 1e-10
Angles = Float[np.ndarray, " angles"]
Orders = Float[np.ndarray, " orders"]


def spread(event: EuclideanNormDpEvent) -> float:
    """The standard deviation of one release's loss, to leading order."""
    return min(event.epsilon / math.sqrt(event.dimension), math.sqrt(2 * event.dimension + 1))


def losses(event: EuclideanNormDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one release, split onto a grid.

    **Guarantee.** Its delta is at least that of the mechanism at every epsilon, for neighbours at
    Euclidean distance at most 1.

    **Error.** Second order in `interval`. Quadrature is positive, on cells that end where the loss
    meets the grid; its own error is that of rounding. P-mass of at most `tail`, where the loss is
    largest or smallest, counts as an infinite loss.
    """
    if event.dimension == 1:
        return laplace.losses(_laplace(event), interval, tail)
    edges = _regular(event)
    _, logs = _nodes(event, edges)
    whole = _log_sum(logs)
    each = np.exp(logs - whole).reshape(-1, len(_NODES)).sum(axis=1)
    kept = (np.cumsum(each) > tail / 2) & (np.cumsum(each[::-1])[::-1] > tail / 2)
    inner = edges[np.append(kept, False) | np.insert(kept, 0, False)]
    angles, logs = _nodes(event, _refined(event, inner, interval))
    values = event.epsilon * np.sin(angles)
    both = on_grid(values, np.exp(logs - whole), float(each[~kept].sum()), interval)
    # Step 7.
    return both, both


def renyi(event: EuclideanNormDpEvent, orders: Orders) -> Orders:
    """The Renyi divergences of one release, by quadrature around the integrand's highest point.

    **Guarantee.** Upper bounds: raised by a relative `_ROUNDING`, for quadrature and rounding.

    The P-mean of e^((a-1) loss) less 1 is the integral over y > 0 of
    (1 - e^(-a epsilon y)) (1 - e^(-(a-1) epsilon y)) against the density with tilt
    (a - 1/2) epsilon for epsilon/2: what y and -y give together, and no term cancels.
    """
    if event.dimension == 1:
        return laplace.renyi(_laplace(event), orders)
    epsilon = event.epsilon
    whole = _log_sum(_around_summit(event, epsilon / 2, -math.pi / 2)[1])
    gains = []
    for order in orders:
        angles, logs = _around_summit(event, (order - 0.5) * epsilon, 0.0)
        losses = epsilon * np.sin(angles)
        grown = np.log(-np.expm1(-order * losses)) + np.log(-np.expm1((1 - order) * losses))
        gains.append(_log_sum(logs + grown) - whole)
    return np.minimum(np.logaddexp(0.0, np.add(gains, _ROUNDING)) / (orders - 1), epsilon)


def pure_epsilon(event: EuclideanNormDpEvent) -> float:
    """The epsilon at delta = 0: reached behind either neighbour, on the line through both."""
    return event.epsilon


def _laplace(event: EuclideanNormDpEvent) -> LaplaceDpEvent:
    return LaplaceDpEvent(1 / event.epsilon)


def _regular(event: EuclideanNormDpEvent) -> Angles:
    """Ends of cells on which the density changes little, and 4 nodes integrate it to rounding."""
    step = _STEP / math.sqrt(event.dimension + event.epsilon)
    return np.linspace(-math.pi / 2, math.pi / 2, math.ceil(math.pi / step) + 1)


def _refined(event: EuclideanNormDpEvent, edges: Angles, interval: float) -> Angles:
    """The same ends and every angle between them at which the loss meets the grid."""
    low, high = event.epsilon * math.sin(edges[0]), event.epsilon * math.sin(edges[-1])
    grid = np.arange(math.ceil(low / interval), math.floor(high / interval) + 1) * interval
    return np.union1d(edges, np.arcsin(np.clip(grid / event.epsilon, -1.0, 1.0)))


def _nodes(event: EuclideanNormDpEvent, edges: Angles) -> tuple[Angles, Angles]:
    """Four nodes between every two edges, and the logs of weight times density."""
    half = np.diff(edges) / 2
    angles = ((edges[:-1] + half)[:, None] + half[:, None] * _NODES).ravel()
    logs = _log_density(event, angles, event.epsilon / 2)
    return angles, logs + np.log((half[:, None] * _WEIGHTS).ravel())


def _around_summit(
    event: EuclideanNormDpEvent, tilt: float, lowest: float
) -> tuple[Angles, Angles]:
    """Nodes from `lowest` on, and the logs of weight times the density with tilt for epsilon/2.

    They reach 14 standard deviations to either side of the highest point: beyond is < 1e-17.
    """
    others = event.dimension - 2
    sine = min(2 * tilt / (others + math.hypot(others, 2 * tilt)), 1.0)
    curvature = tilt * sine + (others / (1 - sine**2) if others else 0.0)
    width = _REACH / math.sqrt(curvature)
    low = max(math.asin(sine) - width, lowest)
    high = min(math.asin(sine) + width, math.pi / 2)
    nodes, parts = _many()
    angles, weights = (low + high) / 2 + (high - low) / 2 * nodes, (high - low) / 2 * parts
    return angles, _log_density(event, angles, tilt) + np.log(weights)


@cache
def _many() -> tuple[Angles, Angles]:
    """Nodes and weights on [-1, 1], made when first asked for: at import they cost milliseconds."""
    return np.polynomial.legendre.leggauss(240)


def _log_sum(logs: Angles) -> float:
    highest = float(logs.max())
    return highest + math.log(float(np.exp(logs - highest).sum()))


def _log_density(event: EuclideanNormDpEvent, angles: Angles, tilt: float) -> Angles:
    """The log of e^(tilt y) (1 - y^2)^((d - 2)/2) (R + 1 - y^2) at y = sin(angle)."""
    # cos^2 as 1 / (1 + tan^2) keeps its digits at both ends; it is raised to powers up to d / 2.
    tangents = np.tan(angles) ** 2
    polynomial = np.log(_across(event.epsilon, event.dimension) + 1 / (1 + tangents))
    # Step 8; cos(angle) more than in step 6, from dy.
    return tilt * np.sin(angles) - (event.dimension / 2 - 1) * np.log1p(tangents) + polynomial


@cache
def _across(epsilon: float, dimension: int) -> float:
    """R (step 6), from K_{n+1}/K_n = 2n/t + K_{n-1}/K_n: no term cancels; d = 1e6 is quick."""
    half = epsilon / 2
    order, ratio = (0.0, float(k1e(half) / k0e(half))) if dimension % 2 == 0 else (-0.5, 1.0)
    while order < dimension / 2 - 1:
        order += 1
        ratio = 2 * order / half + 1 / ratio
    return 2 * (dimension - 1) / epsilon * ratio
