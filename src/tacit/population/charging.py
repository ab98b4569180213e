"""The one road to a grant: what can be refused is, then the ledger is charged, all or nothing.

A population says how its data are set up for a plan; everything else is the same for all of them.
What is set up may have read the data already, as a table's sums are read. That is no release: the
sums are in this process alone, and noise is drawn from a key that is there only once the charge is
in the ledger.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

from tacit.argument import counted, refuse_no_name, refuse_no_seed
from tacit.ledger.ledger import Charge, Ledger, LedgerOrPath, Unknown, opened
from tacit.noise import keys
from tacit.population import hosts
from tacit.population.checkpoint import Checkpoint, CheckpointError, refuse_no_checkpoint
from tacit.population.grant import Grant, OneKey
from tacit.population.kept import Replay
from tacit.population.kind_of_run import SIMULATED, KindOfRun
from tacit.population.release import recorded
from tacit.population.staged import Staged
from tacit.question.words import in_words


def granted(
    population: str,
    prepare: Callable[[], Staged],
    ledger: LedgerOrPath,
    *,
    part: str | None,
    grant_id: str | None,
    checkpoint: Checkpoint | None,
    seed: int | None,
    note: str,
    asked: str | None = None,
) -> Grant:
    """Charges these people's accounts for what is set up; arguments as of `Arrays.grant`.

    Args:
      population: the name of the people's accounts.
      prepare: sets the plan up on the data, or refuses it; nothing is charged before it returns.
      asked: the question in words, where more is known of it than what is summed.
    """

    def prepared() -> tuple[Ledger | None, str, Staged]:
        book = opened(ledger) if hosts.first() else None
        _refuse_terms(grant_id, seed, checkpoint)
        return book, _name_of(grant_id, book), prepare()

    book, own, staged = hosts.together(prepared)
    entry = _Entry.of(population, staged, part, asked, private=seed is None)
    hosts.refuse_unlike(entry.causes)
    name = hosts.decided(own.encode).decode()
    root = hosts.decided(lambda: _charged(book, name, entry, staged, checkpoint, seed, note))
    private = seed is None
    key = OneKey(root, staged, name, private)
    return Grant(name, staged, book, private, checkpoint, key)


@final
@dataclass(frozen=True)
class _Entry:
    """What a ledger is to know of a grant, whatever its name and its key.

    Args:
      population: the name of the people's accounts.
      charges: one for each promise of the plan.
      bound: what the grant is bound to, by name, causes first.
      record: the plan, as a ledger keeps it.
      asked: the question in words.
    """

    population: str
    charges: Sequence[Charge]
    bound: Mapping[str, str]
    record: Mapping[str, Any]
    asked: str

    @classmethod
    def of(
        cls, population: str, staged: Staged, part: str | None, asked: str | None, private: bool
    ) -> Self:
        """Of what is set up, asked in these words or in those of its question."""
        plan = staged.plan
        words = in_words(plan.question) if asked is None else asked
        return cls(population, plan.charges(part), staged.bound, recorded(plan, private), words)

    @property
    def causes(self) -> dict[str, str]:
        """What is the same in every process that plays along, causes first."""
        written = json.dumps(self.record, sort_keys=True)
        return {"population": self.population, "plan": written, **self.bound}

    def entered(self, book: Ledger, name: str, root: bytes, note: str) -> bytes:
        """The key that the ledger holds once this is charged: of a known grant, its first."""
        return book.charge(
            grant_id=name,
            population=self.population,
            charges=self.charges,
            root_key=root,
            fingerprint=self.bound,
            plan=self.record,
            asked=self.asked,
            note=note,
        ).root_key


def _charged(
    book: Ledger | None,
    name: str,
    entry: _Entry,
    staged: Staged,
    checkpoint: Checkpoint | None,
    seed: int | None,
    note: str,
) -> bytes:
    """The root key of the grant, charged; asked of the process that has the ledger alone."""
    assert book is not None
    if checkpoint is not None:
        checkpoint.refuse_unusable(name, *staged.rounds.start)
        _refuse_of_no_grant(checkpoint, name, book)
    root = keys.fresh() if seed is None else keys.from_seed(counted(seed))
    held = entry.entered(book, name, root, note)
    if checkpoint is not None:
        # Only one that was charged before has a file, and asking for it again cost nothing.
        checkpoint.refuse_another_hand(name, KindOfRun.GRANT.seal(held))
    if staged.rounds.replay is Replay.REST:
        _refuse_gone_on(checkpoint, name, book)
    return held


def _refuse_terms(grant_id: str | None, seed: int | None, checkpoint: Checkpoint | None) -> None:
    if grant_id is not None:
        refuse_no_name("grant_id", grant_id)
    if seed is not None:
        refuse_no_seed(seed)
    refuse_no_checkpoint(checkpoint)


def _name_of(grant_id: str | None, book: Ledger | None) -> str:
    """The name that was given, or the ledger's (`Ledger.once`), or a new one."""
    own = None if book is None else book.grant_id
    if grant_id and own and grant_id != own:
        raise ValueError(f"ledger.once({own!r}) is for that grant alone, got grant_id={grant_id!r}")
    name = grant_id or own or secrets.token_hex(16)
    if KindOfRun.of(name) is KindOfRun.SIMULATION:
        given = "grant_id" if own is None else "the name in ledger.once(...)"
        raise ValueError(
            f"{given} must not begin with {SIMULATED!r}, as names of simulations do, got {name!r}"
        )
    return name


def _refuse_gone_on(checkpoint: Checkpoint | None, name: str, book: Ledger) -> None:
    """Refuses a run that goes on from its last state alone, if the file does not hold that one."""
    before, last = (None, None) if checkpoint is None else checkpoint.place()
    book.mark(name, (before, last), lambda: last)


def _refuse_of_no_grant(checkpoint: Checkpoint, name: str, book: Ledger) -> None:
    """A grant's file is written after its charge, so that of a new one is another's."""
    try:
        book.left_of(name)
    except Unknown:
        if checkpoint.path.exists():
            raise CheckpointError(
                f"{checkpoint.path} is of a grant {name!r} that this ledger does not have; ask "
                "with the ledger that has it to go on with that one, or name another file"
            ) from None
