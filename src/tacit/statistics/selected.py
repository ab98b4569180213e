"""The law that was chosen among several, and how sure that is."""

from dataclasses import dataclass
from typing import Any, final

from tacit.page import folded
from tacit.plan import Gather, Plan
from tacit.population.release import Release, met, promised
from tacit.statistics.remarks import NEAREST_OF_LIST


@final
@dataclass(frozen=True, eq=False, repr=False)
class SelectedHypothesis:
    """The law that was chosen. All of it is public.

    Args:
      asked: what it is, in words.
      label: of the law.
      number: of the law, from zero on.
      within: how far it is from people's law, at most, in total variation between cells, beyond
        three times the distance of the nearest one, with the confidence. By knock-outs it is
        `distance_quantile`: how far it was, at most, in that share of plays.
      confidence: of that, or the share of plays.
      release: what was run: `plan`, `receipt()`.
    """

    asked: str
    label: str
    number: int
    within: float
    confidence: float
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known beside it."""
        return (NEAREST_OF_LIST,)

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        often = f"{100 * self.confidence:.6g}%"
        promises = promised(self.plan, self.release.private, met)
        # No two laws are further apart than one.
        far = f"{min(self.within, 1.0):.2g}"
        said = f"within {far} of people's law in {often} of plays in which it is of the list"
        if isinstance(self.plan.collect, Gather):
            least = f"three times the least distance, and {far}, of people's law"
            said = f"{often} sure to be within {least}"
        known = f"{said}; {promises}"
        return "\n".join([f"{self.asked}: {self.label}", folded(known, *self.remarks)])
