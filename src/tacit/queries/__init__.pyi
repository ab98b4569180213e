from .linear_answer import LinearAnswer
from .linear_counts import LinearCounts, linear

__all__ = ["LinearAnswer", "LinearCounts", "linear"]
