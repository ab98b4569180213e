"""What a table answers: a row for each group, with estimates and intervals, and its receipt."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from tacit.plan import Plan
from tacit.population.release import Release, met, promised

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def plot(self, *names: str) -> "Figure":
        """A picture of these numbers, or of all: a dot for each estimate, a bar for its interval.

        Returns:
          a Matplotlib figure, which a notebook shows and `savefig` writes.

        Raises:
          ValueError: if there is no such number, or there are more lines than can be read.
        """
        from tacit.tables.drawn import drawn

        return drawn(self.frame, names, self._promises)

    @property
    def _promises(self) -> str:
        sure = f"{100 * self.confidence:.6g}% intervals"
        return f"{sure}; {promised(self.plan, self.release.private, met)}"

    def __repr__(self) -> str:
        return f"{self.frame.to_string(index=False)}\n{self._promises}"
