"""What a workload's queries are answered with: estimates, limits, and what was promised."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.question.workloads import Workload
from tacit.statistics.limits import Limits

# The first, and the last of all, which is the total of thresholds.
_FIRST = 5


@final
@dataclass(frozen=True, eq=False, repr=False)
class LinearAnswer:
    """Released answers, in people. All of it is public.

    Args:
      workload: the queries.
      estimates: one for each query, without bias.
      interval: limits of each that hold with probability `confidence` at least; None where people
        report a histogram, for which none are proved, or there are too many to compute.
      confidence: of each interval by itself.
      release: what was run.
    """

    workload: Workload
    estimates: Float[np.ndarray, " queries"]
    interval: Limits | None
    confidence: float | None
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised and predicted before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def frame(self) -> Any:
        """A DataFrame with a row for each query, in the workload's order: which one it is, people,
        and low and high where there are limits."""
        import pandas as pd

        words = [self.workload.worded(place) for place in range(len(self.estimates))]
        ends = () if self.interval is None else zip(("low", "high"), self.interval, strict=True)
        return pd.DataFrame({"query": words, "people": self.estimates, **dict(ends)})

    def __repr__(self) -> str:
        many, lines = len(self.estimates), self._lines()
        more = [f"... and {many - _FIRST - 1:,} more"] if many > _FIRST + 1 else []
        lines[_FIRST:_FIRST] = more
        sure = "" if self.confidence is None else f"{100 * self.confidence:.6g}% intervals; "
        promises = promised(self.plan, self.release.private, met)
        return "\n".join([f"people, by {many:,} queries", *lines, sure + promises])

    def _lines(self) -> list[str]:
        many = len(self.estimates)
        shown = [*range(min(_FIRST, many - 1)), many - 1]
        words = [self.workload.worded(place) for place in shown]
        numbers = [f"{self.estimates[place]:,.1f}" for place in shown]
        wide, far = (max(map(len, column)) for column in (words, numbers))
        rows = zip(words, numbers, map(self._limits, shown), strict=True)
        return [f"  {word:<{wide}}  {number:>{far}}{limits}" for word, number, limits in rows]

    def _limits(self, place: int) -> str:
        if self.interval is None:
            return ""
        low, high = (np.asarray(end)[place] for end in self.interval)
        return f"  ({low:,.1f} to {high:,.1f})"
