"""Files that are there whole or not at all, whatever happens while one is written."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when it is left: its content is on the disk by then.

    | what happens within | then |
    | --- | --- |
    | an error, or an interruption | the file before is still there, and nothing beside it |
    | an error while the folder's entries are written, last of all | the new file is there |
    | the process is killed | the file before is still there; the next one overwrites `path`.part |
    | somebody else replaces it, too | one waits for the other, and both are whole |
    | `path` is a link | the link is replaced, and not what it points to |
    | `path`.part is one, which somebody has put there | an OSError; nothing is written |

    Raises:
      OSError: what the disk refuses.
    """
    part = path.with_name(f"{path.name}.part")
    with _held(part) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            if _is_at(file, part):
                part.unlink()
            raise
    _settle(path.parent)


def refuse_no_room(path: Path, size: int) -> None:
    """Raises an OSError if no file of so many bytes could be put in this place."""
    part = path.with_name(f"{path.name}.part")
    with _held(part) as file:
        try:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
        finally:
            part.unlink()


@contextmanager
def _held(part: Path) -> Iterator[IO[bytes]]:
    """An empty file of this name that no other process writes in."""
    while True:
        with open(os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(file, part):
                file.truncate()
                yield file
                return


def _is_at(file: IO[bytes], part: Path) -> bool:
    """Whether whoever held it before has neither moved nor removed it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), os.stat(part))
    return False


def _settle(folder: Path) -> None:
    """The folder's entries are on the disk, too."""
    entries = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entries)
    finally:
        os.close(entries)
