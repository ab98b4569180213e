"""How far noise moves any of the sums whose weights are between given corners.

**Reaches are convex.** Let q(w) be what |<w, x>| exceeds with a given chance, for x of an even
log-concave density: normal numbers, or independent Laplace ones. Then q is a norm.

1. Of x uniform in a symmetric convex body it is one, as the floating body has every half-space of
   that chance as a support (Meyer and Reisner 1991).
2. With the density f = g^s for a concave g, x is a part of (x, y), uniform where |y| <= g(x) in s
   more dimensions, which is such a body; and e^-|x| is the limit of (1 - |x|/s)^s, a normal number
   of sums of such ones.
3. So between corners q is at most the largest at one.
4. *On a grid* a cell of Laplace noise is within a step of its Laplace number, and what
   `noise_reach` says is at least q. So no sum between corners is moved farther than the largest of
   what it says at one, and a step times the largest |w|_1 there. Gaussian noise is that of
   `sums_reach`, by length.

**Few are found.** A reach of pure noise takes milliseconds to find, and corners are many. By their
sizes, the largest first, over the largest, they are points of a cube; with its sides cut into
`_FINE`, each point is a mean of corners of one small simplex (Kuhn's), and q no larger there than
the same mean of theirs. It is a norm of sizes in any order, as cells' noise is alike and symmetric.

References:
    Meyer and Reisner 1991, "A geometric property of the boundary of symmetric convex bodies and
    convexity of flotation surfaces".
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from tacit.mechanisms.additive.laplace import Laplace
from tacit.server.reach import moves_apart, noise_reach, sums_reach
from tacit.tables.asked import Noisy

# Sides of the cube are cut into so many: twice as many bring the mean nearer to q, and may ask for
# 2^(sizes - 1) times as many reaches, of milliseconds each. A choice, not measured.
_FINE = 16

Sizes = tuple[float, ...]
# Of a part of the chance, and the corners between which sums' weights are, of several boxes: how
# far noise moves any of these sums.
Reach = Callable[[float, list[list[Sizes]]], float]
Points = Float[np.ndarray, "points sizes"]


def reach_of(noisy: Noisy) -> Reach:
    """Of the noise on one aggregate's sums: see `sums_reach` for which moves all sums alike."""
    return _by_length(noisy) if moves_apart(noisy.noise) else _by_means(noisy)


def _by_length(noisy: Noisy) -> Reach:
    def reach(part: float, boxes: list[list[Sizes]]) -> float:
        sizes = _falling(boxes)
        lengths = np.sqrt(np.square(sizes).sum(axis=1))
        own = lengths, sizes.sum(axis=1), sizes.max(axis=0)
        return float(sums_reach(noisy.noise, part * noisy.chance, *own).max())

    return reach


def _by_means(noisy: Noisy) -> Reach:
    tables: dict[tuple[float, int], Float[np.ndarray, " places"]] = {}

    def reach(part: float, boxes: list[list[Sizes]]) -> float:
        sizes = _falling(boxes)
        many = sizes.shape[1] - 1
        table = tables.setdefault((part, many), np.full((_FINE + 1) ** many, np.nan))
        places, shares = simplices(sizes[:, 1:] / np.maximum(sizes[:, :1], np.finfo(float).tiny))
        for place in np.unique(places[np.isnan(table[places])]).tolist():
            table[place] = _of(noisy, part, (1.0, *_point(place, many)))
        means = sizes[:, 0] * (table[places] * shares).sum(axis=1)
        return float(means.max() + _step(noisy) * sizes.sum(axis=1).max())

    return reach


def _of(noisy: Noisy, part: float, weights: Sizes) -> float:
    return noise_reach(noisy.noise, part * noisy.chance, weights)


def _step(noisy: Noisy) -> float:
    """Of the grid that noise is on."""
    law = getattr(noisy.noise, "mechanism", None)
    return law.step if isinstance(law, Laplace) else 0.0


def _falling(boxes: list[list[Sizes]]) -> Points:
    """The sizes of all weights at any corner, the largest first."""
    each = np.array([own for corners in boxes for own in corners])
    return -np.sort(-np.abs(each), axis=1)


def simplices(
    points: Points,
) -> tuple[Int[np.ndarray, "points corners"], Float[np.ndarray, "points corners"]]:
    """The corners around points of a cube, by number, and what share each has of the point.

    Args:
      points: from 0 to 1.
    """
    scaled = points * _FINE
    whole = np.minimum(scaled.astype(np.int64), _FINE - 1)
    rest, powers = scaled - whole, (_FINE + 1) ** np.arange(points.shape[1])
    order = np.argsort(-rest, axis=1, kind="stable")
    steps = np.cumsum(powers[order], axis=1)
    places = (whole @ powers)[:, None] + np.pad(steps, ((0, 0), (1, 0)))
    edges = np.pad(np.take_along_axis(rest, order, axis=1), ((0, 0), (1, 1)))
    edges[:, 0] = 1.0
    return places, edges[:, :-1] - edges[:, 1:]


def _point(place: int, many: int) -> Sizes:
    """Of the cube, by its number."""
    return tuple(place // (_FINE + 1) ** i % (_FINE + 1) / _FINE for i in range(many))
