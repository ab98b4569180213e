"""Where a run stands, on disk: enough to go on, nothing that is secret.

A checkpoint holds the learner's public state, the server's carry and the number of rounds
done. The key is not in it: the ledger holds it until the release is complete, and every
round's noise is a function of that key and the round's number. Going on from any checkpoint
therefore replays the very same noise, and nothing is released twice.

The carry may be secret (the noisy threshold of a stream is), so it is veiled: each array is added
bit by bit to a pad that only the seal's holder can make. A grant, a number of rounds and a place
in the carry have one content, whatever is resumed, so no pad ever covers two.

A file is written whole or not at all (a temporary file, then a rename), and sealed with a key
derived from the root key: a state that another hand put there would be asked another question
under the same noise, and the noise would cancel out. Once the root key is erased nothing can be
played any more, a finished state is only read, and what was veiled is gone.
"""

import hashlib
import hmac
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import final

import jax
import numpy as np
from jaxtyping import PyTree

# All that NumPy and zipfile raise on a damaged archive; a changed flag reads as an unknown method.
UNREADABLE = (OSError, EOFError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile)


class CheckpointError(Exception):
    """A checkpoint that cannot be read, or is of another run."""


@final
@dataclass(frozen=True)
class Checkpoint:
    """A file that remembers the last state of one grant."""

    path: Path

    def save(self, grant: str, rounds: int, state: PyTree, carry: PyTree, seal: bytes) -> None:
        """Replaces the file by the state and the carry after `rounds` rounds."""
        veiled = _veiled(jax.tree.leaves(carry), seal, f"{grant} {rounds}")
        shown = [np.asarray(x) for x in jax.tree.leaves(state)]
        leaves = {f"leaf{i}": x for i, x in enumerate([*shown, *veiled])}
        tag = _tag(seal, grant, rounds, list(leaves.values()))
        header = {"grant": grant, "rounds": rounds, "seal": tag}
        leaves["header"] = np.array(json.dumps(header))
        part = self.path.with_name(self.path.name + ".part")
        with open(part, "wb") as file:
            np.savez(file, allow_pickle=False, **leaves)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)

    def load(
        self, grant: str, state: PyTree, carry: PyTree, seal: bytes | None
    ) -> tuple[int, PyTree, PyTree]:
        """The rounds done, the state and the carry; round 0 and those given, without a file.

        Without a seal, when nothing can be played any more, the carry is the one given.

        Raises:
          CheckpointError: if the file is damaged, of another grant, of another shape, or not
            sealed with this key.
        """
        if not self.path.exists():
            return 0, state, carry
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                header = json.loads(str(archive["header"]))
                leaves = [archive[f"leaf{i}"] for i in range(len(archive.files) - 1)]
        except UNREADABLE as error:
            raise CheckpointError(
                f"{self.path} is not a whole checkpoint; delete it to start this run again from "
                "its first round, at no further cost"
            ) from error
        shown = len(jax.tree.leaves(state))
        self._refuse_unlike(header, leaves, grant, (state, carry))
        tag = _tag(seal, grant, header["rounds"], leaves)
        if seal is not None and not hmac.compare_digest(tag, str(header["seal"])):
            raise CheckpointError(
                f"{self.path} was not written by this grant; delete it to start this run again "
                "from its first round, at no further cost"
            )
        if seal is not None:
            own = _veiled(leaves[shown:], seal, f"{grant} {header['rounds']}")
            carry = _filled(carry, own)
        return header["rounds"], _filled(state, leaves[:shown]), carry

    def _refuse_unlike(self, header: dict, leaves: list, grant: str, like: PyTree) -> None:
        if header["grant"] != grant:
            raise CheckpointError(
                f"{self.path} belongs to grant {header['grant']}; only a checkpoint of grant "
                f"{grant} can be resumed here"
            )
        shapes = [(np.shape(x), np.asarray(x).dtype) for x in jax.tree.leaves(like)]
        if shapes != [(x.shape, x.dtype) for x in leaves]:
            raise CheckpointError(
                f"{self.path} holds a state of another shape; resume with the options it was "
                "started with"
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


def _tag(seal: bytes | None, grant: str, rounds: int, leaves: list[np.ndarray]) -> str:
    digest = hmac.new(seal or b"", f"{grant} {rounds}".encode(), hashlib.sha256)
    for leaf in leaves:
        digest.update(f"{leaf.dtype}{leaf.shape}".encode())
        digest.update(np.ascontiguousarray(leaf).data)
    return digest.hexdigest()
