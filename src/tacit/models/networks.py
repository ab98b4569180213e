"""Small models of the layers here: a linear classifier, a hidden layer, a network for digits.

A model is a pytree of arrays. Its parameters, in the order of its leaves, are the vector a person
contributes to.
"""

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import got, is_number, refuse_not_counted
from tacit.models.activations import tanh
from tacit.models.convolution import Convolution
from tacit.models.layers import Dense
from tacit.models.pooling import max_pool


@final
class Softmax(eqx.Module):
    """Multinomial logistic regression: one weight per input and class, one bias per class.

    It starts at zero, where every class has the same probability; its loss is convex. A public
    `centre` is taken from every input first: the shorter the inputs, the less of a gradient is
    clipped, and clipping and noise are what privacy costs.
    """

    output: Dense
    centre: float = eqx.field(static=True)

    def __init__(self, inputs: int, classes: int, centre: float = 0.0):
        if not (is_number(centre) and math.isfinite(centre)):
            raise ValueError(f"centre must be a finite number, got {got(centre)}")
        self.output = Dense.at_zero(inputs, classes)
        self.centre = centre

    def __call__(
        self, images: Float[Array | np.ndarray, "batch ..."]
    ) -> Float[Array, "batch classes"]:
        return self.output(jnp.reshape(images, (images.shape[0], -1)) - self.centre)


@final
class Perceptron(eqx.Module):
    """One hidden layer, of bounded units: gradients stay short, so little of them is clipped.

    Raises:
      ValueError: if there are no hidden units.
    """

    first: Dense
    second: Dense

    def __init__(self, features: int, hidden: int, classes: int, key: PRNGKeyArray):
        refuse_not_counted("hidden", hidden)
        keys = random.split(key)
        self.first, self.second = Dense(features, hidden, keys[0]), Dense(hidden, classes, keys[1])

    def __call__(self, row: Float[Array, "*batch features"]) -> Float[Array, "*batch classes"]:
        return self.second(tanh(self.first(row)))


@final
class DigitsNetwork(eqx.Module):
    """Two convolutions of 32 and 64 filters and a hidden layer of 1,024, for 28x28 digits.

    3,274,634 parameters: 832 + 51,264 + 3,212,288 + 10,250. Each convolution is followed by the
    maximum of two-by-two squares and a rectifier, which is increasing: their order is free, and
    the rectifier has a quarter of the work. There is no dropout.
    """

    first: Convolution
    second: Convolution
    hidden: Dense
    output: Dense

    def __init__(self, key: PRNGKeyArray):
        keys = random.split(key, 4)
        self.first = Convolution(1, 32, (5, 5), keys[0], padding=(2, 2))
        self.second = Convolution(32, 64, (5, 5), keys[1], padding=(2, 2))
        self.hidden = Dense(7 * 7 * 64, 1024, keys[2])
        self.output = Dense(1024, 10, keys[3])

    def __call__(self, images: Float[Array | np.ndarray, "batch ..."]) -> Float[Array, "batch 10"]:
        """Takes images as [batch, 28, 28] or [batch, 784], in [0, 1]."""
        pixels = jnp.reshape(images, (images.shape[0], 28, 28, 1))
        features = _halved(self.second(_halved(self.first(pixels))))
        hidden = jax.nn.relu(self.hidden(features.reshape(images.shape[0], -1)))
        return self.output(hidden)


def _halved(images: Float[Array, "batch height width channels"]) -> Array:
    return jax.nn.relu(max_pool(images, (2, 2), (2, 2)))
