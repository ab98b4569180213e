"""All labelings of a line at once: sums over them, and draws from them.

A labeling weighs rate^-u, u the people it labels right, each at their point. Walks from a point on
that begin in state s (`line_labelings`) weigh together

    B_x(s) = rate^-(people at x with the label of s) * sum over s' that may follow s of B_(x+1)(s'),

and B_n = 1; so all sums take one pass, from the last point to the first. A labeling is drawn from
the first point on, each state in proportion to the B of those that may follow: its chance is its
weight over the sum of the first. Weights are held as `leaf_weights` holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int64

from tacit.mechanisms.rows.leaf_weights import LeafWeights, TreeSums
from tacit.mechanisms.rows.line_labelings import Labelings, States

Counts = Int64[np.ndarray, "points labels"]


@final
@dataclass(frozen=True)
class LineLaw:
    """Labelings of one class, in proportion to rate^-u, u people labelled right.

    Args:
      labelings: the class.
      rate: from 0 to below 1; one more person who is right makes a labeling 1/rate times as
        likely.
    """

    labelings: Labelings
    rate: float

    @cached_property
    def weights(self) -> LeafWeights:
        """Of labels."""
        return LeafWeights(self.rate)

    @cached_property
    def _states(self) -> States:
        return self.labelings.states

    def sums(self, counts: Counts) -> TreeSums:
        """B of every point and state, of how many people have each label at each point."""
        own = counts[:, self._states.labels]
        most, share = own.copy(), np.ones(own.shape)
        for point in reversed(range(len(own) - 1)):
            later = TreeSums(most[point + 1], share[point + 1])
            below = self.weights.summed(_among(self._states.after, later))
            most[point] += below.most
            share[point] = below.share
        return TreeSums(most, share)

    def firsts(self, sums: TreeSums) -> TreeSums:
        """What labelings weigh that begin in each state."""
        return _among(self._states.first, _at(sums, 0))

    def draw(self, words: Iterator[int], sums: TreeSums) -> list[int]:
        """One labeling: where its pieces begin, and then their labels (`question.line_concepts`).

        Args:
          sums: of these people.
        """
        walk = [self.weights.one_of(words, self.firsts(sums))]
        for point in range(1, len(sums.most)):
            following = _among(self._states.after[walk[-1]], _at(sums, point))
            walk.append(self.weights.one_of(words, following))
        return self._told(np.array(walk))

    def _told(self, walk: Int64[np.ndarray, " points"]) -> list[int]:
        starts = [0, *(int(point) + 1 for point in np.flatnonzero(np.diff(walk)))]
        labels = [int(label) for label in self._states.labels[walk[starts]]]
        over = self.labelings.pieces - len(starts)
        return [*starts, *[len(walk)] * over, *labels, *labels[-1:] * over]


def counted_along(rows: Float[np.ndarray, "people numbers"], points: int, labels: int) -> Counts:
    """How many people have each label at each point; who has no point or no label is nobody."""
    point, label = rows.astype(np.int64).T
    known = (point >= 0) & (point < points) & (label >= 0) & (label < labels)
    cells = point[known] * labels + label[known]
    return np.bincount(cells, minlength=points * labels).reshape(points, labels).astype(np.int64)


def _at(sums: TreeSums, point: int) -> TreeSums:
    return TreeSums(sums.most[point], sums.share[point])


def _among(allowed: Bool[np.ndarray, "*sums"], sums: TreeSums) -> TreeSums:
    """Others weigh nothing; some are always allowed, so what is most is theirs."""
    return TreeSums(np.where(allowed, sums.most, -1), np.where(allowed, sums.share, 0.0))
