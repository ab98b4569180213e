"""Gradient inversion: a picture whose update points as what was sent does.

The model is public, and so is the rule that makes an update of a picture. The onlooker looks for
pixels that maximise the cosine of the two, less `smoothness` times the picture's total variation,
by Adam from a random start, each step cut to [0, 1]. It needs no dense layer at the input, no
knowledge of lengths (clipping changes nothing), and stops at a local maximum: that it does not
succeed proves nothing. That it does not succeed on a plain update would prove that it is no attack.

| what is not known | what is done |
| --- | --- |
| the label, of a plain update | read: `label_of` the last layer's bias |
| the label, of a noisy one | every label is tried, and the best cosine is kept |
| where to start | several starts: a label more than once |

A search is a function of its key. People are searched for `abreast` at a time: convolutions of many
models in a loop are slow on CPUs.

References:
    Geiping, Bauermeister, Dröge, Moeller (2020), "Inverting gradients: how easy is it to break
    privacy in federated learning?", equation (4).
    Zhu, Liu, Han (2019), "Deep leakage from gradients".
    Zhao, Mopuri, Bilen (2020), "iDLG: improved deep leakage from gradients", for the label.
"""

from collections.abc import Callable
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tacit.argument import got, is_number, is_whole, listed, refuse_not_positive

# Of a picture and a label, what a device would send.
PictureUpdate = Callable[[Float[Array, "..."], Int[Array, ""]], Float[Array, " dim"]]


class Inverted(NamedTuple):
    """The picture that was found, the label it was found with, and its update's cosine."""

    picture: Float[Array, "..."]
    label: Int[Array, ""]
    cosine: Float[Array, ""]


@final
class Inversion(eqx.Module):
    """How a picture is searched for.

    Args:
      shape: of a picture, height and width first.
      steps: of Adam.
      rate: of the first step, in parts of black and white; it falls to zero along a cosine.
      smoothness: how much of a cosine one unit of mean absolute slope between pixels is worth.
      abreast: how many people at once.
    """

    shape: tuple[int, ...] = eqx.field(static=True)
    steps: int = eqx.field(static=True, default=300)
    rate: float = 0.1
    smoothness: float = 0.0
    abreast: int = eqx.field(static=True, default=1)

    def __check_init__(self):
        if not len(listed(self.shape) or ()) >= 2:
            raise ValueError(f"a picture has a height and a width, got shape {self.shape}")
        for name in ("steps", "abreast"):
            value = getattr(self, name)
            if not (is_whole(value) and value >= 1):
                raise ValueError(f"{name} must be a whole number from 1 on, got {got(value)}")
        refuse_not_positive("rate", self.rate)
        if not (is_number(self.smoothness) and self.smoothness >= 0):
            raise ValueError(f"smoothness must be at least zero, got {got(self.smoothness)}")

    @eqx.filter_jit
    def __call__(
        self,
        key: PRNGKeyArray,
        sent: Float[Array, "people dim"],
        labels: Int[Array, "people tries"],
        update: PictureUpdate,
    ) -> Inverted:
        """The best of all tries for each person.

        Args:
          key: of the starts.
          sent: what was seen of each person.
          labels: which labels to try; twice the same is two starts.
          update: what a device would send of a picture.
        """
        people, tries = labels.shape

        def person(seen: tuple[PRNGKeyArray, Array, Array]) -> Inverted:
            keys, vector, own = seen
            unit = vector / jnp.linalg.norm(vector)
            tried = keys, own
            found = jax.lax.map(lambda one: self._search(one[0], one[1], unit, update), tried)
            best = jnp.argmax(jnp.where(jnp.isnan(found.cosine), -jnp.inf, found.cosine))
            return jax.tree.map(lambda leaf: leaf[best], found)

        everyone = jax.random.split(key, (people, tries)), sent, labels
        return jax.lax.map(person, everyone, batch_size=self.abreast)

    def _search(
        self,
        key: PRNGKeyArray,
        label: Int[Array, ""],
        unit: Float[Array, " dim"],
        update: PictureUpdate,
    ) -> Inverted:
        def cost(picture: Array) -> Array:
            return self.smoothness * _variation(picture) - _cosine(update(picture, label), unit)

        def step(_, here: tuple[Array, optax.OptState]) -> tuple[Array, optax.OptState]:
            picture, memory = here
            move, memory = adam.update(jax.grad(cost)(picture), memory)
            return jnp.clip(picture + jnp.asarray(move), 0.0, 1.0), memory

        adam = optax.adam(optax.cosine_decay_schedule(self.rate, self.steps))
        start = jax.random.uniform(key, self.shape)
        picture, _ = jax.lax.fori_loop(0, self.steps, step, (start, adam.init(start)))
        return Inverted(picture, label, _cosine(update(picture, label), unit))


def label_of(bias: Float[Array, " classes"]) -> Int[Array, ""]:
    """The label of a plain gradient of softmax cross-entropy, from the last layer's bias.

    That gradient is the class's probability, less one for the label: it alone is negative. Noise
    may hide it.
    """
    return jnp.argmin(bias)


def _cosine(vector: Float[Array, " dim"], unit: Float[Array, " dim"]) -> Float[Array, ""]:
    # A picture without any update has cosine zero, and a finite slope.
    return vector @ unit * jax.lax.rsqrt(jnp.maximum(vector @ vector, 1e-30))


def _variation(picture: Float[Array, "..."]) -> Float[Array, ""]:
    """The mean absolute difference of neighbours, down and across."""
    return sum((jnp.mean(jnp.abs(jnp.diff(picture, axis=axis))) for axis in (0, 1)), jnp.float32(0))
