"""Recurrent layers whose per-example gradients are those of two matrices.

Unrolled, the gates read `z_t = W x_t + U h_(t-1) + b` at each step. Once the pass has run, all
`x_t` and `h_(t-1)` are known, so the gradients of W and U are sums of outer products with the
slopes at `z_t`, as if a dense layer had been given the whole sequence. The tap is added to `z`, one
row for each step, and the loop hands each step its own.

The gradients through time are written out. All that they need are the states and what the gates
came to, which is written over what drove them; JAX's own keeps ten arrays a step, turned so that
steps come before examples. Room that is mapped anew at every call costs as much as the arithmetic
(decision 29).
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import refuse_not_counted
from tacit.models.activations import tanh
from tacit.models.gates import (
    gru_gates,
    gru_slopes,
    gru_state,
    let_through,
    lstm_gates,
    lstm_slopes,
)
from tacit.models.layers import by_position
from tacit.models.per_example import Instances, outer


@final
class LSTM(eqx.Module):
    """Input, forget, cell and output gates (Hochreiter, Schmidhuber 1997; Gers et al. 2000).

    It starts from zeros and returns the hidden state after every step. The forget gate's bias
    starts at one.
    """

    input_weight: Float[Array, "inputs gates"]
    recurrent_weight: Float[Array, "width gates"]
    bias: Float[Array, " gates"]

    def __init__(self, inputs: int, width: int, key: PRNGKeyArray):
        self.input_weight, self.recurrent_weight = _weights(inputs, width, 4, key)
        self.bias = jnp.zeros(4 * width).at[width : 2 * width].set(1.0)

    def __call__(
        self, sequence: Float[Array, "time inputs"], *, key: Any = None
    ) -> Float[Array, "time width"]:
        driven = sequence @ self.input_weight + self.bias
        return _remembered(driven, self.recurrent_weight)

    def tap(self, sequence: Array) -> tuple[int, ...]:
        return (len(sequence), self.bias.size)

    def recorded(self, tap: Array, sequence: Array) -> tuple[Array, tuple[Array, Array]]:
        driven = sequence @ self.input_weight + self.bias + tap
        hidden = _remembered(driven, self.recurrent_weight)
        return hidden, (sequence, _before(hidden))

    def gradients(self, record: tuple[Array, Array], slope: Array) -> "LSTM":
        sequence, before, slope = map(by_position, (*record, slope))
        return eqx.tree_at(
            lambda layer: (layer.input_weight, layer.recurrent_weight, layer.bias),
            self,
            (
                outer(sequence, slope, self.input_weight.shape),
                outer(before, slope, self.recurrent_weight.shape),
                Instances(jnp.sum(slope, axis=1)),
            ),
        )


@final
class GRU(eqx.Module):
    """Reset and update gates and a candidate (Cho et al. 2014), as cuDNN has them.

    The candidate is `tanh(z_t + r_t (U h_(t-1) + c))`, with z_t = W x_t + b of its own: the reset
    gate r_t acts after the product, which so is one product for all gates. The slope at
    `U h_(t-1) + c` is then the slope at z_t times r_t. It starts from zeros and returns the hidden
    state after every step.
    """

    input_weight: Float[Array, "inputs gates"]
    recurrent_weight: Float[Array, "width gates"]
    bias: Float[Array, " gates"]
    reset_bias: Float[Array, " width"]

    def __init__(self, inputs: int, width: int, key: PRNGKeyArray):
        self.input_weight, self.recurrent_weight = _weights(inputs, width, 3, key)
        self.bias, self.reset_bias = jnp.zeros(3 * width), jnp.zeros(width)

    def __call__(
        self, sequence: Float[Array, "time inputs"], *, key: Any = None
    ) -> Float[Array, "time width"]:
        return self._unrolled(sequence @ self.input_weight + self.bias)[0]

    def tap(self, sequence: Array) -> tuple[int, ...]:
        return (len(sequence), self.bias.size)

    def recorded(self, tap: Array, sequence: Array) -> tuple[Array, tuple[Array, Array, Array]]:
        hidden, reset = self._unrolled(sequence @ self.input_weight + self.bias + tap)
        return hidden, (sequence, _before(hidden), reset)

    def gradients(self, record: tuple[Array, Array, Array], slope: Array) -> "GRU":
        sequence, before, reset, slope = map(by_position, (*record, slope))
        recurrent = let_through(slope, reset)
        return eqx.tree_at(
            lambda layer: (
                layer.input_weight,
                layer.recurrent_weight,
                layer.bias,
                layer.reset_bias,
            ),
            self,
            (
                outer(sequence, slope, self.input_weight.shape),
                outer(before, recurrent, self.recurrent_weight.shape),
                Instances(jnp.sum(slope, axis=1)),
                Instances(jnp.sum(recurrent[..., -self.reset_bias.size :], axis=1)),
            ),
        )

    def _unrolled(
        self, driven: Float[Array, "time gates"]
    ) -> tuple[Float[Array, "time width"], Float[Array, "time width"]]:
        """The hidden states, and the reset gates, which are nothing to differentiate."""
        hidden, reset = _renewed(driven, self.recurrent_weight, self.reset_bias)
        return hidden, lax.stop_gradient(reset)


def _weights(inputs: int, width: int, gates: int, key: PRNGKeyArray) -> tuple[Array, Array]:
    """Of the inputs and of the hidden state before, as Glorot's."""
    refuse_not_counted("inputs", inputs)
    refuse_not_counted("width", width)
    keys, initial = random.split(key), jax.nn.initializers.glorot_normal()
    return initial(keys[0], (inputs, gates * width)), initial(keys[1], (width, gates * width))


def _before(hidden: Float[Array, "time width"]) -> Float[Array, "time width"]:
    """The hidden state that each step starts from."""
    return jnp.roll(hidden, 1, axis=0).at[0].set(0)


@jax.custom_vjp
def _remembered(
    driven: Float[Array, "time gates"], weight: Float[Array, "width gates"]
) -> Float[Array, "time width"]:
    """The hidden states of an LSTM."""
    return _lstm_forward(driven, weight)[0]


def _lstm_forward(driven: Array, weight: Array) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    def step(now, carry):
        hidden, cell, *written = carry
        gates = lstm_gates(_at(written[0], now) + hidden @ weight)
        write, keep, seen, read = jnp.split(gates, 4)
        cell = keep * cell + write * seen
        hidden = read * tanh(cell)
        parts = zip(written, (gates, hidden, cell), strict=True)
        return hidden, cell, *(_put(whole, now, part) for whole, part in parts)

    room = jnp.zeros((len(driven), len(weight)), driven.dtype)
    start = jnp.zeros(len(weight), driven.dtype)
    carry = (start, start, driven, room, room)
    _, _, gates, hidden, cells = lax.fori_loop(0, len(driven), step, carry)
    return hidden, (hidden, gates, cells, weight)


def _lstm_backward(kept: tuple[Array, Array, Array, Array], slopes: Array) -> tuple[Array, Array]:
    hidden, gates, cells, weight = kept
    before, turned = _before(cells), weight.T

    def step(index, carry):
        now = len(slopes) - 1 - index
        to_hidden, to_cell, to_driven = carry
        at = (_at(each, now) for each in (gates, cells, before))
        to_hidden = to_hidden + _at(slopes, now)
        to_cell, slope = lstm_slopes(to_hidden, to_cell, *at)
        return slope @ turned, to_cell, _put(to_driven, now, slope)

    start = jnp.zeros_like(cells[0])
    carry = (start, start, jnp.zeros_like(gates))
    *_, to_driven = lax.fori_loop(0, len(slopes), step, carry)
    return to_driven, _before(hidden).T @ to_driven


_remembered.defvjp(_lstm_forward, _lstm_backward)


@jax.custom_vjp
def _renewed(
    driven: Float[Array, "time gates"],
    weight: Float[Array, "width gates"],
    shift: Float[Array, " width"],
) -> tuple[Float[Array, "time width"], Float[Array, "time width"]]:
    """The hidden states of a GRU, and its reset gates, without a gradient of these."""
    return _gru_forward(driven, weight, shift)[0]


def _gru_forward(driven: Array, weight: Array, shift: Array) -> tuple[tuple, tuple]:
    width = len(shift)
    shifts = jnp.pad(shift, (2 * width, 0))

    def step(now, carry):
        before, *written = carry
        product = before @ weight + shifts
        gates = gru_gates(_at(written[0], now), product)
        hidden = gru_state(gates, before)
        parts = zip(written, (gates, hidden, product[-width:]), strict=True)
        return hidden, *(_put(whole, now, part) for whole, part in parts)

    room = jnp.zeros((len(driven), width), driven.dtype)
    carry = (jnp.zeros_like(shift), driven, room, room)
    _, gates, hidden, let = lax.fori_loop(0, len(driven), step, carry)
    return (hidden, gates[:, :width]), (hidden, gates, let, weight)


def _gru_backward(kept: tuple, slopes: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    hidden, gates, let, weight = kept
    before, turned = _before(hidden), weight.T

    def step(index, carry):
        now = len(hidden) - 1 - index
        to_hidden, to_driven = carry
        at = (_at(each, now) for each in (gates, let, before))
        reset = _at(gates, now)[: to_hidden.size]
        to_before, slope = gru_slopes(to_hidden + _at(slopes[0], now), *at)
        return to_before + let_through(slope, reset) @ turned, _put(to_driven, now, slope)

    carry = (jnp.zeros_like(hidden[0]), jnp.zeros_like(gates))
    _, to_driven = lax.fori_loop(0, len(hidden), step, carry)
    to_product = let_through(to_driven, gates[:, : hidden.shape[1]])
    return to_driven, before.T @ to_product, jnp.sum(to_product[:, -hidden.shape[1] :], axis=0)


_renewed.defvjp(_gru_forward, _gru_backward)


def _at(whole: Array, now: Array) -> Array:
    return lax.dynamic_index_in_dim(whole, now, keepdims=False)


def _put(whole: Array, now: Array, part: Array) -> Array:
    return lax.dynamic_update_index_in_dim(whole, part, now, 0)
