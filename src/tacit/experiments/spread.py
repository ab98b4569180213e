"""Independent runs of one thing: their mean, how far off it may be, and both as a line drawn.

The deviation of n runs is estimated from these, over n - 1, and that of their mean is a root of n
smaller. One run tells nothing about it, and has no band.
"""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib import colormaps
from matplotlib.axes import Axes

Runs = Float[np.ndarray, "runs ..."]


def standard_error(runs: Runs) -> np.ndarray | None:
    """Of the mean over the first axis; None of one run."""
    return runs.std(axis=0, ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else None


def draw_lines(axes: Axes, at: np.ndarray, lines: Sequence[tuple[str, Runs]]) -> None:
    """A mean for each name, with two standard errors on either side."""
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, len(lines)))
    for (name, runs), colour in zip(lines, colours, strict=True):
        mean, error = runs.mean(axis=0), standard_error(runs)
        axes.plot(at, mean, color=colour, label=name)
        if error is not None:
            axes.fill_between(at, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.25)
