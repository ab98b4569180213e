"""A mean of everybody's number or vector, and two of people, epsilon and error: the third.

One question for all trust models: the mean of one number, or of one vector, a person, with
everybody in every round and one person *replaced* between neighbours. An error here is the root of
the planner's mean squared error, so it is in the units of the answer.
"""

import math
from dataclasses import dataclass
from typing import final

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.contribution.words import in_words
from tacit.facts import stated
from tacit.plan import Plan
from tacit.planner import Family, OutOfReach, epsilon_for, people_for
from tacit.question.participation import AtMost
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled


@final
@dataclass(frozen=True)
class Row:
    """One trust model's answer: the plan with its two numbers, or why there is none."""

    trust: str
    family: Family
    epsilon: float | None
    plan: Plan | None
    why: str | None = None


@final
@dataclass(frozen=True)
class Sizing:
    """A question, and two of people, epsilon and the root mean squared error."""

    shape: Contribution
    rounds: int
    delta: float
    people: int | None
    epsilon: float | None
    rmse: float | None

    def rows(self) -> list[Row]:
        """The answer in each trust model, for the very same question.

        Raises:
          OutOfReach: there is none in any.
        """

        def question(people: int) -> Mean:
            return Mean(self.shape, AtMost(self.rounds), self.rounds, people)

        central = Family(question, lambda e: Central(e, self.delta, Relation.REPLACE_ONE))
        shuffled = Family(question, lambda e: Shuffled(e, self.delta))
        local = Family(question, Local)
        families = {"central": central, "shuffled": shuffled, "local": local}
        rows = [self._row(name, family) for name, family in families.items()]
        if all(row.plan is None for row in rows):
            raise OutOfReach(rows[0].why)
        return rows

    @property
    def title(self) -> str:
        """What is asked, in one line."""
        people = None if self.people is None else f"{self.people:,} people"
        epsilon = None if self.epsilon is None else f"ε {self.epsilon:g}"
        rmse = None if self.rmse is None else f"rmse {self.rmse:g}"
        given = [part for part in (people, epsilon, rmse) if part is not None]
        rounds = [] if self.rounds == 1 else [f"{self.rounds} rounds"]
        return ", ".join([f"mean of {in_words(self.shape)}", *given, f"δ {self.delta:g}", *rounds])

    def answer(self, row: Row) -> str:
        """The number asked for; as it is printed here it has been planned."""
        if row.plan is None:
            return "none"
        if self.people is None:
            return f"{row.plan.sums.people:,}"
        return f"{row.epsilon:g}" if self.epsilon is None else f"{answer_rmse(row.plan):.3g}"

    def _row(self, name: str, family: Family) -> Row:
        try:
            people, epsilon = self._solved(family)
        except OutOfReach as none:
            return Row(name, family, self.epsilon, None, str(none))
        return Row(name, family, epsilon, family.plan(people, epsilon))

    def _solved(self, family: Family) -> tuple[int, float]:
        match self.people, self.epsilon, self.rmse:
            case None, float(epsilon), float(rmse):
                return people_for(rmse**2, family, epsilon), epsilon
            case int(people), None, float(rmse):
                return people, epsilon_for(rmse**2, family, people)
            case int(people), float(epsilon), None:
                return people, epsilon
        raise ValueError("a mean is sized by two of people, epsilon and error")


def answer_rmse(plan: Plan) -> float:
    """The root mean squared error of one answer, which every plan here states."""
    return math.sqrt(stated(plan.error))
