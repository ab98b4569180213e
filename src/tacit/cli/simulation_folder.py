"""What `tacit simulate` keeps in a folder: its options, every setting's state and what was seen of
it, the receipts.

What is kept is gone on with by the same command alone, so the folder is bound to the options that
its states are of. It is bound by the states: where there is none yet, whatever was refused or
stopped before its first round, any options may come.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import dumps, loads
from pathlib import Path
from typing import Any, final

from tacit.cli import looks
from tacit.cli.room import refuse_unwritable
from tacit.learning.evaluation import Look
from tacit.ledger import receipt
from tacit.population.checkpoint import Checkpoint
from tacit.simulation import Simulation
from tacit.whole_file import replacing

RECEIPTS, OPTIONS, STATES = "receipt.json", "options.json", "states"
# Settings may be added, and data may lie elsewhere: a state knows whose it is.
_FREE = "setting", "data_dir", "writers_dir"


@final
@dataclass(frozen=True)
class SimulationFolder:
    """The folder of `--out`.

    Args:
      path: where it is, or will be.
      options: of the command, by name; `seed` is among them.
    """

    path: Path
    options: Mapping[str, Any]

    def refuse_unusable(self) -> None:
        """Raises a ValueError if there is no seed to go on with, or nothing could be kept here, or
        what is here is of other options; nothing is written."""
        if self.options["seed"] is None:
            raise ValueError("--out keeps what can be gone on with, and needs --seed, got none")
        refuse_unwritable(self.path, (RECEIPTS, OPTIONS), (STATES,))
        asked, kept = self._binding(), self._kept()
        others = [name for name in asked if kept[name] != asked[name]]
        if others and self._bound():
            option = others[0].replace("_", "-")
            raise ValueError(
                f"{self.path} holds a simulation with --{option} {kept[others[0]]}, got "
                f"{asked[others[0]]}: choose another --out"
            )

    def open(self) -> None:
        """Makes it, with these options."""
        (self.path / STATES).mkdir(parents=True, exist_ok=True)
        with replacing(self.path / OPTIONS) as file:
            file.write(dumps(self._binding()).encode())

    def state(self, setting: str) -> Checkpoint:
        """Where the state of a setting of this name is remembered."""
        return Checkpoint(self.path / STATES / f"{setting}.npz")

    def looks(self, setting: str) -> list[Look]:
        """What was seen of a setting until its state.

        Raises:
          ValueError: if they are not those of a simulation.
        """
        if not (self.state(setting).path.exists() and self._seen(setting).exists()):
            return []
        try:
            return looks.read(loads(self._seen(setting).read_text()))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{self._seen(setting)} is not of a simulation; choose another --out"
            ) from error

    def keep_looks(self, setting: str, seen: Sequence[Look]) -> None:
        """Writes what was seen of a setting."""
        with replacing(self._seen(setting)) as file:
            file.write(dumps(looks.plain(seen)).encode())

    def _seen(self, setting: str) -> Path:
        return self.path / STATES / f"{setting}.json"

    def write(self, simulations: list[Simulation]) -> None:
        """Writes the receipts of all settings."""
        receipt.write(self.path / RECEIPTS, [each.receipt() for each in simulations])

    def _binding(self) -> dict[str, Any]:
        """The options that what is kept depends on."""
        return {name: value for name, value in self.options.items() if name not in _FREE}

    def _bound(self) -> bool:
        """Whether a round of any setting was played."""
        return any((self.path / STATES).glob("*.npz"))

    def _kept(self) -> dict[str, Any]:
        """The options that were written here; those asked for, where none were."""
        path, asked = self.path / OPTIONS, self._binding()
        if not path.exists():
            return asked
        try:
            kept = loads(path.read_text())
        except ValueError:
            kept = None
        if not (isinstance(kept, dict) and kept.keys() == asked.keys()):
            raise ValueError(f"{path} is not of a simulation; choose another --out")
        return kept
