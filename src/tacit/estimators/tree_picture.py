"""A tree of tests as a picture: the root above, a box for each test and for each label.

Ends stand side by side at even distances, and a test over the middle of its two.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit.pac.rules import BitTest
from tacit.picture import COLOURS, QUIET, save

# Inches of an end, and of a level: a choice.
WIDE, HIGH = 2.4, 1.1


class _Place(NamedTuple):
    """Of a node: along, and down from the root."""

    along: float
    down: int


def draw(
    tree: BitTest | int, names: Sequence[str], labels: Sequence[object], into: Path | str | IO[str]
) -> None:
    """Saves it.

    Args:
      tree: without tests that tell nothing (`tacit.pac.rules.shortened`).
      names: of the bits tested.
      labels: what each label is called.
      into: a file, whose ending names the format.
    """
    figure = Figure(figsize=(WIDE * _ends(tree) + 0.6, HIGH * (_depth(tree) + 1)))
    axes = figure.add_axes((0, 0, 1, 1))
    _drawn(axes, tree, names, labels, _Place(0.0, 0))
    axes.set_xlim(-0.6, _ends(tree) - 0.4)
    axes.set_ylim(-_depth(tree) - 0.5, 0.5)
    axes.axis("off")
    save(figure, into)


def _drawn(
    axes: Axes, tree: BitTest | int, names: Sequence[str], labels: Sequence[object], first: _Place
) -> float:
    """Draws a subtree whose first end is at this place, and says where its own box is along."""
    if not isinstance(tree, BitTest):
        _box(axes, first, str(labels[tree]), COLOURS["central"], "white")
        return first.along
    below = _Place(first.along, first.down + 1)
    right = below._replace(along=below.along + _ends(tree.with_it))
    ends = [
        _drawn(axes, tree.with_it, names, labels, below),
        _drawn(axes, tree.without, names, labels, right),
    ]
    own = _Place(sum(ends) / 2, first.down)
    for end, said in zip(ends, ("yes", "no"), strict=True):
        axes.plot([own.along, end], [-own.down, -below.down], color=QUIET, zorder=0)
        axes.text((own.along + end) / 2, -own.down - 0.5, said, ha="center", backgroundcolor="w")
    _box(axes, own, names[tree.bit], "white", "black")
    return own.along


def _box(axes: Axes, place: _Place, said: str, fill: str, ink: str) -> None:
    shape = {"boxstyle": "round", "facecolor": fill, "edgecolor": QUIET}
    axes.text(place.along, -place.down, said, ha="center", va="center", color=ink, bbox=shape)


def _ends(tree: BitTest | int) -> int:
    return _ends(tree.without) + _ends(tree.with_it) if isinstance(tree, BitTest) else 1


def _depth(tree: BitTest | int) -> int:
    return 1 + max(_depth(tree.without), _depth(tree.with_it)) if isinstance(tree, BitTest) else 0
