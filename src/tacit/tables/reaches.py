"""How far noise moves many weighted sums: each by itself, or little more than that.

Gaussian noise moves a sum as far as the length of its weights lets it (`server.reach.sums_reach`).
Of other noise a reach takes milliseconds to find, so sums of like weights have one.

1. Each cell's noise is symmetric, falls from its middle, and is alike and independent of all
   others': so a sum is moved no farther than one whose weights are, in some order, no smaller; and
   c times as far by c times the weights.
2. Hence a sum's weights, the largest first, over their length, are a point; of a box of points,
   none is moved farther than the box's upper corner, times its own length.
3. Boxes are halved across their longest side, that with the farthest corner first, until there are
   so many: corners are then near to all points of theirs.
"""

import heapq
from itertools import count

import numpy as np
from jaxtyping import Float, Int

from tacit.plan import Server
from tacit.server.reach import moves_apart, noise_reaches, sums_reach

# So many boxes are made at most.
BOXES = 128

Weights = Float[np.ndarray, "sums cells"]
Reaches = Float[np.ndarray, " sums"]
Some = Int[np.ndarray, " some"]


def reaches(noise: Server, chance: float, weights: Weights) -> Reaches:
    """How far noise moves each of several weighted sums, but for a chance of each; or a bit more.

    Args:
      noise: the server that adds it.
      chance: above 0 and below 1.
      weights: of each sum.

    Raises:
      ValueError: if nothing is known of such noise.
    """
    return reaches_at(noise, (chance,), weights)[0]


def reaches_at(noise: Server, chances: tuple[float, ...], weights: Weights) -> list[Reaches]:
    """The same for each of several chances, of which boxes know nothing: they are made once."""
    falling = -np.sort(-np.abs(weights), axis=1)
    lengths = np.sqrt(np.square(falling).sum(axis=1))
    if moves_apart(noise):
        sizes, largest = falling.sum(axis=1), falling.max(axis=0)
        return [sums_reach(noise, chance, lengths, sizes, largest) for chance in chances]
    points = falling / np.where(lengths > 0, lengths, 1.0)[:, None]
    found = [np.zeros(len(weights)) for _ in chances]
    for box in boxes(points, BOXES):
        corner = points[box].max(axis=0)
        if corner.any():
            own = noise_reaches(noise, chances, tuple(corner[corner > 0].tolist()))
            for each, one in zip(found, own, strict=True):
                each[box] = lengths[box] * one
    return found


def boxes(points: Weights, most: int) -> list[Some]:
    """The points of each box, by their numbers.

    Args:
      points: none of them negative.
      most: how many boxes there are at most.
    """
    order = count()

    def entry(own: Some) -> tuple[float, int, Some]:
        return -float(np.square(points[own].max(axis=0)).sum()), next(order), own

    halved, whole = [entry(np.arange(len(points)))], list[Some]()
    while halved and len(halved) + len(whole) < most:
        *_, own = heapq.heappop(halved)
        parts = _halves(points[own])
        if parts is None:
            whole.append(own)
        else:
            for part in parts:
                heapq.heappush(halved, entry(own[part]))
    return whole + [own for *_, own in halved]


def _halves(points: Weights) -> tuple[np.ndarray, np.ndarray] | None:
    """Across the longest side; None where all are alike."""
    low, high = points.min(axis=0), points.max(axis=0)
    side = int(np.argmax(high - low))
    below = points[:, side] <= (low[side] + high[side]) / 2
    return None if below.all() else (below, ~below)
