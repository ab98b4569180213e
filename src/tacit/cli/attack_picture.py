"""The picture of `tacit attack`: what was found under each promise, and what it allows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.attacks.outcome import Outcome
from tacit.picture import COLOURS, QUIET


def draw(path: Path, title: str, rows: Sequence[tuple[str, Outcome]]) -> None:
    """A line for each promise."""
    figure = Figure(figsize=(8, 1.6 + 0.4 * len(rows)), layout="constrained")
    axes = figure.subplots()
    _lines(axes, [each for _, each in rows])
    axes.set(xlim=(-0.01, 1.01), xlabel=f"share of {rows[0][1].of}")
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    picture.save(figure, path)


def _lines(axes: Axes, found: Sequence[Outcome]) -> None:
    """A dot and bar for what was found, marks for what is foreseen and for others, grey for what is
    allowed."""
    at = np.arange(len(found))
    allowed, foreseen, others, shares, lows, highs = np.transpose([_shares(own) for own in found])
    dots: dict[str, Any] = {"fmt": "o", "color": COLOURS["central"], "label": "found, 95% limits"}
    axes.barh(at, allowed, color="#eeeeee", label="allowed")
    for marker, name, known in (("|", "foreseen", foreseen), ("x", "of others", others)):
        if not np.isnan(known).all():
            axes.plot(known, at, marker, color=QUIET, markersize=12, label=name)
    axes.errorbar(shares, at, xerr=(shares - lows, highs - shares), **dots)


def _shares(found: Outcome) -> tuple[float, ...]:
    """NaN is what is not drawn."""
    rate = found.found
    known = [np.nan if own is None else own for own in (found.expected, found.others)]
    return found.allowed, *known, rate.share, rate.low, rate.high
