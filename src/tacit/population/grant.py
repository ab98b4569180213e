"""A grant: the licence to run one plan with one learner on one population, once.

The charge is in the ledger before a grant exists, and with it the root key of all its
randomness. Round t draws from keys that are functions of the root key, a purpose and t, so a
run that dies and resumes repeats the same releases and is charged once. When the last round
is out, the root key is erased from the ledger, and the un-noised sums are out of anybody's
reach.

A grant runs once: `run` takes its key, and there is no second. To go on after a run that died, the
population is asked for the grant again by its name, and checks again that nothing has changed. What
cannot be checked is not repeated: a fit of a function of blocks has its key erased as it starts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

import jax
from jaxtyping import PyTree

from tacit.ledger.ledger import Ledger
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.checkpoint import Checkpoint
from tacit.population.cohorts import Cohorts
from tacit.population.loop import Keys
from tacit.population.placement import placed, whole
from tacit.population.release import Release
from tacit.population.rounds import Rounds

SECONDS_BETWEEN_CHECKPOINTS = 2.0

Watch = Callable[[int, PyTree], None]


@final
class OneKey:
    """A root key that is taken once, and is never copied, pickled or printed."""

    def __init__(self, root: bytes) -> None:
        self._held = [root]

    def taken(self) -> bytes:
        """The key; afterwards it is gone.

        Raises:
          ValueError: if it was taken before.
        """
        try:
            return self._held.pop()
        except IndexError:
            raise ValueError(
                "a grant runs once: ask the population for it again by its name to go on with a "
                "run that was cut off, or for a new one"
            ) from None

    def __reduce__(self):
        raise TypeError("a grant's key cannot be copied; ask the population for the grant again")


@final
@dataclass(frozen=True, eq=False)
class Grant:
    """Charged and ready; `run` plays the rounds.

    Args:
      name: under which the ledger knows it.
      plan: what is released.
      rounds: what is played; the learner itself is not kept.
      cohorts: whom each round asks.
      private: False if a seed made the key.
      checkpoint: where progress is remembered.
    """

    name: str
    plan: Plan
    rounds: Rounds = field(repr=False)
    cohorts: Cohorts = field(repr=False)
    data: PyTree = field(repr=False)
    ledger: Ledger = field(repr=False)
    private: bool
    checkpoint: Checkpoint | None
    key: OneKey = field(repr=False)

    def run(self, *, watch: Watch = lambda rounds, state: None) -> Release:
        """Plays every round that is not done yet and closes the grant.

        Args:
          watch: told the rounds done and the public state after each round. What it raises ends
            the run, which then has remembered that round.

        Raises:
          ValueError: if this grant ran before.
          LedgerError: if the ledger cannot be written; then nothing is handed over.
          CheckpointError: if there is a checkpoint that is not this grant's, or it cannot be
            written.
        """
        run = _Run(self, self.key.taken())
        if not self.rounds.repeatable:
            self.ledger.erase(self.name)
        state, released = run.played(watch)
        self.ledger.close(self.name, released)
        return Release(self.name, self.plan, state, self.private and self.plan.private)


@final
@dataclass(frozen=True, eq=False, repr=False)
class _Run:
    """The one run of a grant, which alone holds its key."""

    grant: Grant
    root: bytes

    def played(self, watch: Watch) -> tuple[PyTree, str | None]:
        """The final state, and the digest of the checkpoint that holds it."""
        grant, last = self.grant, self.grant.plan.sums.rounds
        done, state, carry, digest = self._begun()
        asked = grant.cohorts.drawn(self.root, done)
        saved, play = time.monotonic(), None
        while done < last:
            cohort, pair = next(asked), self._keys(done)
            play = play or grant.rounds.ready(grant.data)
            state, carry, halted = play(state, carry, cohort, pair)
            played, done = done + 1, last if halted is not None and bool(halted) else done + 1
            try:
                watch(played, state)
            except BaseException:
                self._saved(done, state, carry)
                raise
            if done == last or time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                digest, saved = self._saved(done, state, carry), time.monotonic()
        return state, digest

    def _saved(self, done: int, state: PyTree, carry: PyTree) -> str | None:
        """The digest of the checkpoint that remembers this, if there is one."""
        if self.grant.checkpoint is None:
            return None
        return self.grant.checkpoint.save(self.grant.name, done, state, carry, self._seal)

    def _begun(self) -> tuple[int, PyTree, PyTree, str | None]:
        """How many rounds are done, and what is left of them."""
        start = self.grant.rounds.start
        if self.grant.checkpoint is None:
            return 0, *start, None
        done, state, carry, digest = self.grant.checkpoint.load(self.grant.name, *start, self._seal)
        return done, placed(state), placed(carry), digest

    def _keys(self, t: int) -> Keys:
        made = (keys.jax_key(keys.derive(self.root, who, t)) for who in ("device", "server"))
        return Keys(*(jax.device_put(key, whole()) for key in made))

    @property
    def _seal(self) -> bytes:
        """What checkpoints are sealed with; gone with the root key."""
        return keys.derive(self.root, "checkpoint")
