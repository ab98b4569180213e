"""The sum of clipped gradients, one bound a person, at about the price of one gradient.

Each example's whole gradient is scaled down to a bound before it is summed, so that one example
moves the sum by no more than that bound: the sensitivity of private gradient descent. Most of the
gradients are never formed: `per_example_gradients` leaves them in factors after one backward pass,
their norms give a weight for each example, and one weighted sum gives the answer.

A clipping rule maps norms to weights and states the longest weighted gradient as `sensitivity`.
The rules here differ in what they do below the bound:

* `Flat`: `min(1, bound / norm)`, the whole gradient at once;
* `PerLayer`: the same for each part of the model with its own bound;
* `Automatic`: `bound / (norm + offset)`, without a region of no clipping, so that the bound only
  scales the step and need not be tuned.

Whatever the rule:

| example | part in the sum |
| --- | --- |
| masked out | zero, whatever its numbers are |
| gradient with NaN or infinity, or whose square overflows float32 | zero |
| gradient zero | zero |

**Guarantee**: replacing all numbers of one example (or of one person, where people are clipped), or
adding or removing it by its mask, changes the exact sum of the weighted gradients by at most
`sensitivity` (twice that for a replacement), up to this: norms are rounded by at most a relative
`p 2^-24`, p the number of parameters of an array, or upwards, and lack at most about 1e-18 times
the root of p and the number of positions (see `per_example`), for which bounds are at least 1e-12.
What is weighted are the float32 numbers whose norm was taken, so a gradient whose parts cancel, or
a person whose examples do, gets no further than any other. The float32 sum itself is rounded,
relative to the lengths of what is added up, and a release has to account for that.

References: Abadi et al. Deep learning with differential privacy. CCS 2016. McMahan et al. Learning
differentially private recurrent language models. ICLR 2018 (per layer; per person). Bu, Wang, Zha,
Karypis. Automatic clipping. NeurIPS 2023.
"""

import math
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PyTree

from tacit.models.bookkeeping import Loss, has_parameters, parts, per_example_gradients
from tacit.models.per_example import Gradients, real

# Within these, norms and their squares are float32 numbers far from where squares vanish.
SMALLEST, LARGEST = 1e-12, 1e12


@runtime_checkable
class Clip(Protocol):
    """A map from norms to weights."""

    @property
    def sensitivity(self) -> float | Float[Array, ""]:
        """The longest that a weighted gradient can be."""
        ...

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        """The factor of each part of each gradient, given the parts' norms."""
        ...


@final
class Flat(eqx.Module):
    """Shortens the whole gradient to `bound`, and leaves shorter ones alone."""

    bound: float

    def __check_init__(self):
        _refuse_unusable(self.bound)

    @property
    def sensitivity(self) -> float:
        return self.bound

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        whole = jnp.linalg.norm(norms, axis=1, keepdims=True)
        return jnp.broadcast_to(_shortening(whole, self.bound), norms.shape)


@final
class PerLayer(eqx.Module):
    """Shortens each part of the gradient to its own bound: one for each layer, in order.

    An array outside every layer is a part of its own. The sensitivity is the root of the sum of the
    squared bounds.
    """

    bounds: tuple[float, ...]

    def __check_init__(self):
        for bound in self.bounds:
            _refuse_unusable(bound)

    @property
    def sensitivity(self) -> float:
        return math.hypot(*self.bounds)

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        if norms.shape[1] != len(self.bounds):
            raise ValueError(
                f"a model of {norms.shape[1]} parts needs as many bounds, got {len(self.bounds)}"
            )
        return _shortening(norms, jnp.array(self.bounds))


@final
class Automatic(eqx.Module):
    """Scales every gradient to nearly `bound`: a gradient as long as `offset` to half of it."""

    bound: float
    offset: float = 0.01

    def __check_init__(self):
        _refuse_unusable(self.bound)
        _refuse_unusable(self.offset)

    @property
    def sensitivity(self) -> float:
        return self.bound

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        whole = jnp.linalg.norm(norms, axis=1, keepdims=True)
        return jnp.broadcast_to(self.bound / (whole + self.offset), norms.shape)


@final
class Within(eqx.Module):
    """Another rule, and then everything shortened to `bound` as a whole."""

    rule: Clip
    bound: float | Float[Array, ""]

    @property
    def sensitivity(self) -> float | Float[Array, ""]:
        return self.bound

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        weights = self.rule.weights(norms)
        whole = jnp.linalg.norm(weights * norms, axis=1, keepdims=True)
        return weights * _shortening(whole, self.bound)


class ClippedSum(eqx.Module):
    """The sum, shaped like the model's parameters, and how many terms were shortened.

    Both are secret: they are what noise has to be added to.
    """

    total: PyTree
    shortened: Int[Array, ""]


def clipped_gradient(loss: Loss, model: PyTree, example: PyTree[Array], clip: Clip) -> PyTree:
    """One example's gradient under the rule, formed: what the sums below add up."""
    gradient = jax.tree.map(real, eqx.filter_grad(loss)(model, example))
    members, structure = parts(gradient)
    owning = [index for index, member in enumerate(members) if has_parameters(member)]
    norms = [_formed_norm(members[index]) for index in owning]
    weights = clip.weights(jnp.stack(norms)[None])[0]
    for weight, index in zip(weights, owning, strict=True):
        members[index] = jax.tree.map(lambda leaf, weight=weight: weight * leaf, members[index])
    return jax.tree.unflatten(structure, members)


def clipped_sum(
    loss: Loss,
    model: PyTree,
    batch: PyTree[Array],
    mask: Bool[Array, " batch"],
    clip: Clip,
) -> ClippedSum:
    """Sums the examples' clipped gradients. `loss(model, example)` is the loss of one example."""
    return _clipped(model, per_example_gradients(loss, model, batch), mask, clip)


def clipped_sum_by_person(
    loss: Loss,
    model: PyTree,
    batch: PyTree[Array],
    mask: Bool[Array, " batch"],
    person: Int[Array, " batch"],
    people: int,
    clip: Clip,
) -> ClippedSum:
    """Sums each person's examples, clips these sums, and adds them up.

    `person` numbers the owner of each example from zero; an example of a number beyond `people` is
    left out. All of a person's examples of the round have to be in this batch. One example that is
    not finite makes its person's whole part zero.
    """
    owner = jnp.where(mask & (person >= 0) & (person < people), person, people)
    gradients = jax.tree.map(
        lambda kept: kept.by_person(owner, people),
        per_example_gradients(loss, model, batch),
        is_leaf=_is_gradient,
    )
    return _clipped(model, gradients, jnp.ones(people, bool), clip)


def clipped_sum_in_chunks(
    loss: Loss,
    model: PyTree,
    batch: PyTree[Array],
    mask: Bool[Array, " batch"],
    clip: Clip,
    chunk: int,
) -> ClippedSum:
    """The same as `clipped_sum`, in the memory of `chunk` examples at a time.

    Raises:
      ValueError: if the chunk does not divide the batch.
    """
    size = len(mask)
    if not (chunk >= 1 and size % chunk == 0):
        raise ValueError(f"a chunk must divide the batch of {size}, got {chunk}")
    chunks = jax.tree.map(
        lambda leaf: jnp.reshape(leaf, (-1, chunk, *leaf.shape[1:])), (batch, mask)
    )

    def add(index, so_far):
        examples, present = jax.tree.map(lambda leaf: leaf[index], chunks)
        return jax.tree.map(jnp.add, so_far, clipped_sum(loss, model, examples, present, clip))

    arrays = eqx.filter(model, eqx.is_inexact_array)
    zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, jnp.float32), arrays)
    start = ClippedSum(zeros, jnp.zeros((), jnp.int32))
    return lax.fori_loop(0, size // chunk, add, start)


def _clipped(model: PyTree, gradients: list[PyTree], present: Array, clip: Clip) -> ClippedSum:
    """Weighs everybody's gradient by the norm of its parts, and adds them up."""
    weights, shortened = _weights([_norm(part) for part in gradients], present, clip)
    return ClippedSum(_weighted_sum(model, gradients, weights), shortened)


def _formed_norm(part: PyTree) -> Float[Array, ""]:
    """The length of one part of a gradient that was formed."""
    arrays = jax.tree.leaves(eqx.filter(part, eqx.is_inexact_array))
    return jnp.sqrt(sum(jnp.sum(jnp.square(leaf)) for leaf in arrays))


def _norm(part: PyTree) -> Float[Array, " owners"]:
    """The length of one part of every gradient."""
    arrays = jax.tree.leaves(part, is_leaf=_is_gradient)
    return jnp.sqrt(sum(kept.squared_norms() for kept in arrays))


def _weights(
    norms: list[Array], present: Array, clip: Clip
) -> tuple[Float[Array, "owners parts"], Int[Array, ""]]:
    """The rule's weights, zero for who is absent or not finite, and how many are shortened."""
    stacked = jnp.stack(norms, axis=1)
    counts = present & jnp.isfinite(jnp.sum(jnp.square(stacked), axis=1))
    weights = clip.weights(jnp.where(counts[:, None], stacked, 0))
    is_shortened = counts & jnp.any(weights < 1, axis=1)
    return jnp.where(counts[:, None], weights, 0), jnp.sum(is_shortened, dtype=jnp.int32)


def _weighted_sum(model: PyTree, gradients: list[PyTree], weights: Array) -> PyTree:
    members, structure = parts(model)
    columns = iter(zip(gradients, weights.T, strict=True))

    def summed(member):
        if not has_parameters(member):
            return None
        part, column = next(columns)
        return jax.tree.map(lambda kept: kept.weighted_sum(column), part, is_leaf=_is_gradient)

    return jax.tree.unflatten(structure, [summed(member) for member in members])


def _shortening(norms: Array, bound: float | Array) -> Array:
    return bound / jnp.maximum(norms, bound)


def _is_gradient(node: object) -> bool:
    return isinstance(node, Gradients)


def _refuse_unusable(number: float) -> None:
    if not SMALLEST <= number <= LARGEST:
        raise ValueError(
            f"a clipping bound or offset must be between {SMALLEST:g} and {LARGEST:g}, got {number}"
        )
