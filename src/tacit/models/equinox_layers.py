"""Rules for Equinox's own layers: what each records, and what follows.

A model of them has fast per-example gradients as it is; so have `MLP` and `MultiheadAttention`,
whose layers are `Linear`. A rule holds a layer, and is what `bookkeeping` asks in its place: it
does what the layer does, with a tap added, and its gradients lie in a tree like the layer's. Axes
of calls come behind that of examples: Equinox's layers take one position, and are called in `vmap`.

Equinox keeps a matrix with its outputs first, and channels before pixels. The gradients are those
of the layers of `tacit.models` on the same numbers in their own order, and what is summed is laid
as Equinox has it afterwards: norms do not depend on the order, so they are of what is summed.

| layer | its gradient is formed for every example |
| --- | --- |
| of a class that inherits from one of these | always: who knows what it calls |
| a convolution in groups, dilated, or padded by other than zeros, as many at either side | always |
| one padded by `"SAME"`, in steps or of an even size: its zeros follow from the image | always |
| one that holds a module in the place of an array | always: who knows what it makes of its own |
| any, called at two places | always, as of all layers |
"""

import math
from collections.abc import Callable
from typing import Any, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import random
from jaxtyping import Array

from tacit.models.convolution import Convolution
from tacit.models.equinox_cells import EmbeddingRule, GRUCellRule, LSTMCellRule, in_place
from tacit.models.layers import by_position
from tacit.models.per_example import Instances, PerExample, real
from tacit.models.rearranged import Rearranged, turned


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
        # Rows from the left: under `vmap`, a matrix from the left answers in columns.
        rows = jnp.ravel(inputs)
        output = rows @ self.own.weight.T
        shift = 0 if self.own.bias is None else self.own.bias
        return (output + shift).reshape(tap.shape) + tap, rows

    def gradients(self, record: Array, slope: Array) -> eqx.nn.Linear:
        outputs = len(self.own.weight)
        slopes = by_position(slope.reshape(*record.shape[:-1], outputs))
        to_weight = turned(by_position(record), slopes)
        return _with(self.own, to_weight, Instances(jnp.sum(slopes, axis=1)))


@final
class ConvolutionRule(eqx.Module):
    """Of lines or images with channels first, in steps, between zeros."""

    own: eqx.nn.Conv1d | eqx.nn.Conv2d

    @property
    def same(self) -> Convolution:
        """The same convolution, of images with channels last; a line is an image of one row."""
        edges = cast(tuple[int, ...], _edges(self.own))
        padding, stride = (0, *edges), (1, *self.own.stride)
        size = (1, 1), (stride[-2], stride[-1]), (padding[-2], padding[-1])
        like = eqx.filter_eval_shape(lambda: Convolution(1, 1, size[0], random.key(0), *size[1:]))
        kernel = _last(self.own.weight, 1, self.own).transpose(1, 2, 3, 0)
        bias = jnp.zeros(kernel.shape[-1]) if self.own.bias is None else self.own.bias.ravel()
        return eqx.tree_at(lambda layer: (layer.kernel, layer.bias), like, (kernel, bias))

    def __call__(self, image: Array, *, key: Any = None) -> Array:
        return self.own(image, key=key)

    def tap(self, image: Array) -> tuple[int, ...]:
        rows, columns, filters = self.same.tap(_last(image, 0, self.own))
        return (filters, columns) if self.own.num_spatial_dims == 1 else (filters, rows, columns)

    def recorded(self, tap: Array, image: Array) -> tuple[Array, Array]:
        return self.own(image) + tap, _last(image, 0, self.own)

    def gradients(self, record: Array, slope: Array) -> Any:
        channels = slope.ndim - 1 - self.own.num_spatial_dims
        found = self.same.gradients(record, _last(slope, channels, self.own))
        shape = self.own.weight.shape
        to_weight = Rearranged(found.kernel, (3, 2, 0, 1), shape)
        to_bias = Rearranged(found.bias, (0,), (shape[0], *(1 for _ in shape[2:])))
        return _with(self.own, to_weight, to_bias)


@final
class NormRule(eqx.Module):
    """Of everything that one call is given, with a scale and a shift, or without."""

    own: eqx.nn.LayerNorm | eqx.nn.RMSNorm

    def __call__(self, inputs: Array, *state: Any, key: Any = None) -> Any:
        return self.own(inputs, *state, key=key)

    def tap(self, inputs: Array, *state: Any) -> tuple[int, ...]:
        del state
        return inputs.shape

    def recorded(self, tap: Array, inputs: Array, *state: Any) -> tuple[Any, Array]:
        standard = _standard(self.own, inputs, inputs.shape)
        output = self.own(inputs) + tap
        return (output, *state) if state else output, standard

    def gradients(self, record: Array, slope: Array) -> Any:
        products, slopes = (_by_call(each, len(self.own.shape)) for each in (record * slope, slope))
        return _with(self.own, *(Instances(jnp.sum(each, axis=1)) for each in (products, slopes)))


@final
class GroupNormRule(eqx.Module):
    """Of groups of channels with all their pixels: a scale and a shift for each channel."""

    own: eqx.nn.GroupNorm

    def __call__(self, inputs: Array, *state: Any, key: Any = None) -> Any:
        return self.own(inputs, *state, key=key)

    def tap(self, inputs: Array, *state: Any) -> tuple[int, ...]:
        del state
        return len(inputs), math.prod(inputs.shape[1:])

    def recorded(self, tap: Array, inputs: Array, *state: Any) -> tuple[Any, Array]:
        standard = _standard(self.own, inputs, inputs.shape[:1])
        output = self.own(inputs) + tap.reshape(inputs.shape)
        return (output, *state) if state else output, standard.reshape(tap.shape)

    def gradients(self, record: Array, slope: Array) -> eqx.nn.GroupNorm:
        products, slopes = (_by_call(each, 2) for each in (record * slope, slope))
        return _with(
            self.own, *(Instances(jnp.sum(each, axis=(1, 3))) for each in (products, slopes))
        )


def rule_of(layer: Any) -> Any:
    """The rule of a layer of Equinox's; None of anything else."""
    made = RULES.get(type(layer))
    return None if made is None or _holds_more(layer) else made(layer)


def _holds_more(layer: Any) -> bool:
    """Whether an array lies deeper than its fields: what stands there makes another of it."""
    return any(len(path) > 1 for path, _ in jax.tree_util.tree_leaves_with_path(layer))


def _of_convolution(layer: Any) -> ConvolutionRule | None:
    plain = layer.groups == 1 and set(layer.dilation) == {1} and layer.padding_mode == "ZEROS"
    return ConvolutionRule(layer) if plain and _edges(layer) is not None else None


def _edges(layer: Any) -> tuple[int, ...] | None:
    """The zeros at either side along each axis, where no image has others."""
    if layer.padding == "VALID":
        return (0,) * layer.num_spatial_dims
    if isinstance(layer.padding, str):
        even = set(layer.stride) == {1} and all(size % 2 for size in layer.kernel_size)
        return tuple(size // 2 for size in layer.kernel_size) if even else None
    even = all(before == after for before, after in layer.padding)
    return tuple(before for before, _ in layer.padding) if even else None


RULES: dict[type, Callable[[Any], Any]] = {
    eqx.nn.Linear: LinearRule,
    eqx.nn.Conv1d: _of_convolution,
    eqx.nn.Conv2d: _of_convolution,
    eqx.nn.LayerNorm: NormRule,
    eqx.nn.RMSNorm: NormRule,
    eqx.nn.GroupNorm: GroupNormRule,
    eqx.nn.Embedding: EmbeddingRule,
    eqx.nn.GRUCell: GRUCellRule,
    eqx.nn.LSTMCell: LSTMCellRule,
}


def _last(values: Array, channels: int, layer: Any) -> Array:
    """With channels, at this axis, behind the pixels; lines become rows of images."""
    moved = jnp.moveaxis(values, channels, -1)
    return moved[..., None, :, :] if layer.num_spatial_dims == 1 else moved


def _by_call(values: Array, own: int) -> Array:
    """The axes of calls as one, before as many as are the layer's own."""
    calls = values.ndim - own
    return values.reshape(len(values), math.prod(values.shape[1:calls]), *values.shape[calls:])


def _standard(layer: Any, inputs: Array, shape: tuple[int, ...]) -> Array:
    """The layer's output without its scale and shift, as it is before it is rounded to halves."""
    plain = eqx.tree_at(
        lambda own: (own.weight, own.bias),
        layer,
        (jnp.ones(shape), jnp.zeros(shape)),
        is_leaf=lambda leaf: leaf is None,
    )
    return plain(real(inputs))


def _with(layer: Any, to_weight: PerExample, to_bias: PerExample) -> Any:
    """The layer with these in the places of the arrays that it has."""
    parts = {"weight": to_weight, "bias": to_bias}
    has = {name: own for name, own in parts.items() if getattr(layer, name) is not None}
    return in_place(layer, has)
