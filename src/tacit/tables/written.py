"""What is asked, written out whole: two questions that differ in anything have other texts.

A grant goes on under its name if it is asked the same of the same rows, and is refused where either
has changed. So what a question is compared by must tell all of it. Were two questions taken for
one, the second would be told whether its rows give other sums, and pay nothing. The texts that
libraries print will not do: Ibis leaves out the values of its literals, NumPy and pandas the middle
of a long list.

| of | is written |
| --- | --- |
| a number, text, a date, a truth value, none | its type, and all of it |
| a list, a table of names, one of our own classes | its type, and what is in it, part by part |
| an array or a column | its type, and every value |
| an expression of Ibis's | its operations, and what each is of, literals and their types too |
| the table that one was made of | its columns: which rows are asked is compared besides |
| SQL | as it was parsed, every node |
| a function or a class that a library has under its name | that name |
| what a value of these does, such as `text.startswith` | the value, and the name |
| anything else, a class or function of one's own too | not at all: it is refused |
"""

import hashlib
import importlib
import sys
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import ModuleType
from typing import Any
from uuid import UUID

import numpy as np

from tacit.argument import got
from tacit.tables.language import ibis, operations

_PLAIN = (
    *(bool, int, float, str, bytes, date, time, timedelta, type(None)),
    *(Decimal, Fraction, UUID, slice, range),
)
# Whose classes print all that tells one from another, and whose functions do always the same.
_LIBRARIES = (
    *("builtins", "collections", "datetime", "decimal", "fractions", "types", "uuid", "_operator"),
    *("tacit", "ibis", "sqlglot", "numpy", "pandas", "polars", "pyarrow"),
)
# Of arrays and columns, what lists all values.
_LISTING = "tolist", "to_list", "to_pylist"


def digest_of(asked: Any) -> str:
    """Of all that is asked."""
    return hashlib.sha256(written(asked).encode(errors="surrogatepass")).hexdigest()


def written(asked: Any) -> str:
    """All of it, as text.

    Raises:
      ValueError: if something in it cannot be told from another of its kind.
    """
    if type(asked).__module__.split(".")[0] not in _LIBRARIES:
        raise _unknown(asked)
    if isinstance(asked, np.ndarray | np.generic):
        return _of(asked, [str(asked.dtype), asked.tolist()])
    if isinstance(asked, Enum):
        return f"{_name(type(asked))} {asked.name}"
    if isinstance(asked, (*_PLAIN, ibis().expr.datatypes.DataType, _nodes())):
        return f"{_name(type(asked))} {asked!r}"
    parts = _parts(asked)
    return f"function {_named(asked)}" if parts is None else _of(asked, parts)


def _parts(asked: Any) -> Iterable[Any] | None:
    """What it is made of, in order; none if it is not made of anything."""
    if isinstance(asked, ibis().Deferred):
        return [asked._resolver]
    if isinstance(asked, Mapping):
        return [part for item in asked.items() for part in item]
    if isinstance(asked, Set):
        return sorted(map(written, asked))
    if isinstance(asked, list | tuple):
        return asked
    own = _parts_of_ibis(asked)
    return _parts_of_others(asked) if own is None else own


def _parts_of_ibis(asked: Any) -> Iterable[Any] | None:
    if isinstance(asked, ibis().common.deferred.Resolver):
        return [getattr(asked, each) for each in type(asked).__slots__]
    if isinstance(asked, ibis().Expr):
        return [asked.op()]
    if isinstance(asked, operations().Value):
        return asked.__args__
    # That an expression was made of: no other than the rows that are asked would be answered.
    if isinstance(asked, operations().PhysicalTable):
        return list(asked.schema.items())
    return None


def _parts_of_others(asked: Any) -> Iterable[Any] | None:
    # What cannot be hashed Ibis has in a class of its own.
    if type(asked).__name__ == "PseudoHashable":
        return [asked.obj]
    for listing in _LISTING:
        if hasattr(asked, listing):
            kind = getattr(asked, "dtype", None) or getattr(asked, "type", "")
            return [str(kind), *getattr(asked, listing)()]
    own = getattr(asked, "__self__", None)
    if callable(asked) and not isinstance(own, ModuleType | None):
        return [own, asked.__name__]
    if is_dataclass(asked) and not isinstance(asked, type):
        return [getattr(asked, each.name) for each in fields(asked)]
    return None


def _of(asked: Any, parts: Iterable[Any]) -> str:
    """Every part with its length before it, so that none runs into the next."""
    texts = [each if isinstance(asked, Set) else written(each) for each in parts]
    return f"{_name(type(asked))}({''.join(f'{len(each)}:{each}' for each in texts)})"


def _nodes() -> type:
    """What parsed SQL is made of; Ibis has imported it."""
    return importlib.import_module("sqlglot.expressions").Expression


def _named(asked: Any) -> str:
    """A function or a class, by its name in its module."""
    name = _name(asked) if callable(asked) else ""
    module = getattr(asked, "__module__", None) or ""
    found = sys.modules.get(module) if module.split(".")[0] in _LIBRARIES else None
    for part in asked.__qualname__.split(".") if name else ():
        found = getattr(found, part, None)
    if found is None or asked not in (found, getattr(found, "__wrapped__", None)):
        raise _unknown(asked)
    return name


def _unknown(asked: Any) -> ValueError:
    return ValueError(
        "a question is made of columns, values and expressions of these, which can be told from "
        f"others, got {got(asked)}"
    )


def _name(kind: Any) -> str:
    name = getattr(kind, "__qualname__", "")
    return name and f"{kind.__module__}.{name}"
