"""Which report of one cell of N tells a server most of a set of linear queries, at a given epsilon.

A report is one of R outputs; Q_yx is the chance that a person in cell x sends y. Local privacy asks
that z_y <= Q_yx <= e^epsilon z_y for some z. Of m reports the server counts how many are each
output; with d = Q1, D = diag d and M = Q'D^-1 Q, the least squares estimate of the cells' shares is
the counts' product with M^-1 Q'D^-1, unbiased whatever the shares are, and the squared errors of
all queries have, averaged over a person's cell, the sum

    (tr(M^-1 V) - tr V) / N,    V = W'W,

for one person. That is what is minimised: by gradient descent, all columns projected on the simplex
between z and e^epsilon z in every step, z moved by the slope of the entries on it. Steps
grow by .3 and are halved where the variance would rise by more than a little; a run that got worse
by 3% goes back to its best. Nothing rests on how good the result is.

**Caps** take no descent. A row is a normal vector z over cells, of covariance V^(1/2) less its part
along 1, each cell's brought to variance one; its output is likelier by e^epsilon in the
1/(1 + e^epsilon) of the cells where z is largest. Cells that queries hardly tell apart are in the
same caps. Columns are then projected as in a step.

**Lower bound.**

1. M1 = 1, and tr M = sum_y |Q_y|²/d_y <= cosh²(epsilon/2), as entries of a row are within a factor
   e^epsilon. So across 1 the trace of M is at most sinh²(epsilon/2).
2. With V' = V less its part along 1, Cauchy and Schwarz give for every Q

       mean variance >= ((tr V'^(1/2))² / sinh²(epsilon/2) - tr V') / N.

References:
    McKenna, Maity, Mazumdar and Miklau 2020, "A workload-adaptive mechanism for linear queries
        under local differential privacy" (the program).
    Edmonds, Nikolov and Ullman 2020, "The power of factorization mechanisms in local and central
        differential privacy".
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

# Of steps, as above: by what they grow, how far the variance may rise, and what goes back.
_GROWS, _SLACK, _WORSE = 1.3, 0.01, 1.03
# Of a projection: Newton's turns, where they end, and the least chance, which is not 0.
_TURNS, _EXACT, _LEAST = 60, 1e-12, 1e-9

Chances = Float[np.ndarray, "outputs cells"]
Square = Float[np.ndarray, "cells cells"]


class _Point(NamedTuple):
    """Where the descent is: chances, the least of each row, the variance and its slope."""

    chances: Chances
    least: Float[np.ndarray, " outputs"]
    variance: float
    slope: Chances


def least_variance(squares: Square, epsilon: float, outputs: int, steps: int) -> Chances:
    """Chances of little variance, for `squares` = V.

    Args:
      squares: W'W.
      epsilon: positive.
      outputs: how many reports there are, at least as many as cells.
      steps: of the descent.
    """
    ratio = math.exp(epsilon)
    least = np.full(outputs, 2 / (outputs * (1 + ratio)))
    drawn = np.random.default_rng(0).random((outputs, len(squares)))
    start = projected(least[:, None] * (1 + (ratio - 1) * drawn), least, ratio)
    best = now = _Point(start, least, *_variance(start, squares))
    step, slack = 0.1 * start.mean() / np.abs(now.slope).mean(), _SLACK
    for _ in range(steps):
        now, step = _moved(now, squares, ratio, step, slack)
        if now.variance < best.variance:
            best = now
        elif now.variance > _WORSE * best.variance:
            now, step, slack = best, 0.3 * step, slack / 2
    return best.chances


def caps(squares: Square, epsilon: float, outputs: int) -> Chances:
    """Chances for `squares` = V at once, of more variance than those of a descent.

    Args:
      squares, epsilon, outputs: as of `least_variance`.
    """
    cells, ratio = len(squares), math.exp(epsilon)
    values, vectors = np.linalg.eigh(_centred(squares))
    drawn = np.random.default_rng(0).standard_normal((outputs, cells))
    normal = (drawn * np.maximum(values, 0.0) ** 0.25) @ vectors.T
    normal /= np.sqrt((normal**2).mean(0)) + _LEAST
    inside = normal.argsort(1).argsort(1) >= cells - max(1, round(cells / (1 + ratio)))
    share = inside.mean()
    least = np.full(outputs, 1 / (outputs * (1 + (ratio - 1) * share)))
    return projected(least[:, None] * (1 + (ratio - 1) * inside), least, ratio)


def _moved(
    now: _Point, squares: Square, ratio: float, step: float, slack: float
) -> tuple[_Point, float]:
    """The next point, and how long the step after it is; the same point where none is better."""
    while step > 1e-300:
        least = _onward(now, len(squares), ratio, step)
        chances = projected(now.chances - step * now.slope, least, ratio)
        try:
            variance, slope = _variance(chances, squares)
        except np.linalg.LinAlgError:
            # So long a step that two cells report alike.
            variance, slope = math.inf, now.slope
        if 0 < variance <= now.variance * (1 + slack):
            return _Point(chances, least, variance, slope), step * _GROWS
        step /= 2
    return now, step


def _onward(now: _Point, cells: int, ratio: float, step: float) -> Float[np.ndarray, " outputs"]:
    """The least of each row, moved by the slope of the entries that are at one end."""
    low = now.chances <= now.least[:, None] * (1 + 1e-9)
    high = now.chances >= ratio * now.least[:, None] * (1 - 1e-9)
    slope = (now.slope * low).sum(1) + ratio * (now.slope * high).sum(1)
    least = np.maximum(now.least - step * slope / cells, _LEAST / len(low))
    # Columns of sum one lie between: the sum of the least is below one, of the largest above.
    least = least * min(1, 0.999 / least.sum())
    return least * max(1, 1.001 / (ratio * least.sum()))


def projected(chances: Chances, least: Float[np.ndarray, " outputs"], ratio: float) -> Chances:
    """The nearest columns of sum one, between `least` and `ratio` times that.

    Each column moves by one shift, and is cut: Newton's steps on its sum, which is piecewise linear
    in the shift and rises with it, and halving where one would leave the bracket.
    """
    below, above = least[:, None], ratio * least[:, None]
    low, high = (below - chances).min(0), (above - chances).max(0)
    shift = np.clip((1 - chances.sum(0)) / len(chances), low, high)
    for _ in range(_TURNS):
        moved = chances + shift
        cut = np.clip(moved, below, above)
        off = cut.sum(0) - 1
        if np.abs(off).max() < _EXACT:
            break
        inside = np.maximum((moved == cut).sum(0), 1)
        low, high = np.where(off < 0, shift, low), np.where(off < 0, high, shift)
        next_one = shift - off / inside
        kept = (next_one > low) & (next_one < high)
        shift = np.where(kept, next_one, (low + high) / 2)
    return np.clip(chances + shift, below, above)


def decoder(chances: Chances) -> Float[np.ndarray, "cells outputs"]:
    """M^-1 Q'D^-1: from the shares of outputs to unbiased shares of cells."""
    scaled = chances / chances.sum(1)[:, None]
    return np.linalg.solve(chances.T @ scaled, scaled.T)


def variances(chances: Chances, squares: Square) -> Float[np.ndarray, " cells"]:
    """The sum of all queries' variances by one person's report, for each cell they may be in."""
    back = decoder(chances)
    lengths = np.einsum("xy,xy->y", back, squares @ back)
    return lengths @ chances - squares.diagonal()


def lower_bound(squares: Square, epsilon: float) -> float:
    """No chances have a smaller mean of `variances`."""
    cells = len(squares)
    centred = _centred(squares)
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(centred), 0.0))
    whole = float(roots.sum()) ** 2 / math.sinh(epsilon / 2) ** 2 - float(np.trace(centred))
    return max(0.0, whole / cells)


def _centred(squares: Square) -> Square:
    """V less its part along 1."""
    centred = squares - squares.mean(0)
    centred = centred - centred.mean(1, keepdims=True)
    return (centred + centred.T) / 2


def _variance(chances: Chances, squares: Square) -> tuple[float, Chances]:
    """tr(M^-1 V), and its slope in the chances."""
    outputs = chances.sum(1)[:, None]
    scaled = chances / outputs
    inverse = np.linalg.inv(chances.T @ scaled)
    turned = inverse @ squares
    moved = scaled @ (turned @ inverse)
    slope = np.einsum("yx,yx->y", moved, scaled)[:, None] - 2 * moved
    return float(np.trace(turned)), slope
