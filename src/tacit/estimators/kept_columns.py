"""The columns that so many directions are looked for in: all, or those whose squares stand out.

Noise is as loud in a column that hardly anybody has something in, as a rare category is, as in any
other; and what noise makes along some direction grows with the root of how many columns there are.
So directions may be nearer to people's where quiet columns are left out, though some of the squares
are left out with them.

**Which.** All columns, or so many whose own squares were released as the largest; of several such
numbers, that of which the directions are held to explain most together: an eigenvalue v of their
part of the matrix, beside noise up to e in this part, is held to explain sqrt(v² - e²) of people's
(`directions`). What is the largest of several that noise has moved is too large, and so are squares
that were chosen for being large. Hence columns are left out only where what is left explains more
than all do by at least a half of what noise makes along some direction of all: where people's
directions are not told from noise, or lie across all columns alike, all are kept.

It is read off one released matrix, and costs nothing. Without noise all columns are kept: no part
of a matrix has larger eigenvalues than the whole (Cauchy).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from jaxtyping import Float, Int

from tacit.solve.one_thread import one_thread

# How many numbers of columns are tried, each so many times as large as the one before.
TRIED = 14
# Of the largest eigenvalue of noise in all columns: by how much fewer have to be better.
PART = 0.5
# Columns whose eigenvalues one thread finds as fast as several.
_SMALL = 512

NoiseOf = Callable[[Int[np.ndarray, " kept"]], float]


def kept_columns(
    moments: Float[np.ndarray, "features features"], noise_of: NoiseOf, many: int
) -> Int[np.ndarray, " kept"]:
    """Which columns, in their order.

    Args:
      moments: as released.
      noise_of: about the largest eigenvalue that noise alone makes in such columns.
      many: how many directions are looked for.
    """
    every = np.arange(len(moments))
    order = np.argsort(-np.diag(moments), kind="stable")
    sizes = sorted({round(size) for size in np.geomspace(many, len(moments), TRIED)})
    fewer = [np.sort(order[:size]) for size in sizes if size < len(moments)]
    if not (fewer and noise_of(every) > 0):
        return every
    with threads_for(len(moments)):
        explained = [_explained(moments, noise_of, own, many) for own in (*fewer, every)]
    best = int(np.argmax(explained[:-1]))
    needed = explained[-1] + PART * noise_of(every)
    return fewer[best] if explained[best] > needed else every


def threads_for(columns: int) -> AbstractContextManager[None]:
    """One of BLAS for a matrix that others would not make faster, and else all that it has."""
    return one_thread() if columns <= _SMALL else nullcontext()


def above(values: Float[np.ndarray, " values"], noise: float) -> Float[np.ndarray, " values"]:
    """What eigenvalues are held to be of people: sqrt(v² - e²), nothing where noise makes as much.

    By factors, as squares of variances may be no floats.
    """
    return np.sqrt(np.maximum(values - noise, 0.0)) * np.sqrt(np.maximum(values + noise, 0.0))


def _explained(
    moments: Float[np.ndarray, "features features"],
    noise_of: NoiseOf,
    own: Int[np.ndarray, " kept"],
    many: int,
) -> float:
    """By the first directions in these columns, together."""
    values = np.linalg.eigvalsh(moments[np.ix_(own, own)])[-many:]
    return float(above(values, noise_of(own)).sum())
