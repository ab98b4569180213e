"""Accuracy against rounds: a panel for each way to learn, a line for each budget."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.experiments.played import Learned
from tacit.experiments.spread import draw_lines


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
    lines = [(budget(each.direction), each.accuracies) for each in way]
    draw_lines(axes, np.array(way[0].rounds), lines)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set(xlabel="rounds", title=f"{way[0].way}, {way[0].numbers:,} numbers")
    axes.legend(fontsize="small")


def budget(direction: float) -> str:
    """As a legend has it."""
    return "not private" if np.isinf(direction) else f"ε₁ = {direction:g}"
