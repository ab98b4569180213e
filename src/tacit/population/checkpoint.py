"""Where a run stands, on disk: enough to go on, nothing that is secret.

A checkpoint holds the learner's public state, the server's carry and the number of rounds
done. The key is not in it: the ledger holds it until the release is complete, and every
round's noise is a function of that key and the round's number. Going on from any checkpoint
therefore replays the very same noise, and nothing is released twice.

The carry may be secret (the noisy threshold of a stream is), so it is veiled: each array is added
bit by bit to a pad that only the seal's holder can make. A grant, a number of rounds and a place
in the carry have one content, whatever is resumed, so no pad ever covers two.

A file is written whole or not at all (`whole_file`), and sealed with a key
derived from the root key: a state that another hand put there would be asked another question
under the same noise, and the noise would cancel out. Once the root key is erased nothing can be
played any more, a finished state is only read, and what was veiled is gone. The seal cannot be
checked without the key; so a grant is closed with the file's digest, and its state is read from
that file and no other. (The digest is keyed by the seal, so whoever has the ledger alone cannot
guess at a state by it.)

A path that cannot be written is refused before anything is charged: `refuse_unusable` writes a file
of the size that will be needed, and removes it. So is a file of another run, or of another hand.
"""

import hashlib
import hmac
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, final

import jax
import numpy as np
from jaxtyping import PyTree

from tacit import whole_file
from tacit.argument import got, is_made
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


class CheckpointError(Exception):
    """A checkpoint that cannot be read, or is of another run."""


def refuse_no_checkpoint(given: Any) -> None:
    """Raises a ValueError for what is neither a checkpoint nor None."""
    if not (given is None or is_made(given, Checkpoint)):
        raise ValueError(f"checkpoint must be a Checkpoint(path), got {got(given)}")


@final
@dataclass(frozen=True)
class Header:
    """What a file says of itself: whose it is, after how many rounds, and its seal."""

    grant: str
    rounds: int
    seal: str

    @classmethod
    def read(cls, text: str) -> Self:
        """From a file's own words.

        Raises:
          ValueError: if these are others; so do KeyError and TypeError.
        """
        found = json.loads(text)
        return cls(str(found["grant"]), int(found["rounds"]), str(found["seal"]))


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

    def save(self, grant: str, rounds: int, state: PyTree, carry: PyTree, seal: bytes) -> str:
        """Replaces the file by the state and the carry after `rounds` rounds; returns its digest.

        Raises:
          CheckpointError: if the file cannot be written; the one before is still there.
        """
        veiled = _veiled(jax.tree.leaves(carry), seal, f"{grant} {rounds}")
        leaves = [*(np.asarray(x) for x in jax.tree.leaves(state)), *veiled]
        header = Header(grant, rounds, _tag(seal, grant, rounds, leaves))
        named = {f"leaf{i}": x for i, x in enumerate(leaves)}
        with self._refusing(), whole_file.replacing(self.path) as file:
            np.savez(file, allow_pickle=False, header=np.array(json.dumps(asdict(header))), **named)
        return _digest(header, leaves)

    def load(
        self, grant: str, state: PyTree, carry: PyTree, seal: bytes
    ) -> tuple[int, PyTree, PyTree, str | None]:
        """The rounds done, state, carry and digest; round 0 and those given, without a file.

        Raises:
          CheckpointError: if the file is damaged, of another grant, of another shape, or not
            sealed with this key.
        """
        if not self.path.exists():
            return 0, state, carry, None
        header, leaves = self._read()
        self._refuse_unlike(header, leaves, grant, (state, carry))
        rounds, shown = header.rounds, len(jax.tree.leaves(state))
        self._refuse_unsealed(header, leaves, grant, seal)
        carry = _filled(carry, _veiled(leaves[shown:], seal, f"{grant} {rounds}"))
        return rounds, _filled(state, leaves[:shown]), carry, _digest(header, leaves)

    def released(self, grant: str, state: PyTree, carry: PyTree, digest: str | None) -> PyTree:
        """The state that a grant ended with, if this file has the digest that it was closed with.

        Raises:
          CheckpointError: if the file is damaged, of another grant or shape, or another file.
        """
        if not self.path.exists():
            raise CheckpointError(f"{self.path} is not there, and what {grant} released with it")
        header, leaves = self._read()
        self._refuse_unlike(header, leaves, grant, (state, carry))
        if digest is None or not hmac.compare_digest(digest, _digest(header, leaves)):
            raise CheckpointError(f"{self.path} is not the file that grant {grant} ended with")
        return _filled(state, leaves[: len(jax.tree.leaves(state))])

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """What the disk refuses is a CheckpointError."""
        try:
            yield
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {self.path} cannot be written: {error.strerror or error}"
            ) from error

    def _read(self) -> tuple[Header, list[np.ndarray]]:
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                header = Header.read(str(archive["header"]))
                return header, [archive[f"leaf{i}"] for i in range(len(archive.files) - 1)]
        except UNREADABLE as error:
            raise CheckpointError(
                f"{self.path} is not a whole checkpoint; delete it to start this run again from "
                "its first round, at no further cost"
            ) from error

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
        if not hmac.compare_digest(_tag(seal, grant, header.rounds, leaves), header.seal):
            raise CheckpointError(
                f"{self.path} was not written by this {KindOfRun.of(grant).word}; delete it to "
                "start this run again from its first round, at no further cost"
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
            return f"grant {found}, from which no simulation goes on; name another file"
    return (
        f"grant {found}; only a checkpoint of grant {asked} can be resumed here: ask with "
        f"grant_id={found!r} to go on with that one, or name another file"
    )


def _filled(like: PyTree, leaves: list[np.ndarray]) -> PyTree:
    return jax.tree.unflatten(jax.tree.structure(like), [jax.numpy.asarray(x) for x in leaves])


def _veiled(leaves: list, seal: bytes, name: str) -> list[np.ndarray]:
    """Each array with its pad added or, the same thing, taken off."""
    found = []
    for place, leaf in enumerate(np.asarray(x) for x in leaves):
        pad = hashlib.shake_256(seal + f" veil {name} {place}".encode()).digest(leaf.nbytes)
        mixed = np.frombuffer(leaf.tobytes(), np.uint8) ^ np.frombuffer(pad, np.uint8)
        found.append(mixed.view(leaf.dtype).reshape(leaf.shape))
    return found


def _tag(seal: bytes, grant: str, rounds: int, leaves: list[np.ndarray]) -> str:
    digest = hmac.new(seal, f"{grant} {rounds}".encode(), hashlib.sha256)
    for leaf in leaves:
        digest.update(f"{leaf.dtype}{leaf.shape}".encode())
        digest.update(np.ascontiguousarray(leaf).data)
    return digest.hexdigest()


def _digest(header: Header, leaves: list[np.ndarray]) -> str:
    """Of a whole file, keyed by its seal, which nobody can guess who has not the file."""
    named = header.grant, header.rounds
    return _tag(header.seal.encode(), *named, leaves)
