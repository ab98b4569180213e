"""Public speech: the texts of a zip archive, such as the addresses on the State of the Union.

    state_union/1945-Truman.txt     a text, in UTF-8 but for a few bytes
    state_union/README              no text: not read

Everybody may have it, so it is what a vocabulary and a first model of language are made of.

An archive of a few kilobytes can hold gigabytes, and says itself how many: what is read of all its
texts together is bounded whatever it says.
"""

import zipfile
import zlib
from pathlib import Path

from tacit.data import packed
from tacit.data.dataset import DataError

# Some eight times all the addresses: a word of two bytes becomes a hundred in memory.
MOST_BYTES = 1 << 24
# Others are unpacked as a whole before any of it is handed over, however little was asked for.
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# A place before the file's beginning is an OSError.
_DAMAGE = (
    EOFError,
    MemoryError,
    OSError,
    RuntimeError,
    UnicodeError,
    zipfile.BadZipFile,
    zlib.error,
)


def load(path: Path) -> tuple[str, ...]:
    """The texts of the archive `path`, in the order of their names.

    | case | result |
    | --- | --- |
    | no file `path` | `DataError` |
    | no archive, one that is damaged, cut short or encrypted | the same |
    | texts that are packed by anything but deflate | the same |
    | no text in it, more than 16 MiB of them | the same |
    | bytes that are no UTF-8 | read as a mark |

    Raises:
      DataError: the file is absent or is no archive of texts.
    """
    if not path.is_file():
        raise DataError(f"{path.parent} must hold a file {path.name}, got none")
    try:
        with zipfile.ZipFile(path) as archive:
            texts = _texts(path, archive)
    except _DAMAGE as damage:
        raise DataError(f"{path} must be one whole zip archive, got: {damage}") from damage
    if not texts:
        raise DataError(f"{path} must hold texts that are named .txt, got none")
    return texts


def _texts(path: Path, archive: zipfile.ZipFile) -> tuple[str, ...]:
    texts, left = [], MOST_BYTES
    named = [each for each in archive.infolist() if each.filename.endswith(".txt")]
    for each in sorted(named, key=lambda one: one.filename):
        if each.compress_type not in _PACKINGS:
            raise DataError(f"{path} must hold texts as they are or deflated, got another packing")
        with archive.open(each) as stream:
            text = packed.taken(stream, left + 1)
        if len(text) > left:
            raise DataError(f"{path} must hold at most {MOST_BYTES} bytes of texts, got more")
        left -= len(text)
        texts.append(text.decode("utf-8", errors="replace"))
    return tuple(texts)
