"""A long short-term memory whose per-example gradients are those of one matrix.

Unrolled, its four gates read `z_t = W x_t + U h_(t-1) + b` at each step. Once the pass has run, all
`x_t` and `h_(t-1)` are known, so the gradients of W and U are sums of outer products with the
slopes at `z_t`, as if a dense layer had been given the whole sequence. The tap is added to `z`, one
row for each step, and the scan hands each step its own.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.learning.per_example import Instances, outer


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
        keys = random.split(key)
        initial = jax.nn.initializers.glorot_normal()
        self.input_weight = initial(keys[0], (inputs, 4 * width))
        self.recurrent_weight = initial(keys[1], (width, 4 * width))
        self.bias = jnp.zeros(4 * width).at[width : 2 * width].set(1.0)

    def __call__(
        self, sequence: Float[Array, "time inputs"], *, key: Any = None
    ) -> Float[Array, "time width"]:
        return self._unrolled(sequence @ self.input_weight + self.bias)

    def tap(self, sequence: Array) -> tuple[int, ...]:
        return (len(sequence), self.bias.size)

    def recorded(self, tap: Array, sequence: Array) -> tuple[Array, tuple[Array, Array]]:
        hidden = self._unrolled(sequence @ self.input_weight + self.bias + tap)
        return hidden, (sequence, jnp.roll(hidden, 1, axis=0).at[0].set(0))

    def gradients(self, record: tuple[Array, Array], slope: Array) -> "LSTM":
        sequence, before = record
        return eqx.tree_at(
            lambda layer: (layer.input_weight, layer.recurrent_weight, layer.bias),
            self,
            (
                outer(sequence, slope, self.input_weight.shape),
                outer(before, slope, self.recurrent_weight.shape),
                Instances(jnp.sum(slope, axis=1)),
            ),
        )

    def _unrolled(self, driven: Float[Array, "time gates"]) -> Float[Array, "time width"]:
        def step(carry, driven_now):
            hidden, cell = carry
            gates = jnp.split(driven_now + hidden @ self.recurrent_weight, 4)
            write, keep, read = (jax.nn.sigmoid(gates[i]) for i in (0, 1, 3))
            cell = keep * cell + write * jnp.tanh(gates[2])
            hidden = read * jnp.tanh(cell)
            return (hidden, cell), hidden

        start = jnp.zeros(self.recurrent_weight.shape[0])
        return lax.scan(step, (start, start), driven)[1]
