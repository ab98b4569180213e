"""The picture of `tacit attack`: what was found under each promise, and what it allows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from tacit import picture
from tacit.attacks.outcome import Outcome
from tacit.picture import COLOURS, QUIET


def draw(path: Path, title: str, rows: Sequence[tuple[str, Outcome]]) -> None:
    """A line for each promise: a dot and bar for what was found, a tick for what is foreseen, and
    grey as far as is allowed."""
    figure = Figure(figsize=(8, 1.6 + 0.4 * len(rows)), layout="constrained")
    axes, lines = figure.subplots(), np.arange(len(rows))
    allowed, foreseen, shares, lows, highs = np.transpose([_shares(each) for _, each in rows])
    axes.barh(lines, allowed, color="#eeeeee", label="allowed")
    axes.plot(foreseen, lines, "|", color=QUIET, markersize=14, label="foreseen")
    axes.errorbar(
        shares, lines, xerr=(shares - lows, highs - shares), fmt="o", color=COLOURS["central"],
        label="found, 95% limits",
    )  # fmt: skip
    axes.set(xlim=(0, 1), xlabel=f"share of {rows[0][1].of}", yticks=lines)
    axes.set_yticklabels([name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    picture.save(figure, path)


def _shares(found: Outcome) -> tuple[float, ...]:
    rate = found.found
    return found.allowed, found.expected, rate.share, rate.low, rate.high
