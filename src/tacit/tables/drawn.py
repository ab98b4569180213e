"""The picture of an answer: a dot for each estimate, and a bar for its interval.

A number is a panel with a line for each group. A number that has a part for each kind of row, a
histogram's `sexes[f]`, is a panel for each group with a line for each kind. A line of how many rows
have a value that was chosen is named by that value too. Panels beside one
another that have the same lines have their names once, at the left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any, final

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from tacit.picture import COLOURS
from tacit.tables.answered import kinds_of, values_of

# What is legible on one page: more is told, and left out.
MOST_LINES = 100
MOST_PANELS = 24
# Panels beside one another; characters of a name in a line, and of a title; sizes in inches.
ACROSS, LETTERS, TITLE = 3, 32, 28
WIDE, LETTER, LINE, AROUND = 2.5, 0.075, 0.17, 0.75


@final
@dataclass(frozen=True, eq=False)
class _Panel:
    """What one panel shows.

    Args:
      title: what it is of.
      lines: the name of each line.
      found: its estimate, and the lower and the upper limit.
      ends: from where to where panels of this number reach, all alike.
    """

    title: str
    lines: tuple[str, ...]
    found: Float[np.ndarray, "lines 3"]
    ends: tuple[float, float]

    @property
    def height(self) -> int:
        """In lines of text: all names have the room of the longest."""
        return len(self.lines) * max(1 + line.count("\n") for line in self.lines)

    def first(self, lines: int) -> "_Panel":
        """The same of no more lines."""
        return replace(self, lines=self.lines[:lines], found=self.found[:lines])


def drawn(frame: Any, keys: Sequence[str], names: Sequence[str], caption: str) -> Figure:
    """The picture of a DataFrame of groups, keys, estimates and limits.

    Args:
      frame: as an answer has it.
      keys: its columns that say whose group it is.
      names: of the numbers that are drawn; all if there is none.
      caption: what stands below.

    Raises:
      ValueError: if there is no such number, or more than can be read.
    """
    panels = _panels(frame, keys, names) if len(frame) else []
    _refuse_too_many(panels)
    return _figure(panels, caption)


def readable(frame: Any, keys: Sequence[str], names: Sequence[str], caption: str) -> Figure:
    """The picture of as much as can be read; the caption says what is not there.

    Args: as of `drawn`.

    Raises:
      ValueError: if there is no such number.
    """
    groups = frame.head(MOST_LINES)
    panels = _panels(groups, keys, names) if len(frame) else []
    shown = [panel.first(MOST_LINES) for panel in panels[:MOST_PANELS]]
    cut = [
        ("groups", MOST_LINES, len(frame)),
        ("panels", MOST_PANELS, len(panels)),
        ("lines of a panel", MOST_LINES, max((len(each.lines) for each in panels), default=0)),
    ]
    told = [f"the first {most} of {there:,} {what}" for what, most, there in cut if there > most]
    return _figure(shown, "; ".join([caption, *told]))


def _figure(panels: list[_Panel], caption: str) -> Figure:
    if not panels:
        return _words(Figure(figsize=(6, 1), layout="constrained"), caption)
    across = min(len(panels), ACROSS)
    rows = [panels[i : i + across] for i in range(0, len(panels), across)]
    heights = [LINE * max(panel.height for panel in row) + AROUND for row in rows]
    longest = max(
        len(part) for panel in panels for name in panel.lines for part in name.split("\n")
    )
    size = max(WIDE * across + LETTER * longest, 6), sum(heights) + 0.3
    figure = Figure(figsize=size, layout="constrained")
    places = figure.subplots(len(rows), across, squeeze=False, height_ratios=heights)
    for row, axes in zip(rows, places, strict=True):
        _row(row, axes)
    return _words(figure, caption)


def _words(figure: Figure, caption: str) -> Figure:
    """What stands below; all there is of no group."""
    across = int(figure.get_figwidth() / LETTER)
    figure.supxlabel(fill(caption, across), fontsize="small", x=0.01, ha="left")
    return figure


def _panels(frame: Any, keys: Sequence[str], names: Sequence[str]) -> list[_Panel]:
    numbers, values = kinds_of(frame), values_of(frame, keys)
    for name in names:
        if name not in numbers:
            raise ValueError(f"there is no number {name!r}; there are {', '.join(numbers)}")
    chosen = {name: numbers[name] for name in names or numbers}
    panels = []
    for name, own in chosen.items():
        # What was chosen is a part of whose number it is.
        told = [*keys, *([values[name]] if name in values else [])]
        panels += _of_number(frame, name, own, _groups(frame[told]))
    return panels


def _of_number(frame: Any, name: str, kinds: dict[str, str], groups: list[str]) -> list[_Panel]:
    columns = kinds.values()
    found = np.stack([[frame[own + end] for end in ("", "_low", "_high")] for own in columns])
    ends = _ends(found)
    if name in columns:
        return [_Panel(_folded(name, TITLE), tuple(groups), found[0].T, ends)]
    lines = tuple(_folded(kind, LETTERS) for kind in kinds)
    titles = [f"{name}, {group}" if len(groups) > 1 else name for group in groups]
    each = zip(titles, np.moveaxis(found, 2, 0), strict=True)
    return [_Panel(_folded(title, TITLE), lines, own, ends) for title, own in each]


def _ends(found: np.ndarray) -> tuple[float, float]:
    """All that is finite, and a little room."""
    finite = found[np.isfinite(found)]
    least, most = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    room = (most - least or abs(most) or 1.0) / 20
    return least - room, most + room


def _groups(keys: Any) -> list[str]:
    """The name of every group."""
    missing = keys.isna().to_numpy()
    values = [
        ["none" if gone else str(key) for key, gone in zip(*row, strict=True)]
        for row in zip(keys.to_numpy(object), missing, strict=True)
    ]
    return [_folded(", ".join(row), LETTERS) or "all" for row in values]


def _folded(words: str, letters: int) -> str:
    """In lines of so many letters; between two dollars there is no formula."""
    return fill(words, letters).replace("$", r"\$")


def _refuse_too_many(panels: list[_Panel]) -> None:
    most = max((len(panel.lines) for panel in panels), default=0)
    if not (len(panels) <= MOST_PANELS and most <= MOST_LINES):
        raise ValueError(
            f"a picture has at most {MOST_PANELS} panels of {MOST_LINES} lines, and this would "
            f'have {len(panels)} of {most}: draw some of the numbers, plot("n")'
        )


def _row(panels: list[_Panel], places: Sequence[Axes]) -> None:
    before = None
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    for panel, axes in zip(panels, places, strict=False):
        _panel(panel, axes, named=panel.lines != before)
        before = panel.lines


def _panel(panel: _Panel, axes: Axes, named: bool) -> None:
    estimate, low, high = panel.found.T
    at = np.arange(len(estimate))
    bar = {"color": COLOURS["central"], "linewidth": 2.5, "alpha": 0.4}
    axes.hlines(at, np.maximum(low, panel.ends[0]), np.minimum(high, panel.ends[1]), **bar)
    axes.plot(estimate, at, "o", color=COLOURS["central"], markersize=3.5)
    axes.set_title(panel.title, loc="left", fontsize="medium")
    axes.set_yticks(at, panel.lines if named else [""] * len(at), fontsize="small")
    axes.set(xlim=panel.ends, ylim=(len(at) - 0.4, -0.6))
    _quiet(axes)


def _quiet(axes: Axes) -> None:
    """A grid and numbers below, and no frame."""
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize="small")
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axes.grid(color="#eeeeee")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
