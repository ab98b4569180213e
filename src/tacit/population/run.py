"""One run of a staged plan: round after round, from a root key, remembered on the way.

Round t draws from keys that are functions of the root key, a purpose and t. So whoever has the root
key plays the very same rounds again, from the first or from any that a checkpoint remembers.

Where rounds are short, many that nobody is told of are played by one call: a call costs a
millisecond, and such a round a few microseconds. How many they are is decided by the clock, so that
Ctrl-C and checkpoints do not wait; it changes nothing of what comes out, for one program plays any
number.
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
from tacit.population.loop import Cohort, Keys, halts
from tacit.population.placement import placed, whole
from tacit.population.staged import Staged
from tacit.population.watching import Watches, Watching

SECONDS_BETWEEN_CHECKPOINTS = 2.0
SECONDS_OF_A_BLOCK = 0.5


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

    def played(self, watching: Watching | None) -> tuple[PyTree, str | None]:
        """The final state, and the digest of the checkpoint that holds it.

        Args:
          watching: who is told the rounds done and the public state (`population.watching`). What
            they raise ends the run, which has remembered that round, if it has a checkpoint.
        """
        staged, last = self.staged, self.staged.plan.sums.rounds
        watches = Watches(watching, last)
        done, state, carry, digest = self._begun()
        seats, pace = Seats(staged.cohorts, self.root, done), Pace(self._most(watches))
        saved, play = time.monotonic(), None
        while done < last:
            many = min(pace.rounds, watches.until(done))
            asked = seats.next(many), self.keys(done, many), np.int32(many)
            play = play or staged.rounds.ready(staged.data)
            state, carry, halted = pace.kept(play, many, state, carry, *asked)
            played, over = done + many, halted is not None and bool(halted)
            done = last if over else played
            try:
                done = last if watches.told(played, state, over or done == last) else played
            except BaseException:
                self._saved(done, state, carry)
                raise
            if done == last or time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                digest, saved = self._saved(done, state, carry), time.monotonic()
            if done == last:
                watches.ended(played)
        return state, digest

    def _most(self, watches: Watches) -> int:
        """How many rounds one call may play: whoever is told of some is told how many they are."""
        alone = watches.closely or (watches and halts(self.staged.plan))
        return 1 if alone else self.staged.cohorts.block

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
    """How many rounds the next call plays: by the clock, and no more than are allowed."""

    def __init__(self, most: int) -> None:
        self.rounds, self._most = 1, most

    def kept(self, play: Callable, many: int, *called: PyTree) -> tuple:
        """What `play` gives for so many rounds; where blocks may grow it is waited for, timed."""
        start = time.monotonic()
        found = play(*called)
        if self._most > 1:
            jax.block_until_ready(found)
            each = (time.monotonic() - start) / many
            fitting = int(SECONDS_OF_A_BLOCK / max(each, 1e-9))
            self.rounds = max(1, min(fitting, self._most))
        return found
