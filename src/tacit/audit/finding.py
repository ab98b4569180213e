"""What an audit found, and its verdict in one line."""

import math
from dataclasses import dataclass
from typing import Any, final

# What may show something where nothing was shown.
MORE = "more runs, or other neighbours, may show some"


@final
@dataclass(frozen=True)
class AuditFinding:
    """What runs show of a promise.

    Args:
      epsilon: at least so much, at `delta`, with `confidence`; 0 for nothing.
      promised: the epsilon that was promised at `delta`.
      delta: of both.
      confidence: of what is shown.
      of: what was run, in words.
      broken: whether the promise is refuted, by its epsilon or by the whole of its curve.
    """

    epsilon: float
    promised: float
    delta: float
    confidence: float
    of: str
    broken: bool

    def __str__(self) -> str:
        least = f"at least epsilon = {rounded_down(self.epsilon)}"
        sure = f"with {100 * self.confidence:.6g}% confidence ({self.of})"
        promise = f"epsilon = {self.promised:g}, delta = {self.delta:g}"
        if self.broken and self.epsilon > self.promised:
            return f"breaks the promise of {promise}: {least}, {sure}"
        if self.broken:
            return f"breaks the promise of {promise}: it allows less to be told apart, {sure}"
        if rounded_down(self.epsilon) == "0.00":
            return f"consistent with the promise of {promise}: nothing is shown, {sure}; {MORE}"
        return f"consistent with the promise of {promise}: {least} is shown, {sure}"

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**vars(self), "verdict": str(self)}


def rounded_down(epsilon: float) -> str:
    """In two decimals: no more than is shown."""
    return f"{math.floor(100 * epsilon) / 100:.2f}"
