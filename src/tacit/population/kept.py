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
A mark is the digest of the last state that was kept, and nobody else changes it while a state is
written: of two states of one round one is marked, and the other never written.

| the file that a run is to go on from | then |
| --- | --- |
| has the mark for its digest, or is not there and there is no mark | goes on |
| names the mark as the digest before it: its process died before marking it | is marked first |
| is an older one, another run's, or lost | is refused: nobody is asked, nothing told |

Whoever watches is told of a kept state anew when it is gone on from, since its process may have
died before it told them; the last one is handed over as the release is. A file without its mark is
the server's own, as its memory is (two of one round differ by its sums), so nobody else may read
checkpoints. Without one nothing of this can be told, and `REST` is `NONE`.
"""

import enum
from collections.abc import Callable, Collection
from functools import partial
from typing import final

from jaxtyping import PyTree

from tacit.population.checkpoint import Checkpoint

# Exchanges a mark that is one of these for what is made, as `Ledger.mark` does.
Mark = Callable[[Collection[str | None], Callable[[], str | None]], str | None]


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
    def untold(self) -> bool:
        """Whether a state is kept before anybody hears of it."""
        return self._mark is not None

    def begun(self, start: tuple[PyTree, PyTree]) -> tuple[int, PyTree, PyTree]:
        """How many rounds are done, and the state and carry after them; what has no mark gets it.

        Raises:
          CheckpointError: if there is a checkpoint that is not this run's.
          LedgerError: if it is not the last.
        """
        if self._checkpoint is None:
            return 0, *start
        found = self._checkpoint.load(self._name, *start, self._seal)
        self._marked((found.before, found.digest), lambda: found.digest)
        return found.rounds, found.state, found.carry

    def save(self, rounds: int, state: PyTree, carry: PyTree) -> None:
        """Keeps this, if there is a checkpoint.

        Raises:
          CheckpointError: if it cannot be written.
          LedgerError: if another process has gone on with this run, whose file stands.
        """
        if self._checkpoint is None:
            return
        own = self._name, rounds, state, carry, self._seal
        self._marked((self.digest,), partial(self._checkpoint.save, *own, before=self.digest))

    def _marked(self, known: Collection[str | None], made: Callable[[], str | None]) -> None:
        self.digest = made() if self._mark is None else self._mark(known, made)
