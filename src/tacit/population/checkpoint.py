"""Where a run stands, on disk: enough to go on, nothing that is secret.

A checkpoint holds the learner's public state, the server's carry and the number of rounds
done. The key is not in it: the ledger holds it until the release is complete, and every
round's noise is a function of that key and the round's number. Going on from any checkpoint
therefore replays the very same noise, and nothing is released twice.

A file is written whole or not at all (a temporary file, then a rename), and sealed with a key
derived from the root key: a state that another hand put there would be asked another question
under the same noise, and the noise would cancel out. Once the root key is erased nothing can be
played any more, and a finished state is only read.
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

    def save(self, grant: str, rounds: int, state: PyTree, seal: bytes | None) -> None:
        """Replaces the file by the state after `rounds` rounds."""
        leaves = {f"leaf{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(state))}
        tag = _tag(seal, grant, rounds, list(leaves.values()))
        header = {"grant": grant, "rounds": rounds, "seal": tag}
        leaves["header"] = np.array(json.dumps(header))
        part = self.path.with_name(self.path.name + ".part")
        with open(part, "wb") as file:
            np.savez(file, allow_pickle=False, **leaves)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)

    def load(self, grant: str, like: PyTree, seal: bytes | None) -> tuple[int, PyTree]:
        """The rounds done and the state; round 0 and `like` itself where there is no file yet.

        Raises:
          CheckpointError: if the file is damaged, of another grant, of another shape, or not
            sealed with this key.
        """
        if not self.path.exists():
            return 0, like
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                header = json.loads(str(archive["header"]))
                leaves = [archive[f"leaf{i}"] for i in range(len(archive.files) - 1)]
        except UNREADABLE as error:
            raise CheckpointError(
                f"{self.path} is not a whole checkpoint; delete it to start this run again from "
                "its first round, at no further cost"
            ) from error
        state = self._fit(header, leaves, grant, like)
        tag = _tag(seal, grant, header["rounds"], leaves)
        if seal is not None and not hmac.compare_digest(tag, str(header["seal"])):
            raise CheckpointError(
                f"{self.path} was not written by this grant; delete it to start this run again "
                "from its first round, at no further cost"
            )
        return header["rounds"], state

    def _fit(self, header: dict, leaves: list, grant: str, like: PyTree) -> PyTree:
        if header["grant"] != grant:
            raise CheckpointError(
                f"{self.path} belongs to grant {header['grant']}; only a checkpoint of grant "
                f"{grant} can be resumed here"
            )
        wanted, structure = jax.tree.flatten(like)
        shapes = [(np.shape(x), np.asarray(x).dtype) for x in wanted]
        if shapes != [(x.shape, x.dtype) for x in leaves]:
            raise CheckpointError(
                f"{self.path} holds a state of another shape; resume with the options it was "
                "started with"
            )
        return jax.tree.unflatten(structure, [jax.numpy.asarray(x) for x in leaves])


def _tag(seal: bytes | None, grant: str, rounds: int, leaves: list[np.ndarray]) -> str:
    digest = hmac.new(seal or b"", f"{grant} {rounds}".encode(), hashlib.sha256)
    for leaf in leaves:
        digest.update(f"{leaf.dtype}{leaf.shape}".encode())
        digest.update(np.ascontiguousarray(leaf).data)
    return digest.hexdigest()
