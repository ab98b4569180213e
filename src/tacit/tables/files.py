"""Files of rows: which can be read, by the endings of their names.

DuckDB reads them where they lie, compressed or not. What it says of one that it cannot read may
quote a row, and is not repeated. Nor are names of columns: where a file's first line is no header
they are a person's values, and where DuckDB guesses which line is one, a line of too many values
would be it. So the first line is, always. And every other line is a row: that `#` begins one is no
reason to leave somebody's out.

A path is of one file, and its name is taken as it is written: DuckDB would read `v[1].csv` as a
pattern, which finds another file, and give every row of `p=7/v.csv` a column `p`.
"""

import glob
from pathlib import Path
from typing import Any

from tacit.tables.language import duckdb
from tacit.tables.typed_text import BETWEEN, typed_text
from tacit.unquoted import unquoted

_READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
# What DuckDB calls the column of a file without a line.
_NAMELESS = ("column0",)
# What is wrong with one that cannot be read.
_OF_LINES = (
    "; its lines have to be of as many values as its first line names, with a value in which the "
    "mark between them stands in quotes, and text in UTF-8"
)
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
_GUESSED = ("read_csv", "read_json")
# How many records tell the types of a JSON file's fields, so that none of them is of another: all.
_ALL = {"sample_size": -1}
# It has a compression of its own inside.
_WHOLE = ".parquet"


def is_text(path: Path) -> bool:
    """Whether a file's values have no types but those that are guessed from them."""
    return _READERS.get(_endings(path)[0]) in _GUESSED


def rows_in(path: Path, guessed: bool = True) -> Any:
    """The table in a file, as Ibis has it.

    Args:
      path: of the file.
      guessed: whether types are, where a file has none; else values are text, as they are written,
        below a header where there are no names beside them.

    Raises:
      ValueError: if its name ends otherwise, it is not there, or cannot be read.
    """
    kind, packed = _endings(path)
    read = _reader(path, kind, packed)
    said = _said(read, packed)

    def stopped(error: Exception) -> str:
        why = _OF_LINES if read == "read_csv" else ""
        return f"{path} cannot be read as {kind}{packed}: {type(error).__name__}{why}"

    if read == "read_csv" and path.stat().st_size == 0:
        raise ValueError(_no_names(path))
    rows = unquoted(lambda: _opened(path, read, said, guessed), ValueError, stopped)
    if read == "read_csv":
        _refuse_no_header(path, rows.columns)
    return rows


def _opened(path: Path, read: str, said: dict[str, Any], guessed: bool) -> Any:
    engine = duckdb()
    if read == "read_csv" and guessed:
        return typed_text(engine, _literally(path), said)
    typed = _types(path, read, said, guessed) if is_text(path) else {}
    if read == _READERS[_WHOLE] and _has_milliseconds(engine, path):
        engine.con.execute("SET disabled_optimizers = 'join_order'")
    return getattr(engine, read)(_literally(path), **said, **typed)


def _literally(path: Path) -> str:
    """A pattern that this file alone is found by."""
    return glob.escape(str(path.resolve() if ".." in path.parts else path.absolute()))


def _has_milliseconds(engine: Any, path: Path) -> bool:
    """Whether a Parquet file has times in milliseconds, whatever they are.

    Where it puts joins in order, DuckDB reads the least and largest of every column, asked for or
    not, and stops at one that no number of microseconds tells.
    """
    kinds = engine.con.execute(
        "SELECT count(*) FROM parquet_schema(?) WHERE converted_type = 'TIMESTAMP_MILLIS' "
        "OR logical_type LIKE 'TimestampType%MilliSeconds%'",
        [_literally(path)],
    )
    return kinds.fetchone()[0] > 0


def no_column(name: str) -> str:
    """What is said of a column that is not there; which are there may be somebody's values."""
    return f"there is no column {name!r}: names are as the table or the file's first line has them"


def _no_names(path: Path) -> str:
    return f"{path} has no names of columns: its first line has to say them"


def _refuse_no_header(path: Path, columns: tuple[str, ...]) -> None:
    if columns == _NAMELESS:
        raise ValueError(_no_names(path))
    if len(columns) == 1 and set(columns[0]) & set(BETWEEN):
        raise ValueError(
            f"{path} cannot be read: its lines have to be of as many values as its first line names"
        )


def _said(read: str, packed: str) -> dict[str, Any]:
    """What a reader is told of any file."""
    packing = {"compression": _COMPRESSED[packed]} if packed else {}
    lines = {"header": True, "skip": 0, "comment": ""} if read == "read_csv" else {}
    return {"hive_partitioning": False} | packing | lines


def _types(path: Path, read: str, said: dict[str, Any], guessed: bool) -> dict[str, Any]:
    """What a reader is told of the types of a file that has none: that values stay as they are
    written, or of JSON those that are guessed from all records."""
    if read == "read_csv":
        return {"all_varchar": True}
    engine = duckdb()
    fields = engine.read_json(_literally(path), **said, **_ALL).get_name()
    found = engine.con.execute(f"DESCRIBE {fields}").fetchall()
    return {"columns": {name: kind if guessed else "VARCHAR" for name, kind, *_ in found}}


def bare_name(path: Path) -> str:
    """The file's name without these endings."""
    return path.name[: len(path.name) - len("".join(_endings(path)))]


def _endings(path: Path) -> tuple[str, str]:
    """What rows are written in, and what that is compressed by, if it is."""
    packed = path.suffix.lower() if path.suffix.lower() in _COMPRESSED else ""
    kind = path.with_suffix("").suffix if packed else path.suffix
    return kind.lower(), packed


def _reader(path: Path, kind: str, packed: str) -> str:
    """What reads such a file, which is there."""
    if kind not in _READERS or (kind == _WHOLE and packed):
        raise ValueError(
            f"a file of a table ends in {', '.join(_READERS)}, and all but {_WHOLE} also in "
            f"{' or '.join(_COMPRESSED)} after that, e.g. .csv.gz; got {path.name!r}"
        )
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return _READERS[kind]
