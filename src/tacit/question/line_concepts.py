"""Concepts about points on a line: where labels change along it; see `question.concepts`.

An example is one person's point, a whole number from 0 to n - 1, and a label: an age, a price, a
score in public steps. A concept gives one label to each piece of the line.

| class | its concepts | how many |
| --- | --- | --- |
| `LineThreshold` | 1 from some point on | n + 1 |
| `LineInterval` | 1 between two points | n (n+1)/2 + 1 |
| `LinePieces` | up to K pieces, k labels | sum over j <= K of C(n-1, j-1) k (k-1)^(j-1) |

The answer is where its pieces begin, from the left, and then their labels; what is over repeats n
and the last label.
"""

from dataclasses import dataclass
from typing import final

from tacit.mechanisms.rows.line_labelings import Intervals, PieceLabelings, Thresholds
from tacit.question.concept_sizes import MOST_LABELS, refuse_size

# What step 1 of `line_choice` reckons with: points, and states of a walk along them.
MOST_POINTS, MOST_STATES = 4096, 64
# There are two labels at least, and a state for each of a piece.
MOST_PIECES = MOST_STATES // 2


@final
@dataclass(frozen=True)
class LineThreshold:
    """The threshold that is right about most: 0 below it, 1 from it on.

    Args:
      points: n, from 2 to 4,096.
    """

    points: int

    def __post_init__(self):
        refuse_size(self, "points", 2, MOST_POINTS)

    @property
    def labels(self) -> int:
        return 2

    @property
    def labelings(self) -> Thresholds:
        """As walks along the line."""
        return Thresholds(self.points)

    @property
    def size(self) -> int:
        return 2 * self.labelings.pieces

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.labelings.concepts


@final
@dataclass(frozen=True)
class LineInterval:
    """The interval that is right about most: 1 in it, 0 below and above.

    Args:
      points: n, from 2 to 4,096.
    """

    points: int

    def __post_init__(self):
        refuse_size(self, "points", 2, MOST_POINTS)

    @property
    def labels(self) -> int:
        return 2

    @property
    def labelings(self) -> Intervals:
        """As walks along the line."""
        return Intervals(self.points)

    @property
    def size(self) -> int:
        return 2 * self.labelings.pieces

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.labelings.concepts


@final
@dataclass(frozen=True)
class LinePieces:
    """The labeling in a few pieces that is right about most.

    Args:
      points: n, from 2 to 4,096.
      pieces: how many there may be, from 1 to 32.
      labels: how many a person may have, from 2 to 32; times the pieces, 64 at most.
    """

    points: int
    pieces: int
    labels: int = 2

    def __post_init__(self):
        refuse_size(self, "points", 2, MOST_POINTS)
        refuse_size(self, "pieces", 1, MOST_PIECES)
        refuse_size(self, "labels", 2, min(MOST_LABELS, MOST_STATES // self.pieces))

    @property
    def labelings(self) -> PieceLabelings:
        """As walks along the line."""
        return PieceLabelings(self.points, self.pieces, self.labels)

    @property
    def size(self) -> int:
        return 2 * self.pieces

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.labelings.concepts


AlongLine = LineThreshold | LineInterval | LinePieces
