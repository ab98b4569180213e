"""What a workload's queries are answered with: estimates, limits, and what was promised."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.statistics.limits import Limits

_SHOWN = 6


@final
@dataclass(frozen=True, eq=False, repr=False)
class LinearAnswer:
    """Released answers, in people. All of it is public.

    Args:
      estimates: one for each query, without bias.
      interval: limits of each that hold with probability `confidence` at least; None where people
        report a histogram, for which none are proved, or there are too many to compute.
      confidence: of each interval by itself.
      release: what was run.
    """

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
        """A DataFrame with a row for each query, in the workload's order: people, and low and high
        where there are limits."""
        import pandas as pd

        ends = () if self.interval is None else zip(("low", "high"), self.interval, strict=True)
        return pd.DataFrame({"people": self.estimates, **dict(ends)})

    def __repr__(self) -> str:
        first = [self._line(place) for place in range(min(_SHOWN, len(self.estimates)))]
        more = len(self.estimates) - len(first)
        rest = [f"... and {more:,} more"] if more else []
        sure = "" if self.confidence is None else f"{100 * self.confidence:.6g}% intervals; "
        promises = promised(self.plan, self.release.private, met)
        return "\n".join([*first, *rest, f"{sure}{promises}"])

    def _line(self, place: int) -> str:
        said = f"{place + 1:>4}  {self.estimates[place]:,.1f}"
        if self.interval is None:
            return said
        low, high = (np.asarray(end)[place] for end in self.interval)
        return f"{said}   {low:,.1f} to {high:,.1f}"
