"""Classifiers of people's records: the loss of a person, and the share of right answers."""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PyTree, Shaped

from tacit.features.chunks import in_chunks
from tacit.models.losses import cross_entropy

Classifier = Callable[[Shaped[Array, "batch ..."]], Float[Array, "batch *places classes"]]
# Records that are classified side by side.
CHUNK = 1000


def person_loss(model: Classifier, person: PyTree) -> Float[Array, ""]:
    """The mean cross-entropy over the records a person has."""
    (images, labels), present = person
    return cross_entropy(model(images), labels, present)


def person_right(model: Classifier, person: PyTree) -> Float[Array, ""]:
    """The share of a person's records that the model gets right; of none, 0."""
    (inputs, labels), present = person
    right = present & (_guesses(model, inputs) == labels)
    return jnp.sum(right) / jnp.maximum(1, jnp.sum(present))


def places_loss(model: Classifier, person: PyTree) -> Float[Array, ""]:
    """The mean cross-entropy over all places of a person's records whose label is not negative."""
    (inputs, labels), present = person
    scores, there = model(inputs), present[:, None] & (labels >= 0)
    return cross_entropy(
        scores.reshape(-1, scores.shape[-1]), labels.reshape(-1), there.reshape(-1)
    )


def accuracy(
    model: Classifier,
    inputs: Shaped[np.ndarray, "records ..."],
    labels: Int[np.ndarray, "records *places"],
) -> float:
    """The share of labels to which the model gives the highest score of all.

    | case | result |
    | --- | --- |
    | a score that is NaN, for a model that diverged knows nothing | not right |
    | a negative label: nothing is there | not counted |
    """
    guesses, there = in_chunks(partial(_guess, model), inputs, CHUNK), labels >= 0
    return float(np.mean(guesses[there] == labels[there]))


def _guesses(model: Classifier, inputs: Shaped[Array | np.ndarray, "batch ..."]) -> Array:
    scores = model(jnp.asarray(inputs))
    return jnp.where(jnp.isnan(scores).any(axis=-1), -1, jnp.argmax(scores, axis=-1))


_guess = eqx.filter_jit(_guesses)
