"""The network that is learnt where none is given, and how models meet rows."""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tacit.estimators.decisions import Scores
from tacit.models.layers import Dense


@final
class Perceptron(eqx.Module):
    """One hidden layer, of bounded units: gradients stay short, so little of them is clipped.

    Raises:
      ValueError: if there are no hidden units.
    """

    first: Dense
    second: Dense

    def __init__(self, features: int, hidden: int, classes: int, key: PRNGKeyArray):
        if not hidden >= 1:
            raise ValueError(f"a hidden layer needs at least one unit, got hidden={hidden}")
        keys = jax.random.split(key)
        self.first, self.second = Dense(features, hidden, keys[0]), Dense(hidden, classes, keys[1])

    def __call__(self, row: Float[Array, " features"]) -> Float[Array, " classes"]:
        return self.second(jnp.tanh(self.first(row)))


def data(
    rows: Float[np.ndarray, "people features"], labels: Int[np.ndarray, " people"]
) -> tuple[Float[np.ndarray, "people features"], Float[np.ndarray, " people"]]:
    """Rows and labels as populations hold them."""
    return rows.astype(np.float32), labels.astype(np.float32)


def scores(model: eqx.Module, rows: Float[np.ndarray, "people features"]) -> Scores:
    """A model's scores of every row; of two classes, how far the second is above the first."""
    found = np.asarray(_every(model, rows.astype(np.float32)), np.float64)
    return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found


@eqx.filter_jit
def _every(model, rows):
    return jax.vmap(model)(rows)
