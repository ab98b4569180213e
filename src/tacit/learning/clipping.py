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
What is weighted are the very float32 numbers whose norm was taken (`in_memory`), so a gradient
whose parts cancel, or a person whose examples do, gets no further than any other. The float32 sum
itself is rounded, relative to the lengths of what is added up, which a release has to account for.

References: Abadi et al. Deep learning with differential privacy. CCS 2016. McMahan et al. Learning
differentially private recurrent language models. ICLR 2018 (per layer; per person). Bu, Wang, Zha,
Karypis. Automatic clipping. NeurIPS 2023.
"""

import math
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PyTree

from tacit.argument import got, is_number
from tacit.in_memory import from_memory
from tacit.models.bookkeeping import Loss, has_parameters, parts, per_example_gradients
from tacit.models.per_example import Gradients, real

# Within these, norms and their squares are float32 numbers far from where squares vanish.
SMALLEST, LARGEST = 1e-12, 1e12
# What a length may lack a parameter, where its squares vanish: `per_example` has a hundredth of it,
# times the root of the positions.
_LACKING = 1e-16


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
        if not isinstance(self.bounds, tuple | list):
            raise ValueError(f"bounds must be a tuple, one for each layer, got {got(self.bounds)}")
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
class Clipped(eqx.Module):
    """Everybody's gradient under a rule, left in factors.

    Args:
      gradients: the factors, for each part of the model.
      factors: the rule's weights; zero for a gradient that is not finite.
      lengths: of the parts before the rule; zero for a gradient that is not finite.
      model: whose gradients these are.
    """

    gradients: list[PyTree]
    factors: Float[Array, "owners parts"]
    lengths: Float[Array, "owners parts"]
    model: PyTree

    @classmethod
    def under(cls, clip: Clip, gradients: list[PyTree], model: PyTree) -> "Clipped":
        """These gradients under this rule."""
        lengths = from_memory(_norms, gradients)
        counts = jnp.isfinite(jnp.sum(jnp.square(lengths), axis=1))[:, None]
        lengths = jnp.where(counts, lengths, 0)
        factors = jnp.where(counts, clip.weights(lengths), 0)
        return cls(gradients, factors, lengths, model)

    @property
    def norms(self) -> Float[Array, " owners"]:
        """How long each gradient is at most, under the rule: also if its squares have vanished."""
        arrays = jax.tree.leaves(eqx.filter(self.model, eqx.is_inexact_array))
        lacking = _LACKING * math.sqrt(sum(leaf.size for leaf in arrays))
        return jnp.linalg.norm(self.factors * (self.lengths + lacking), axis=1)

    def weighted_sum(self, weights: Float[Array, " owners"]) -> PyTree:
        """Of everybody's, shaped like the model's parameters."""
        each = self.gradients, weights[:, None] * self.factors
        return from_memory(lambda *read: _weighted_sum(self.model, *read), *each)


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


def clipped(loss: Loss, model: PyTree, batch: PyTree[Array], clip: Clip) -> Clipped:
    """The examples' clipped gradients. `loss(model, example)` is the loss of one example."""
    return Clipped.under(clip, per_example_gradients(loss, model, batch), model)


def clipped_by_person(
    loss: Loss,
    model: PyTree,
    batch: PyTree[Array],
    person: Int[Array, " batch"],
    people: int,
    clip: Clip,
) -> Clipped:
    """The clipped sum of each person's gradients.

    `person` numbers the owner of each example from zero; an example of a number beyond `people` is
    left out. All of a person's examples of the round have to be in this batch. One example that is
    not finite makes its person's whole part zero.
    """
    owner = jnp.where((person >= 0) & (person < people), person, people)
    gradients = per_example_gradients(loss, model, batch)
    own = jax.tree.map(lambda kept: kept.by_person(owner, people), gradients, is_leaf=_is_gradient)
    return Clipped.under(clip, own, model)


def _formed_norm(part: PyTree) -> Float[Array, ""]:
    """The length of one part of a gradient that was formed."""
    return jnp.sqrt(sum(jnp.sum(jnp.square(leaf)) for leaf in jax.tree.leaves(part)))


def _norms(gradients: list[PyTree]) -> Float[Array, "owners parts"]:
    """The length of each part of every gradient."""
    members = [jax.tree.leaves(part, is_leaf=_is_gradient) for part in gradients]
    squares = [sum(kept.squared_norms() for kept in arrays) for arrays in members]
    return jnp.sqrt(jnp.stack(squares, axis=1))


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
    allowed = f"between {SMALLEST:g} and {LARGEST:g}"
    if not (is_number(number) and SMALLEST <= number <= LARGEST):
        raise ValueError(f"a clipping bound or offset must be {allowed}, got {got(number)}")
