"""`tacit reproduce logistic`: its options, its parts and its table."""

import math
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from tacit.cli import tables, voice
from tacit.cli.guard import guarded
from tacit.cli.interruption import noted
from tacit.cli.kept_parts import (
    LEFT,
    OUT,
    JsonOption,
    OutOption,
    budgets,
    opened,
    played,
)
from tacit.experiments import logistic as experiment
from tacit.experiments import logistic_picture
from tacit.experiments.kept import Kept, budget, jsonable, named, number, numbers
from tacit.experiments.logistic import BUDGETS, LIKELIHOOD, METHODS, POINTS, Curves, Rule, Size
from tacit.experiments.parts import Told
from tacit.experiments.spread import standard_error

OPENING = (
    "Logistic regression by one person a round, each randomised on their own device: the gap of "
    "the loss to its least, as published and with what is known since, and the error of the "
    "weights beside the non-private maximum likelihood. Everybody in it is simulated."
)


@guarded
def logistic(
    out: OutOption = OUT,
    repetitions: Annotated[int, typer.Option(help="Independent experiments.")] = 50,
    people: Annotated[int, typer.Option(help="Who take part, one a round.")] = 100_000,
    dim: Annotated[int, typer.Option(help="Numbers a person has.")] = 500,
    signal: Annotated[float, typer.Option(help="Norm of the true weights.")] = 10.0,
    epsilon: Annotated[
        list[float] | None, typer.Option(help="Only these budgets (repeat; inf: not private).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all repetitions: another is of other people.")] = 0,
    json: JsonOption = False,
) -> None:
    """Logistic regression, one person a round: section 5.1 of Bhowmick et al. 2018."""
    with noted(LEFT) as stop:
        size = Size(people, dim, signal, repetitions, seed)
        parts = _parts(budgets("--epsilon", epsilon, BUDGETS))
        kept, picture = opened(out, "logistic", size)
        if not json:
            voice.opening(OPENING)
        found = {name: partial(_found, size, part) for name, part in parts.items()}
        # Of too few people there is no maximum likelihood: refused before the rest is played.
        for some in ({LIKELIHOOD: found.pop(LIKELIHOOD)}, found):
            played(some, kept, people, stop)
        methods, best = _read(kept, size, parts)
        logistic_picture.draw(picture, size, methods, best)
    _printed(size, methods, best, json)
    voice.note(f"numbers and picture are in {out}/")


Parts = dict[str, tuple[Rule, float] | None]


def _parts(asked: tuple[float, ...]) -> Parts:
    """The parts of the experiment by name: methods at budgets, and the maximum likelihood."""
    pairs = [(method, epsilon) for epsilon in asked for method in METHODS]
    return {named(method.name, epsilon): (method, epsilon) for method, epsilon in pairs} | {
        LIKELIHOOD: None
    }


def _found(size: Size, part: tuple[Rule, float] | None, told: Told) -> Curves:
    """What a part finds."""
    return experiment.most_likely(size) if part is None else experiment.curves(size, *part, told)


def _read(kept: Kept, size: Size, parts: Parts) -> tuple[list[list[Curves]], Curves]:
    """Every method's curves in the order of budgets, and the maximum likelihood."""
    found = {name: kept.read(name, partial(_curves, size, part)) for name, part in parts.items()}
    methods = [[found[n] for n, p in parts.items() if p and p[0] is m] for m in METHODS]
    return methods, found[LIKELIHOOD]


def _curves(size: Size, of: tuple[Rule, float] | None, part: dict[str, Any]) -> Curves:
    """A kept part, if it is whole and of this method and budget; otherwise an error of Python's."""
    method, epsilon = (LIKELIHOOD, math.inf) if of is None else (of[0].name, of[1])
    if not (part["method"] == method and budget(part["epsilon"]) == epsilon):
        raise ValueError("a part must be of its own name")
    predicted, repetitions = part["predicted"], size.repetitions
    known = {
        "epsilon": epsilon,
        "moment": number(part["moment"]),
        "predicted": None if predicted is None else number(predicted),
        "gaps": numbers(part["gaps"], repetitions, 1 if of is None else POINTS),
        "distances": numbers(part["distances"], repetitions),
    }
    return Curves(**{**part, **known})


def _printed(size: Size, methods: list[list[Curves]], best: Curves, json: bool) -> None:
    start = size.law.gap_at_zero
    rows = [*(each for curves in methods for each in curves), best]
    if json:
        table = [_summary(each) for each in rows]
        known = {"setting": asdict(size), "private": False, "gap at zero": start}
        voice.data({**known, "table": table})
        return
    tables.gaps(start, size.signal, [_summary(each) for each in rows])


def _summary(each: Curves) -> dict[str, Any]:
    ends = each.gaps[:, -1]
    return jsonable(
        {
            "method": each.method,
            "epsilon": each.epsilon,
            "gap": float(ends.mean()),
            "standard error": standard_error(ends),
            "predicted": each.predicted,
            "distance": float(each.distances.mean()),
            "second moment": each.moment,
        }
    )
