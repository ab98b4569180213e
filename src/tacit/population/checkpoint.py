"""Where a run stands, on disk: enough to go on, nothing that is secret.

A checkpoint holds the learner's public state, the server's carry and the number of rounds
done. The key is not in it: the ledger holds it until the release is complete, and every
round's noise is a function of that key and the round's number. Going on from any checkpoint
therefore replays the very same noise, and nothing is released twice.

A file is written whole or not at all (a temporary file, then a rename), and a zip archive's
checksums find a damaged one.
"""

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

    def save(self, grant: str, rounds: int, state: PyTree) -> None:
        """Replaces the file by the state after `rounds` rounds."""
        leaves = {f"leaf{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(state))}
        leaves["header"] = np.array(json.dumps({"grant": grant, "rounds": rounds}))
        part = self.path.with_name(self.path.name + ".part")
        with open(part, "wb") as file:
            np.savez(file, allow_pickle=False, **leaves)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)

    def load(self, grant: str, like: PyTree) -> tuple[int, PyTree]:
        """The rounds done and the state; round 0 and `like` itself where there is no file yet.

        Raises:
          CheckpointError: if the file is damaged, of another grant or of another shape.
        """
        if not self.path.exists():
            return 0, like
        try:
            with np.load(self.path, allow_pickle=False) as archive:
                header = json.loads(str(archive["header"]))
                leaves = [archive[f"leaf{i}"] for i in range(len(archive.files) - 1)]
        except UNREADABLE as error:
            raise CheckpointError(
                f"{self.path} is not a whole checkpoint; delete it to start this run again from "
                "its first round, at no further cost"
            ) from error
        return header["rounds"], self._fit(header, leaves, grant, like)

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
