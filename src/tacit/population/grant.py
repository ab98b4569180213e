"""A grant: the licence to run one plan with one learner on one population, once.

The charge is in the ledger before a grant exists, and with it the root key of all its
randomness. Round t draws from keys that are functions of the root key, a purpose and t, so a
run that dies and resumes repeats the same releases and is charged once. When the last round
is out, the root key is erased from the ledger, and the un-noised sums are out of anybody's
reach.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import PyTree

from tacit.accounting import receipt
from tacit.accounting.ledger import Ledger
from tacit.accounting.relation import Relation
from tacit.noise import keys
from tacit.participation import Everyone
from tacit.plan import Plan
from tacit.population.checkpoint import Checkpoint
from tacit.population.loop import MOST_IN_A_SUM, Cohort, Keys, Learner, Parts, round_of, summing
from tacit.record import plain, versions

SECONDS_BETWEEN_CHECKPOINTS = 2.0


@final
@dataclass(frozen=True)
class Release:
    """What a finished run hands over: the learner's final state, all of it public."""

    grant: str
    plan: Plan
    state: PyTree
    private: bool

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise of this release."""
        claims = [
            receipt.Claim(
                observer=promise.observer,
                unit=promise.unit,
                relation=promise.relation,
                event=promise.event,
                epsilon=promise.epsilon,
                delta=promise.delta,
                accountant=promise.accountant,
                spill=promise.spill,
            )
            for promise in self.plan.guarantees
        ]
        return receipt.make(claims, plain(self.plan), versions(), self.private)


@final
@dataclass(frozen=True, eq=False)
class Grant:
    """Charged and ready; `run` plays the rounds."""

    name: str
    plan: Plan
    learner: Learner
    data: PyTree = field(repr=False)
    ledger: Ledger = field(repr=False)
    root_key: bytes | None = field(repr=False)
    at_once: int
    private: bool

    def run(
        self,
        *,
        watch: Callable[[int, PyTree], None] = lambda rounds, state: None,
        checkpoint: Checkpoint | None = None,
    ) -> Release:
        """Plays every round that is not done yet and closes the grant.

        Args:
          watch: told the rounds done and the public state after each round.
          checkpoint: where to remember progress; without it a dead run starts at round 0, with
            the same noise.

        Raises:
          ValueError: if the grant was closed before and its checkpoint is lost.
        """
        plan, rounds = self.plan, self.plan.sums.rounds
        fresh = self.learner.init(), plan.server.init()
        found = checkpoint.load(self.name, *fresh, self._seal) if checkpoint else (0, *fresh)
        done, state, carry = found
        if done < rounds:
            state = self._play(done, state, carry, watch, checkpoint)
        self.ledger.close(self.name)
        return Release(self.name, plan, state, self.private and plan.private)

    def _play(self, done, state, carry, watch, checkpoint) -> PyTree:
        parts, play, saved = Parts.of(self.plan), round_of(self.plan), time.monotonic()
        for t, cohort in enumerate(self._cohorts(done), start=done):
            state, carry, halted = play(
                self.learner, parts, state, carry, self.data, cohort, self._keys(t)
            )
            ended = halted is not None and bool(halted)
            done = self.plan.sums.rounds if ended else t + 1
            watch(t + 1, state)
            last = done == self.plan.sums.rounds
            if checkpoint and (last or time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS):
                checkpoint.save(self.name, done, state, carry, self._seal_of(self._root))
                saved = time.monotonic()
            if ended:
                break
        return state

    def _keys(self, t: int) -> Keys:
        return Keys(
            keys.jax_key(keys.derive(self._root, "device", t)),
            keys.jax_key(keys.derive(self._root, "server", t)),
        )

    def _cohorts(self, start: int) -> Iterator[Cohort]:
        """Every round's cohort in chunks of one static shape."""
        question, people = self.plan.sums, jax.tree.leaves(self.data)[0].shape[0]
        room = question.participation.capacity(people, question.rounds)
        drawn = question.participation.cohorts(self._stream, people, question.rounds, start)
        if self._mixes:
            drawn = self._mixed(drawn, start)
        devices = jax.device_count()
        chunk = -(-min(room, self.at_once) // devices) * devices
        if chunk > MOST_IN_A_SUM and summing(self.plan, self.learner) is not None:
            chunk -= devices
        return (_in_chunks(rows[:room], room, chunk) for rows in drawn)

    @property
    def _mixes(self) -> bool:
        """Whether who is in whose chunk must not depend on who else is there."""
        comes_or_goes = any(g.relation is Relation.ADD_REMOVE for g in self.plan.guarantees)
        return comes_or_goes and summing(self.plan, self.learner) is not None

    def _mixed(self, drawn: Iterator[np.ndarray], start: int) -> Iterator[np.ndarray]:
        """Cohorts in a secret uniform order; one for all rounds where everybody is in all."""

        everyone = isinstance(self.plan.sums.participation, Everyone)
        mixed = None
        for t, rows in enumerate(drawn, start):
            if mixed is None or not everyone:
                key = keys.derive(self._root, "order", 0 if everyone else t)
                # On the host: cohorts are of all sizes, and a compiled order would be of one.
                mixed = keys.numpy_generator(key).permutation(rows)
            yield mixed

    def _stream(self, index: int) -> np.random.Generator:
        return keys.numpy_generator(keys.derive(self._root, "participation", index))

    @property
    def _seal(self) -> bytes | None:
        """What checkpoints are sealed with; gone with the root key."""
        return None if self.root_key is None else self._seal_of(self.root_key)

    @staticmethod
    def _seal_of(root: bytes) -> bytes:
        return keys.derive(root, "checkpoint")

    @property
    def _root(self) -> bytes:
        if self.root_key is None:
            raise ValueError(f"grant {self.name} is closed and its key erased; ask for a new grant")
        return self.root_key


def _in_chunks(rows: np.ndarray, room: int, chunk: int) -> Cohort:
    """Rows in chunks, the people of each chunk spread over all devices there are."""
    chunks = -(-room // chunk)
    padded = np.zeros(chunks * chunk, np.int32)
    padded[: rows.size] = rows
    present = np.arange(chunks * chunk) < rows.size
    return Cohort(
        jax.device_put(padded.reshape(chunks, chunk), spread(None, "people")),
        jax.device_put(present.reshape(chunks, chunk), spread(None, "people")),
        jax.device_put(np.int32(-(-rows.size // chunk)), spread()),
    )


def spread(*axes: str | None) -> NamedSharding:
    """How an array lies on the devices: the axis called "people" divided, others whole on each."""
    return NamedSharding(Mesh(np.array(jax.devices()), ("people",)), PartitionSpec(*axes))
