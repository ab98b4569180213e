"""`tacit reproduce`: a published experiment from one command, and what is better since.

It prints its table, draws its picture, and keeps each finished part of its numbers, so that a run
that was stopped goes on where it was when the same command is given again. Everything in it is
simulated: nobody's data are used, and nothing is charged.
"""

import math
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tacit.cli import tables, voice
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.cli.room import refuse_unwritable
from tacit.experiments import logistic, logistic_picture
from tacit.experiments.kept import Kept, jsonable
from tacit.experiments.logistic import BUDGETS, METHODS, Curves, Size

OPENING = (
    "Logistic regression by one person a round, each randomised on their own device: the gap of "
    "the loss to its least, as published and with what is known since, and the error of the "
    "weights beside the non-private maximum likelihood. Everybody in it is simulated."
)


class Name(StrEnum):
    logistic = "logistic"


commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def reproduce(
    name: Annotated[Name, typer.Argument(help="Which experiment.")],
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("reproduced"),
    repetitions: Annotated[int, typer.Option(help="Independent experiments.")] = 50,
    people: Annotated[int, typer.Option(help="Who take part, one a round.")] = 100_000,
    dim: Annotated[int, typer.Option(help="Numbers a person has.")] = 500,
    signal: Annotated[float, typer.Option(help="Norm of the true weights.")] = 10.0,
    epsilon: Annotated[
        list[float] | None, typer.Option(help="Only these budgets (repeat; inf: not private).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Repeats a published experiment, and shows what does better."""
    with noted("stopped; what was finished is kept, the same command goes on") as stop:
        size = Size(people, dim, signal, repetitions, seed)
        parts = _parts(_budgets(epsilon))
        files = [f"{name}.{ending}" for ending in ("json", "svg")]
        refuse_unwritable(out, files)
        kept = Kept.opened(out / files[0], size)
        if not json:
            voice.opening(OPENING)
        left = [part for part in parts if part not in kept.parts]
        with voice.progress(len(left), stop) as watch:
            _played(size, parts, kept, stop, watch)
    methods, best = _read(kept, parts)
    logistic_picture.draw(out / files[1], size, methods, best)
    _printed(size, methods, best, json)
    voice.note(f"numbers and picture are in {out}/")


Parts = dict[str, tuple[logistic.Rule, float] | None]


def _budgets(asked: list[float] | None) -> tuple[float, ...]:
    if not all(epsilon > 0 for epsilon in asked or ()):
        raise ValueError(f"--epsilon must be positive, got {min(asked or ())}")
    return tuple(sorted(set(asked))) if asked else BUDGETS


def _parts(budgets: tuple[float, ...]) -> Parts:
    """The parts of the experiment by name: methods at budgets, and the maximum likelihood."""
    pairs = [(method, epsilon) for epsilon in budgets for method in METHODS]
    return {f"{method.name} {epsilon:g}": (method, epsilon) for method, epsilon in pairs} | {
        "likelihood": None
    }


def _played(size: Size, parts: Parts, kept: Kept, stop: Stop, watch: voice.Watch) -> None:
    """Plays what is not kept yet, and keeps it."""
    for name in [name for name in parts if name not in kept.parts]:
        stop.check()

        def seen(done: int, name: str = name) -> None:
            stop.check()
            watch(name, done, size.people, None)

        part = parts[name]
        if part is None:
            found = logistic.most_likely(size)
            seen(size.people)
        else:
            found = logistic.curves(size, *part, seen)
        kept.add(name, found)


def _read(kept: Kept, parts: Parts) -> tuple[list[list[Curves]], Curves]:
    """Every method's curves in the order of budgets, and the maximum likelihood."""
    found = {name: _curves(kept.parts[name]) for name in parts}
    methods = [[found[n] for n, p in parts.items() if p and p[0] is m] for m in METHODS]
    return methods, found["likelihood"]


def _curves(part: dict[str, Any]) -> Curves:
    epsilon = math.inf if part["epsilon"] is None else part["epsilon"]
    arrays = {name: np.array(part[name]) for name in ("gaps", "errors")}
    return Curves(**{**part, "epsilon": epsilon, **arrays})


def _printed(size: Size, methods: list[list[Curves]], best: Curves, json: bool) -> None:
    start = size.law.gap_at_zero
    rows = [*(each for curves in methods for each in curves), best]
    if json:
        table = [_summary(each) for each in rows]
        voice.data({"setting": asdict(size), "gap at zero": start, "table": table})
        return
    tables.gaps(start, size.signal, [_summary(each) for each in rows])


def _summary(each: Curves) -> dict[str, Any]:
    ends = each.gaps[:, -1]
    spread = float(ends.std(ddof=1) / math.sqrt(len(ends))) if len(ends) > 1 else None
    return jsonable(
        {
            "method": each.method,
            "epsilon": each.epsilon,
            "gap": float(ends.mean()),
            "standard error": spread,
            "predicted": each.predicted,
            "error": float(each.errors.mean()),
            "second moment": each.moment,
        }
    )
