"""What a labeling of a line says: the label of each point, and itself in words."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int64, Shaped


def labels_along(
    told: Int64[np.ndarray, " numbers"], points: Shaped[np.ndarray, " people"]
) -> Int64[np.ndarray, " people"]:
    """The label of the piece that each point is in; of who has none, the first's."""
    starts, labels = np.split(told, 2)
    return labels[np.maximum(np.searchsorted(starts, points, "right") - 1, 0)]


def words_along(told: Sequence[int], name: str) -> str:
    """A labeling in words, a line for each piece."""
    starts, labels = told[: len(told) // 2], told[len(told) // 2 :]
    # A piece that is over begins beyond all points, with the label of the one before.
    many = next((n for n in range(1, len(labels)) if labels[n] == labels[n - 1]), len(labels))
    if many == 1:
        return f"always {labels[0]}"
    ends = [f"{name} below {starts[1]}"]
    ends += [f"{name} from {starts[n]} to {starts[n + 1] - 1}" for n in range(1, many - 1)]
    ends.append(f"{name} from {starts[many - 1]} on")
    return "\n".join(f"{end}: {label}" for end, label in zip(ends, labels, strict=False))
