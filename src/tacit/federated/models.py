"""The models a device trains: a linear classifier and a convolutional network for digits.

A model is a pytree of arrays, called on a batch: `logits = model(images)`. Its parameters, in the
order of its leaves, are the vector a person contributes to.

Every bias follows the maximum of its pooling square and precedes the rectifier. Adding a constant
and rectifying are both increasing, so `relu(max(x) + b) = max(relu(x + b))`: the network is the
usual convolution, rectifier, pooling, with a quarter of the elementwise work.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.federated.convolution import convolve
from tacit.federated.pooling import max_pool


class Softmax(eqx.Module):
    """Multinomial logistic regression: one weight per input and class, one bias per class.

    It starts at zero, where every class has the same probability; its loss is convex. A public
    `centre` is taken from every input first: the shorter the inputs, the less of a gradient is
    clipped, and clipping and noise are what privacy costs.
    """

    weight: Float[Array, "inputs classes"]
    bias: Float[Array, " classes"]
    centre: float = eqx.field(static=True)

    def __init__(self, inputs: int, classes: int, centre: float = 0.0):
        self.weight = jnp.zeros((inputs, classes))
        self.bias = jnp.zeros(classes)
        self.centre = centre

    def __call__(
        self, images: Float[Array | np.ndarray, "batch ..."]
    ) -> Float[Array, "batch classes"]:
        inputs = jnp.reshape(images, (images.shape[0], -1)) - self.centre
        return inputs @ self.weight + self.bias


class Convolutional(eqx.Module):
    """A convolution with bias, maximum over two-by-two squares, rectifier."""

    kernel: Float[Array, "rows columns channels filters"]
    bias: Float[Array, " filters"]

    def __init__(self, channels: int, filters: int, key: PRNGKeyArray):
        self.kernel = _truncated_normal(key, (5, 5, channels, filters), fan_in=25 * channels)
        self.bias = jnp.zeros(filters)

    def __call__(
        self, images: Float[Array, "batch height width channels"]
    ) -> Float[Array, "batch height//2 width//2 filters"]:
        return jax.nn.relu(max_pool(convolve(images, self.kernel)) + self.bias)


class Dense(eqx.Module):
    """A matrix and a bias."""

    weight: Float[Array, "inputs outputs"]
    bias: Float[Array, " outputs"]

    def __init__(self, inputs: int, outputs: int, key: PRNGKeyArray):
        self.weight = _truncated_normal(key, (inputs, outputs), fan_in=inputs)
        self.bias = jnp.zeros(outputs)

    def __call__(self, inputs: Float[Array, "batch inputs"]) -> Float[Array, "batch outputs"]:
        return inputs @ self.weight + self.bias


class DigitsNetwork(eqx.Module):
    """Two convolutional layers of 32 and 64 filters and a hidden layer of 1,024, for 28x28 digits.

    3,274,634 parameters: 832 + 51,264 + 3,212,288 + 10,250. Weights start as normal with variance
    2 / fan-in cut at two standard deviations (He), biases at zero. There is no dropout.

    References:
        He, Zhang, Ren, Sun. Delving deep into rectifiers. ICCV 2015, section 2.2.
    """

    first: Convolutional
    second: Convolutional
    hidden: Dense
    output: Dense

    def __init__(self, key: PRNGKeyArray):
        keys = random.split(key, 4)
        self.first = Convolutional(1, 32, keys[0])
        self.second = Convolutional(32, 64, keys[1])
        self.hidden = Dense(7 * 7 * 64, 1024, keys[2])
        self.output = Dense(1024, 10, keys[3])

    def __call__(self, images: Float[Array | np.ndarray, "batch ..."]) -> Float[Array, "batch 10"]:
        """Takes images as [batch, 28, 28] or [batch, 784], in [0, 1]."""
        pixels = jnp.reshape(images, (images.shape[0], 28, 28, 1))
        features = self.second(self.first(pixels))
        hidden = jax.nn.relu(self.hidden(features.reshape(images.shape[0], -1)))
        return self.output(hidden)


def _truncated_normal(key: PRNGKeyArray, shape: tuple[int, ...], fan_in: int) -> Array:
    """Entries `sqrt(2 / fan_in) t` with t standard normal given |t| < 2."""
    return jnp.sqrt(2 / fan_in) * random.truncated_normal(key, -2, 2, shape)
