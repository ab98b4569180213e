"""What everybody knows of a plan's parts: how wrong a report is, and how loud a round's noise."""

from dataclasses import dataclass
from typing import final

from tacit.contribution import Contribution


@final
@dataclass(frozen=True)
class ReportFacts:
    """What everybody knows of one report.

    Args:
      epsilon: its local privacy; infinite if the device does not randomise.
      report_set: the exact set in which every report lies.
      worst_error: its largest mean squared error over all admissible terms.
      typical_error: its mean squared error at terms of the declared typical norm; None without one.
      report_bits: what one person sends in one round.
      blanket: the mass of the part of its law that depends on nobody: how well it shuffles.
      tv_distance: how far it is from its proved law, in total variation; zero if it is exact.
      stretch: what a squared error of the sum of reports is of the answer: more than one where an
        answer has more numbers.
      shared_error: the part of an answer's squared error that all reports of a round have in
        common: it falls with rounds, and not with people.
      typical_shared_error: that part at terms of the declared typical norm.
      answer_bits: what tells one person a projected answer; None if it is not projected.
    """

    epsilon: float
    report_set: Contribution
    worst_error: float
    report_bits: int
    blanket: float
    tv_distance: float = 0.0
    typical_error: float | None = None
    stretch: float = 1.0
    shared_error: float = 0.0
    typical_shared_error: float = 0.0
    answer_bits: int | None = None

    @property
    def compared_error(self) -> float:
        """What ways to report are compared by: the typical error, or the worst without one."""
        return self.worst_error if self.typical_error is None else self.typical_error

    def answer_error(self, reports: float, noise: float) -> float:
        """The mean squared error of a mean of `reports` reports, with so much in their sum's."""
        return self.worst_error / reports + self.stretch * noise + self.shared_error


@final
@dataclass(frozen=True)
class NoiseFacts:
    """What everybody knows of the noise of one round.

    Args:
      noise: its standard deviation on each coordinate of the sum, the largest one; None where what
        is drawn is the answer.
      error: the expected squared L2 distance of the noisy sum from the sum; None likewise.
      tv_distance: how far it is from its proved law, in total variation, at most.
      drawn_by: what draws the answer itself.
    """

    noise: float | None
    error: float | None
    tv_distance: float = 0.0
    drawn_by: str | None = None


# Of a server that adds nothing.
NO_NOISE = NoiseFacts(0.0, 0.0)
