"""One run of a staged plan: round after round, from a root key, remembered on the way.

Round t draws from keys that are functions of the root key, a purpose and t. So whoever has the root
key plays the very same rounds again, from the first or from any that a checkpoint remembers.

Where rounds are short, many that nobody is told of are played by one call: a call costs a
millisecond, and such a round a few microseconds. How many they are is decided by the clock, so that
Ctrl-C and checkpoints do not wait; it changes nothing of what comes out, for one program plays any
number.
"""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import final

import jax
import numpy as np
from jaxtyping import Array, Bool, PyTree

from tacit.noise import keys
from tacit.population import hosts
from tacit.population.checkpoint import Checkpoint
from tacit.population.cohorts import Cohorts
from tacit.population.kept import KeptStates, Mark
from tacit.population.kind_of_run import KindOfRun
from tacit.population.loop import Cohort, Keys, halts
from tacit.population.placement import at_hand, laid, placed, whole
from tacit.population.staged import Staged
from tacit.population.watching import Watches, Watching

# What a crash costs at most, beside which a checkpoint of some milliseconds is nothing.
SECONDS_BETWEEN_CHECKPOINTS = 2.0
# How long rounds go on before whoever watches is told: half a second seems at once.
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
      mark: as of `KeptStates`.
    """

    staged: Staged
    name: str
    root: bytes
    checkpoint: Checkpoint | None
    mark: Mark | None = None

    @property
    def kind(self) -> KindOfRun:
        """Whose checkpoints it goes on from; an ended simulation can be gone on with."""
        return KindOfRun.of(self.name)

    def played(self, watching: Watching | None) -> tuple[PyTree, str | None]:
        """The final state, and the digest of the checkpoint that holds it.

        Args:
          watching: who is told the rounds done and the public state (`population.watching`). What
            they raise ends the run, which has remembered that round, if it has a checkpoint.
        """
        staged, play = self.staged, None
        kept = KeptStates(self.name, self.kind.seal(self.root), self.checkpoint, self.mark)
        done, state, carry = self._begun(kept)
        seats, course = Seats(staged.cohorts, self.root, done), Course(self, watching, kept)
        many = hosts.number(functools.partial(course.begun, done, state, carry))
        while many:
            with hosts.in_step():
                asked = seats.next(many), self.keys(done, many), np.int32(many)
                play = play or staged.rounds.ready(staged.data, self.number)
                state, carry, halted = course.pace.kept(play, many, state, carry, *asked)
            done += many
            many = hosts.number(functools.partial(course.after, done, state, carry, halted))
        return at_hand(state), kept.digest

    def keys(self, start: int, many: int) -> Keys:
        """Those of a block that begins with round `start`; of rounds it does not play, any."""
        return keys_of([self.root], range(start, start + many), self.staged.cohorts.block)

    @property
    def number(self) -> bytes:
        """The run's own, of 256 bits, which all may know."""
        return keys.derive(self.root, "run")

    def _begun(self, kept: KeptStates) -> tuple[int, PyTree, PyTree]:
        """How many rounds are done, and what is left of them."""
        start = self.staged.rounds.start
        # The first process alone has a checkpoint.
        left = hosts.together(lambda: kept.begun(start) if hosts.first() else (0, *start))
        done = hosts.number(lambda: left[0])
        return (done, *(placed(hosts.shared(left[1:])) if done else start))


def keys_of(roots: Sequence[bytes], rounds: range, *axes: int) -> Keys:
    """The keys of a block of these rounds, of every root, in arrays of these axes.

    The last axis has places for rounds that are not played; their keys are zero.
    """
    spare = [bytes(keys.KEY_BYTES)] * (axes[-1] - len(rounds))

    def each(who: str) -> jax.Array:
        own = chain.from_iterable([*keys.derive_each(root, who, rounds), *spare] for root in roots)
        return laid(keys.jax_keys([*own], *axes), whole())

    return Keys(each("device"), each("server"), each("projection"))


@final
class Course:
    """What happens between two blocks, in the first process alone: whoever watches is told, the
    state is kept, and it is decided how many rounds are played next.

    Args:
      run: what is played.
      watching: as of `Run.played`.
      kept: what it begins with.
    """

    def __init__(self, run: Run, watching: Watching | None, kept: KeptStates) -> None:
        self._run, self._last, self._kept = run, run.staged.plan.sums.rounds, kept
        self._watches = Watches(watching, self._last)
        self._saved = time.monotonic()
        self.pace = Pace(self._most())

    def begun(self, played: int, state: PyTree, carry: PyTree) -> int:
        """How many rounds the first block plays, where so many are done."""
        if self._kept.untold and 0 < played < self._last:
            # Whoever was not told of it, or asked it to be the last, died with the process.
            return self.after(played, state, carry, None)
        return self.next(played)

    def next(self, played: int) -> int:
        """How many rounds the next block plays, after so many; 0 if there are no more."""
        return min(self.pace.rounds, self._watches.until(played)) if played < self._last else 0

    def after(
        self, played: int, state: PyTree, carry: PyTree, halted: Bool[Array, ""] | None
    ) -> int:
        """The same after a block, which is kept and told of; what watches raise ends it."""
        over = played == self._last or (halted is not None and bool(halted))
        if self._kept.untold:
            self._save(played, over, state, carry)
        ended = self._told(played, over, state, carry)
        if self._due(ended, over):
            self._save(played, ended, state, carry)
        if ended:
            self._watches.ended(played)
        return 0 if ended else self.next(played)

    def _told(self, played: int, over: bool, state: PyTree, carry: PyTree) -> bool:
        """Tells whoever watches; whether the run is over."""
        try:
            return self._watches.told(played, at_hand(state), over)
        except BaseException:
            if not self._kept.untold:
                self._save(played, over, state, carry)
            raise

    def _due(self, ended: bool, over: bool) -> bool:
        """Whether the state is to be kept after it was told of."""
        if self._kept.untold:
            return ended and not over
        return ended or time.monotonic() - self._saved > SECONDS_BETWEEN_CHECKPOINTS

    def _save(self, played: int, over: bool, state: PyTree, carry: PyTree) -> None:
        # A grant that is over is closed, and none of its other rounds is ever played.
        closes = over and self._run.kind is KindOfRun.GRANT
        self._kept.save(self._last if closes else played, state, carry)
        self._saved = time.monotonic()

    def _most(self) -> int:
        """How many rounds one call may play: whoever is told of some is told how many they are."""
        told = self._watches.closely or (self._watches and halts(self._run.staged.plan))
        return 1 if told or self._kept.untold else self._run.staged.cohorts.block


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
