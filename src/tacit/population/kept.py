"""What a run keeps of itself on the way, and from which of its states it may be gone on with.

| of a run that died | for | is | a state is kept |
| --- | --- | --- | --- |
| any round may be played again | its sums are the same | `ANY` | now and then |
| the rounds after the last kept one | others may answer the second time | `REST` | of each |
| none | what a function of the host does cannot be told | `NONE` | now and then |

**One noise, one sum.** Where sums may differ the second time, the noise of a round must not come to
two of them that anybody sees: their difference would have none. Two sums of one round may be made,
when a server dies in between; so a state is kept, and *marked* in the ledger, before anybody has
heard of it, be it a watch, a device that is asked the next round, or whoever is handed the release.
A mark is the digest of the last state that was kept. The ledger takes a new one only in exchange
for the one before, in one transaction: of two states of one round one is marked, and the other
never heard of. A file that names the marked one as the one before it was written by a run that died
before its mark, of which nobody has heard either; it is marked when the run is gone on with. Every
other file is an older one, or of a run that lost the exchange, and is refused. (A file without its
mark is the server's own, as its memory is: whoever has both has its sums.)

Without a checkpoint nothing of this can be told, and `REST` is `NONE`.
"""

import enum
from collections.abc import Callable
from typing import final

from jaxtyping import PyTree

from tacit.population.checkpoint import Checkpoint

# Exchanges one mark for another, or raises a LedgerError.
Mark = Callable[[str | None, str | None], None]


@final
class Replay(enum.Enum):
    """What of a run that died may be played again."""

    ANY = enum.auto()
    REST = enum.auto()
    NONE = enum.auto()


@final
class KeptStates:
    """What one run has kept: in its checkpoint, if it has one.

    Args:
      name: the run's.
      seal: of its checkpoints.
      checkpoint: where it is remembered.
      mark: of a run of which only the rest may be played again.
    """

    def __init__(
        self, name: str, seal: bytes, checkpoint: Checkpoint | None, mark: Mark | None
    ) -> None:
        self._name, self._seal, self._checkpoint = name, seal, checkpoint
        self._mark, self.digest = mark, None

    @property
    def first(self) -> bool:
        """Whether a state is kept before anybody hears of it."""
        return self._mark is not None

    def begun(self, start: tuple[PyTree, PyTree]) -> tuple[int, PyTree, PyTree]:
        """How many rounds are done, and the state and carry after them.

        Raises:
          CheckpointError: if there is a checkpoint that is not this run's.
          LedgerError: if it is not the last.
        """
        if self._checkpoint is None:
            return 0, *start
        found = self._checkpoint.load(self._name, *start, self._seal)
        self._marked(found.before, found.digest)
        return found.rounds, found.state, found.carry

    def save(self, rounds: int, state: PyTree, carry: PyTree) -> None:
        """Keeps this, if there is a checkpoint.

        Raises:
          CheckpointError: if it cannot be written.
          LedgerError: if another process has gone on with this run.
        """
        if self._checkpoint is None:
            return
        # Whoever has gone on meanwhile keeps the file.
        self._marked(self.digest, self.digest)
        own = self._name, rounds, state, carry, self._seal
        self._marked(self.digest, self._checkpoint.save(*own, before=self.digest))

    def _marked(self, before: str | None, after: str | None) -> None:
        if self._mark is not None:
            self._mark(before, after)
        self.digest = after
