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
      second_moment: its largest mean squared norm, of a report about a vector; None otherwise.
      along: the share of that which lies along the term beside an equal one in each direction, at
        most.
      stretch: the energy of noise in an answer, over what it was on the sum of reports: not one
        where an answer has other numbers than a report.
      most_stretch: any squared norm in an answer, over what it was on the sum, at most.
      shared_error: the part of an answer's squared error that all reports of a round have in
        common: it falls with rounds, and not with people.
      typical_shared_error: that part at terms of the declared typical norm.
      numbered: whether opening it takes its person's number in the round, which tells whose it is.
      answer_bits: what tells one person a projected answer; None if it is not projected.
    """

    epsilon: float
    report_set: Contribution
    worst_error: float
    report_bits: int
    blanket: float
    tv_distance: float = 0.0
    typical_error: float | None = None
    second_moment: float | None = None
    along: float = 1.0
    stretch: float = 1.0
    most_stretch: float = 1.0
    shared_error: float = 0.0
    typical_shared_error: float = 0.0
    numbered: bool = False
    answer_bits: int | None = None

    @property
    def compared_error(self) -> float:
        """What ways to report are compared by: the typical error, or the worst without one."""
        return self.worst_error if self.typical_error is None else self.typical_error

    def compared_at(self, cohort: float) -> float:
        """The same of a mean of so many reports."""
        typical = self.typical_error is not None
        return self.compared_error / cohort + (
            self.typical_shared_error if typical else self.shared_error
        )

    def answer_error(self, reports: float, noise: "NoiseFacts", cohort: float) -> float:
        """The mean squared error of a mean of `reports` reports, with noise for a sum of `cohort`.

        An answer that is no mean of numbers, and has no noise to state, has that of its reports.
        """
        return self.worst_error / reports + self.noise_error(noise) / cohort**2 + self.shared_error

    def noise_error(self, noise: "NoiseFacts") -> float:
        """The mean squared error by noise on a sum, times the square of the cohort; zero where what
        is drawn is the answer."""
        if noise.drawn_by is not None:
            return 0.0
        drawn = noise.stated_error - noise.cut_error
        return self.stretch * drawn + self.most_stretch * noise.cut_error


@final
@dataclass(frozen=True)
class NoiseFacts:
    """What everybody knows of the noise of one round.

    Args:
      noise: its standard deviation on each coordinate of the sum, the largest one; None where what
        is drawn is the answer.
      error: the mean squared error of the noisy sum, its expected squared L2 distance from the sum;
        None likewise.
      cut_error: what cutting terms to the grid has of that, at most.
      tv_distance: how far it is from its proved law, in total variation, at most.
      drawn_by: what draws the answer itself.
      ranks: by how many people a quantile is off in rank, predicted for people who stand for all.
      distance: how far a chosen law is from people's, beyond three times the least distance, but
        for a chance of .05.
      of_least: how many times the least squared error of noise of its kind the answer's is, at
        most.
      worst_of_least: that of its largest one of a number.
      queries: how many answers the error is of together; None where it is of one.
      known: in words, what is known of an answer that no squared error tells.
      penalty: that of a perturbed minimum, per person, raised where the promise needs it; None of
        other answers.
    """

    noise: float | None
    error: float | None
    tv_distance: float = 0.0
    cut_error: float = 0.0
    drawn_by: str | None = None
    ranks: float | None = None
    distance: float | None = None
    of_least: float | None = None
    worst_of_least: float | None = None
    queries: int | None = None
    known: str | None = None
    penalty: float | None = None

    @property
    def stated_noise(self) -> float:
        """`noise`, of a server whose answers are of sums.

        Raises:
          ValueError: what is drawn is the answer.
        """
        return self._of_sums(self.noise)

    @property
    def stated_error(self) -> float:
        """`error`, likewise."""
        return self._of_sums(self.error)

    def _of_sums(self, number: float | None) -> float:
        if number is None:
            raise ValueError(f"there is no noise on a sum: {self.drawn_by} draws the answer")
        return number


# Of a server that adds nothing.
NO_NOISE = NoiseFacts(0.0, 0.0)


def stated(error: float | None) -> float:
    """A plan's mean squared error, for whoever has to know it beforehand.

    Raises:
      ValueError: it depends on the data.
    """
    if error is None:
        raise ValueError(
            "the error depends on the data, because reports may be cut: "
            "leave the projection radius infinite to plan for one"
        )
    return error
