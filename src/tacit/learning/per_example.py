"""What one backward pass leaves behind of every example's gradient, per parameter array.

Let `a_t` be what a layer's matrix was multiplied with at position t (a time step, a pixel, one
position for a plain vector) and `g_t` the loss's gradient in the product. The matrix's gradient is
`G = sum_t a_t g_t^T`. A clipped sum needs `|G|^2` of each example, then one weighted sum over
examples, and never `G` itself:

    |G|^2 = sum_ts <a_t, a_s> <g_t, g_s>,      sum_i w_i G_i = sum_it a_it (w_i g_it)^T.

The first costs T^2 (d + p) products and 2 T^2 numbers an example, against T d p products and
d p numbers for `G`. `outer` keeps whichever is smaller. The second is one large matrix product.

**The norm is never too small.** The sum over t, s can cancel: its rounding error is relative to
`S = (sum_t |a_t| |g_t|)^2`, not to `|G|^2`, so a computed norm could fall short of the true one by
any factor, and clipping by it would break its promise. Each inner product of length k is off by at
most `k u` times the lengths, u = 2^-24 (first order; Higham, section 3.1), each of the two sums
over T by `T u`: together at most `(d + p + 2 T + 4) u S`. That much is added. It is at most
0.4% of the norm where nothing cancels, T = 1 and d + p < 130,000.

Non-finite numbers of one example never reach another's norm or, its weight being zero, the sum.

References: Goodfellow. Efficient per-example gradient computations. 2015 (T = 1). Bu, Wang, Zha,
Karypis. Differentially private optimization on large model at small cost. ICML 2023 (the rule
2 T^2 <= d p, and book-keeping).
"""

from functools import partial
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

_ROUNDING = 2.0**-24


@runtime_checkable
class PerExample(Protocol):
    """One parameter array's gradient for every example of a batch."""

    def squared_norms(self) -> Float[Array, " batch"]:
        """Each example's squared length, up to a relative rounding, or more than it."""
        ...

    def squared_norms_of(
        self, person: Int[Array, " batch"], people: int
    ) -> Float[Array, " {people}"]:
        """The same of each person's sum; a person without examples has zero."""
        ...

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        """`sum_i w_i G_i`, where an example of weight zero adds zero whatever its numbers are."""
        ...


@final
class Instances(eqx.Module):
    """Gradients that were formed one by one."""

    values: Float[Array, "batch ..."]

    def squared_norms(self) -> Float[Array, " batch"]:
        return jnp.sum(jnp.square(self.values), axis=tuple(range(1, self.values.ndim)))

    def squared_norms_of(
        self, person: Int[Array, " batch"], people: int
    ) -> Float[Array, " {people}"]:
        return Instances(jax.ops.segment_sum(self.values, person, people)).squared_norms()

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        return contract("b,b...->...", weights, _settled(self.values, weights))


@final
class Outer(eqx.Module):
    """Sums of outer products, kept as their factors."""

    inputs: Float[Array, "batch positions fan_in"]
    slopes: Float[Array, "batch positions fan_out"]
    shape: tuple[int, ...] = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " batch"]:
        _, positions, fan_in = self.inputs.shape
        terms = fan_in + self.slopes.shape[2] + 2 * positions
        lengths = jnp.sum(_lengths(self.inputs, self.slopes), axis=1)
        if positions == 1:
            return jnp.square(lengths) + _slack(terms, lengths)
        products = _gram(self.inputs) * _gram(self.slopes)
        return jnp.sum(_row_sums(products), axis=1) + _slack(terms, lengths)

    def squared_norms_of(
        self, person: Int[Array, " batch"], people: int
    ) -> Float[Array, " {people}"]:
        """From inner products across a person's examples, or from sums that were formed.

        The smaller of the two is kept: (batch x positions)^2 twice, or a matrix for each example.
        """
        batch, positions, fan_in = self.inputs.shape
        if 2 * batch * positions**2 > fan_in * self.slopes.shape[2]:
            return self.formed().squared_norms_of(person, people)
        owner = jnp.repeat(person, positions)
        inputs = self.inputs.reshape(batch * positions, -1)
        slopes = self.slopes.reshape(batch * positions, -1)
        products = _gram(inputs[None])[0] * _gram(slopes[None])[0]
        products = jnp.where(owner[:, None] == owner, products, 0)
        lengths = jax.ops.segment_sum(_lengths(inputs, slopes), owner, people)
        norms = jax.ops.segment_sum(_row_sums(products), owner, people)
        terms = fan_in + self.slopes.shape[2] + 2 * batch * positions
        return norms + _slack(terms, lengths)

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        inputs = _settled(self.inputs, weights)
        slopes = weights[:, None, None] * _settled(self.slopes, weights)
        return contract("btd,btp->dp", inputs, slopes).reshape(self.shape)

    def formed(self) -> Instances:
        """The gradients themselves."""
        values = contract("btd,btp->bdp", self.inputs, self.slopes)
        return Instances(values.reshape(len(values), *self.shape))


@final
class Rows(eqx.Module):
    """Gradients that touch few rows of a table: at position t, row `row_t` gets `slope_t`.

    Positions of one owner that name the same row are added before squaring, by sorting.
    """

    rows: Int[Array, "batch positions"]
    slopes: Float[Array, "batch positions fan_out"]
    size: int = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " batch"]:
        return self.squared_norms_of(jnp.arange(len(self.rows)), len(self.rows))

    def squared_norms_of(
        self, person: Int[Array, " batch"], people: int
    ) -> Float[Array, " {people}"]:
        rows = self.rows.reshape(-1)
        owner = jnp.repeat(person, self.rows.shape[1])
        order = jnp.lexsort((rows, owner))
        rows, owner = rows[order], owner[order]
        is_new = (rows != jnp.roll(rows, 1)) | (owner != jnp.roll(owner, 1))
        slot = jnp.cumsum(is_new.at[0].set(True)) - 1
        slopes = self.slopes.reshape(rows.size, -1)[order]
        sums = jax.ops.segment_sum(slopes, slot, rows.size)
        owner_of_slot = jnp.zeros_like(owner).at[slot].set(owner)
        return jax.ops.segment_sum(jnp.sum(jnp.square(sums), axis=1), owner_of_slot, people)

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        slopes = weights[:, None, None] * _settled(self.slopes, weights)
        table = jnp.zeros((self.size, slopes.shape[2]), slopes.dtype)
        return table.at[self.rows].add(slopes, mode="drop")


def outer(
    inputs: Float[Array, "batch positions fan_in"],
    slopes: Float[Array, "batch positions fan_out"],
    shape: tuple[int, ...],
) -> PerExample:
    """The gradient `sum_t a_t g_t^T` of a matrix of this shape, kept in the smaller form."""
    kept = Outer(inputs, slopes, shape)
    _, positions, fan_in = inputs.shape
    return kept if factors_are_smaller(positions, fan_in, slopes.shape[2]) else kept.formed()


def factors_are_smaller(positions: int, fan_in: int, fan_out: int) -> bool:
    """Whether inner products between positions need no more room than the matrix."""
    return 2 * positions**2 <= fan_in * fan_out


def contract(axes: str, left: Array, right: Array) -> Array:
    """`einsum` in full float32: accelerators would round the factors, and norms, to ten bits.

    CPUs do not, and XLA's fastest kernels for them refuse to be asked for it.
    """
    exact = partial(jnp.einsum, axes, precision=lax.Precision.HIGHEST)
    return lax.platform_dependent(left, right, cpu=partial(jnp.einsum, axes), default=exact)


def _slack(terms: int, lengths: Array) -> Array:
    return (terms + 4) * _ROUNDING * jnp.square(lengths)


def _gram(vectors: Float[Array, "batch positions width"]) -> Array:
    """The inner products of all pairs of positions."""
    return contract("btd,bsd->bts", vectors, vectors)


def _row_sums(products: Array) -> Array:
    """The inner of two sums, held apart: as one sum of T^2 terms it could lose T^2 roundings."""
    return lax.optimization_barrier(jnp.sum(products, axis=-1))


def _lengths(inputs: Array, slopes: Array) -> Array:
    return jnp.linalg.norm(inputs, axis=-1) * jnp.linalg.norm(slopes, axis=-1)


def _settled(values: Array, weights: Array) -> Array:
    """Zeros in place of an example that counts for nothing: zero times infinity is not zero."""
    return jnp.where(weights.reshape(-1, *[1] * (values.ndim - 1)) > 0, values, 0)
