"""Rules for Equinox's own layers: what `Linear`, `Conv2d` and `LayerNorm` record, and what follows.

A model of them has fast per-example gradients as it is, `MLP`s among it, whose layers are `Linear`.
A rule holds a layer, and is what `bookkeeping` asks in its place: it calls the layer itself, with a
tap added, and its gradients lie in a tree like the layer's.

Equinox keeps a matrix with its outputs first, and channels before pixels. The gradients are those
of the layers of `tacit.models` on the same numbers in their own order, and what is summed is laid
as Equinox has it afterwards: norms do not depend on the order, so they are of what is summed.

| layer | its gradient is formed for every example |
| --- | --- |
| of a class that inherits from one of these | always: who knows what it calls |
| `Conv2d` in groups, dilated, of text for its padding, or padded by other than zeros | always |
| any, called inside `vmap` or `scan`, or twice | always, as of all layers |
"""

from collections.abc import Callable
from typing import Any, cast, final

import equinox as eqx
import jax.numpy as jnp
from jax import random
from jaxtyping import Array, Float, Int

from tacit.models.convolution import Convolution
from tacit.models.per_example import Gradients, PerExample, added, outer


@final
class Rearranged(eqx.Module):
    """Gradients of the same numbers in another order: of axes, and then of another shape."""

    own: Any
    axes: tuple[int, ...] = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " owners"]:
        return self.own.squared_norms()

    def by_person(self, person: Int[Array, " batch"], people: int) -> Gradients:
        return Rearranged(self.own.by_person(person, people), self.axes, self.shape)

    def weighted_sum(self, weights: Float[Array, " owners"]) -> Float[Array, "..."]:
        return self.own.weighted_sum(weights).transpose(self.axes).reshape(self.shape)


@final
class LinearRule(eqx.Module):
    """Of a matrix with its outputs first, a bias or none, and vectors or numbers."""

    own: eqx.nn.Linear

    def __call__(self, inputs: Array, *, key: Any = None) -> Array:
        return self.own(inputs, key=key)

    def tap(self, inputs: Array) -> tuple[int, ...]:
        del inputs
        return () if self.own.out_features == "scalar" else (len(self.own.weight),)

    def recorded(self, tap: Array, inputs: Array) -> tuple[Array, Array]:
        return self.own(inputs) + tap, jnp.reshape(inputs, (1, -1))

    def gradients(self, record: Array, slope: Array) -> eqx.nn.Linear:
        outputs, inputs = self.own.weight.shape
        slopes = slope.reshape(len(slope), 1, outputs)
        product = outer(record, slopes, (inputs, outputs))
        to_weight = Rearranged(product, (1, 0), (outputs, inputs))
        return _with(self.own, to_weight, added(slopes[:, 0]))


@final
class ConvolutionRule(eqx.Module):
    """Of images with channels first, in steps, between zeros."""

    own: eqx.nn.Conv2d

    @property
    def same(self) -> Convolution:
        """The same convolution, of images with channels last."""
        (top, _), (left, _) = cast(tuple[tuple[int, int], ...], self.own.padding)
        stride = self.own.stride[0], self.own.stride[1]
        like = eqx.filter_eval_shape(
            lambda: Convolution(1, 1, (1, 1), random.key(0), stride, (top, left))
        )
        kernel = self.own.weight.transpose(2, 3, 1, 0)
        bias = jnp.zeros(kernel.shape[-1]) if self.own.bias is None else self.own.bias.ravel()
        return eqx.tree_at(lambda layer: (layer.kernel, layer.bias), like, (kernel, bias))

    def __call__(self, image: Array, *, key: Any = None) -> Array:
        return self.own(image, key=key)

    def tap(self, image: Array) -> tuple[int, ...]:
        rows, columns, filters = self.same.tap(image.transpose(1, 2, 0))
        return filters, rows, columns

    def recorded(self, tap: Array, image: Array) -> tuple[Array, Array]:
        return self.own(image) + tap, image.transpose(1, 2, 0)

    def gradients(self, record: Array, slope: Array) -> eqx.nn.Conv2d:
        found = self.same.gradients(record, slope.transpose(0, 2, 3, 1))
        to_weight = Rearranged(found.kernel, (3, 2, 0, 1), self.own.weight.shape)
        to_bias = Rearranged(found.bias, (0,), (len(self.own.weight), 1, 1))
        return _with(self.own, to_weight, to_bias)


@final
class LayerNormRule(eqx.Module):
    """Of everything that one call is given, with a scale and a shift, or without."""

    own: eqx.nn.LayerNorm

    def __call__(self, inputs: Array, *state: Any, key: Any = None) -> Any:
        return self.own(inputs, *state, key=key)

    def tap(self, inputs: Array, *state: Any) -> tuple[int, ...]:
        del state
        return inputs.shape

    def recorded(self, tap: Array, inputs: Array, *state: Any) -> tuple[Any, Array]:
        plain = eqx.tree_at(
            lambda layer: (layer.weight, layer.bias),
            self.own,
            (jnp.ones(inputs.shape), jnp.zeros(inputs.shape)),
            is_leaf=lambda leaf: leaf is None,
        )
        standard = eqx.nn.LayerNorm.__call__(plain, inputs)
        output = self.own(inputs) + tap
        return (output, *state) if state else output, standard

    def gradients(self, record: Array, slope: Array) -> eqx.nn.LayerNorm:
        return _with(self.own, added(record * slope), added(slope))


def rule_of(layer: Any) -> LinearRule | ConvolutionRule | LayerNormRule | None:
    """The rule of a layer of Equinox's; None of anything else."""
    made = RULES.get(type(layer))
    return None if made is None else made(layer)


def _of_convolution(layer: eqx.nn.Conv2d) -> ConvolutionRule | None:
    edges = layer.padding
    even = not isinstance(edges, str) and all(before == after for before, after in edges)
    plain = layer.groups == 1 and set(layer.dilation) == {1} and layer.padding_mode == "ZEROS"
    return ConvolutionRule(layer) if even and plain else None


RULES: dict[type, Callable[[Any], Any]] = {
    eqx.nn.Linear: LinearRule,
    eqx.nn.Conv2d: _of_convolution,
    eqx.nn.LayerNorm: LayerNormRule,
}


def _with(layer: Any, to_weight: PerExample, to_bias: PerExample) -> Any:
    """The layer with these in the places of the arrays that it has."""
    parts = {"weight": to_weight, "bias": to_bias}
    has = [name for name in parts if getattr(layer, name) is not None]
    return eqx.tree_at(
        lambda own: [getattr(own, name) for name in has], layer, [parts[name] for name in has]
    )
