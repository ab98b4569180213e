"""A model of language: what the next word is, from all the words before it.

Words become vectors, a recurrent layer reads them one after another, and what it holds after each
scores every word as the next. These are three layers whose per-example gradients are known
(`Embedding`, `LSTM`, `Dense`).

References: Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction
and its applications in private federated learning", section 5.3 (25,003 words, 256 numbers each).
"""

from dataclasses import dataclass
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import random
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tacit.models.layers import Dense, Embedding
from tacit.models.recurrent import LSTM


@final
class NextWord(eqx.Module):
    """An embedding, an LSTM and a linear layer, of words as numbers.

    It has `2 words width + 8 width² + 4 width + words` parameters.

    Args:
      words: how many there are.
      width: of a word's vector and of the recurrent layer.
      key: of the start.
    """

    embedding: Embedding
    memory: LSTM
    output: Dense

    def __init__(self, words: int, width: int, key: PRNGKeyArray):
        keys = random.split(key, 3)
        self.embedding = Embedding(words, width, keys[0])
        self.memory = LSTM(width, width, keys[1])
        self.output = Dense(width, words, keys[2])

    def __call__(self, words: Int[Array, "batch time"]) -> Float[Array, "batch time words"]:
        """The scores of every word as the next after each."""
        return self.output(self.read(words))

    def read(self, words: Int[Array, "batch time"]) -> Float[Array, "batch time width"]:
        """What the recurrent layer holds after each word."""
        return jax.vmap(self.memory)(self.embedding(words))


@final
@dataclass(frozen=True, eq=False)
class Closed:
    """A layer that is part of a program, not of what is learned: compared by what object it is.

    Its weights are constants of every program that is compiled with it, and another object makes
    another program, whatever its weights.
    """

    layer: Dense


@final
class Adapted(eqx.Module):
    """A closed output layer, whose inputs may be turned and whose biases may change.

    Scores are `(h + h turn) W + b + shift`, of W and b that nobody asks people about: far fewer
    numbers than W, and zeros of both are the model that was there before.
    """

    turn: Float[Array, "width width"]
    shift: Float[Array, " words"]
    output: Closed = eqx.field(static=True)

    def __init__(self, output: Dense):
        width, words = output.weight.shape
        self.turn, self.shift = jnp.zeros((width, width)), jnp.zeros(words)
        self.output = Closed(output)

    def __call__(self, held: Float[Array, "batch time width"]) -> Float[Array, "batch time words"]:
        """The scores of every word as the next, from what the recurrent layer holds."""
        return self.output.layer(held + held @ self.turn) + self.shift
