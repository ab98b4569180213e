"""The files that `tacit ask` writes: numbers, a picture, a receipt, each whole or not at all."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tacit import picture
from tacit.ledger import receipt
from tacit.tables.answered import TableAnswer
from tacit.tables.drawn import MOST_LINES, readable
from tacit.whole_file import refuse_no_room, replacing

PICTURES = (".png", ".svg")
# Of SQLite's files: its own, and those that it writes ahead, shares and goes back by.
_SIDES = "", "-wal", "-shm", "-journal"


@final
@dataclass(frozen=True)
class AnswerFiles:
    """Where an answer goes, besides the terminal; None for nowhere."""

    csv: Path | None
    picture: Path | None
    receipt: Path | None

    def refuse_unwritable(self, groups: int, others: tuple[Path | str | None, ...] = ()) -> None:
        """Raises the ValueError of a file that could not be written, before anything is charged.

        Args:
          groups: how many are declared; 0 where they are found.
          others: files of something else: the rows', and the ledger's.
        """
        refuse_no_places(vars(self), others)
        if self.picture is not None:
            if self.picture.suffix not in PICTURES:
                raise ValueError(f"--picture must end in .png or .svg, got {self.picture}")
            if not groups <= MOST_LINES:
                raise ValueError(f"--picture is of at most {MOST_LINES} groups, got {groups}")

    def write(self, answer: TableAnswer) -> list[Path]:
        """All of them; which those are."""
        if self.csv is not None:
            with replacing(self.csv) as file:
                file.write(answer.frame.to_csv(index=False).encode())
        if self.receipt is not None:
            receipt.write(self.receipt, [answer.receipt()])
        if self.picture is not None:
            picture.save(readable(answer.frame, answer.keys, (), answer.said), self.picture)
        return [path for path in vars(self).values() if path is not None]


def refuse_no_file(option: str, path: Path) -> None:
    """Raises the ValueError of an option that names no file which could be written."""
    if not _is_writable(path):
        raise ValueError(
            f"--{option} must be a file in a folder that can be written to, got {path}"
        )


def refuse_no_places(
    files: Mapping[str, Path | None], others: tuple[Path | str | None, ...]
) -> None:
    """Raises the ValueError of a file that cannot be one, or is one of something else.

    Args:
      files: by their options; None where there is none.
      others: of something else.
    """
    taken = {each for other in others if other is not None for each in _with_sides(other)}
    for option, path in files.items():
        if path is not None:
            refuse_no_file(option, path)
            if path.resolve() in taken:
                raise ValueError(
                    f"--{option} must be a file of its own, and {path} is another's here"
                )
            taken.add(path.resolve())


def _with_sides(other: Path | str) -> set[Path]:
    """A file, and what SQLite keeps beside it if it is a ledger."""
    own = Path(str(other).removeprefix("sqlite:///")).resolve()
    return {own.with_name(own.name + side) for side in _SIDES}


def _is_writable(path: Path) -> bool:
    """Whether it is a file, or could be one; and what becomes it can be begun under its name."""
    try:
        if (path.exists() and not path.is_file()) or not os.access(path.absolute().parent, os.W_OK):
            return False
        refuse_no_room(path, 0)
    except OSError:
        return False
    return True
