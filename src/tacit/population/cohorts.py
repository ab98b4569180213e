"""Whom each round asks: drawn on the host from keys of their own, in chunks of one static shape.

Who takes part is the question's participation. Where a learner sums a chunk's terms itself and
people come or go, cohorts are in a secret uniform order besides, so that one who comes or goes
changes two chunks at most (`loop`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import jax
import numpy as np

from tacit.accounting.relation import Relation
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.loop import MOST_IN_A_SUM, Cohort
from tacit.population.placement import divided, whole
from tacit.question.participation import Everyone


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cohorts:
    """The cohorts of a plan among so many people.

    Args:
      plan: says who takes part when.
      people: how many there are; secret under add/remove.
      at_once: of one chunk, at most.
      summed: whether the learner sums a chunk's terms itself.
    """

    plan: Plan
    people: int
    at_once: int
    summed: bool

    @property
    def room(self) -> int:
        """The largest cohort."""
        return self.plan.sums.participation.capacity(self.people, self.plan.sums.rounds)

    @property
    def chunk(self) -> int:
        """How many are asked side by side, a multiple of the devices there are."""
        devices = jax.device_count()
        chunk = -(-min(self.room, self.at_once) // devices) * devices
        return chunk - devices if self.summed and chunk > MOST_IN_A_SUM else chunk

    @property
    def chunks(self) -> int:
        """How many a round has room for."""
        return -(-self.room // self.chunk)

    def drawn(self, root: bytes, start: int) -> Iterator[Cohort]:
        """Those of every round from `start` on."""
        return (self._in_chunks(rows[: self.room]) for rows in self.rows(root, start))

    def rows(self, root: bytes, start: int) -> Iterator[np.ndarray]:
        """The people of every round from `start` on, in the order in which they are asked."""

        def stream(index: int) -> np.random.Generator:
            return keys.numpy_generator(keys.derive(root, "participation", index))

        sums = self.plan.sums
        drawn = sums.participation.cohorts(stream, self.people, sums.rounds, start)
        return self._mixed(drawn, root, start) if self._mixes else drawn

    @property
    def _mixes(self) -> bool:
        comes_or_goes = any(g.relation is Relation.ADD_REMOVE for g in self.plan.guarantees)
        return comes_or_goes and self.summed

    def _mixed(self, drawn: Iterator[np.ndarray], root: bytes, start: int) -> Iterator[np.ndarray]:
        """In a secret uniform order; one for all rounds where everybody is in all."""
        everyone = isinstance(self.plan.sums.participation, Everyone)
        mixed = None
        for t, rows in enumerate(drawn, start):
            if mixed is None or not everyone:
                key = keys.derive(root, "order", 0 if everyone else t)
                # On the host: cohorts are of all sizes, and a compiled order would be of one.
                mixed = keys.numpy_generator(key).permutation(rows)
            yield mixed

    def _in_chunks(self, rows: np.ndarray) -> Cohort:
        """The people of each chunk spread over all devices there are."""
        places = self.chunks, self.chunk
        padded = np.zeros(self.chunks * self.chunk, np.int32)
        padded[: rows.size] = rows
        present = np.arange(padded.size) < rows.size
        return Cohort(
            jax.device_put(padded.reshape(places), divided()),
            jax.device_put(present.reshape(places), divided()),
            jax.device_put(np.int32(-(-rows.size // self.chunk)), whole()),
        )
