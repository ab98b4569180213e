"""Low-degree learning: a label's Fourier coefficients, each of them a statistical query.

Bits are signs, -1 for a bit of 1, and so are labels. A parity is chi_S(x), the product of the bits
in S, and under uniform bits a function f is the sum of its coefficients f^(S) = E f chi_S times
them. So ask for all coefficients of at most k bits, of which there are m = sum_(i <= k) C(d, i),
and say the sign of g, the sum of what was answered.

**Error.** Let the answers be within t. By Parseval, and since sign(g) differs from f only where
|f - g| >= 1,

    P(sign(g) != f) <= E (f - g)² <= sum_(|S| > k) f^(S)² + m t²,

so t = sqrt(a/m) costs a. For that bits must be uniform; nothing else is asked of the people. A
function that depends on k bits has no coefficient beyond, nor has one of few decisions much.

A person's term is m signs: a `Cube`, of L2 norm sqrt(m). Which parities are heavy is not found by
such queries: all of a degree are asked.

References:
    Linial, Mansour and Nisan 1993, "Constant depth circuits, Fourier transform, and learnability".
"""

from itertools import chain, combinations
from math import comb
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int64, Num

from tacit.argument import counted, got, is_whole
from tacit.contribution import Cube
from tacit.sq.row_and_label import row_and_label

# Each is a sign of everybody's term: a thousand people's are 250 MiB.
MOST_QUERIES = 65_536


@final
class LowDegree(eqx.Module):
    """Asks everybody for all parities of at most `degree` bits, times their label, at once.

    A person is their bits and their label: a row of `dim` zeros and ones, and one of them.

    Args:
      dim: how many bits, from 1 to 4,096.
      degree: the most bits of a parity, from 0 to `dim`; 65,536 queries at most.
    """

    dim: int = eqx.field(static=True, converter=counted)
    degree: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        if not (is_whole(self.dim) and 1 <= self.dim <= 4096):
            raise ValueError(f"dim must be a whole number from 1 to 4,096, got {got(self.dim)}")
        if not (is_whole(self.degree) and 0 <= self.degree <= self.dim):
            raise ValueError(
                f"degree must be a whole number from 0 to {self.dim}, got {got(self.degree)}"
            )
        if not self.queries <= MOST_QUERIES:
            raise ValueError(
                f"there may be at most 65,536 queries, got {self.queries:,}: ask a lower degree"
            )

    @property
    def queries(self) -> int:
        """m: how many parities there are."""
        return sum(comb(self.dim, bits) for bits in range(self.degree + 1))

    @property
    def shape(self) -> Cube:
        return Cube(self.queries, -1.0, 1.0)

    @property
    def rounds(self) -> int:
        return 1

    @property
    def parities(self) -> Bool[np.ndarray, "queries dim"]:
        """Which bits each is of, those of fewer bits first."""
        bits = range(self.dim)
        subsets = chain.from_iterable(combinations(bits, k) for k in range(self.degree + 1))
        own = np.zeros((self.queries, self.dim), bool)
        for row, subset in zip(own, subsets, strict=True):
            row[list(subset)] = True
        return own

    def init(self) -> Float[Array, " queries"]:
        return jnp.zeros(self.queries)

    def ask(
        self, state: Float[Array, " queries"], person: tuple[Num[Array, " dim"], Num[Array, ""]]
    ) -> Float[Array, " queries"]:
        """Their label's sign times every parity's."""
        del state
        bits, label = row_and_label(person, self.dim)
        odd = jnp.dot(jnp.asarray(self.parities, jnp.float32), (bits >= 1).astype(jnp.float32))
        return (1.0 - 2.0 * (label >= 1)) * (1.0 - 2.0 * (odd % 2))

    def tell(
        self, state: Float[Array, " queries"], answer: Float[Array, " queries"]
    ) -> Float[Array, " queries"]:
        del state
        return answer

    def labels(
        self, state: Float[Array, " queries"], bits: Num[np.ndarray, "people dim"]
    ) -> Int64[np.ndarray, " people"]:
        """The label that the sum of the answers says."""
        odd = (np.asarray(bits) >= 1).astype(np.float64) @ self.parities.T % 2
        return np.where((1 - 2 * odd) @ np.asarray(state, np.float64) < 0, 1, 0)
