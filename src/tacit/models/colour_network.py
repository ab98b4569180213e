"""The convolutional network of TensorFlow's CIFAR-10 tutorial, for 24x24 crops in colour.

    24x24x3   5x5 to 64, rectified      4,864        then maximum of 3x3 every 2, normalised
    12x12x64  5x5 to 64, rectified    102,464        then normalised, maximum of 3x3 every 2
    6x6x64    2,304 to 384, rectified 885,120
              384 to 192, rectified    73,920
              192 to 10                 1,930        1,068,298 parameters in all

Local response normalisation has no parameters: each number is divided by a power of the energy of
its neighbours among the channels of the same pixel,

    y_c = x_c / (1 + a sum over |d - c| <= 4 of x_d²)^(3/4),   a = 0.001/9.

A window of the maximum that reaches over the lower or right edge sees zeros there. Behind a
rectifier that changes nothing, since every window holds pixels too: so 24 becomes 12, and 12 six.

The start is that of the layers here (He's), not the tutorial's, which chose a deviation by hand
for each layer. Weights have no decay.

References: Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional
neural networks", NeurIPS 2012, section 3.3 (normalisation). Bhowmick, Duchi, Freudiger, Kapoor and
Rogers, "Protection against reconstruction and its applications in private federated learning",
2018, section 5.2 (this network, of 1,068,298 parameters).
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.models.convolution import Convolution
from tacit.models.layers import Dense
from tacit.models.pooling import max_pool

# The tutorial's, as written above.
_REACH, _ENERGY, _POWER = 4, 0.001 / 9, 0.75


@final
class ColourNetwork(eqx.Module):
    """Two convolutions, two hidden layers, ten classes: 1,068,298 parameters.

    What it takes are standardised crops (`tacit.features.crops`).
    """

    first: Convolution
    second: Convolution
    wide: Dense
    narrow: Dense
    output: Dense

    def __init__(self, key: PRNGKeyArray):
        keys = random.split(key, 5)
        self.first = Convolution(3, 64, (5, 5), keys[0], padding=(2, 2))
        self.second = Convolution(64, 64, (5, 5), keys[1], padding=(2, 2))
        self.wide = Dense(6 * 6 * 64, 384, keys[2])
        self.narrow = Dense(384, 192, keys[3])
        self.output = Dense(192, 10, keys[4])

    def __call__(
        self, crops: Float[Array | np.ndarray, "*batch 24 24 3"]
    ) -> Float[Array, "*batch 10"]:
        return self.output(jax.nn.relu(self.narrow(first_hidden(self, crops))))


def first_hidden(
    network: ColourNetwork, crops: Float[Array | np.ndarray, "*batch 24 24 3"]
) -> Float[Array, "*batch 384"]:
    """What the last two layers of a network are given."""
    edges = normalised(_halved(jax.nn.relu(network.first(jnp.asarray(crops)))))
    parts = _halved(normalised(jax.nn.relu(network.second(edges))))
    return jax.nn.relu(network.wide(parts.reshape(*crops.shape[:-3], -1)))


def normalised(
    features: Float[Array, "*batch height width channels"],
) -> Float[Array, "*batch height width channels"]:
    """Local response normalisation, over four channels on either side."""
    channels = np.arange(features.shape[-1])
    near = np.abs(np.subtract.outer(channels, channels)) <= _REACH
    energy = jnp.square(features) @ near.astype(np.float32)
    return features * (1 + _ENERGY * energy) ** -_POWER


def _halved(features: Float[Array, "*batch height width channels"]) -> Array:
    """The maximum of three by three at every second pixel, with a zero beyond the far edges."""
    margins = [(0, 0)] * (features.ndim - 3) + [(0, 1), (0, 1), (0, 0)]
    return max_pool(jnp.pad(features, margins), (3, 3), (2, 2))
