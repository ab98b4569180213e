"""The two pictures of the experiment: gaps on the way, and errors at the end."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.experiments.logistic import POINTS, Curves, Size
from tacit.experiments.spread import draw_lines
from tacit.picture import QUIET


def draw(path: Path, setting: Size, methods: Sequence[Sequence[Curves]], best: Curves) -> None:
    """A row for each method: the gap against people with two standard errors, and box plots of the
    error beside that of the maximum likelihood."""
    figure = Figure(figsize=(10, 4 * len(methods)), layout="constrained")
    rows = figure.subplots(len(methods), 2, squeeze=False, sharex="col", sharey="col")
    for (gaps, distances), curves in zip(rows, methods, strict=True):
        _gaps(gaps, setting, curves)
        _distances(distances, setting, curves, best)
    picture.save(figure, path)


def _gaps(axes: Axes, setting: Size, curves: Sequence[Curves]) -> None:
    people = setting.people * np.arange(1, POINTS + 1) / POINTS
    draw_lines(axes, people, [(budget(each.epsilon), each.gaps) for each in curves])
    axes.axhline(setting.law.gap_at_zero, color=QUIET, linestyle=":", label="θ = 0")
    axes.set(yscale="log", xlabel="people, one a round", ylabel="L(θ) - L(θ*)")
    axes.set_title(curves[0].method, loc="left")
    axes.legend(fontsize="small", ncols=2)


def _distances(axes: Axes, setting: Size, curves: Sequence[Curves], best: Curves) -> None:
    names = [*(budget(each.epsilon) for each in curves), "likelihood"]
    axes.boxplot([each.distances for each in (*curves, best)], tick_labels=names)
    axes.axhline(setting.signal, color=QUIET, linestyle=":")
    axes.tick_params("x", rotation=45)
    axes.set(yscale="log", ylabel="|θ - θ*| after the last round")


def budget(epsilon: float) -> str:
    return "not private" if np.isinf(epsilon) else f"ε = {epsilon:g}"
