"""Speeches of plays, by the role who holds them: the people of federated experiments on text.

    play    speaker    text                                   one header, then a speech a line
    hamlet  OPHELIA    Good my lord, How does your honour     three fields between tabs, UTF-8

A person is a role: a speaker of a play, since two plays have a First Witch each. All that nobody is
named for in a play is one role of it. Which roles there are is public; what they say is theirs, and
no message repeats it.

References: Caldas et al. "LEAF: a benchmark for federated settings". 2018 (Shakespeare by role).
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
from jaxtyping import Int

from tacit.data import packed
from tacit.data.dataset import DataError
from tacit.unquoted import unquoted

HEADER = ("play", "speaker", "text")
# Ten times Shakespeare's whole work: no file of speeches is longer.
MOST_BYTES = 1 << 26


@final
@dataclass(frozen=True, eq=False, repr=False)
class Speeches:
    """What roles say, in the order of the file.

    Args:
      roles: each a play and a speaker, sorted.
      owners: of each speech, the place of its role.
      texts: the speeches.
    """

    roles: tuple[tuple[str, str], ...]
    owners: Int[np.ndarray, " speeches"]
    texts: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Speeches(roles={len(self.roles)}, speeches={len(self.texts)})"


def load(path: Path) -> Speeches:
    """The speeches of the table `path`, packed by gzip or xz or not.

    | case | result |
    | --- | --- |
    | no file `path`, nor one packed under its name | `DataError` |
    | another header, no speech, a line of other than three fields, an empty play | the same |
    | bytes that are no UTF-8, more than 64 MiB, a packed stream cut short | the same |
    | a speech without a word | kept, and empty |

    Raises:
      DataError: the file is absent or is no whole table of speeches.
    """
    found = packed.located(path)
    header, *lines = _lines(found)
    if tuple(header.split("\t")) != HEADER:
        raise DataError(f"{found} must begin with the line {' '.join(HEADER)}, tabs between")
    if not lines:
        raise DataError(f"{found} must hold a speech, got none")
    rows = [_fields(found, number, line) for number, line in enumerate(lines, start=2)]
    roles = tuple(sorted({(play, speaker) for play, speaker, _ in rows}))
    places = {role: place for place, role in enumerate(roles)}
    owners = np.array([places[play, speaker] for play, speaker, _ in rows])
    return Speeches(roles, owners, tuple(text for *_, text in rows))


def _lines(path: Path) -> list[str]:
    data = packed.whole(path, MOST_BYTES)
    lines = unquoted(data.decode, DataError, partial(_said, path)).split("\n")
    if lines[-1]:
        raise DataError(f"{path} must end with a whole line: it was cut short")
    return [line.removesuffix("\r") for line in lines[:-1]] or [""]


def _said(path: Path, error: Any) -> str:
    return f"{path} must be UTF-8, got other bytes at byte {error.start}"


def _fields(path: Path, number: int, line: str) -> tuple[str, str, str]:
    fields = line.split("\t")
    if len(fields) != len(HEADER):
        raise DataError(f"{path} line {number} must have 3 fields, got {len(fields)}")
    play, speaker, text = fields
    if not play:
        raise DataError(f"{path} line {number} must name a play")
    return play, speaker, text
