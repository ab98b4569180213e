"""Accuracy against rounds: a panel for each way to learn, a line for each budget."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.experiments.federated_pictures import Learned


def draw(path: Path, title: str, ways: Sequence[Sequence[Learned]]) -> None:
    """Means over trials, with two standard errors where there are several."""
    figure = Figure(figsize=(5 * len(ways), 4), layout="constrained")
    panels = figure.subplots(1, len(ways), squeeze=False, sharey=True)[0]
    for axes, way in zip(panels, ways, strict=True):
        _panel(axes, way)
    panels[0].set_ylabel("accuracy")
    figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    picture.save(figure, path)


def _panel(axes: Axes, way: Sequence[Learned]) -> None:
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, len(way)))
    for each, colour in zip(way, colours, strict=True):
        trials, mean = len(each.accuracies), each.accuracies.mean(axis=0)
        axes.plot(each.rounds, mean, color=colour, label=budget(each.direction))
        spread = 2 * each.accuracies.std(axis=0) / max(trials - 1, 1) ** 0.5
        axes.fill_between(each.rounds, mean - spread, mean + spread, color=colour, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set(xlabel="rounds", title=f"{way[0].way}, {way[0].numbers:,} numbers")
    axes.legend(fontsize="small")


def budget(direction: float) -> str:
    """As a legend has it."""
    return "not private" if np.isinf(direction) else f"ε₁ = {direction:g}"
