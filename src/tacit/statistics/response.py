"""What clipping does to a normal vector's mean, so that it can be undone.

Clip z + m e, with z a vector of d standard normals and e a direction, to norm B: by symmetry the
mean of what comes out points along e, and its length h(m) depends on m, d and B alone. h rises
from 0 to B, so a clipped mean of length h(m) tells m. All of it is public.

**As a sum.** With u = z.e + m, of N(m, 1), and s = the squared norm of the rest, a chi-square of
d - 1 degrees, h(m) = E[u min(1, B / sqrt(u² + s))]: a double integral of smooth laws, taken at
equally likely places of each (the middle of 1/128th parts). Its slope at 0 says by how much noise
on a clipped mean grows when the clipping is undone:

    h'(0) = P(|z| <= B) + (1 - 1/d) B E[1/|z|; |z| > B],

the last mean being gamma((d - 1)/2) / (sqrt(2) gamma(d/2)) times the chance that a vector of d - 1
numbers is longer than B (1/x times one chi density is another).

**Error**: below 2e-3 of B against exact integration (tests), a bias of that size of what is undone.
"""

import functools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float
from scipy import stats

# Of each law, within 2e-3 of B (see **Error**); and means in even steps, between which h is read.
PLACES, MEANS = 128, 129


@final
@dataclass(frozen=True)
class Response:
    """The mean that comes out of clipping, for each that goes in.

    Args:
      dim: of the vectors.
      bound: the norm they are clipped to.
      most: the longest mean that is asked for.
    """

    dim: int
    bound: float
    most: float

    @cached_property
    def means(self) -> Float[np.ndarray, " means"]:
        """What goes in: even steps from zero."""
        return np.linspace(0.0, self.most, MEANS)

    @cached_property
    def clipped(self) -> Float[np.ndarray, " means"]:
        """What comes out, rising."""
        return np.maximum.accumulate([self.at(mean) for mean in self.means])

    def at(self, mean: float) -> float:
        """h of this mean."""
        along, rest = _places(self.dim)
        lengths = np.sqrt((along + mean) ** 2 + rest)
        return float(np.mean((along + mean) * np.minimum(1.0, self.bound / lengths)))

    @cached_property
    def slope(self) -> float:
        """h'(0): of the mean that goes in, what a small one has left when it comes out."""
        inside = float(stats.chi.cdf(self.bound, self.dim))
        if self.dim == 1:
            return inside
        half = math.exp(math.lgamma((self.dim - 1) / 2) - math.lgamma(self.dim / 2))
        beyond = half / math.sqrt(2) * float(stats.chi.sf(self.bound, self.dim - 1))
        return inside + (1 - 1 / self.dim) * self.bound * beyond


@functools.cache
def _places(dim: int) -> tuple[Float[np.ndarray, "places 1"], Float[np.ndarray, "1 more"]]:
    """Of the direction's number, and of the squared norm of the rest."""
    places = (np.arange(PLACES) + 0.5) / PLACES
    along = stats.norm.ppf(places)[:, None]
    rest = stats.chi2.ppf(places, dim - 1)[None] if dim > 1 else np.zeros((1, 1))
    return along, rest


@functools.cache
def longest_normal(dim: int, chance: float) -> float:
    """The norm that a vector of so many standard normals exceeds with this chance."""
    return float(stats.chi.isf(chance, dim))
