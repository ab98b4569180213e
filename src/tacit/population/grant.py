"""A grant: the licence to run one plan with one learner on one population, once.

The charge is in the ledger before a grant exists, and with it the root key of all its
randomness. Round t draws from keys that are functions of the root key, a purpose and t, so a
run that dies and resumes repeats the same releases and is charged once. When the last round
is out, the root key is erased from the ledger, and the un-noised sums are out of anybody's
reach.

A grant runs once: `run` takes its key, and there is no second. To go on after a run that died, the
population is asked for the grant again by its name, and checks again that nothing has changed. What
cannot be checked is not repeated (`kept`): a fit of a function of blocks has its key erased as it
starts, and so has a run on devices that has no checkpoint.
"""

import functools
from dataclasses import dataclass, field
from typing import Any, final

from tacit.ledger.ledger import Ledger
from tacit.ledger.unnamed import told_if_cut_off
from tacit.page import folded
from tacit.plan import Plan
from tacit.population import hosts
from tacit.population.checkpoint import Checkpoint
from tacit.population.kept import Mark, Replay
from tacit.population.release import Release, in_short
from tacit.population.run import Run
from tacit.population.staged import Staged
from tacit.population.watching import Watching, refuse_no_watch


@final
class OneKey:
    """A root key that is taken once, for what was charged with it, and is never copied, pickled or
    printed.

    Args:
      root: the key.
      charged: what is played, the grant's name, and whether no seed made the key.
    """

    def __init__(self, root: bytes, *charged: Any) -> None:
        self._held, self._charged = [root], charged

    def taken(self, *played: Any) -> bytes:
        """The key; afterwards it is gone.

        Raises:
          ValueError: if it was taken before, or what would be played is not what was charged.
        """
        if [*map(id, played)] != [*map(id, self._charged)]:
            raise ValueError(
                "a grant runs what was charged, under its own name: take it as the population's "
                "`grant` made it, with nothing replaced"
            )
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
      staged: what is played.
      ledger: its people's; of several processes that play a run, the first's alone, and without
        it there is no grant.
      private: False if a seed made the key.
      checkpoint: where progress is remembered.
      key: the root key of all that is drawn.

    Raises:
      ValueError: if nobody can have been charged, as there is no ledger.
    """

    name: str
    staged: Staged
    ledger: Ledger | None = field(repr=False)
    private: bool
    checkpoint: Checkpoint | None
    key: OneKey = field(repr=False)

    def __post_init__(self) -> None:
        if self.ledger is None and hosts.first():
            raise ValueError(
                "a grant is what a population's `grant` makes once its ledger is charged, got no "
                "ledger"
            )

    def __repr__(self) -> str:
        return folded(f"grant {self.name!r} of {in_short(self.plan, self.private)}")

    @property
    def plan(self) -> Plan:
        """What is released."""
        return self.staged.plan

    def run(self, *, watch: Watching | None = None) -> Release:
        """Plays every round that is not done yet and closes the grant.

        Args:
          watch: a function that is told the rounds done and the public state, or several
            (`population.watching`). One that answers True ends the run there: the grant is closed,
            and what was charged for the rounds that are left stays charged.

        Whatever cuts it off, as Ctrl-C does, has a note that says how to go on.

        Raises:
          ValueError: if this grant ran before; or if one who watches can be told nothing, after
            which it can still be run.
          LedgerError: if the ledger cannot be written, or another process has gone on with a run
            that cannot be played again; then nothing is handed over.
          CheckpointError: if there is a checkpoint that is not this grant's, or it cannot be
            written.
          HostError: if another process of this run failed; the grant can be gone on with.
        """
        refuse_no_watch(watch)
        own = self.staged, self.name, self._root(), self.checkpoint
        with told_if_cut_off(self.ledger, self.name, lambda: self._start):
            state, released = Run(*own, hosts.together(self._begun)).played(watch)
            hosts.together(lambda: self.ledger and self.ledger.close(self.name, released))
        return Release(self.name, self.plan, state, self.private and self.plan.private)

    def _root(self) -> bytes:
        return self.key.taken(self.staged, self.name, self.private)

    def _begun(self) -> Mark | None:
        """Erases the key of what is never played again; of what has a rest, what marks its
        states."""
        replay = self.staged.rounds.replay
        if self.ledger is None or replay is Replay.ANY:
            return None
        if replay is Replay.REST and self.checkpoint is not None:
            return functools.partial(self.ledger.mark, self.name)
        self.ledger.erase(self.name)
        return None

    @property
    def _start(self) -> str:
        """Where it goes on if it is cut off, in words."""
        if self.checkpoint is None or not self.checkpoint.path.exists():
            return "at its first round"
        return f"with the same checkpoint, after the last round that is in {self.checkpoint.path}"
