"""A model learned from what is public, before anybody is asked.

Adam on the mean loss of a few records at a time, in an order of their own in every pass, at a rate
that falls along a cosine to nothing after the last step: where it stops then depends little on
which records came last. Nothing is clipped and nothing is noise, for nobody is in it. One seed
makes one model.

Records left over at the end of a pass, fewer than a batch, are left out, so that one program is
every step.

References: Kingma and Ba. Adam: a method for stochastic optimization. ICLR 2015. Loshchilov and
Hutter. SGDR: stochastic gradient descent with warm restarts. ICLR 2017 (the cosine).
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import equinox as eqx
import jax
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from tacit.argument import got, is_whole, refuse_not_positive
from tacit.features.chunks import Heard

Model = TypeVar("Model")
# Of a model on records: their mean.
RecordsLoss = Callable[[Any, PyTree], Float[Array, ""]]


def pretrained(
    model: Model,
    loss: RecordsLoss,
    records: PyTree[np.ndarray],
    epochs: int,
    batch: int,
    rate: float,
    seed: int = 0,
    heard: Heard = lambda: None,
) -> Model:
    """The model after so many passes over public records.

    Args:
      model: where it starts; its arrays of real numbers are learned.
      loss: of a model on a batch of records.
      records: arrays, each of a row for every record.
      epochs: passes.
      batch: records of a step.
      rate: of Adam, at the first step.
      seed: of the orders.
      heard: asked before every step; what it raises ends all.

    Raises:
      ValueError: if epochs, batch or rate is not positive, arrays disagree on how many records
        there are, or there is not a batch of them.
    """
    many = _refused(records, epochs, batch, rate)
    adam = optax.adam(optax.cosine_decay_schedule(rate, epochs * (many // batch)))
    arrays, rest = eqx.partition(model, eqx.is_inexact_array)

    @jax.jit
    def step(arrays, state, own):
        slope = jax.grad(lambda arrays: loss(eqx.combine(arrays, rest), own))(arrays)
        moved, state = adam.update(slope, state)
        return optax.apply_updates(arrays, moved), state

    state = adam.init(arrays)
    for rows in _orders(many, epochs, batch, seed):
        heard()
        arrays, state = step(arrays, state, jax.tree.map(lambda leaf, own=rows: leaf[own], records))
    return eqx.combine(arrays, rest)


def _orders(many: int, epochs: int, batch: int, seed: int) -> Iterator[Int[np.ndarray, " batch"]]:
    """The rows of every step."""
    draw = np.random.default_rng(seed)
    for _ in range(epochs):
        yield from draw.permutation(many)[: many // batch * batch].reshape(-1, batch)


def _refused(records: PyTree[np.ndarray], epochs: int, batch: int, rate: float) -> int:
    """How many records there are."""
    for name, number in {"epochs": epochs, "batch": batch}.items():
        if not (is_whole(number) and number >= 1):
            raise ValueError(f"{name} must be a whole number of at least 1, got {got(number)}")
    refuse_not_positive("rate", rate)
    rows = sorted({len(leaf) for leaf in jax.tree.leaves(records)})
    if len(rows) != 1:
        raise ValueError(f"records must be arrays of as many rows as each other, got {rows}")
    if not rows[0] >= batch:
        raise ValueError(f"batch must be at most the {rows[0]} records, got {batch}")
    return rows[0]
