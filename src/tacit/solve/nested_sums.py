"""Sums over nested blocks of cells, weighted for Laplace noise: the least error by a closed form.

Level l of k + 1 has blocks of n_l = b^l cells, so that each block of a level is b blocks of the one
below; the last level is one block of all b^k cells, of which those beyond N are in no query and are
nobody's. Let the sums of level l have the weight w_l. A cell is in one block of each level, so one
person moves all weighted sums by sum w_l in L1, which is held at one; Laplace noise of scale one is
added to each of them, and answers are their least squares.

1. Averaging over the blocks of a level is a projection P_l, and as the blocks are nested P_l P_m is
   the coarser of both. So A'A = sum of w_l² n_l P_l has, on the differences P_l - P_(l+1), the
   eigenvalue lambda_l = sum over m <= l of w_m² n_m.
2. With t_l the trace of V on them, V = W'W, and Laplace noise of scale one having variance two, the
   variances of all answers add up to

       2 sum over l of t_l / lambda_l.

That is minimised over the weights, and over b: one level, b = N, is the histogram. For cells of
their own, N < b^k, least squares do better still: the form is what is chosen by, and an error that
is stated is computed of the sums themselves.

References:
    Hay, Rastogi, Miklau and Suciu 2010, "Boosting the accuracy of differentially private histograms
        through consistency".
    Qardaji, Yang and Li 2013, "Understanding hierarchical methods for differentially private
        histograms" (more branches than two).
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.late import minimize

# A level of so little weight costs more than it tells.
_LEAST = 2.0**-12
# Logarithms of weights, that their squares stay in the floats.
_LEVELS = (-30.0, 30.0)

Square = Float[np.ndarray, "cells cells"]
Levels = Float[np.ndarray, " levels"]


@final
@dataclass(frozen=True)
class NestedSums:
    """Weighted sums over blocks.

    Args:
      cells: N.
      branches: b.
      weights: of each level, of single cells first; they add up to one.
      error: the predicted mean squared one of all answers together, at noise of scale one on each
        sum.
    """

    cells: int
    branches: int
    weights: tuple[float, ...]
    error: float

    def matrix(self) -> Float[np.ndarray, "sums cells"]:
        """A: a row for each block that has cells."""
        levels = range(len(self.weights))
        return np.concatenate([self._level(level) for level in levels if self.weights[level] > 0])

    def _level(self, level: int) -> Float[np.ndarray, "blocks cells"]:
        block = np.arange(self.cells) // self.branches**level
        return self.weights[level] * (np.arange(block[-1] + 1)[:, None] == block)


def nested_sums(squares: Square) -> NestedSums:
    """Those of the least predicted error, for `squares` = V."""
    cells = len(squares)
    heights = range(1, max(1, math.ceil(math.log2(cells))) + 1)
    branches = dict.fromkeys(_root(cells, height) for height in heights)
    return min((_weighted(squares, each) for each in branches), key=lambda found: found.error)


def _root(cells: int, height: int) -> int:
    """The least b with b^height >= cells."""
    found = max(2, math.floor(cells ** (1 / height)))
    while found**height < cells:
        found += 1
    return found


def _weighted(squares: Square, branches: int) -> NestedSums:
    """The best weights for so many branches."""
    sizes = [1]
    while sizes[-1] < len(squares):
        sizes.append(sizes[-1] * branches)
    on_blocks = np.array([_within(squares, size) for size in sizes])
    traces = np.maximum(on_blocks - np.append(on_blocks[1:], 0.0), 0.0)
    wide = np.array(sizes, float)
    shares = _best(traces, wide)
    kept = np.where((shares >= _LEAST) | (wide == 1), shares, 0.0)
    kept = kept / kept.sum()
    return NestedSums(len(squares), branches, tuple(kept.tolist()), 2 * _error(kept, traces, wide))


def _best(traces: Levels, wide: Levels) -> Levels:
    """The weights of the least error, of sum one."""

    def log_error(levels: Levels) -> float:
        own = np.exp(levels - levels.max())
        return math.log(_error(own / own.sum(), traces, wide))

    start = np.log(np.maximum(traces / wide, traces.max() * 1e-9)) / 3
    bounds = [_LEVELS] * len(wide)
    found = minimize(log_error, start - start.max(), method="L-BFGS-B", bounds=bounds).x
    shares = np.exp(found - found.max())
    return shares / shares.sum()


def _error(weights: Levels, traces: Levels, wide: Levels) -> float:
    return float((traces / np.cumsum(weights**2 * wide)).sum())


def _within(squares: Square, size: int) -> float:
    """The trace of V P, for averages over blocks of this size."""
    starts = np.arange(0, len(squares), size)
    rows = np.add.reduceat(squares, starts, axis=0)
    return float(np.add.reduceat(rows, starts, axis=1).diagonal().sum()) / size
