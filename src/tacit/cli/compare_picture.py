"""The picture of `tacit compare`: test accuracy against epsilon, each line named at its end."""

import math
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.cli.cases import Case
from tacit.cli.compared import ABOUT, levels_beside, lines_of, trust_of
from tacit.learning.classifiers import InRounds, NewtonRounds, PerturbedMinimum
from tacit.learning.compare import Comparison, Method, Point
from tacit.picture import COLOURS

STYLES = {InRounds: "-", PerturbedMinimum: "--", NewtonRounds: "-."}


def draw(path: Path, case: Case, found: Comparison) -> None:
    """Accuracy against epsilon: a colour for each trust model, a dash for each way to learn."""
    lines = lines_of(found)
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = _axes(figure, _title(case, found))
    ends = [(level, name, COLOURS["none"]) for name, level in levels_beside(case, found).items()]
    for level, _, colour in ends:
        axes.axhline(level, color=colour, linestyle=":")
    ends += [_line(axes, method, points) for method, points in lines.items()]
    epsilons = [point.epsilon for point in next(iter(lines.values()))]
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.minorticks_off()
    _name(axes, ends)
    picture.save(figure, path)


def _axes(figure: Figure, title: str) -> Axes:
    """Empty, of accuracy against epsilon."""
    axes = figure.subplots()
    axes.set(xscale="log", xlabel=ABOUT, ylabel="test accuracy")
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return axes


def _title(case: Case, found: Comparison) -> str:
    repeats = len(found.points[0].accuracies)
    bars = f"; bars: deviation of one of {repeats} releases" if repeats > 1 else ""
    return f"The price of privacy on {case.name}, {case.problem.people:,} people{bars}"


def _line(axes: Axes, method: Method, points: list[Point]) -> tuple[float, str, str]:
    """Draws a method; where it ends, with its name and colour."""
    trust, style = trust_of(method), STYLES[type(method.way)]
    across, up = [point.epsilon for point in points], [point.mean for point in points]
    # Of one repetition there is no spread, and no bar.
    bars = [math.nan if point.spread is None else point.spread for point in points]
    axes.errorbar(across, up, bars, color=COLOURS[trust], linestyle=style, marker="o", capsize=2)
    return up[-1], f"{method.name}, {trust}", COLOURS[trust]


def _name(axes: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Names to the right of the lines, moved apart where lines end together."""
    low, high = axes.get_ylim()
    at, right = high, axes.get_xlim()[1]
    for level, name, colour in sorted(ends, reverse=True):
        at = min(level, at - 0.05 * (high - low))
        style: dict[str, Any] = {"color": colour, "va": "center", "annotation_clip": False}
        axes.annotate(name, (right, at), (6, 0), textcoords="offset points", **style)
