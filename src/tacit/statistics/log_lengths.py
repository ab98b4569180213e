"""How long people are, from the mean of the logarithms of their lengths.

A mean of squares has noise in proportion to the longest that anybody may be, and is of no use to
find people who may be a thousand times shorter. The logarithm of a squared length lies in a short
interval wherever they are: with w = A x, everybody gives

    g = (log |w|² - `low`) / `span`, from 0 to 1,

as one square of the unit ball (sqrt(g) on the first axis), so that noise on it is that of one
number on the diagonal. Of d normal numbers of variance s the mean of log |w|² is log s + psi(d/2) +
log 2, which is `white`; of others s is somewhere between their variances.

**The interval** of the first round holds all that people may be: from `LEAST` of those who are as
short as they may be to `MOST` of the longest. That of a later round is as far about one as the one
before it is sure, `SURE` deviations to each side; but no further than that one is long, as an
answer is clipped to it. Quantiles are those of people half of whose directions are long. Who is
beyond counts as its end.
"""

import math
from dataclasses import dataclass
from typing import Self, final

import jax.numpy as jnp
from jaxtyping import Array, Float
from scipy import special, stats

LEAST, MOST = 0.01, 0.99
SURE = 3.0


@final
@dataclass(frozen=True)
class LogLengths:
    """One round's public numbers.

    Args:
      dim: of people.
      low, span: the interval's beginning and length.
    """

    dim: int
    low: float
    span: float

    @classmethod
    def between(cls, dim: int, shortest: float, longest: float) -> Self:
        """Of people of a variance between these."""
        half = math.ceil(dim / 2)
        least, most = (float(stats.chi2.ppf(q, half)) * dim / half for q in (LEAST, MOST))
        low, high = math.log(shortest * least), math.log(longest * most)
        return cls(dim, low, high - low)

    @property
    def white(self) -> float:
        """The mean of log |w|² where w is white."""
        return white_of(self.dim)

    def off(self, noise: float, people: int) -> float:
        """How far off log s is (root mean square), with such noise on the answer."""
        own = float(special.polygamma(1, self.dim / 2)) / people
        return math.sqrt((self.span * noise) ** 2 + own)

    def after(self, noise: float, people: int) -> "LogLengths":
        """Those of a round that follows."""
        wide = math.exp(min(SURE * self.off(noise, people), self.span))
        return LogLengths.between(self.dim, 1 / wide, wide)


def white_of(dim: int) -> float:
    """psi(d/2) + log 2."""
    return float(special.digamma(dim / 2)) + math.log(2)


def part_of(
    squares: Float[Array, ""], low: Float[Array, ""], span: Float[Array, ""]
) -> Float[Array, ""]:
    """g of a squared length."""
    return jnp.clip((jnp.log(squares) - low) / span, 0.0, 1.0)
