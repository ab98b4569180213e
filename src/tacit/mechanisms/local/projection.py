"""A fast random projection: signs, Hadamard's matrix, and one row of each block of neighbours.

Let N >= d and k be powers of two, a vector of R^d be padded with zeros to R^N, H be the Hadamard
matrix divided by N^(1/2), D a diagonal of random signs and S a choice of k of the N rows: one at
random of each of the k blocks of n = N/k neighbours, so each of the N with probability 1/n, from k
words of randomness. W = (N/k)^(1/2) S H D. A direction u is sent as w = Wu/|Wu|, k numbers; a
report a about w comes back as W^T a/c, d numbers.

1. *Lengths.* Write Q = |Wu|². Every D has E[W^T W u] = u over S, so E[Q] = 1. With y = HDu, E[y_i²]
   = 1/N, E[y_i⁴] = (3 - 2 sum u_j⁴)/N², and E[y_i² y_j²] is as easy, because the product of rows i
   and j of a Hadamard matrix is its row i xor j. Summed over blocks they give exactly

       v = Var Q = 2 (1 - K)/k,   K = sum over r of (sum of u_i² over i = r modulo n)² >= k/N,

   so v <= 2/k - 2/N. From 1 + (Q-1)/2 - (Q-1)²/2 <= Q^(1/2) and Jensen, 1 - v/2 <= E[Q^(1/2)] <= 1,
   and this mean is <E[W^T w], u>.
2. *Bias.* The whole of E[W^T w] - u is E[W^T w (1 - Q^(1/2))], of norm at most (2 - 2
   E[Q^(1/2)])^(1/2) <= v^(1/2), since for every unit x, E<W^T w, x>² <= E|Wx|² = 1. With a
   uniformly random rotation in the place of HD it would be along u, and removed by dividing by

       c = E[Q^(1/2)] = (N/k)^(1/2) B(N/2, 1/2) / B(k/2, 1/2),

   about 1 - 1/(4k). Signs and Hadamard make y so nearly Gaussian when u has many coordinates that
   the same c is used; a u of few coordinates has Q nearer to 1 and is over-stated by up to 1/c - 1.
   That no choice of c removes all bias for all u is the price of a fast rotation. What is proved is
   `bias`; measured, the bias is of the size of 1/(4k).
3. *One D.* With S alone random, W^T w/c - u has the mean E[W^T w (1/c - Q^(1/2))], and its square
   is at most E(1/c - Q^(1/2))² as above. Of reports that are g times as long in the mean it is,
   over D as well, `drifting(g)` at most, and `drift` is that of g = 1:

       g²/c² + 1 - (2 - v) g/c.

4. *The way back.* A row of W has squared norm d/k, and W W^T is at most N/k: of N orthogonal rows d
   columns are there. So independent noise in k numbers comes back with d/(k c²) of its energy
   exactly, and anything with N/(k c²) at most. For X = |W^T W u|², with G_r of the d columns and
   U_r of u's squares in r modulo n, signs and rows leave exactly

       e = E[X] = d/k + 1 - sum G_r U_r/k,   d/k <= e <= d/k + 1 - floor(dk/N)/k.

   h = |W^T w|² = X/Q lies between 0 and N/k, and E[h] - E[X] = E[h (1 - Q)] = E[(h - E h)(1 - Q)].
   The variance of h is at most m (N/k - m), m = E[h] (Bhatia and Davis), so (m - e)² <= v m
   (N/k - m), and m is between the two roots: `shortest` and `longest`.
5. *Reports.* One whose second moment is M ((1 - s) I/k + s w w^T), a share s of it along the term,
   comes back with

       M ((1 - s) d/k + s m)/c²

   of it: `returned(s)` is what M is multiplied by.
6. *Error* of one report about t of norm r, with rows of its own: the mean of <W^T a/c, t> is r²
   E[Q^(1/2)]/c, so its squared error is at most M returned(s) - r² kappa, kappa = (2 - v)/c - 1.

References:
    Asi, Feldman, Nelson, Nguyen and Talwar 2023, "Fast optimal locally private mean estimation via
    random projections". Their rows are any k of the N.
    Bhatia and Davis 2000, "A better bound on the variance".
"""

import math
from dataclasses import dataclass, field
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, UInt32
from scipy.special import betaln

from tacit.argument import got, is_power_of_two, is_whole, refuse_not_whole
from tacit.mechanisms.node import node

# As of `PrivUnit2`; and a power of two that has its least dimension, three.
LARGEST_DIM = 2**25
LEAST_KEPT = 4
# A Hadamard matrix of 2^5 rows is multiplied with; a larger one is a product of such.
_LEVELS = 5


@final
@node
@dataclass(frozen=True)
class RandomProjection:
    """From `dim` numbers to `kept`, and back.

    Raises:
      ValueError: if `dim` is not in [3, 2^25], or `kept` not a power of two in [4, N] with N the
        least power of two that `dim` does not exceed.
    """

    dim: int = field(metadata={"static": True})
    kept: int = field(metadata={"static": True})

    def __post_init__(self):
        dim, kept = self.dim, self.kept
        refuse_not_whole("dim", dim, 3, LARGEST_DIM)
        most = padded(dim)
        if not (is_whole(kept) and LEAST_KEPT <= kept <= most and is_power_of_two(kept)):
            raise ValueError(f"kept must be a power of two between 4 and {most}, got {got(kept)}")

    @property
    def padded(self) -> int:
        """N: the least power of two that is not below `dim`."""
        return padded(self.dim)

    @property
    def shrink(self) -> float:
        """c: the mean of (N/k)^(1/2) times the norm of k coordinates of a random unit vector."""
        logs = betaln(self.padded / 2, 0.5) - betaln(self.kept / 2, 0.5)
        return math.sqrt(self.padded / self.kept) * math.exp(logs)

    @property
    def variance(self) -> float:
        """v at most: step 1."""
        return 2 * (1 / self.kept - 1 / self.padded)

    @property
    def bias(self) -> float:
        """How far the mean of a unit vector's way forth and back is from it, at most: step 2."""
        return (math.sqrt(self.variance) + 1 - self.shrink) / self.shrink

    @property
    def drift(self) -> float:
        """The square of that, of rows alone: the mean over signs, at most."""
        return self.drifting(1.0)

    @property
    def stretch(self) -> float:
        """How much larger the energy of independent noise in `kept` numbers is in `dim`."""
        return self.dim / self.kept / self.shrink**2

    @property
    def most_stretch(self) -> float:
        """How much larger any squared norm can be."""
        return self.padded / self.kept / self.shrink**2

    @property
    def shortest(self) -> float:
        """The squared norm of a unit vector's way forth and back in the mean, at least."""
        low, _ = self._lengths
        return low / self.shrink**2

    @property
    def longest(self) -> float:
        """The same at most."""
        _, high = self._lengths
        return high / self.shrink**2

    def drifting(self, gain: float) -> float:
        """Step 3, of reports that are so many times as long in the mean as they should be."""
        ratio = gain / self.shrink
        return max(ratio**2 + 1 - (2 - self.variance) * ratio, 0.0)

    def returned(self, along: float) -> float:
        """How much larger a report's second moment is in `dim` numbers, at most: step 5.

        Args:
          along: The share of it along the term.
        """
        return (1 - along) * self.stretch + along * self.longest

    @property
    def kappa(self) -> float:
        """How much of a term's squared norm a report's second moment exceeds its error by.

        Step 6.
        """
        return (2 - self.variance) / self.shrink - 1

    def signs(self, key: PRNGKeyArray) -> Float[Array, " padded"]:
        """The diagonal of D."""
        words = jax.random.bits(key, (-(-self.padded // 32),), jnp.uint32)
        bits = (words[:, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
        return 1 - 2 * bits.reshape(-1)[: self.padded].astype(jnp.float32)

    def rows(self, key: PRNGKeyArray) -> UInt32[Array, " kept"]:
        """S: the number of the row of each block."""
        size = self.padded // self.kept
        bits = jax.random.bits(key, (self.kept,), jnp.uint32)
        return size * jnp.arange(self.kept, dtype=jnp.uint32) + (bits & jnp.uint32(size - 1))

    def forth(
        self, unit: Float[Array, " dim"], signs: Float[Array, " padded"], rows: UInt32[Array, " k"]
    ) -> Float[Array, " k"]:
        """S H D u."""
        inside = jnp.arange(self.padded // self.kept, dtype=jnp.uint32)
        turned = jnp.pad(unit, (0, self.padded - unit.size)) * signs
        across = _transform(turned, self.kept).reshape(self.kept, -1)
        # What is left of the transform is one row of n for each block.
        odd = jax.lax.population_count(inside & rows[:, None]) & 1
        return jnp.sum(jnp.where(odd == 1, -across, across), axis=1) / math.sqrt(self.padded)

    def back(
        self, spread: Float[Array, " padded"], signs: Float[Array, " padded"]
    ) -> Float[Array, " dim"]:
        """W^T a / c, of reports in the places of their rows."""
        turned = _transform(spread, self.padded) * signs
        return turned[: self.dim] / (self.shrink * math.sqrt(self.kept))

    @property
    def _lengths(self) -> tuple[float, float]:
        """Between which m lies: step 4."""
        most = self.padded / self.kept
        full = self.dim * self.kept // self.padded
        least, mean = self.dim / self.kept, (self.dim - full) / self.kept + 1
        return self._root(least, most, -1), self._root(mean, most, 1)

    def _root(self, mean: float, most: float, sign: int) -> float:
        """Of (1 + v) m² - (2 e + v N/k) m + e²."""
        v = self.variance
        middle = 2 * mean + v * most
        apart = math.sqrt(max(middle**2 - 4 * (1 + v) * mean**2, 0.0))
        return min(max((middle + sign * apart) / (2 * (1 + v)), 0.0), most)


def padded(dim: int) -> int:
    """N: the least power of two that is not below `dim`."""
    return 1 << (dim - 1).bit_length()


def _transform(vector: Float[Array, " size"], order: int) -> Float[Array, " size"]:
    """The Hadamard matrix of `order` rows, of plus and minus one, on the leading index."""
    done = 1
    while done < order:
        rows = min(2**_LEVELS, order // done)
        parts = vector.reshape(done, rows, -1)
        vector = jnp.einsum("rs,psq->prq", _hadamard(rows), parts, precision="highest")
        done *= rows
    return vector.reshape(-1)


def _hadamard(rows: int) -> Float[np.ndarray, "{rows} {rows}"]:
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < rows:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix
