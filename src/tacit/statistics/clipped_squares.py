"""What clipping does to the squares of a normal vector, so that it can be undone.

Clip w, d normal numbers of covariance M, to norm B, and take E of its square c c'.

**If M = s I**, |w|² is s times r, a chi-square of d degrees, and by symmetry E c c' = h(s) I with

    h(s) = E[min(s r, B²)] / d = s F_(d+2)(q) + B²/d (1 - F_d(q)),     q = B²/s,

F_k being the chi-square's distribution function: as E[r; r <= q] = d F_(d+2)(q). h rises, so it
tells s.

**If M = s (I + D)** for a small symmetric D of trace zero, w = sqrt(s) (I + D/2) g to first order,
and E c c' - h(s) I is s k(s) D with

    k(s) = h(s)/s - 2 q P(r > q) / (d (d + 2)):

the first part is what D does to w w' where the clipping's factor is left as it is; the second what
it does to the factor B²/|w|² of those who are clipped, as E[u u' u'Du] = 2 D / (d (d + 2)) for a
unit vector u of even direction, whose length is independent of it.

**Beside their mean** numbers of c c' vary: off the diagonal E[c_i² c_j²] is E[min(s r, B²)²] / (d
(d + 2)), as E[u_i² u_j²] of a unit vector is one over that; and `spreads` is this over h(s)², which
is one where nothing is clipped.

**If M has eigenvalues m_i**, E c c' has M's eigenvectors, and its own eigenvalues E[w_i² f], f the
factor. To weigh by w_i² is to give that axis two degrees more: so they are m_i E'[f], where |w|² is
m_i chi²(3) and all others' m_j chi²(1). `clipped` takes a gamma law of that mean and variance for
it, which is for predicting only.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np
from jaxtyping import Float
from scipy import stats

# M starts below one, and estimates make it little more.
SCALES = np.geomspace(1e-6, 10.0, 400)


@final
@dataclass(frozen=True)
class ClippedSquares:
    """E c c' of vectors of `dim` normal numbers, clipped so that their squares sum to `bound`."""

    dim: int
    bound: float

    @cached_property
    def levels(self) -> Float[np.ndarray, " scales"]:
        """h, of `SCALES`."""
        inside = stats.chi2.cdf(self.bound / SCALES, self.dim + 2)
        return SCALES * inside + self.bound / self.dim * self._beyond

    @cached_property
    def slopes(self) -> Float[np.ndarray, " scales"]:
        """k, of `SCALES`."""
        dim, reach = self.dim, self.bound / SCALES
        return self.levels / SCALES - 2 * reach * self._beyond / (dim * (dim + 2))

    @cached_property
    def spreads(self) -> Float[np.ndarray, " scales"]:
        """The variance of a number of c c' off the diagonal, over h²."""
        numbers = self.dim * (self.dim + 2)
        inside = stats.chi2.cdf(self.bound / SCALES, self.dim + 4)
        squares = SCALES**2 * inside + self.bound**2 / numbers * self._beyond
        return squares / self.levels**2

    @property
    def _beyond(self) -> Float[np.ndarray, " scales"]:
        return stats.chi2.sf(self.bound / SCALES, self.dim)

    def clipped(self, values: Float[np.ndarray, "*some dim"]) -> Float[np.ndarray, "*some dim"]:
        """The eigenvalues that come out of clipping, nearly, for those of M."""
        mean = values.sum(axis=-1, keepdims=True) + 2 * values
        squares = np.square(values)
        variance = 2 * squares.sum(axis=-1, keepdims=True) + 4 * squares
        width, degrees = variance / mean, mean**2 / variance
        degrees = np.where(abs(degrees - 1) < 1e-6, 1 + 1e-6, degrees)
        beyond = stats.gamma.sf(self.bound, degrees, scale=width)
        density = stats.gamma.pdf(self.bound, degrees, scale=width)
        # E[1/x; x > B²], by parts.
        cut = (beyond - width * density) / (width * (degrees - 1))
        return values * (1 - beyond + self.bound * cut)


@lru_cache(maxsize=64)
def clipped_squares(dim: int, bound: float) -> ClippedSquares:
    """The same one for the same numbers, with what it knows of `SCALES`."""
    return ClippedSquares(dim, bound)
