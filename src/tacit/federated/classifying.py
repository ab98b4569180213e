"""Classifiers of people's records: the loss of a person, and the share of right answers."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PyTree

from tacit.models.losses import cross_entropy

Classifier = Callable[[Float[Array, "batch *image"]], Float[Array, "batch classes"]]
# Images that are classified side by side.
CHUNK = 1000


def person_loss(model: Classifier, person: PyTree) -> Float[Array, ""]:
    """The mean cross-entropy over the records a person has."""
    (images, labels), present = person
    return cross_entropy(model(images), labels, present)


def accuracy(
    model: Classifier,
    images: Float[np.ndarray, "examples *image"],
    labels: Int[np.ndarray, " examples"],
) -> float:
    """The share of `images` to which the model gives its own label the highest score.

    An image with a score that is NaN has no right answer: a model that diverged knows nothing.
    """
    right = sum(
        int(jnp.sum(_guess(model, images[i : i + CHUNK]) == labels[i : i + CHUNK]))
        for i in range(0, len(labels), CHUNK)
    )
    return right / len(labels)


@eqx.filter_jit
def _guess(model: Classifier, images: Float[Array | np.ndarray, "batch *image"]) -> Array:
    scores = model(jnp.asarray(images))
    return jnp.where(jnp.isnan(scores).any(axis=-1), -1, jnp.argmax(scores, axis=-1))
