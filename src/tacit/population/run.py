"""One run of a staged plan: round after round, from a root key, remembered on the way.

Round t draws from keys that are functions of the root key, a purpose and t. So whoever has the root
key plays the very same rounds again, from the first or from any that a checkpoint remembers.

Where rounds are short and nobody watches, many are played by one call: a call costs a millisecond,
and such a round a few microseconds. How many they are is decided by the clock, so that Ctrl-C and
checkpoints do not wait; it changes nothing of what comes out, for one program plays any number.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit.noise import keys
from tacit.population.checkpoint import Checkpoint
from tacit.population.cohorts import Cohorts
from tacit.population.loop import Cohort, Keys
from tacit.population.placement import placed, whole
from tacit.population.staged import Staged

SECONDS_BETWEEN_CHECKPOINTS = 2.0
SECONDS_OF_A_BLOCK = 0.5

Watch = Callable[[int, PyTree], None]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The rounds that a root key makes of a staged plan.

    Args:
      staged: what is played.
      name: under which a checkpoint knows it.
      root: the root key; of a grant, the one in its ledger.
      checkpoint: where progress is remembered.
    """

    staged: Staged
    name: str
    root: bytes
    checkpoint: Checkpoint | None

    def played(self, watch: Watch | None) -> tuple[PyTree, str | None]:
        """The final state, and the digest of the checkpoint that holds it.

        Args:
          watch: told the rounds done and the public state after each round. What it raises ends
            the run, which has remembered that round, if it has a checkpoint.
        """
        staged, last = self.staged, self.staged.plan.sums.rounds
        done, state, carry, digest = self._begun()
        seats, pace = Seats(staged.cohorts, self.root, done), Pace(watch, staged.cohorts.block)
        saved, play = time.monotonic(), None
        while done < last:
            many = min(pace.rounds, last - done)
            asked = seats.next(many), self.keys(done, many), np.int32(many)
            play = play or staged.rounds.ready(staged.data)
            state, carry, halted = pace.kept(play, state, carry, *asked)
            played, done = done + many, last if halted is not None and bool(halted) else done + many
            try:
                if watch is not None:
                    watch(played, state)
            except BaseException:
                self._saved(done, state, carry)
                raise
            if done == last or time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                digest, saved = self._saved(done, state, carry), time.monotonic()
        return state, digest

    def keys(self, start: int, many: int) -> Keys:
        """Those of a block that begins with round `start`; of rounds it does not play, any."""
        spare = [bytes(keys.KEY_BYTES)] * (self.staged.cohorts.block - many)

        def each(who: str) -> jax.Array:
            own = [keys.derive(self.root, who, t) for t in range(start, start + many)]
            return jax.device_put(keys.jax_keys([*own, *spare]), whole())

        return Keys(each("device"), each("server"), each("projection"))

    def _saved(self, done: int, state: PyTree, carry: PyTree) -> str | None:
        """The digest of the checkpoint that remembers this, if there is one."""
        if self.checkpoint is None:
            return None
        return self.checkpoint.save(self.name, done, state, carry, self._seal)

    def _begun(self) -> tuple[int, PyTree, PyTree, str | None]:
        """How many rounds are done, and what is left of them."""
        start = self.staged.rounds.start
        if self.checkpoint is None:
            return 0, *start, None
        done, state, carry, digest = self.checkpoint.load(self.name, *start, self._seal)
        return done, placed(state), placed(carry), digest

    @property
    def _seal(self) -> bytes:
        """What checkpoints are sealed with; gone with the root key."""
        return keys.derive(self.root, "checkpoint")


@final
class Seats:
    """The cohorts from some round on; those who are asked again keep their places."""

    def __init__(self, cohorts: Cohorts, root: bytes, start: int) -> None:
        self._cohorts, self._rows = cohorts, cohorts.rows(root, start)
        self._before: list[np.ndarray] = []

    def next(self, many: int) -> Cohort:
        """Of the next block, which plays so many rounds."""
        rows = list(islice(self._rows, many))
        if list(map(id, rows)) != list(map(id, self._before)):
            self._before, self._placed = rows, self._cohorts.seats(rows)
        return self._placed


@final
class Pace:
    """How many rounds the next call plays: one where somebody watches, else by the clock."""

    def __init__(self, watch: Watch | None, most: int) -> None:
        self.rounds, self._most = 1, 1 if watch is not None else most

    def kept(self, play: Callable, state: PyTree, carry: PyTree, *asked) -> tuple:
        """What `play` gives; where blocks may grow it is waited for, and timed."""
        start = time.monotonic()
        found = play(state, carry, *asked)
        if self._most > 1:
            jax.block_until_ready(found)
            each = (time.monotonic() - start) / self.rounds
            fitting = int(SECONDS_OF_A_BLOCK / max(each, 1e-9))
            self.rounds = max(1, min(fitting, self._most))
        return found
