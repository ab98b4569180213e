"""Whom each round asks: drawn on the host from keys of their own, in chunks of one static shape.

Who takes part is the question's participation. Where a learner sums a chunk's terms itself and
people come or go, cohorts are in a secret uniform order besides, so that one who comes or goes
changes two chunks at most (step 2 of `summing`).

**Chunks of a public size.**

1. A program that is compiled for another size of chunk may round terms in another way. If the size
   followed the secret number of people, one who comes could change everybody's last digits, and
   with them the grid point that each is rounded to.
2. So where people come or go, chunks are as large as the declared number asks for, whoever is
   there, in full `LANES` if they are longer than one.
3. They are always in a loop, as a single one would be compiled without it: so there are two at
   least. How many there are follows from who is there, and is nothing to the program of each.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import jax
import numpy as np

from tacit.accounting.relation import Relation
from tacit.noise import keys
from tacit.plan import Gather, Plan
from tacit.population.loop import Cohort
from tacit.population.placement import divided, laid, roomy, whole
from tacit.population.summing import MOST_IN_A_SUM
from tacit.question.participation import Everyone

# Rounds of a block, and the most numbers that the terms of one have that is played in a block.
MOST_ROUNDS = 256
SHORT_ROUND = 2**16
# A multiple of what a processor works on at once: no place of a chunk is a remainder.
LANES = 64


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cohorts:
    """The cohorts of a plan among so many people.

    Args:
      plan: says who takes part when.
      people: how many there are; secret under add/remove.
      at_once: people of one chunk at most, but for its last one on each device; at least as many as
        there are devices where the learner sums.
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
        most = self.at_once if self._gathers else self._side_by_side
        chunk = -(-most // devices) * devices
        return chunk - devices if self.summed and chunk > MOST_IN_A_SUM else chunk

    @property
    def _side_by_side(self) -> int:
        """As many as a round has, or as are declared, if so many may be: step 2."""
        if not self._comes_or_goes:
            return min(self._public_room, self.at_once)
        most = min(-(-self._public_room // LANES) * LANES, self.at_once)
        return most - most % LANES if most > LANES else most

    @property
    def _public_room(self) -> int:
        """Of the largest cohort; of that of the declared people where who is there is a secret."""
        sums = self.plan.sums
        people = sums.people if self._comes_or_goes else self.people
        return roomy(sums.participation.capacity(people, sums.rounds))

    @property
    def chunks(self) -> int:
        """How many a round has room for; at least two where people come or go: step 3."""
        chunks = -(-(self.room if self._gathers else roomy(self.room)) // self.chunk)
        return max(2, chunks) if self._comes_or_goes and not self._gathers else chunks

    @property
    def _gathers(self) -> bool:
        return isinstance(self.plan.collect, Gather)

    @property
    def block(self) -> int:
        """How many rounds one program plays at most: many, where a call costs more than a round.

        Beyond one it does not follow the number of rounds: another one is no other program. Nor
        does it follow a secret number of people, as step 1 has it.
        """
        sums = self.plan.sums
        if self._gathers or sums.rounds == 1:
            return 1
        numbers = self._public_room * math.prod(sums.contribution.shape)
        return MOST_ROUNDS if numbers <= SHORT_ROUND else 1

    def seats(self, rounds: Sequence[np.ndarray]) -> Cohort:
        """The cohorts of a block that begins with these, the people of each chunk spread over all
        devices there are.
        """
        rows = np.zeros((self.block, self.chunks * self.chunk), np.int32)
        sizes = np.zeros((self.block, 1), np.int32)
        for t, asked in enumerate(rounds):
            rows[t, : asked.size], sizes[t] = asked, asked.size
        places = self.block, self.chunks, self.chunk
        present = np.arange(rows.shape[1]) < sizes
        return Cohort(
            laid(rows.reshape(places), divided()),
            laid(present.reshape(places), divided()),
            laid(-(-sizes[:, 0] // self.chunk), whole()),
        )

    def rows(self, root: bytes, start: int) -> Iterator[np.ndarray]:
        """The people of every round from `start` on, in the order in which they are asked.

        Args:
          root: the root key of the run; whom a round asks, and in which order, follow from it.
        """

        def stream(index: int) -> np.random.Generator:
            return keys.numpy_generator(keys.derive(root, "participation", index))

        sums = self.plan.sums
        drawn = sums.participation.cohorts(stream, self.people, sums.rounds, start)
        return self._mixed(drawn, root, start) if self._mixes else drawn

    @property
    def _comes_or_goes(self) -> bool:
        return any(g.relation is Relation.ADD_REMOVE for g in self.plan.guarantees)

    @property
    def _mixes(self) -> bool:
        return self._comes_or_goes and self.summed

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
