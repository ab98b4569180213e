"""An engine: where a table lies, and how whole sums come out of it.

Any engine that Ibis knows will do. A DataFrame or a file is read by DuckDB, in this process; a
table of a database is asked there, by the connection it came with. Sums come back as whole numbers,
one row for each group, and stay in this process.

What an engine says when it stops may quote a person's value; so its own words are not repeated.
That it stopped at all may depend on somebody's value too, which no promise covers: `rowwise` lists
what is refused for that reason.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Int64

from tacit.argument import got
from tacit.tables.files import rows_in
from tacit.tables.frames import frame_rows
from tacit.tables.language import ibis, operations, refusals
from tacit.tables.named import refuse_but_for_case
from tacit.tables.statement import PRINTS, Statement
from tacit.tables.whose import Whose
from tacit.unquoted import unquoted

T = TypeVar("T")

# DuckDB's words for a file that is not there.
_GONE = "No files found that match the pattern"
# How it and PostgreSQL say that types do not fit.
_UNFIT = (
    "Binder Error: No function matches the given name and argument types",
    "Binder Error: Cannot compare values of type",
    "Binder Error: Cannot mix values of type",
)
_UNFIT_KINDS = "CannotCoerce", "UndefinedFunction", "DatatypeMismatch"
_NO_FILE = "a file of the table is not there any more; nothing was charged"
_NO_WORDS = (
    "this engine cannot be asked this, whatever its rows are ({own}); nothing was charged: ask "
    "where the rows lie in a file, or in a table of DuckDB, PostgreSQL or Spark"
)
_NO_OPERATION = (
    "this engine has no such operation for columns of these types ({own}); nothing was charged: "
    "give them types that it has one for"
)
_STOPPED = (
    "the engine stopped ({own}); nothing was charged by this: ask again, under the same name if "
    "the grant has one; the engine's own words are not repeated, because they may tell of "
    "somebody's row"
)
_AT_A_VALUE = (
    "the engine stopped at a value or a line that it cannot read as its column's type ({own}), and "
    "stops there whenever it is asked; nothing was charged by this: of a CSV or JSON file give "
    "tacit.Table the path, which reads each value by itself, and in your own view make columns of "
    "text and read them by TRY_CAST; the engine's own words are not repeated, because they may "
    "tell of somebody's row"
)
# What a driver calls an error at a value, by the name that all Python's have, and one of DuckDB's.
_OF_VALUES = "DataError", "InvalidInputException"
# What the name begins with of a table that Ibis made of a query.
_CACHED = "ibis_cached_"


class EngineError(RuntimeError):
    """An engine that stopped; nothing is charged, and nothing of what it said is repeated."""


def rows_of(source: Any) -> Any:
    """The table as Ibis has it.

    | what is given | read by |
    | --- | --- |
    | a pandas or Polars DataFrame, a PyArrow table | DuckDB, where it lies |
    | the path of a Parquet, CSV, TSV or JSON file, see `files` | DuckDB, where it lies |
    | a table of an Ibis connection | its own engine |

    A DataFrame is taken as it is now; of a file or a database's table, what is there when it is
    read counts.

    Raises:
      ValueError: if it is none of these; of Ibis's expressions, tables alone are taken, because
        what a query does to other people's rows cannot be seen. Also if two columns are called
        alike but for the case of their letters: see `named`.
    """
    rows = _rows_of(source)
    refuse_but_for_case(rows.columns)
    return rows


def _rows_of(source: Any) -> Any:
    if isinstance(source, ibis().Table):
        if _is_query(source):
            raise ValueError(
                "a table is one of a connection's own, not a query, by an alias or cached either: "
                "filter by where(), and write expressions of one row where a column is asked for"
            )
        return source
    if isinstance(source, str | Path):
        return rows_in(Path(source))
    if hasattr(source, "columns"):
        return frame_rows(source)
    raise ValueError(
        "a table is a DataFrame, the path of a Parquet, CSV or JSON file, or an Ibis table, got "
        f"{got(source)}"
    )


def sums_of(
    statement: Statement, rows: Any, cells: list[int]
) -> tuple[list[Int64[np.ndarray, "groups cells"]], bytes]:
    """The exact sums of every aggregate, and the fingerprint of all rows that were read.

    Args:
      statement: what is asked, of declared groups.
      rows: the table.
      cells: how many of each group every aggregate has.

    Raises:
      ValueError: if the statement does not fit the table.
      EngineError: if the engine stops.
    """
    table = quoting_nobody(statement.of(rows).to_pyarrow)
    found = {name: table[name].to_numpy() for name in table.column_names}
    return _sums(found, [(statement.keys.groups, many) for many in cells]), _print(found)


def _is_query(rows: Any) -> bool:
    """Whether Ibis computes its rows, or did, and keeps them as long as somebody holds them."""
    ops, own = operations(), rows.op()
    while isinstance(own, ops.AliasedRelation):
        own = own.parent
    plain = isinstance(own, ops.DatabaseTable | ops.InMemoryTable)
    return not plain or own.name.startswith(_CACHED)


def _sums(
    found: dict[str, np.ndarray], shapes: list[tuple[int, int]]
) -> list[Int64[np.ndarray, "groups cells"]]:
    sums, part = [np.zeros(shape, np.int64) for shape in shapes], _part(found)
    for i, own in enumerate(sums):
        wide, below = (part == each for each in (-1, i))
        for j in range(own.shape[1]):
            if f"cell_{i}_{j}" in found:
                own[found["group"][wide], j] = found[f"cell_{i}_{j}"][wide]
        if below.any():
            own[found["group"][below], found["node"][below]] = found["many"][below]
    return sums


def units_in(rows: Any, whose: Whose) -> int:
    """How many units a table has, whichever of their rows are asked about.

    Raises:
      EngineError: if the engine stops.
    """
    known = rows.select(unit=whose.of(rows)).unit.nunique()
    return int(quoting_nobody(known.to_pyarrow).as_py())


def quoting_nobody(asked: Callable[[], T]) -> T:
    """What an engine answers; what it says when it stops is neither repeated nor kept.

    Raises:
      EngineError: in its place.
    """
    return unquoted(asked, EngineError, _stopped)


def _stopped(error: Exception) -> str:
    """In words that quote no row. A grant of a name may have been charged by an earlier asking."""
    own = type(error).__name__
    if own == "IOException" and _GONE in str(error):
        return _NO_FILE
    if isinstance(error, refusals()):
        return _NO_WORDS.format(own=own)
    if _is_of_types(error):
        return _NO_OPERATION.format(own=own)
    at_a_value = any(each.__name__ in _OF_VALUES for each in type(error).__mro__)
    return (_AT_A_VALUE if at_a_value else _STOPPED).format(own=own)


def _is_of_types(error: Exception) -> bool:
    """Whether it is of a statement and its columns' types, made before a row of them is read.
    DuckDB finds functions then. PostgreSQL says where in the statement a type does not fit; of
    arrays it says that of a row's, and has no place then."""
    own, diagnosed = type(error).__name__, getattr(error, "diag", None)
    if own == "BinderException":
        return str(error).startswith(_UNFIT)
    return own in _UNFIT_KINDS and getattr(diagnosed, "statement_position", None) is not None


def _print(found: dict[str, np.ndarray]) -> bytes:
    wide = _part(found) == -1
    whole = [found[name][wide].tolist() for name in ("group", *PRINTS)]
    return hashlib.sha256(repr(sorted(zip(*whole, strict=True))).encode()).digest()


def _part(found: dict[str, np.ndarray]) -> np.ndarray:
    """Of each row, the aggregate that it is of alone; -1 where it is of all."""
    return found.get("part", np.full(len(found["group"]), -1))
