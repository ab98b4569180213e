"""The two pictures of the experiment: gaps on the way, and errors at the end."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.experiments.logistic import POINTS, Curves, Size
from tacit.picture import QUIET


def draw(path: Path, setting: Size, methods: Sequence[Sequence[Curves]], best: Curves) -> None:
    """A row for each method: the gap against people with two standard errors, and box plots of the
    error beside that of the maximum likelihood."""
    figure = Figure(figsize=(10, 4 * len(methods)), layout="constrained")
    rows = figure.subplots(len(methods), 2, squeeze=False, sharex="col", sharey="col")
    for (gaps, errors), curves in zip(rows, methods, strict=True):
        _gaps(gaps, setting, curves)
        _errors(errors, setting, curves, best)
    picture.save(figure, path)


def _gaps(axes: Axes, setting: Size, curves: Sequence[Curves]) -> None:
    people = setting.people * np.arange(1, POINTS + 1) / POINTS
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, len(curves)))
    for each, colour in zip(curves, colours, strict=True):
        mean = each.gaps.mean(axis=0)
        spread = 2 * each.gaps.std(axis=0) / max(len(each.gaps) - 1, 1) ** 0.5
        axes.plot(people, mean, color=colour, label=budget(each.epsilon))
        axes.fill_between(people, mean - spread, mean + spread, color=colour, alpha=0.25)
    axes.axhline(setting.law.gap_at_zero, color=QUIET, linestyle=":", label="θ = 0")
    axes.set(yscale="log", xlabel="people, one a round", ylabel="L(θ) - L(θ*)")
    axes.set_title(curves[0].method, loc="left")
    axes.legend(fontsize="small", ncols=2)


def _errors(axes: Axes, setting: Size, curves: Sequence[Curves], best: Curves) -> None:
    names = [*(budget(each.epsilon) for each in curves), "likelihood"]
    axes.boxplot([each.errors for each in (*curves, best)], tick_labels=names)
    axes.axhline(setting.signal, color=QUIET, linestyle=":")
    axes.tick_params("x", rotation=45)
    axes.set(yscale="log", ylabel="|θ - θ*| after the last round")


def budget(epsilon: float) -> str:
    return "not private" if np.isinf(epsilon) else f"ε = {epsilon:g}"
