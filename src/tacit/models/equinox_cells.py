"""Rules for Equinox's layers of one position of a sequence: `LSTMCell`, `GRUCell`, `Embedding`.

They are called in a `scan` or `vmap` over the sequence, whose axis lies behind that of examples in
all that they recorded. What drives a cell's gates is `W x + U h + b`, with its tap added: as in
`recurrent`, the gradients of W and U are sums of outer products with the slopes there.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from tacit.models.activations import tanh
from tacit.models.gates import let_through
from tacit.models.layers import by_position
from tacit.models.per_example import Instances
from tacit.models.rearranged import turned
from tacit.models.rows import rows_of


@final
class LSTMCellRule(eqx.Module):
    """Of four gates, with a bias or none."""

    own: eqx.nn.LSTMCell

    def __call__(self, inputs: Array, state: Any, *, key: Any = None) -> Any:
        return self.own(inputs, state, key=key)

    def tap(self, inputs: Array, state: Any) -> tuple[int, ...]:
        del inputs, state
        return (len(self.own.weight_ih),)

    def recorded(self, tap: Array, inputs: Array, state: Any) -> tuple[Any, tuple[Array, Array]]:
        bias = tap if self.own.bias is None else self.own.bias + tap
        driven = self.own.weight_ih @ inputs + self.own.weight_hh @ state[0] + bias
        write, keep, seen, read = jnp.split(driven, 4)
        cell = jax.nn.sigmoid(keep) * state[1] + jax.nn.sigmoid(write) * tanh(seen)
        return (jax.nn.sigmoid(read) * tanh(cell), cell), (inputs, state[0])

    def gradients(self, record: tuple[Array, Array], slope: Array) -> eqx.nn.LSTMCell:
        inputs, before, slopes = map(by_position, (*record, slope))
        found: dict[str, Any] = {
            "weight_ih": turned(inputs, slopes),
            "weight_hh": turned(before, slopes),
        }
        if self.own.bias is not None:
            found["bias"] = Instances(jnp.sum(slopes, axis=1))
        return in_place(self.own, found)


@final
class GRUCellRule(eqx.Module):
    """Of a reset gate that acts behind the product, as in `recurrent.GRU`."""

    own: eqx.nn.GRUCell

    def __call__(self, inputs: Array, hidden: Array, *, key: Any = None) -> Array:
        return self.own(inputs, hidden, key=key)

    def tap(self, inputs: Array, hidden: Array) -> tuple[int, ...]:
        del inputs, hidden
        return (len(self.own.weight_ih),)

    def recorded(
        self, tap: Array, inputs: Array, hidden: Array
    ) -> tuple[Array, tuple[Array, Array, Array]]:
        bias = tap if self.own.bias is None else self.own.bias + tap
        shift = 0 if self.own.bias_n is None else self.own.bias_n
        driven = jnp.split(self.own.weight_ih @ inputs + bias, 3)
        products = jnp.split(self.own.weight_hh @ hidden, 3)
        reset, update = (jax.nn.sigmoid(driven[gate] + products[gate]) for gate in (0, 1))
        candidate = tanh(driven[2] + reset * (products[2] + shift))
        return candidate + update * (hidden - candidate), (inputs, hidden, reset)

    def gradients(self, record: tuple[Array, Array, Array], slope: Array) -> eqx.nn.GRUCell:
        inputs, hidden, reset, slopes = map(by_position, (*record, slope))
        recurrent = let_through(slopes, reset)
        found: dict[str, Any] = {
            "weight_ih": turned(inputs, slopes),
            "weight_hh": turned(hidden, recurrent),
        }
        if self.own.bias is not None:
            found["bias"] = Instances(jnp.sum(slopes, axis=1))
            found["bias_n"] = Instances(jnp.sum(recurrent[..., -reset.shape[2] :], axis=1))
        return in_place(self.own, found)


@final
class EmbeddingRule(eqx.Module):
    """Of one word at a call; one beyond the table reads its nearest row."""

    own: eqx.nn.Embedding

    def __call__(self, word: Array, *, key: Any = None) -> Array:
        return self.own(word, key=key)

    def tap(self, word: Array) -> tuple[int, ...]:
        del word
        return (self.own.weight.shape[1],)

    def recorded(self, tap: Array, word: Array) -> tuple[Array, Array]:
        return self.own(word) + tap, word

    def gradients(self, record: Array, slope: Array) -> eqx.nn.Embedding:
        rows, size = record.astype(jnp.int32), len(self.own.weight)
        read = jnp.clip(jnp.where(rows < 0, rows + size, rows), 0, size - 1)
        to_weight = rows_of(read.reshape(len(rows), -1), by_position(slope), size)
        return in_place(self.own, {"weight": to_weight})


def in_place(layer: Any, found: dict[str, Any]) -> Any:
    """The layer with these in the places of its arrays."""
    return eqx.tree_at(
        lambda own: [getattr(own, name) for name in found], layer, list(found.values())
    )
