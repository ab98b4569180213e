"""What all pictures have in common: their colours, and that the same numbers are the same bytes."""

from pathlib import Path
from typing import IO

from matplotlib import rc_context
from matplotlib.figure import Figure

from tacit.whole_file import replacing

# A colour for each trust model.
COLOURS = {
    "none": "#444444",
    "central": "#1b6ca8",
    "shuffled": "#7b4fa3",
    "local": "#c4572e",
    "federated": "#2e8b57",
}
# Of what a curve is compared with.
QUIET = "#777777"


def save(figure: Figure, into: Path | str | IO[str]) -> None:
    """As the format that a file's ending names, and as SVG where it has none.

    An SVG has no date in it, no random names, and its words are text. A file is replaced whole.
    """
    if not isinstance(into, Path | str):
        _drawn(figure, into, "svg")
        return
    path = Path(into)
    with replacing(path) as file:
        _drawn(figure, file, path.suffix[1:] or "svg")


def _drawn(figure: Figure, into: IO, ending: str) -> None:
    dated = {"Date": None} if ending == "svg" else None
    with rc_context({"svg.hashsalt": "tacit", "svg.fonttype": "none"}):
        figure.savefig(into, format=ending, dpi=150, metadata=dated)
