"""How well a public model does for each person, once their device has learnt from their records.

A model that is right on average may be wrong about many. Here each of some held-out people divides
their records: from one part their device takes a few local steps from the public model, on the
other it is judged, before and after. What is looked at is the spread over people: the median, the
worst tenth.

**What it costs.** A model that a device adapts and keeps is released to nobody. Numbers of single
people are as private as their records, and their quantiles are a release: this is for people whose
data are public or who consented, as `tacit.learning.evaluation` is.

References:
    Wang, Mathews, Kiddon, Eichner, Beaufays, Ramage. Federated evaluation of on-device
        personalization. 2019.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from tacit.argument import got, is_number
from tacit.federated.training import Loss
from tacit.federated.updates import Update
from tacit.learning.evaluation import Measure


class Divided(NamedTuple):
    """One person's records in two parts of the person's own form, and whether both hold some."""

    learnt: PyTree
    judged: PyTree
    counts: Bool[Array, ""]


def every_other(person: PyTree) -> Divided:
    """Of a pair of records and marks: the first, third, fifth record that is held, and the others.

    | records held | |
    | --- | --- |
    | none, or one | does not count |
    | more | one half, rounded up, to learn from |
    """
    records, present = person
    first = present & (jnp.cumsum(present) % 2 == 1)
    second = present & ~first
    return Divided((records, first), (records, second), jnp.any(second))


@final
class Spread(NamedTuple):
    """A number of each person who counts, in the same order, before and after the local steps."""

    before: Float[np.ndarray, " people"]
    after: Float[np.ndarray, " people"]


@final
class Personalised:
    """Judges a model by each person, before and after it has learnt from them.

    Args:
      loss: what local steps descend: of a model on a person's records.
      update: the local steps; one of the rules of `tacit.federated`.
      each: a number of a model and a person's records, smaller where it does better.
      divided: which records a person learns from and is judged on.
    """

    def __init__(
        self,
        loss: Loss,
        update: Update,
        each: Callable[[Any, PyTree], Float[Array, ""]],
        divided: Callable[[PyTree], Divided] = every_other,
    ) -> None:
        self._loss, self._update, self._each, self._divided = loss, update, each, divided
        self._judged = eqx.filter_jit(jax.vmap(self._one, in_axes=(None, 0)))

    def __call__(self, model: Any, people: PyTree) -> Spread:
        """The numbers of all these people who count."""
        before, after, counts = (np.asarray(found) for found in self._judged(model, people))
        return Spread(before[counts], after[counts])

    def quantile(self, share: float) -> Measure:
        """The number that this share of people is at or below, after the local steps.

        A model that no longer has a number for somebody is worse for them than any.

        Raises:
          ValueError: if `share` is not within [0, 1]; while measuring, if nobody counts.
        """
        if not (is_number(share) and 0 <= share <= 1):
            raise ValueError(f"a share of people must be from 0 to 1, got {got(share)}")

        def measure(model: Any, people: PyTree) -> float:
            after = self(model, people).after
            if after.size == 0:
                raise ValueError("at least one person must have records to learn from and others")
            worst = np.where(np.isnan(after), np.inf, after)
            return float(np.quantile(worst, share, method="inverted_cdf"))

        return measure

    def _one(self, model: Any, person: PyTree) -> tuple[Array, Array, Array]:
        learnt, judged, counts = self._divided(person)
        arrays, rest = eqx.partition(model, eqx.is_inexact_array)

        def loss(arrays, records):
            return self._loss(eqx.combine(arrays, rest), records)

        way = self._update(jax.grad(loss), arrays, learnt)
        own = jax.tree.map(lambda x, step: x - self._update.rate * step, arrays, way)
        return self._each(model, judged), self._each(eqx.combine(own, rest), judged), counts
