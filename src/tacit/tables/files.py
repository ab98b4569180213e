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
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tacit.tables.language import duckdb
from tacit.tables.typed_text import BETWEEN, FIELDS, cells, typed_text
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
_UNTYPED = ("read_csv", "read_json")
# How many records tell the types of a JSON file's fields, so that none of them is of another: all.
_ALL = {"sample_size": -1}
# It has a compression of its own inside.
_WHOLE = ".parquet"


def is_text(path: Path) -> bool:
    """Whether a file's values have no types of their own, as `values_in` has them."""
    return _READERS.get(_endings(path)[0]) in _UNTYPED


def rows_in(path: Path) -> Any:
    """The table in a file, as Ibis has it; of CSV as `typed_text` says, of JSON by the types that
    all records have.

    Raises:
      ValueError: if its name ends otherwise, it is not there, or cannot be read.
    """
    return _found(path, {"read_csv": typed_text, "read_json": _typed_fields})


def values_in(path: Path) -> Any:
    """The same, with the values of a file that has no types as they are written."""
    return _found(path, {"read_csv": cells, "read_json": _written_fields})


def _found(path: Path, untyped: Mapping[str, Callable[..., Any]]) -> Any:
    kind, packed = _endings(path)
    read = _reader(path, kind, packed)

    def stopped(error: Exception) -> str:
        why = _OF_LINES if read == "read_csv" else ""
        return f"{path} cannot be read as {kind}{packed}: {type(error).__name__}{why}"

    if read == "read_csv" and path.stat().st_size == 0:
        raise ValueError(_no_names(path))
    own = _literally(path), _said(read, packed)
    opened = untyped.get(read, partial(_typed, read))
    rows = unquoted(lambda: opened(duckdb(), *own), ValueError, stopped)
    if read == "read_csv":
        _refuse_no_header(path, rows.columns)
    return rows


def _typed(read: str, engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    if read == _READERS[_WHOLE] and _has_milliseconds(engine, pattern):
        engine.con.execute("SET disabled_optimizers = 'join_order'")
    return getattr(engine, read)(pattern, **said)


def _typed_fields(engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    columns = _fields(pattern, said)
    return engine.read_json(pattern, **said, columns=columns, table_name=FIELDS)


def _written_fields(engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    written = dict.fromkeys(_fields(pattern, said), "VARCHAR")
    return engine.read_json(pattern, **said, columns=written)


def _fields(pattern: str, said: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a JSON file, of the types that are found in all records."""
    engine = duckdb()
    fields = engine.read_json(pattern, **said, **_ALL).get_name()
    return {name: kind for name, kind, *_ in engine.con.execute(f"DESCRIBE {fields}").fetchall()}


def _literally(path: Path) -> str:
    """A pattern that this file alone is found by."""
    return glob.escape(str(path.resolve() if ".." in path.parts else path.absolute()))


def _has_milliseconds(engine: Any, pattern: str) -> bool:
    """Whether a Parquet file has times in milliseconds, whatever they are.

    Where it puts joins in order, DuckDB reads the least and largest of every column, asked for or
    not, and stops at one that no number of microseconds tells.
    """
    kinds = engine.con.execute(
        "SELECT count(*) FROM parquet_schema(?) WHERE converted_type = 'TIMESTAMP_MILLIS' "
        "OR logical_type LIKE 'TimestampType%MilliSeconds%'",
        [pattern],
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
    if path.is_dir():
        raise ValueError(f"{path} is a folder, and a table is one file, such as visits.csv in it")
    if kind not in _READERS or (kind == _WHOLE and packed):
        raise ValueError(
            f"a file of a table ends in {', '.join(_READERS)}, and all but {_WHOLE} also in "
            f"{' or '.join(_COMPRESSED)} after that, e.g. .csv.gz; got {path.name!r}"
        )
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return _READERS[kind]
