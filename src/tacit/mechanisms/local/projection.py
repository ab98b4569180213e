"""A fast random projection: signs, Hadamard's matrix, and one row of each block of neighbours.

Of N coordinates, N a power of two, k are kept: S H D u, with D a diagonal of random signs, H the
Hadamard matrix divided by N^(1/2), and S one row at random from each of the k blocks of n = N/k
neighbours: k distinct rows, each of the N with probability 1/n, from k words of randomness. The
moments of its length are in `projunit`.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, UInt32
from scipy.special import betaln

LARGEST_DIM = 2**25
# A Hadamard matrix of 2^5 rows is multiplied with; a larger one is a product of such.
_LEVELS = 5


def padded(dim: int) -> int:
    """N: the least power of two that is not below `dim`."""
    return 1 << (dim - 1).bit_length()


def shrink(whole: int, kept: int) -> float:
    """c: the mean of (N/k)^(1/2) times the norm of k coordinates of a random unit vector."""
    logs = betaln(whole / 2, 0.5) - betaln(kept / 2, 0.5)
    return math.sqrt(whole / kept) * math.exp(logs)


def random_signs(key: PRNGKeyArray, size: int) -> Float[Array, " {size}"]:
    """The diagonal of D."""
    words = jax.random.bits(key, (-(-size // 32),), jnp.uint32)
    bits = (words[:, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
    return 1 - 2 * bits.reshape(-1)[:size].astype(jnp.float32)


def places(key: PRNGKeyArray, whole: int, kept: int) -> UInt32[Array, " {kept}"]:
    """The place of S's row in each block."""
    bits = jax.random.bits(key, (kept,), jnp.uint32)
    return bits & jnp.uint32(whole // kept - 1)


def kept_rows(
    unit: Float[Array, " dim"], signs: Float[Array, " padded"], places: UInt32[Array, " kept"]
) -> Float[Array, " kept"]:
    """S H D u, of u filled up with zeros."""
    (whole,), (kept,) = signs.shape, places.shape
    inside = jnp.arange(whole // kept, dtype=jnp.uint32)
    turned = jnp.pad(unit, (0, whole - unit.size)) * signs
    across = transform(turned, kept).reshape(kept, -1)
    # What is left of the transform is one row of n for each block.
    odd = jax.lax.population_count(inside & places[:, None]) & 1
    return jnp.sum(jnp.where(odd == 1, -across, across), axis=1) / math.sqrt(whole)


def transform(vector: Float[Array, " size"], order: int) -> Float[Array, " size"]:
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
