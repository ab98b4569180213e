"""The picture of `tacit plan mean`: error against people, a line for each trust model."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.cli.sizing import Row, Sizing, answer_rmse
from tacit.contribution import Contribution, Interval
from tacit.picture import COLOURS, QUIET
from tacit.planner import MOST_PEOPLE

# How far a curve goes to either side of the people in question, and its points.
REACH = 30
POINTS = 13


def draw(path: Path, asked: Sizing, rows: list[Row]) -> None:
    """Error against people, one line for each trust model, each with its name at its end."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = _axes(figure, asked)
    crowd = _crowd([row.plan.sums.people for row in rows if row.plan])
    axes.set_xlim(crowd[0], crowd[-1])
    ends = [(_line(axes, asked, row, row.epsilon, crowd), row) for row in rows if row.epsilon]
    _levels(axes, asked, crowd)
    _name(axes, asked, ends, crowd[-1])
    picture.save(figure, path)


def _axes(figure: Figure, asked: Sizing) -> Axes:
    """Empty, of error against people."""
    axes = figure.subplots()
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="people",
        ylabel=f"root mean squared error ({_units(asked.shape)})",
    )
    axes.set_title(asked.title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#eeeeee")
    return axes


def _line(axes: Axes, asked: Sizing, row: Row, epsilon: float, crowd: list[int]) -> float:
    """Draws one trust model's errors, and the answer as a point of them; the last error."""
    colour = COLOURS[row.trust]
    rmses = [answer_rmse(row.family.plan(people, epsilon)) for people in crowd]
    axes.plot(crowd, rmses, color=colour)
    if row.plan is not None:
        point = row.plan.sums.people, answer_rmse(row.plan)
        axes.plot(*point, "o", color=colour)
        if asked.epsilon is not None:
            _write(axes, asked.answer(row), point, (4, 4), color=colour, size="small")
    return rmses[-1]


def _levels(axes: Axes, asked: Sizing, crowd: list[int]) -> None:
    """For comparison: the error of an answer that asks nobody, and the rmse asked for.

    Errors fall, so there is room above a level at its right end, and below it at its left.
    """
    idle, style = _idle(asked.shape), {"color": QUIET, "size": "small"}
    axes.set_ylim(top=max(axes.get_ylim()[1], 2 * idle))
    axes.axhline(idle, color=QUIET, linestyle=":", linewidth=1)
    _write(
        axes, "an answer without asking anybody", (crowd[-1], idle), (-4, 4), ha="right", **style
    )
    if asked.rmse is not None:
        axes.axhline(asked.rmse, color=QUIET, linestyle=":", linewidth=1)
        _write(axes, "rmse asked for", (crowd[0], asked.rmse), (4, -4), va="top", **style)


def _name(axes: Axes, asked: Sizing, ends: list[tuple[float, Row]], right: int) -> None:
    """Names beside the lines' ends, moved apart where lines end together."""
    low, high = (math.log(bound) for bound in axes.get_ylim())
    at = -math.inf
    for rmse, row in sorted(ends, key=lambda end: end[0]):
        at = max(math.log(rmse), at + 0.05 * (high - low))
        name = row.trust if asked.epsilon else f"{row.trust}, ε {asked.answer(row)}"
        _write(axes, name, (right, math.exp(at)), (6, 0), color=COLOURS[row.trust], va="center")


def _write(
    axes: Axes, text: str, at: tuple[float, float], away: tuple[int, int], **style: Any
) -> None:
    axes.annotate(text, at, away, textcoords="offset points", annotation_clip=False, **style)


def _crowd(people: list[int]) -> list[int]:
    """Numbers of people around those in question, evenly on a logarithmic axis."""
    low, high = max(1, min(people) // REACH), min(MOST_PEOPLE, max(people) * REACH)
    return [round(n) for n in np.geomspace(max(low, 10), max(high, 1000), POINTS)]


def _units(shape: Contribution) -> str:
    return "units of the number" if shape.shape == () else "L2 norm, units of the vector"


def _idle(shape: Contribution) -> float:
    match shape:
        case Interval(lower=lower, upper=upper):
            return (upper - lower) / 2
    return shape.bound
