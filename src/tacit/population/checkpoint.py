"""Where a run stands, on disk: enough to go on, nothing that is secret.

A checkpoint holds the learner's public state, the server's carry and the number of rounds
done. The key is not in it: the ledger holds it until the release is complete, and every
round's noise is a function of that key and the round's number. Going on from any checkpoint
therefore replays the very same noise, and nothing is released twice; where the sums may differ the
second time, it is gone on from the last one alone (`kept`).

A file says of itself whose it is and which it took the place of, and what may be secret in it is
veiled (`header`). Whoever runs the process may read it, and nobody else. It is written whole or not
at all (`whole_file`), and sealed with a key derived from the root key: a state that another hand
put there would be asked another question under the same noise, and the noise would cancel out. Once
the root key is erased nothing can be played any more, a finished state is only read, and what was
veiled is gone. The seal cannot be checked without the key; so a grant is closed with the file's
digest, and its state is read from that file and no other. (The digest is keyed by the file's own
tag, so whoever has the ledger alone cannot guess at a state by it.)

A path that cannot be written is refused before anything is charged: `refuse_unusable` writes a file
of the size that will be needed, and removes it. So is a file of another run, or of another hand.
"""

import hmac
import os
import secrets
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit import whole_file
from tacit.argument import got, is_made
from tacit.population.header import Header, veiled
from tacit.population.kind_of_run import KindOfRun

# All that NumPy and zipfile raise on a damaged archive; a changed flag reads as an unknown method.
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,
    zipfile.BadZipFile,
)

# Of a file beyond its arrays: names, shapes and the header.
SPARE_BYTES = 4096
# What to do about a file that no run goes on from.
_ANEW = (
    "; delete it to start this run again from its first round, at no further cost, unless it is on "
    "devices: such a run goes on from its last whole file alone"
)


class CheckpointError(Exception):
    """A checkpoint that cannot be read, or is of another run."""


def refuse_no_checkpoint(given: Any) -> None:
    """Raises a ValueError for what is neither a checkpoint nor None."""
    if not (given is None or is_made(given, Checkpoint)):
        raise ValueError(f"checkpoint must be a Checkpoint(path), got {got(given)}")


@final
@dataclass(frozen=True)
class Remembered:
    """What a checkpoint has.

    Args:
      rounds: how many are done.
      state, carry: after them.
      before, digest: of the file before this one, and of this one; None without a file.
    """

    rounds: int
    state: PyTree
    carry: PyTree
    before: str | None = None
    digest: str | None = None


@final
@dataclass(frozen=True)
class Checkpoint:
    """A file that remembers the last state of one grant."""

    path: Path

    def __post_init__(self):
        if not isinstance(self.path, str | Path):
            raise ValueError(f"a checkpoint is a path, got {self.path!r}")
        object.__setattr__(self, "path", Path(self.path))

    def refuse_unusable(self, grant: str, state: PyTree, carry: PyTree) -> None:
        """Raises a CheckpointError if this grant could not be remembered, or gone on with, here."""
        if self.path.exists():
            header, leaves = self._read()
            self._refuse_unlike(header, leaves, grant, (state, carry))
        size = sum(np.asarray(x).nbytes for x in jax.tree.leaves((state, carry)))
        with self._refusing():
            whole_file.refuse_no_room(self.path, size + SPARE_BYTES)

    def refuse_another_hand(self, grant: str, seal: bytes) -> None:
        """Raises a CheckpointError if there is a file that was not sealed with this key."""
        if self.path.exists():
            self._refuse_unsealed(*self._read(), grant, seal)

    def save(
        self,
        grant: str,
        rounds: int,
        state: PyTree,
        carry: PyTree,
        seal: bytes,
        before: str | None = None,
    ) -> str:
        """Replaces the file by the state and the carry after `rounds` rounds; returns its digest.

        Args:
          before: the digest of the file whose place it takes.

        Raises:
          CheckpointError: if the file cannot be written, or another run has kept its own there; it
            is as it was.
        """
        header = Header(grant, rounds, before, secrets.token_hex(16))
        shown = [np.asarray(x) for x in jax.tree.leaves(state)]
        leaves = [*shown, *veiled(jax.tree.leaves(carry), seal, header.veil)]
        header = replace(header, tag=header.tagged(seal, leaves))
        named = {f"leaf{i}": x for i, x in enumerate(leaves)}
        with self._refusing(), whole_file.replacing(self.path) as file:
            self._refuse_another_runs(grant)
            os.fchmod(file.fileno(), 0o600)
            np.savez(file, allow_pickle=False, header=np.array(header.text), **named)
        return header.digest(leaves)

    def load(self, grant: str, state: PyTree, carry: PyTree, seal: bytes) -> Remembered:
        """What is in the file; without one, no rounds and the state and carry that are given.

        Raises:
          CheckpointError: if the file is damaged, of another grant, of another shape, or not
            sealed with this key.
        """
        if not self.path.exists():
            return Remembered(0, state, carry)
        header, leaves = self._read()
        self._refuse_unlike(header, leaves, grant, (state, carry))
        self._refuse_unsealed(header, leaves, grant, seal)
        shown = len(jax.tree.leaves(state))
        held = _filled(carry, veiled(leaves[shown:], seal, header.veil))
        left = _filled(state, leaves[:shown])
        return Remembered(header.rounds, left, held, header.before, header.digest(leaves))

    def place(self) -> tuple[str | None, str | None]:
        """The digests of the file before this one, and of this one; None without a file.

        Raises:
          CheckpointError: if the file is damaged.
        """
        if not self.path.exists():
            return None, None
        header, leaves = self._read()
        return header.before, header.digest(leaves)

    def released(self, grant: str, state: PyTree, digest: str | None) -> PyTree:
        """The state that a grant ended with, if this file has the digest that it was closed with.

        Raises:
          CheckpointError: if the file is damaged, of another grant or shape, or another file.
        """
        if not self.path.exists():
            raise CheckpointError(
                f"{self.path} is not there, and what grant {grant!r} released with it"
            )
        header, leaves = self._read(then="")
        shown = leaves[: len(jax.tree.leaves(state))]
        self._refuse_unlike(header, shown, grant, state)
        if digest is None or not hmac.compare_digest(digest, header.digest(leaves)):
            raise CheckpointError(f"{self.path} is not the file that grant {grant!r} ended with")
        return _filled(state, shown)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """What the disk refuses is a CheckpointError."""
        try:
            yield
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {self.path} cannot be written: {error.strerror or error}"
            ) from error

    def _read(self, then: str = _ANEW) -> tuple[Header, list[np.ndarray]]:
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                header = Header.read(str(archive["header"]))
                return header, [archive[f"leaf{i}"] for i in range(len(archive.files) - 1)]
        except UNREADABLE as error:
            raise CheckpointError(f"{self.path} is not a whole checkpoint{then}") from error

    def _refuse_another_runs(self, grant: str) -> None:
        """Raises a CheckpointError if a run that began meanwhile has kept its state here."""
        with suppress(*UNREADABLE), np.load(self.path, allow_pickle=False) as archive:
            found = Header.read(str(archive["header"])).grant
            if found != grant:
                raise CheckpointError(f"{self.path} belongs to {_another(found, grant)}")

    def _refuse_unlike(self, header: Header, leaves: list, grant: str, like: PyTree) -> None:
        if header.grant != grant:
            raise CheckpointError(f"{self.path} belongs to {_another(header.grant, grant)}")
        shapes = [(np.shape(x), np.asarray(x).dtype) for x in jax.tree.leaves(like)]
        if shapes != [(x.shape, x.dtype) for x in leaves]:
            raise CheckpointError(
                f"{self.path} holds a state of another shape; resume with the options it was "
                "started with"
            )

    def _refuse_unsealed(self, header: Header, leaves: list, grant: str, seal: bytes) -> None:
        if not hmac.compare_digest(header.tagged(seal, leaves), header.tag):
            raise CheckpointError(
                f"{self.path} was not written by this {KindOfRun.of(grant).word}{_ANEW}"
            )


def _another(found: str, asked: str) -> str:
    """Whose a file is that is not of the run that is asked for, and how to go on."""
    match KindOfRun.of(found), KindOfRun.of(asked):
        case KindOfRun.SIMULATION, KindOfRun.SIMULATION:
            return (
                "another simulation; run that again with the same plan, learner, people, number "
                "played and seed to go on with it, or name another file"
            )
        case KindOfRun.SIMULATION, _:
            return "a simulation, from which no grant goes on; name another file"
        case _, KindOfRun.SIMULATION:
            return f"grant {found!r}, from which no simulation goes on; name another file"
    return (
        f"grant {found!r}; only a checkpoint of grant {asked!r} can be resumed here: ask with "
        f"grant_id={found!r} to go on with that one, or name another file"
    )


def _filled(like: PyTree, leaves: list[np.ndarray]) -> PyTree:
    return jax.tree.unflatten(jax.tree.structure(like), [jax.numpy.asarray(x) for x in leaves])
