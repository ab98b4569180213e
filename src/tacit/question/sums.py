"""The questions learners ask, all about sums of a bounded function of one person's data.

`Mean` is the question itself: a gradient step, a federated round, a histogram, a covariance differ
in the shape of what one person contributes, in who takes part when, and (in `trust`) in where the
randomness is added. Two more ask less about the same sums, and cost less: which of them is largest
(`Select`), and which in a stream of them reach a threshold (`Above`). `Running` asks for means
whose sums over rounds matter, so that noise may cancel in them. `OfRows` needs all rows at once.

The number of people is public: it is declared, never read off the data, and every mean is divided
by the public size of a cohort.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, cast, final

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_made, is_number, is_power_of_two, is_whole
from tacit.borrowed import DpEvent
from tacit.contribution import Contribution, Grid, Interval, Scored
from tacit.contribution.shape import refuse_no_shape
from tacit.contribution.words import in_words
from tacit.question.participation import Participation

# A choice: more than there will be, and every number below it is a float exactly.
MOST_PEOPLE = 2**48


class Question(Protocol):
    """Anything that can be asked about sums."""

    @property
    def sums(self) -> Mean:
        """The sums it is about: of whom, of what, how often."""
        ...

    @property
    def words(self) -> str:
        """The answer and one person's part of it, as people read it."""
        ...

    @property
    def of_means(self) -> bool:
        """Whether an answer is the mean of its cohort's terms, with the error of a mean."""
        ...


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

    of_means = True

    def __post_init__(self):
        refuse_no_shape("contribution", self.contribution)
        if not is_made(self.participation, Participation):
            raise ValueError(
                "participation must be Everyone(), Poisson(rate), Fixed(size), Once(), "
                "AtMost(limit), Cyclic(passes), Available(turnout) or DropOuts(asked, rate), got "
                f"{got(self.participation)}"
            )
        for name in ("rounds", "people"):
            object.__setattr__(self, name, counted(getattr(self, name)))
        if not (is_whole(self.rounds) and self.rounds >= 1):
            raise ValueError(
                "a question needs a whole number of rounds, at least one round, got "
                f"rounds={got(self.rounds)}"
            )
        refuse_nobody(self.people)
        if not self.capacity <= self.people:
            raise ValueError(
                f"a cohort of {self.capacity} needs at least as many people, got {self.people}"
            )

    @property
    def sums(self) -> Mean:
        return self

    @property
    def words(self) -> str:
        return f"the mean of {in_words(self.contribution)}"

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
        self.refuse_unproved(relation)
        return self.participation.event(release, self.people, self.rounds)

    def refuse_unproved(self, relation: Relation) -> None:
        """Raises the ValueError that names the relations this participation is proved for."""
        allowed = self.participation.relations
        if relation not in allowed:
            names = " and ".join(r.value for r in allowed)
            raise ValueError(
                f"{self._who_takes_part()} is proved for {names}, not for {relation.value}: "
                f"promise Central(epsilon, delta, tacit.{allowed[0]}), or ask with another "
                "participation"
            )

    def _who_takes_part(self) -> str:
        """The participation, by the name that was written."""
        once = getattr(self.participation, "limit", None) == 1
        return f"{'Once' if once else type(self.participation).__name__} participation"

    def overflow(self) -> float:
        """The chance that some round's cohort is cut to its capacity."""
        return self.participation.overflow(self.people, self.rounds)


@final
@dataclass(frozen=True)
class Select:
    """Which of the candidates has the highest mean: its number, once in each round.

    Args:
      sums: one score for each candidate, from each person: a `Cube`, `OneHot` or `Counts`.
    """

    sums: Mean

    of_means = False

    def __post_init__(self):
        refuse_no_mean(self.sums)
        if not isinstance(self.sums.contribution, Scored):
            raise ValueError(
                "candidates are compared by a Cube, OneHot or Counts of scores, got "
                f"{type(self.sums.contribution).__name__}"
            )

    @property
    def words(self) -> str:
        return f"the largest mean of {in_words(self.sums.contribution)}"

    @property
    def scores(self) -> Scored:
        """The contribution, known to be one score for each candidate."""
        return cast(Scored, self.sums.contribution)


@final
@dataclass(frozen=True)
class Above:
    """Which means in a stream reach `threshold`: 1.0 or 0.0 a round, until `positives` did.

    The rounds end with the last positive, so all that is paid for are the positives.

    Args:
      sums: one number from each person in each round: an `Interval`, or a `Grid` of a power of two.
      threshold: of the mean.
      positives: how many rounds may be above before it ends.
    """

    sums: Mean
    threshold: float
    positives: int

    of_means = False

    def __post_init__(self):
        refuse_no_mean(self.sums)
        object.__setattr__(self, "positives", counted(self.positives))
        shape = self.sums.contribution
        halves = isinstance(shape, Grid) and is_power_of_two(shape.step)
        if not (isinstance(shape, Interval) or halves):
            raise ValueError(
                "a threshold is for an Interval, or a Grid whose step is a power of two, got "
                f"{type(shape).__name__}"
            )
        if not (is_number(self.threshold) and -math.inf < self.threshold < math.inf):
            raise ValueError(f"a threshold must be finite, got {got(self.threshold)}")
        if not (is_whole(self.positives) and 1 <= self.positives <= self.sums.rounds):
            raise ValueError(
                f"positives must be between 1 and the {self.sums.rounds} rounds, got "
                f"{got(self.positives)}"
            )

    @property
    def words(self) -> str:
        reached = f"that a mean reaches {self.threshold:g}"
        shape = in_words(self.sums.contribution)
        return f"up to {self.positives:,} times {reached}, the mean of {shape}"

    @property
    def number(self) -> Interval | Grid:
        """The contribution, known to be one number."""
        return cast(Interval | Grid, self.sums.contribution)


def refuse_nobody(people: Any) -> None:
    """Raises a ValueError unless this is a number of people."""
    if not (is_whole(people) and people >= 1):
        raise ValueError(
            "a question needs a whole number of people, at least one person, got "
            f"people={got(people)}"
        )
    if not people < MOST_PEOPLE:
        raise ValueError(f"people must be fewer than 2^48, about 2.8e14, got people={got(people)}")


def refuse_no_question(question: Any) -> None:
    """Raises the ValueError that names the questions, if this is none."""
    if isinstance(question, type) or not isinstance(getattr(question, "sums", None), Mean):
        raise no_question(question)


def no_question(given: Any) -> ValueError:
    """Names the questions that trust models answer."""
    kinds = "Mean, Select, Above, Running, Uneven, Linear, Keyed or OfRows"
    return ValueError(f"a question is a {kinds}, got {got(given)}")


def refuse_no_mean(sums: Any) -> None:
    """Raises a ValueError unless these are sums that a question can be about."""
    if not isinstance(sums, Mean):
        raise ValueError(f"sums must be a Mean, got {got(sums)}")
