"""The rounds that find a mixture: a start, and moves of its components, chosen by public numbers.

All rounds are one question, of a unit ball of as many numbers as the longest of them has. A start
has the share `START` of the promise, whether cells are counted (`cell_start`) or centres are moved
(`moved_start`); rounds of `mixture` share the rest evenly. What is promised does not depend on it
(`question.uneven`).

**Error.** Of k components of like sizes that are told apart, an estimate that is off by a vector f
and a matrix E, in units in which a component is standard normal, and by a share e of its weight,
loses log-likelihood: for a person of it |f|²/2 + |E|²/4 + e²/2 to second order (the divergence of
normal laws, in nats). Noise of deviation v on the numbers of a table makes these of

    e: k v/a,      f: on d axes, each k v B/(b s),      E: of q numbers, each k v B²/(c s'),

with s and s' the slopes of what clipping leaves, and k being one for E where all share a shape. So
a loss is v² (A/a² + B/b² + C/c²) for public A, B and C; `weights` are those of the least sum,
a² + b² + c² = 1: their squares are as sqrt(A), sqrt(B) and sqrt(C), none below `LEAST_PART`. Of a
start as good as nothing, which is a nat off, a round is held to leave `LEFT` squared. `lost` is
the sum of both; it says nothing of clusters that were not told apart.

Why B is where it is: squares of norms are d on average, with a deviation of sqrt(2 d). `BEYOND` of
these above it few are clipped, and noise is in proportion to B. Where there is none, B is far out.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tacit.argument import refuse_not_counted
from tacit.contribution import Ball, L1Ball
from tacit.learning.cell_start import CellStart
from tacit.learning.component_shapes import Shapes
from tacit.learning.components import MixtureStart
from tacit.learning.lloyd import LloydRounds
from tacit.learning.mixture import Clipping, Mixture
from tacit.learning.moved_start import MovedStart
from tacit.plan import Plan
from tacit.statistics.box_cells import TRIED, BoxCells, reach_of
from tacit.statistics.clipped_squares import SCALES, ClippedSquares
from tacit.statistics.response import Response
from tacit.statistics.shared_rounds import deviations_of, shared_plan, unit_ball
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust

# Shares of a start, of Lloyd's first round, and how many follow that.
START, LEAD, LLOYDS = 0.2, 0.02, 5
# How many rounds move components: tried, and where nothing is promised.
MOVES, EXACT_MOVES = (2, 3, 5, 8), 30
BEYOND, EXACT_BEYOND = 2.0, 12.0
LEFT, LEAST_PART = 2 / 3, 0.02
# More would be summed in every round for each person.
MOST_CELLS = 2**10


@final
@dataclass(frozen=True)
class MixtureRounds:
    """The rounds that find so many components, all from public numbers.

    Args:
      trust: whom people trust.
      people: how many they are.
      shapes: of components.
      sides: half of each side of the box; the half diagonal is one.
      cells: that a start counts; None for Lloyd's rounds.
      moves: how many rounds follow the start.
    """

    trust: Trust
    people: int
    shapes: Shapes
    sides: tuple[float, ...]
    cells: BoxCells | None
    moves: int

    def __post_init__(self):
        for name in ("people", "moves"):
            refuse_not_counted(name, getattr(self, name))

    @property
    def size(self) -> int:
        """How many numbers the longest table has."""
        own = self.shapes.clusters * (self.shapes.dim + 1) + self.shapes.numbers
        return own if self.cells is None else max(own, self.cells.cells)

    @property
    def table(self) -> Ball | L1Ball:
        """What a person's numbers are in."""
        return unit_ball(self.trust, self.size)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of each round."""
        moved = (START - LEAD) / LLOYDS
        start = (LEAD, *(moved,) * LLOYDS) if self.cells is None else (START,)
        return *start, *((1 - START) / self.moves,) * self.moves

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return shared_plan(self.trust, self.table, self.people, self.shares)

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """Of the noise on one number of each round's answer, the deviation."""
        return deviations_of(self.plan)

    @property
    def bound(self) -> float:
        """B, in units of a component's deviation."""
        beyond = EXACT_BEYOND if isinstance(self.trust, NonPrivate) else BEYOND
        return math.sqrt(self.shapes.dim + beyond * math.sqrt(2 * self.shapes.dim))

    @cached_property
    def law(self) -> ClippedSquares:
        """Of squares that are clipped so."""
        return ClippedSquares(self.shapes.dim, self.bound**2)

    @cached_property
    def slope(self) -> float:
        """What clipping leaves of a mean."""
        return Response(self.shapes.dim, self.bound, 1.0).slope

    @cached_property
    def costs(self) -> Float[np.ndarray, "3"]:
        """A, B and C."""
        asked, dim = self.shapes.asked, self.shapes.dim
        squared = self.bound**2 / np.interp(1.0, SCALES, self.law.slopes)
        numbers = asked.loose + dim * asked.on_level**2
        each = 1 / 2, dim * (self.bound / self.slope) ** 2 / 2, numbers * squared**2 / 4
        clusters = self.shapes.clusters
        return np.array(each) * np.square([clusters, clusters, len(self.shapes.members)])

    @cached_property
    def weights(self) -> Float[np.ndarray, "3"]:
        """a, b and c."""
        parts = np.sqrt(self.costs) / np.sqrt(self.costs).sum()
        kept = np.maximum(parts, LEAST_PART)
        return np.sqrt(kept / kept.sum())

    @property
    def longest(self) -> float:
        """The longest that a person's numbers can be."""
        in_l1 = 1.0, math.sqrt(self.shapes.dim), self.shapes.asked.most
        pure = isinstance(self.table, L1Ball)
        return float(self.weights @ in_l1) if pure else math.hypot(*self.weights)

    @property
    def lost(self) -> float:
        """The predicted loss of log-likelihood, in nats a person."""
        noise = self.longest * self.noise[-1]
        return noise**2 * float((self.costs / self.weights**2).sum()) + LEFT ** (2 * self.moves)

    def learner(self) -> Mixture:
        """Who asks, of rows in the box."""
        numbers = self.bound, self.weights, self.longest, self.slope
        laws = self.law.levels, self.law.slopes
        clipping = Clipping(*(jnp.asarray(each, jnp.float32) for each in (*numbers, *laws)))
        sides, noise = (jnp.asarray(each, jnp.float32) for each in (self.sides, self.noise))
        return Mixture(self._start(), sides, clipping, noise, self.shapes, self.size)

    def _start(self) -> MixtureStart:
        clusters = self.shapes.clusters
        if self.cells is not None:
            return CellStart.of(self.cells, clusters, self.noise[0])
        lloyd = LloydRounds(self.trust, self.people, clusters, self.sides, LLOYDS)
        return MovedStart.of(lloyd, self.noise[: LLOYDS + 1])


def foreseen_rounds(
    trust: Trust, people: int, shapes: Shapes, sides: tuple[float, ...]
) -> MixtureRounds:
    """Those of the least foreseen loss, for rows in a box of half diagonal one.

    Raises:
      ValueError: if the trust model has no plan for it.
    """
    moves = (EXACT_MOVES,) if isinstance(trust, NonPrivate) else MOVES
    cells = None if isinstance(trust, Federated) else _cells(trust, people, shapes, sides)
    tried = [MixtureRounds(trust, people, shapes, sides, cells, each) for each in moves]
    return min(tried, key=lambda each: each.lost)


def _cells(trust: Trust, people: int, shapes: Shapes, sides: tuple[float, ...]) -> BoxCells | None:
    """Those of the least error; None if all are too many, or tell less than nothing.

    A curator's noise on one does not depend on how many there are.
    """
    tried = [BoxCells(trust, people, sides, along) for along in TRIED]
    usable = [each for each in tried if max(shapes.clusters, 2) <= each.cells <= MOST_CELLS]
    if not usable:
        return None
    noise = MixtureRounds(trust, people, shapes, sides, usable[0], MOVES[0]).noise[0]
    best = min(usable, key=lambda each: each.error(shapes.clusters, noise))
    far = best.error(shapes.clusters, noise) > reach_of(shapes.clusters, len(sides)) ** 2
    return None if far else best
