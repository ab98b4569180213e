"""What a table answers: a row for each group, with estimates and intervals, and its receipt."""

from dataclasses import dataclass
from typing import Any, final

from tacit.plan import Plan
from tacit.population.release import Release, met, promised


@final
@dataclass(frozen=True, eq=False, repr=False)
class TableAnswer:
    """Released numbers, all of them public.

    Args:
      frame: a DataFrame with a row for each group: its keys, and for every number asked the
        estimate, and its limits in the columns ending in `_low` and `_high`.
      confidence: of each interval by itself.
      release: what was run.
    """

    frame: Any
    confidence: float
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        promises = promised(self.plan, self.release.private, met)
        sure = f"{100 * self.confidence:.6g}% intervals"
        return f"{self.frame.to_string(index=False)}\n{sure}; {promises}"
