"""Dense, embedding, normalisation and attention layers with fast per-example gradients.

Each is called on one example, takes any number of leading axes (time, pixels), and knows the
gradients of its parameters from what it was given and the slope at its pre-activation; see
`bookkeeping`. Attention has no parameters of its own: four dense layers do.
"""

import math
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tacit.argument import got, is_whole, refuse_not_counted
from tacit.models.per_example import Instances, outer
from tacit.models.rows import rows_of


@final
class Dense(eqx.Module):
    """A matrix and a bias, applied to the last axis. Weights start as He's, biases at zero."""

    weight: Float[Array, "inputs outputs"]
    bias: Float[Array, " outputs"]

    def __init__(self, inputs: int, outputs: int, key: PRNGKeyArray):
        refuse_not_counted("inputs", inputs)
        refuse_not_counted("outputs", outputs)
        self.weight = jax.nn.initializers.he_normal()(key, (int(inputs), int(outputs)))
        self.bias = jnp.zeros(int(outputs))

    @classmethod
    def at_zero(cls, inputs: int, outputs: int) -> "Dense":
        """One that gives every input the same: where a convex loss starts."""
        # Nothing is drawn, and nothing compiled: a program takes longer than what it would make.
        like = eqx.filter_eval_shape(lambda: cls(inputs, outputs, random.key(0)))
        return jax.tree.map(lambda leaf: jnp.asarray(np.zeros(leaf.shape, leaf.dtype)), like)

    def __call__(
        self, inputs: Float[Array, "*positions inputs"], *, key: Any = None
    ) -> Float[Array, "*positions outputs"]:
        return inputs @ self.weight + self.bias

    def tap(self, inputs: Array) -> tuple[int, ...]:
        return (*inputs.shape[:-1], self.bias.size)

    def recorded(self, tap: Array, inputs: Array) -> tuple[Array, Array]:
        return self(inputs) + tap, inputs

    def gradients(self, record: Array, slope: Array) -> "Dense":
        inputs, slopes = by_position(record), by_position(slope)
        to_weight = outer(inputs, slopes, self.weight.shape)
        to_bias = Instances(jnp.sum(slopes, axis=1))
        return eqx.tree_at(lambda own: (own.weight, own.bias), self, (to_weight, to_bias))


@final
class Embedding(eqx.Module):
    """A table of vectors, one for each word of a vocabulary.

    A word outside [0, size) reads as NaN: the example then counts as zero, rather than as
    another word.
    """

    table: Float[Array, "size width"]

    def __init__(self, size: int, width: int, key: PRNGKeyArray):
        refuse_not_counted("size", size)
        refuse_not_counted("width", width)
        self.table = random.normal(key, (int(size), int(width))) / jnp.sqrt(width)

    def __call__(
        self, words: Int[Array, "*positions"], *, key: Any = None
    ) -> Float[Array, "*positions width"]:
        return self.table.at[self._rows(words)].get(mode="fill", fill_value=jnp.nan)

    def tap(self, words: Array) -> tuple[int, ...]:
        return (*words.shape, self.table.shape[1])

    def recorded(self, tap: Array, words: Array) -> tuple[Array, Array]:
        return self(words) + tap, words

    def gradients(self, record: Array, slope: Array) -> "Embedding":
        rows = self._rows(record).reshape(len(record), -1)
        to_table = rows_of(rows, by_position(slope), len(self.table))
        return eqx.tree_at(lambda layer: layer.table, self, to_table)

    def _rows(self, words: Array) -> Array:
        """What indexing would count from the end is beyond the end; small integers could not be."""
        return jnp.where(words < 0, len(self.table), words.astype(jnp.int32))


@final
class LayerNorm(eqx.Module):
    """Mean zero and variance one along the last axis, then a scale and a shift for each entry."""

    scale: Float[Array, " width"]
    shift: Float[Array, " width"]

    def __init__(self, width: int):
        refuse_not_counted("width", width)
        self.scale, self.shift = jnp.ones(int(width)), jnp.zeros(int(width))

    def __call__(
        self, inputs: Float[Array, "*positions width"], *, key: Any = None
    ) -> Float[Array, "*positions width"]:
        return _standardised(inputs, -1) * self.scale + self.shift

    def tap(self, inputs: Array) -> tuple[int, ...]:
        return inputs.shape

    def recorded(self, tap: Array, inputs: Array) -> tuple[Array, Array]:
        standard = _standardised(inputs, -1)
        return standard * self.scale + self.shift + tap, standard

    def gradients(self, record: Array, slope: Array) -> "LayerNorm":
        return _affine_gradients(self, record, slope)


@final
class GroupNorm(eqx.Module):
    """Mean zero and variance one over each group of channels and all pixels, scale and shift.

    Batch normalisation mixes examples, so that no bound on one example's part exists; this does
    not.

    Raises:
      ValueError: if the channels do not divide into the groups.
    """

    scale: Float[Array, " channels"]
    shift: Float[Array, " channels"]
    groups: int = eqx.field(static=True)

    def __init__(self, channels: int, groups: int):
        refuse_not_counted("channels", channels)
        if not (is_whole(groups) and groups >= 1 and channels % groups == 0):
            raise ValueError(f"groups must divide the {channels} channels, got {got(groups)}")
        self.scale, self.shift, self.groups = jnp.ones(channels), jnp.zeros(channels), groups

    def __call__(
        self, image: Float[Array, "*pixels channels"], *, key: Any = None
    ) -> Float[Array, "*pixels channels"]:
        return self._standard(image) * self.scale + self.shift

    def tap(self, image: Array) -> tuple[int, ...]:
        return image.shape

    def recorded(self, tap: Array, image: Array) -> tuple[Array, Array]:
        standard = self._standard(image)
        return standard * self.scale + self.shift + tap, standard

    def gradients(self, record: Array, slope: Array) -> "GroupNorm":
        return _affine_gradients(self, record, slope)

    def _standard(self, image: Array) -> Array:
        grouped = image.reshape(-1, self.groups, self.scale.size // self.groups)
        return _standardised(grouped, (0, 2)).reshape(image.shape)


@final
class Attention(eqx.Module):
    """Scaled dot-product attention with several heads over one sequence.

    Args:
      width: of the sequence's vectors; the heads share it equally.
      heads: how many.
      causal: whether a position sees only itself and those before it.

    Raises:
      ValueError: if the width does not divide into the heads.
    """

    query: Dense
    key: Dense
    value: Dense
    output: Dense
    heads: int = eqx.field(static=True)
    causal: bool = eqx.field(static=True)

    def __init__(self, width: int, heads: int, key: PRNGKeyArray, causal: bool = False):
        refuse_not_counted("width", width)
        if not (is_whole(heads) and heads >= 1 and width % heads == 0):
            raise ValueError(f"heads must divide the width {width}, got {got(heads)}")
        keys = random.split(key, 4)
        self.query, self.key, self.value, self.output = (Dense(width, width, k) for k in keys)
        self.heads, self.causal = heads, causal

    def __call__(
        self, sequence: Float[Array, "time width"], *, key: Any = None
    ) -> Float[Array, "time width"]:
        query, keys, value = (
            layer(sequence).reshape(len(sequence), self.heads, -1)
            for layer in (self.query, self.key, self.value)
        )
        mixed = jax.nn.dot_product_attention(query, keys, value, is_causal=self.causal)
        return self.output(mixed.reshape(sequence.shape))


def _standardised(inputs: Array, axis: int | tuple[int, ...]) -> Array:
    return jax.nn.standardize(inputs, axis=axis, epsilon=1e-5)


def _affine_gradients(layer: LayerNorm | GroupNorm, record: Array, slope: Array):
    """Of a scale and a shift: few numbers, so every example's are formed."""
    standard, slopes = by_position(record), by_position(slope)
    to_scale, to_shift = jnp.sum(standard * slopes, axis=1), jnp.sum(slopes, axis=1)
    return eqx.tree_at(
        lambda own: (own.scale, own.shift), layer, (Instances(to_scale), Instances(to_shift))
    )


def by_position(values: Float[Array, "batch *positions width"]) -> Float[Array, "batch n width"]:
    return values.reshape(len(values), math.prod(values.shape[1:-1]), values.shape[-1])
