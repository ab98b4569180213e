"""`tacit plan mean`: how many people, what epsilon, what error, for three trust models at once.

What its options may be, and how an answer is shown; the numbers are found in `sizing`, which is
imported once there is something to find.
"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli import tables, voice
from tacit.late import LatePart

if TYPE_CHECKING:
    from tacit import contribution
    from tacit.cli import sizing
    from tacit.contribution import Contribution
else:
    # Who is refused, or wants help, waits for no JAX.
    contribution, sizing = LatePart("tacit.contribution"), LatePart("tacit.cli.sizing")

PICTURES = (".png", ".svg")

LowOption = Annotated[float | None, typer.Option(help="The smallest number a person may hold.")]
HighOption = Annotated[float | None, typer.Option(help="The largest.")]
SizeOption = Annotated[int | None, typer.Option(help="For a vector: how many numbers it has.")]
NormOption = Annotated[float | None, typer.Option(help="For a vector: its largest L2 norm.")]
PeopleOption = Annotated[int | None, typer.Option(help="The number of people.")]
EpsilonOption = Annotated[float | None, typer.Option(help="The promise, for all rounds together.")]
RmseOption = Annotated[
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
    rmse: RmseOption = None,
    delta: DeltaOption = 1e-6,
    rounds: RoundsOption = 1,
    picture: PictureOption = None,
    json: JsonOption = False,
) -> None:
    """People, epsilon, error of a private mean: give two, get the third. Spends nothing.

    What error?  tacit plan mean --low 0 --high 1 --people 10000 --epsilon 1

    How many people?  tacit plan mean --low 0 --high 1 --epsilon 1 --rmse 0.01

    What epsilon?  tacit plan mean --low 0 --high 1 --people 10000 --rmse 0.01

    For a vector, --size D --norm C in place of --low and --high: D numbers of L2
    norm at most C. Its error is the L2 norm of the errors of all its numbers.

    The error is about the mean of the people asked, at the worst data the bounds
    admit. How well these people stand for others is not in it.
    """
    if picture is not None and picture.suffix not in PICTURES:
        raise ValueError(f"--picture must end in {' or '.join(PICTURES)}, got {picture}")
    shape = _shape(low, high, size, norm)
    _refuse_numbers(rounds, people, epsilon, rmse)
    asked = sizing.Sizing(shape(), rounds, delta, people, epsilon, rmse)
    rows = asked.rows()
    if picture is not None:
        # Drawing needs more than half of what a plan waits for.
        from tacit.cli.plan_picture import draw

        draw(picture, asked, rows)
    if json:
        voice.data([_plain(row) for row in rows])
        return
    _show(asked, rows, "people" if people is None else "ε" if epsilon is None else "")


def _show(asked: "sizing.Sizing", rows: list["sizing.Row"], heading: str) -> None:
    tables.answers(asked.title, heading, [(r.trust, asked.answer(r), r.plan) for r in rows])
    for row in rows:
        if row.why:
            voice.note(f"{row.trust}: {row.why}")


def _plain(row: "sizing.Row") -> dict[str, Any]:
    if row.plan is None:
        return {"trust": row.trust, "why": row.why}
    noise, where = tables.noise(row.plan)
    return {
        "trust": row.trust,
        "people": row.plan.sums.people,
        "epsilon": row.epsilon,
        "rmse": sizing.answer_rmse(row.plan),
        "error": row.plan.error,
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
) -> "Callable[[], Contribution]":
    """What makes the shape, once all else is known to be right."""
    match low, high, size, norm:
        case float(), float(), None, None:
            if not -math.inf < low < high < math.inf:
                raise ValueError(f"--low must be below --high, both finite, got {low} and {high}")
            return partial(contribution.Interval, low, high)
        case None, None, int(), float():
            if not size >= 3:
                raise ValueError(f"--size must be at least 3, got {size}: plan numbers one by one")
            if not 0 < norm < math.inf:
                raise ValueError(f"--norm must be positive and finite, got {norm}")
            return partial(contribution.Ball, size, norm)
    raise ValueError("give --low and --high for a number, or --size and --norm for a vector")


def _refuse_numbers(
    rounds: int, people: int | None, epsilon: float | None, rmse: float | None
) -> None:
    if not rounds >= 1:
        raise ValueError(f"--rounds must be at least 1, got {rounds}")
    if rmse is not None and not 0 < rmse < math.inf:
        raise ValueError(f"--rmse must be positive and finite, got {rmse}")
    if [people, epsilon, rmse].count(None) != 1:
        raise ValueError("give two of --people, --epsilon and --rmse; the third is the answer")
