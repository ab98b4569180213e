"""All labelings of a few points, one by one, and how many people each is right about."""

import itertools

import numpy as np

from tacit.mechanisms.rows.line_labelings import Intervals, Labelings, PieceLabelings, Thresholds

CLASSES = (Thresholds(4), Intervals(4), PieceLabelings(4, 2, 2), PieceLabelings(3, 3, 3))


def labels_of(labelings: Labelings) -> int:
    return labelings.labels if isinstance(labelings, PieceLabelings) else 2


def every(labelings: Labelings) -> list[tuple[int, ...]]:
    """The labels of all points, of every labeling of a class."""
    each = itertools.product(range(labels_of(labelings)), repeat=labelings.points)
    return [labels for labels in each if _belongs(labelings, labels)]


def right(labels: tuple[int, ...], rows: np.ndarray) -> int:
    return sum(labels[int(point)] == own for point, own in rows)


def spread(told: list[int], points: int) -> tuple[int, ...]:
    """The labels of all points, from where pieces begin and their labels."""
    starts, labels = told[: len(told) // 2], told[len(told) // 2 :]
    ends = [*starts[1:], points]
    return tuple(
        int(label)
        for start, end, label in zip(starts, ends, labels, strict=True)
        for _ in range(int(start), int(end))
    )


def _belongs(labelings: Labelings, labels: tuple[int, ...]) -> bool:
    changes = sum(one != other for one, other in itertools.pairwise(labels))
    if isinstance(labelings, Thresholds):
        return list(labels) == sorted(labels)
    if isinstance(labelings, Intervals):
        return changes <= 2 and (changes < 2 or labels[0] == 0)
    return changes < labelings.pieces
