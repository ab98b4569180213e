"""The nearest point of a ball about zero: in the same direction, no farther than its radius."""

import numpy as np
from jaxtyping import Float


def nearest_within(
    point: Float[np.ndarray, " *shape"], radius: float
) -> Float[np.ndarray, " *shape"]:
    """The point of the ball that is nearest: no farther than before from any point of the ball."""
    length = float(np.linalg.norm(point))
    return point if length <= radius else point * (radius / length)
