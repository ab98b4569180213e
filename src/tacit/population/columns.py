"""Tables, series and lists, as the arrays of numbers that a population holds.

What is converted, and what is refused, depends on the type of a column, not on its values; so a
refusal says nothing about anybody. The exceptions are lists and columns of objects, whose type is
that of their values: one person's text among numbers is refused, by what all of them have to be.

| what is given | what is held |
| --- | --- |
| an array of numbers or truth values | itself |
| a masked array | numbers, NaN where it is masked |
| a series, a list of numbers or truth values | an array, with NaN for a missing value |
| objects that are numbers, truth values or missing | the same |
| a list of equally long lists | an array of rows |
| a DataFrame | an array of rows, float32, a column for each of its own |
| text, categories, dates, other objects | refused, by the name of the column |
| a set, a generator, a word, one number | refused: they are no column |
| tuples and dicts of these | tuples and dicts of arrays |

NaN is a missing value: every shape says what becomes of it (`contribution`), none lets it through.
Categories are refused because the order of a column's own is the order in which somebody turned up;
`tacit.statistics.histogram` is told them.
"""

import math
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree, Shaped

from tacit.argument import is_number
from tacit.unquoted import unquoted

NUMBERS = "biuf"
# What is not all of these is refused, and nothing is said of any one.
_OBJECTS = "objects that are not all ints, floats, truth values or missing"


def held(data: PyTree) -> PyTree:
    """These data with an array in every place.

    Raises:
      ValueError: if a column holds no numbers, or a list rows of different lengths.
    """
    return jax.tree_util.tree_map_with_path(_held, data, is_leaf=_is_list)


def column(values: Any, called: str) -> Shaped[np.ndarray, "people *shape"]:
    """The numbers of an array, series or list.

    Raises:
      ValueError: if they are none, or rows of different lengths.
    """
    numbers = _plain(values, called)
    if numbers.ndim == 0 and not hasattr(values, "dtype"):
        raise ValueError(
            f"people's numbers must be in an array, a series or a list, got {type(values).__name__}"
        )
    if numbers.dtype.kind not in NUMBERS or str(_declared(values)) == "category":
        raise ValueError(
            f"{_name(values, called)} holds {_kind(values, numbers)}, and a population holds "
            "numbers or truth values: convert it, or leave it out"
        )
    return numbers


def columns_in(table: Any) -> list[tuple[Any, Any]] | None:
    """The name and values of every column of a table, or None of what is none.

    Raises:
      ValueError: if its rows are not there yet.
    """
    if hasattr(type(table), "collect"):
        raise ValueError(f"a table's rows must be there: collect it, got {type(table).__name__}")
    if hasattr(table, "column_names") and hasattr(table, "itercolumns"):
        # Arrow's `columns` are people's values, and no names.
        return [*zip(table.column_names, table.itercolumns(), strict=True)]
    if not hasattr(table, "columns"):
        return None
    # Of pandas two columns may have one name.
    own = table.items() if hasattr(table, "items") else zip(table.columns, table, strict=True)
    return [*own]


def refuse_one_name_twice(table: Any, what: str) -> None:
    """Raises a ValueError if two columns of a table, which is called so, have one name."""
    names = [name for name, _ in columns_in(table) or ()]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"{what} must have columns of different names, got {', '.join(map(repr, twice))} more "
            "than once"
        )


def _held(path: tuple, data: Any) -> Any:
    called = f"the array at {jax.tree_util.keystr(path)}" if path else "the array"
    if hasattr(data, "columns") and hasattr(data, "to_numpy"):
        return _table(data)
    if isinstance(data, jax.Array):
        return data
    return column(data, called)


def _table(frame: Any) -> Shaped[np.ndarray, "people columns"]:
    refuse_one_name_twice(frame, "a population's table")
    columns = [column(values, f"column {name!r}") for name, values in columns_in(frame) or ()]
    if not columns:
        raise ValueError("a population needs at least one column, got none")
    return np.stack(columns, axis=1).astype(np.float32)


def _plain(values: Any, called: str) -> np.ndarray:
    """As NumPy's, of whatever type that has."""
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if isinstance(values, np.ma.MaskedArray):
        numbers = kind in tuple(NUMBERS)
        return np.ma.filled(values.astype(np.float64), np.nan) if numbers else values.data
    if isinstance(values, np.ndarray):
        return _numbers(values)
    if not hasattr(values, "to_numpy"):
        return _listed(values, called)
    missing = kind in tuple(NUMBERS) and not isinstance(values.dtype, np.dtype)
    return values.to_numpy(np.float64, na_value=np.nan) if missing else _of_column(values)


def _of_column(values: Any) -> np.ndarray:
    """As NumPy's, of a table's column that is of no type with numbers that may be missing."""
    # Arrow's own refuses a column in which somebody's number is missing.
    own = values.to_numpy() if hasattr(values, "dtype") else np.asarray(values)
    if own.dtype == object and not _is_open(values):
        return own
    if own.dtype == object and hasattr(values, "isna"):
        # pandas has several objects that stand for nothing.
        own = own.copy()
        own[np.asarray(values.isna())] = None
    return _numbers(own)


def _declared(values: Any) -> Any:
    """A column's type: what Arrow has says `type`."""
    return getattr(values, "dtype", getattr(values, "type", None))


def _is_open(values: Any) -> bool:
    """Whether numbers, or nothing at all, may be held as objects of this type."""
    return str(_declared(values)).lower().startswith(("object", "null", "bool"))


def _listed(values: Any, called: str) -> np.ndarray:
    """A list's: of numbers, or of rows of them."""
    said = f"{called} must hold equally many numbers for each person"
    return _numbers(
        unquoted(
            lambda: np.asarray(values),
            ValueError,
            lambda error: said if isinstance(error, ValueError) else None,
        )
    )


def _numbers(plain: np.ndarray) -> np.ndarray:
    """Objects that are numbers, truth values or None as numbers; anything else as it is."""
    if plain.dtype != object:
        return plain
    numbers = (each is None or isinstance(each, int) or is_number(each) for each in plain.flat)
    if not all(numbers):
        return plain
    return np.array([_float(each) for each in plain.flat]).reshape(plain.shape)


def _float(number: Any) -> float:
    """The same; a whole number that no float reaches is beyond all bounds."""
    if number is None:
        return math.nan
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _name(values: Any, called: str) -> str:
    own = getattr(values, "name", None)
    return called if own in (None, "") else f"column {own!r}"


def _kind(values: Any, plain: np.ndarray) -> str:
    if plain.dtype.kind in "US":
        return "text"
    own = None if isinstance(values, list | tuple) else _declared(values)
    kind = str(plain.dtype if own is None else own)
    return _OBJECTS if kind.lower() == "object" else kind


def _is_list(data: Any) -> bool:
    """Whether it is a list of numbers or rows, and not one of arrays."""
    return isinstance(data, list) and not any(getattr(each, "ndim", 0) for each in data)
