"""What one backward pass leaves behind of every example's gradient, per parameter array.

Let `a_t` be what a layer's matrix was multiplied with at position t (a time step, a pixel, one
position for a plain vector) and `g_t` the loss's gradient in the product. The matrix's gradient is
`G = sum_t a_t g_t^T`. A clipped sum needs `|G|^2` of each example, then one weighted sum over
examples, and never `G` itself:

    |G|^2 = sum_ts <a_t, a_s> <g_t, g_s>,      sum_i w_i G_i = sum_it a_it (w_i g_it)^T.

The first costs T^2 (d + p) products and 2 T^2 numbers an example, the second T d p products, as
many as to form `G`, whose d p numbers are then gone through twice. `outer` keeps what costs less,
but no matrix of more than four times its factors.

**Norm and weighted sum are of the same numbers.** Huge parts of a gradient may cancel: then two
ways to add them up have nothing in common. So gradients that are formed, a person's sum included,
are formed once, and what is scaled and added is what was measured: whoever asks for either has it
read from memory (`in_memory`), for a compiler may form gradients anew. Factors are not formed, so:

* *The norm is never too small by rounding.* The error of the sum over t, s is relative to `S^2`,
  `S = sum_t |a_t| |g_t|`, not to `|G|^2`. Each inner product of length k is off by at most `k u`
  times the lengths, u = 2^-24 (first order; Higham, section 3.1), each of the two sums over T by
  `T u`: together at most `K u S^2`, K = d + p + 2 T + 4. That much is added to the sum, or to zero
  if it came out negative. It is at most 0.4% of the norm where nothing cancels, T = 1 and
  d + p < 130,000.
* *The weighted sum is not far off either.* A weight of at most C over that norm leaves
  `w S <= C / sqrt(K u)`. One rounding of the sum moves one person's part by at most u times that,
  `C sqrt(u / K)`: for K = 100, 2.5e-5 of C. T of them all in one direction would make T times that.

**Small and large numbers.** Squares below 2^-126 vanish, so a computed `|a_t|` may lack up to
`alpha = sqrt(d) 2^-63`, and `|g_t|` up to `gamma = sqrt(p) 2^-63`, which a large partner would make
large again. So S is taken of `(|a_t| + alpha) (|g_t| + gamma)`, and the square of
`sum_t |a_t| gamma + |g_t| alpha`, which bounds what the inner products lack, is added as well. What
is left is absolute: `sqrt(p) 2^-63` for p numbers of a formed gradient; for factors `T 2^-63`, and
`T sqrt(p) 2^-62` for weighted slopes that vanish beside |a_t| < 2^64. A square that overflows is
infinite or NaN, and its example counts as zero.

Everything is float32, whatever the data are. Non-finite numbers of one example never reach
another's norm or, its weight being zero, the sum.

References: Goodfellow. Efficient per-example gradient computations. 2015 (T = 1). Bu, Wang, Zha,
Karypis. Differentially private optimization on large model at small cost. ICML 2023
(book-keeping, with the rule 2 T^2 <= d p, which counts room and not time).
"""

from functools import partial
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Shaped

# u; and the root of the least normal number, below which squares vanish.
_ROUNDING = 2.0**-24
_VANISHING = 2.0**-63


@runtime_checkable
class Gradients(Protocol):
    """One parameter array's gradient for everybody of a batch: examples, or people."""

    def squared_norms(self) -> Float[Array, " owners"]:
        """Everybody's squared length, up to a relative rounding, or more than it."""
        ...

    def weighted_sum(self, weights: Float[Array, " owners"]) -> Float[Array, "..."]:
        """`sum_i w_i G_i`, where one of weight zero adds zero whatever its numbers are."""
        ...


@runtime_checkable
class PerExample(Gradients, Protocol):
    """One parameter array's gradient for every example of a batch."""

    def by_person(self, person: Int[Array, " batch"], people: int) -> Gradients:
        """The sum over each person's examples. Those of a person from `people` on are left out."""
        ...


def real(values: Shaped[Array, "..."]) -> Float[Array, "..."]:
    """In float32: integers would wrap around in products, and halves would round norms.

    Raises:
      ValueError: if they are complex, whose squares are not lengths.
    """
    if jnp.iscomplexobj(values):
        raise ValueError(f"gradients are of real parameters and inputs, got {values.dtype}")
    return jnp.asarray(values, jnp.float32)


@final
class Instances(eqx.Module):
    """Gradients that were formed one by one, or added up."""

    values: Float[Array, "batch ..."] = eqx.field(converter=real)

    def squared_norms(self) -> Float[Array, " batch"]:
        return jnp.sum(jnp.square(self.values), axis=tuple(range(1, self.values.ndim)))

    def by_person(self, person: Int[Array, " batch"], people: int) -> "Instances":
        return Instances(jax.ops.segment_sum(self.values, person, people))

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        return contract("b,b...->...", weights, settled(self.values, weights))


@final
class OuterProducts(eqx.Module):
    """Sums of outer products, kept as their factors."""

    inputs: Float[Array, "batch positions fan_in"] = eqx.field(converter=real)
    slopes: Float[Array, "batch positions fan_out"] = eqx.field(converter=real)
    shape: tuple[int, ...] = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " batch"]:
        _, positions, fan_in = self.inputs.shape
        lengths, lost = (jnp.sum(each, axis=1) for each in _lengths(self.inputs, self.slopes))
        terms = fan_in + self.slopes.shape[2] + 2 * positions
        if positions == 1:
            return jnp.square(lengths) + _slack(terms, lengths)
        products = _gram(self.inputs) * _gram(self.slopes)
        sums = jnp.sum(_row_sums(products), axis=1)
        return jnp.maximum(sums, 0) + jnp.square(lost) + _slack(terms, lengths)

    def by_person(self, person: Int[Array, " batch"], people: int) -> "Instances | Pooled":
        """Pooled factors, or sums that were formed.

        The smaller of the two is kept: (batch x positions)^2 twice, or a matrix for each example.
        """
        batch, positions, fan_in = self.inputs.shape
        if 2 * batch * positions**2 > fan_in * self.slopes.shape[2]:
            formed = _formed(self.inputs, self.slopes, self.shape)
            return formed.by_person(person, people)
        return Pooled(self, person, people)

    def weighted_sum(self, weights: Float[Array, " batch"]) -> Float[Array, "..."]:
        inputs = settled(self.inputs, weights)
        slopes = weights[:, None, None] * settled(self.slopes, weights)
        return _summed(inputs, slopes).reshape(self.shape)


@final
class Pooled(eqx.Module):
    """Each person's sum of such gradients, kept as the factors of all their examples."""

    factors: OuterProducts
    person: Int[Array, " batch"]
    people: int = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " {self.people}"]:
        """From inner products across a person's examples."""
        batch, positions, fan_in = self.factors.inputs.shape
        owner = jnp.repeat(self.person, positions)
        inputs = self.factors.inputs.reshape(batch * positions, -1)
        slopes = self.factors.slopes.reshape(batch * positions, -1)
        products = _gram(inputs[None])[0] * _gram(slopes[None])[0]
        products = jnp.where(owner[:, None] == owner, products, 0)
        per_person = partial(jax.ops.segment_sum, segment_ids=owner, num_segments=self.people)
        lengths, lost = map(per_person, _lengths(inputs, slopes))
        sums = per_person(_row_sums(products))
        terms = fan_in + slopes.shape[1] + 2 * batch * positions
        return jnp.maximum(sums, 0) + jnp.square(lost) + _slack(terms, lengths)

    def weighted_sum(self, weights: Float[Array, " {self.people}"]) -> Float[Array, "..."]:
        return self.factors.weighted_sum(weight_of(weights, self.person))


def outer(
    inputs: Shaped[Array, "batch positions fan_in"],
    slopes: Float[Array, "batch positions fan_out"],
    shape: tuple[int, ...],
) -> PerExample:
    """The gradient `sum_t a_t g_t^T` of a matrix of this shape, in the form that costs less."""
    _, positions, fan_in = inputs.shape
    if factors_are_cheaper(positions, fan_in, slopes.shape[2]):
        return OuterProducts(inputs, slopes, shape)
    return _formed(real(inputs), real(slopes), shape)


def factors_are_cheaper(positions: int, fan_in: int, fan_out: int) -> bool:
    """Whether inner products between positions cost no more than to go through the matrix twice, or
    the matrix would take four times the room.

    Either way the same product is made once. A number that is read costs what two multiplications
    do.
    """
    factors, matrix = positions * (fan_in + fan_out), fan_in * fan_out
    return positions * factors <= 4 * matrix or 4 * factors <= matrix


def weight_of(weights: Array, owner: Array) -> Array:
    """The owner's weight, and zero where the owner was left out."""
    return weights.at[owner].get(mode="fill", fill_value=0)


def settled(values: Array, weights: Array) -> Array:
    """Zeros in place of an example that counts for nothing: zero times infinity is not zero."""
    return jnp.where(weights.reshape(-1, *[1] * (values.ndim - 1)) > 0, values, 0)


def contract(axes: str, left: Array, right: Array) -> Array:
    """`einsum` in full float32: accelerators would round the factors, and norms, to ten bits.

    CPUs do not, and XLA's fastest kernels for them refuse to be asked for it.
    """
    exact = partial(jnp.einsum, axes, precision=lax.Precision.HIGHEST)
    return lax.platform_dependent(left, right, cpu=partial(jnp.einsum, axes), default=exact)


def _formed(inputs: Array, slopes: Array, shape: tuple[int, ...]) -> Instances:
    values = contract("btd,btp->bdp", inputs, slopes)
    return Instances(values.reshape(len(values), *shape))


def _summed(inputs: Array, slopes: Array) -> Float[Array, "fan_in fan_out"]:
    """`sum_it a_it g_it^T`: narrower slopes on the left of a sum longer than the result.

    CPUs need a half to a third of the time for it so, and the sum's transpose costs less. Written
    without the barrier the compiler turns the product back.
    """
    batch, positions, fan_in = inputs.shape
    if not slopes.shape[2] <= fan_in < batch * positions:
        return contract("btd,btp->dp", inputs, slopes)
    return lax.optimization_barrier(contract("btp,btd->pd", slopes, inputs)).T


def _slack(terms: int, lengths: Array) -> Array:
    return (terms + 4) * _ROUNDING * jnp.square(lengths)


def _gram(vectors: Float[Array, "batch positions width"]) -> Array:
    """The inner products of all pairs of positions."""
    return contract("btd,bsd->bts", vectors, vectors)


def _row_sums(products: Array) -> Array:
    """The inner of two sums, held apart: as one sum of T^2 terms it could lose T^2 roundings."""
    return lax.optimization_barrier(jnp.sum(products, axis=-1))


def _lengths(inputs: Array, slopes: Array) -> tuple[Array, Array]:
    """At each position no less than `|a| |g|`, and than what squares that vanish hide of it."""
    a, g = jnp.linalg.norm(inputs, axis=-1), jnp.linalg.norm(slopes, axis=-1)
    alpha, gamma = (_VANISHING * factor.shape[-1] ** 0.5 for factor in (inputs, slopes))
    return (a + alpha) * (g + gamma), a * gamma + g * alpha
