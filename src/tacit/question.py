"""The question every learner asks: the mean of a bounded function of one person's data.

A gradient step, a federated round, a histogram, a covariance are all this question; they
differ in the shape of what one person contributes, in who takes part when, and (in `trust`)
in where the randomness is added. The number of people is public: it is declared, never read
off the data, and every mean is divided by the public size of a cohort.
"""

from dataclasses import dataclass
from typing import final

from dp_accounting import DpEvent

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.participation import Participation


@final
@dataclass(frozen=True)
class Mean:
    """The mean contribution of a cohort, asked once in each of `rounds` rounds.

    Args:
      contribution: the shape one person's term is brought into.
      participation: who takes part when.
      rounds: how many answers are released.
      people: the declared number of people, each of whom may hold many records.
    """

    contribution: Contribution
    participation: Participation
    rounds: int
    people: int

    def __post_init__(self):
        if not self.rounds >= 1:
            raise ValueError(f"a question needs at least one round, got rounds={self.rounds}")
        if not self.people >= 1:
            raise ValueError(f"a question needs at least one person, got people={self.people}")
        if not self.capacity <= self.people:
            raise ValueError(
                f"a cohort of {self.capacity} needs at least as many people, got {self.people}"
            )

    @property
    def cohort(self) -> float:
        """The public size of a cohort: the divisor of every mean."""
        return self.participation.expected(self.people, self.rounds)

    @property
    def capacity(self) -> int:
        """The largest cohort a round can hand over."""
        return self.participation.capacity(self.people, self.rounds)

    @property
    def times(self) -> int:
        """In how many rounds one person may report."""
        return self.participation.times(self.rounds)

    def event(self, release: DpEvent, relation: Relation) -> DpEvent:
        """What the public sees when every round makes this `release`.

        Raises:
          ValueError: if the participation has no proved event under `relation`.
        """
        allowed = self.participation.relations
        if relation not in allowed:
            names = ", ".join(r.value for r in allowed)
            raise ValueError(
                f"{type(self.participation).__name__} participation is proved for {names}, "
                f"not for {relation.value}"
            )
        return self.participation.event(release, self.people, self.rounds)

    def overflow(self) -> float:
        """The chance that some round's cohort is cut to its capacity."""
        return self.participation.overflow(self.people, self.rounds)
