"""What all pairs of columns are likely to look like, of noisy tables: denoised, and proper shares.

The contrasts of a pair's table are those of its two columns' independence and what they have in
common. Brought to orthonormal rows, the second is a matrix of low rank (few patterns tie two
columns) in white noise of known deviation s, and of such a matrix shrinking the singular values is
the best there is: with m x n entries, beta = m/n <= 1 and y a singular value over s sqrt(n),

    y becomes sqrt((y² - beta - 1)² - 4 beta) / y    above 1 + sqrt(beta), and zero below it

(for Frobenius loss, as m and n grow). Then independence is added again, and the table is projected
on the simplex. All of it works on what was released; it costs no privacy, and is biased.

References:
    Gavish and Donoho 2017, "Optimal shrinkage of singular values", IEEE Trans. Information Theory.
"""

import math
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from tacit.contribution.contrasts import contrasts, length_of
from tacit.queries.closure import Blocks, Set, Tables
from tacit.solve.simplex import project

Shares = Float[np.ndarray, " categories"]
Pairs = Mapping[Set, Float[np.ndarray, "first second"]]


def shares_of(tables: Tables, blocks: Blocks) -> list[Shares]:
    """Each column's own shares: the nearest that are none negative and add up to one."""
    people = max(float(blocks[()]), 1.0)
    columns = range(len(tables.sizes))
    return [project(tables.table((i,), blocks) / people).point for i in columns]


def pairs_of(
    tables: Tables, blocks: Blocks, deviation: float, shares: list[Shares]
) -> dict[Set, Float[np.ndarray, "first second"]]:
    """The shares of every pair of columns that was asked for.

    Args:
      tables: what was asked for, pairs among it.
      blocks: the noisy contrasts, of weight one.
      deviation: of the noise on one contrast, before its set's weight is taken off.
      shares: of each column.
    """
    people = max(float(blocks[()]), 1.0)
    weights = dict(zip(tables.shape.sets, tables.shape.weights, strict=True))
    found = {}
    for pair in (each for each in tables.closure if len(each) == 2):
        first, second = (shares[i] for i in pair)
        prior = people * np.outer(contrasts(len(first)) @ first, contrasts(len(second)) @ second)
        unit = math.prod(length_of(tables.sizes[i]) for i in pair)
        tied = shrunk((blocks[pair] - prior) / unit, deviation / weights[pair] / unit)
        own = {(): np.array(people), pair: prior + unit * tied}
        for i, each in zip(pair, (first, second), strict=True):
            own[(i,)] = people * (contrasts(len(each)) @ each)
        table = tables.table(pair, own) / people
        found[pair] = project(table.ravel()).point.reshape(table.shape)
    return found


def shrunk(
    matrix: Float[np.ndarray, "first second"], deviation: float
) -> Float[np.ndarray, "first second"]:
    """A matrix with less noise: of this deviation in each entry before."""
    if not (matrix.size and deviation > 0):
        return matrix
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    beta = min(matrix.shape) / max(matrix.shape)
    y = values / (deviation * math.sqrt(max(matrix.shape)))
    above = y > 1 + math.sqrt(beta)
    inside = np.where(above, (y**2 - beta - 1) ** 2 - 4 * beta, 0.0)
    kept = np.where(above, np.sqrt(np.maximum(inside, 0.0)) / np.maximum(y, 1.0), 0.0)
    return (left * (kept * deviation * math.sqrt(max(matrix.shape)))) @ right
