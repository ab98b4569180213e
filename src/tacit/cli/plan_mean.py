"""`tacit plan mean`: how many people, what epsilon, what error, for three trust models at once.

One question for all: the mean of one number, or of one vector, a person, with everybody in every
round and one person *replaced* between neighbours. An error on the command line is the root of
the planner's mean squared error, so it is in the units of the answer.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

import typer

from tacit.accounting.relation import Relation
from tacit.cli import tables, voice
from tacit.contribution import Ball, Contribution, Interval
from tacit.contribution.words import in_words
from tacit.plan import Plan
from tacit.planner import Family, OutOfReach, epsilon_for, people_for
from tacit.question.participation import AtMost
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled

PICTURES = (".png", ".svg")

LowOption = Annotated[float | None, typer.Option(help="The smallest number a person may hold.")]
HighOption = Annotated[float | None, typer.Option(help="The largest.")]
SizeOption = Annotated[int | None, typer.Option(help="For a vector: how many numbers it has.")]
NormOption = Annotated[float | None, typer.Option(help="For a vector: its largest L2 norm.")]
PeopleOption = Annotated[int | None, typer.Option(help="The number of people.")]
EpsilonOption = Annotated[float | None, typer.Option(help="The promise, for all rounds together.")]
ErrorOption = Annotated[
    float | None, typer.Option(help="Root mean squared error of one answer, in its own units.")
]
DeltaOption = Annotated[float, typer.Option(help="Delta of the central and shuffled promise.")]
RoundsOption = Annotated[int, typer.Option(help="Answers, each from everybody.")]
PictureOption = Annotated[
    Path | None, typer.Option(help="Draw error against people, as .png or .svg.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the table as JSON.")]


def mean(
    low: LowOption = None,
    high: HighOption = None,
    size: SizeOption = None,
    norm: NormOption = None,
    people: PeopleOption = None,
    epsilon: EpsilonOption = None,
    error: ErrorOption = None,
    delta: DeltaOption = 1e-6,
    rounds: RoundsOption = 1,
    picture: PictureOption = None,
    json: JsonOption = False,
) -> None:
    """People, epsilon, error of a private mean: give two, get the third. Spends nothing.

    What error?  tacit plan mean --low 0 --high 1 --people 10000 --epsilon 1

    How many people?  tacit plan mean --low 0 --high 1 --epsilon 1 --error 0.01

    What epsilon?  tacit plan mean --low 0 --high 1 --people 10000 --error 0.01

    For a vector, --size D --norm C in place of --low and --high: D numbers of L2 norm at most C.
    Its error is the L2 norm of the errors of all its numbers.

    The error is about the mean of the people asked, at the worst data the bounds admit. How well
    these people stand for others is not in it.
    """
    if picture is not None and picture.suffix not in PICTURES:
        raise ValueError(f"--picture must end in {' or '.join(PICTURES)}, got {picture}")
    asked = Sizing(_shape(low, high, size, norm), rounds, delta, people, epsilon, error)
    rows = asked.rows()
    if picture is not None:
        # Drawing needs more than half of what a plan waits for.
        from tacit.cli.plan_picture import draw

        draw(picture, asked, rows)
    if json:
        voice.data([_plain(row) for row in rows])
        return
    heading = "people" if people is None else "ε" if epsilon is None else ""
    tables.answers(asked.title, heading, [(r.trust, asked.answer(r), r.plan) for r in rows])
    for row in rows:
        if row.why:
            voice.note(f"{row.trust}: {row.why}")


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
    """A question, and two of people, epsilon and (root mean squared) error."""

    shape: Contribution
    rounds: int
    delta: float
    people: int | None
    epsilon: float | None
    error: float | None

    def __post_init__(self):
        if not self.rounds >= 1:
            raise ValueError(f"--rounds must be at least 1, got {self.rounds}")
        if self.error is not None and not 0 < self.error < math.inf:
            raise ValueError(f"--error must be positive and finite, got {self.error}")

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
        error = None if self.error is None else f"error {self.error:g}"
        given = [part for part in (people, epsilon, error) if part is not None]
        rounds = [] if self.rounds == 1 else [f"{self.rounds} rounds"]
        return ", ".join([f"mean of {in_words(self.shape)}", *given, f"δ {self.delta:g}", *rounds])

    def answer(self, row: Row) -> str:
        """The number asked for; as it is printed here it has been planned."""
        if row.plan is None:
            return "none"
        if self.people is None:
            return f"{row.plan.sums.people:,}"
        return f"{row.epsilon:g}" if self.epsilon is None else f"{root_error(row.plan):.3g}"

    def _row(self, name: str, family: Family) -> Row:
        try:
            people, epsilon = self._solved(family)
        except OutOfReach as none:
            return Row(name, family, self.epsilon, None, str(none))
        return Row(name, family, epsilon, family.plan(people, epsilon))

    def _solved(self, family: Family) -> tuple[int, float]:
        match self.people, self.epsilon, self.error:
            case None, float(epsilon), float(error):
                return people_for(error**2, family, epsilon), epsilon
            case int(people), None, float(error):
                return people, epsilon_for(error**2, family, people)
            case int(people), float(epsilon), None:
                return people, epsilon
        raise ValueError("give two of --people, --epsilon and --error; the third is the answer")


def root_error(plan: Plan) -> float:
    """The root mean squared error of one answer, which every plan here states."""
    return math.sqrt(plan.error or 0.0)


def _plain(row: Row) -> dict[str, Any]:
    if row.plan is None:
        return {"trust": row.trust, "why": row.why}
    noise, where = tables.noise(row.plan)
    return {
        "trust": row.trust,
        "people": row.plan.sums.people,
        "epsilon": row.epsilon,
        "error": root_error(row.plan),
        "squared_error": row.plan.error,
        "noise": noise,
        "noise_on": where,
        "promises": [
            {"observer": p.observer, "epsilon": p.epsilon, "delta": p.delta}
            for p in row.plan.guarantees
        ],
        "upload_bytes": row.plan.upload_bytes,
    }


def _shape(
    low: float | None, high: float | None, size: int | None, norm: float | None
) -> Contribution:
    match low, high, size, norm:
        case float(), float(), None, None:
            if not -math.inf < low < high < math.inf:
                raise ValueError(f"--low must be below --high, both finite, got {low} and {high}")
            return Interval(low, high)
        case None, None, int(), float():
            if not size >= 3:
                raise ValueError(f"--size must be at least 3, got {size}: plan numbers one by one")
            if not 0 < norm < math.inf:
                raise ValueError(f"--norm must be positive and finite, got {norm}")
            return Ball(size, norm)
    raise ValueError("give --low and --high for a number, or --size and --norm for a vector")
