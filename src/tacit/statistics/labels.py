"""Whether a column may hold a label, and as what: by the type of the column alone.

A label that is declared and a value that somebody has meet if they are equal. Of types that write
the same thing differently they never are: 0.1 is no float32, a date no moment in nanoseconds. Their
count would be zero, and charged. So labels become what the column's type has for them, and where it
has nothing they are refused, before anything is charged. What is missing is in no category.

A type is often inferred from everybody's values: pandas makes floats of whole numbers where one is
missing, and NumPy's text is as long as the longest. So a refusal is for the curator's eyes, and
names no type, but what kind of labels there may be.

| column | its labels | counted as |
| --- | --- | --- |
| of floats | numbers | the nearest of that type; two of them that are one are refused |
| of whole numbers or truth values | those that are in its range | themselves |
| of decimals | numbers | as they are written: 0.1 is 1/10 |
| of text | text | itself |
| of dates or moments without a time zone | dates, datetimes, NumPy's and pandas' | that moment |
| of spans of time | `timedelta`, NumPy's and pandas' | that span |
| with a time zone | none | refused |
| a list, or of objects | any but what is missing | equal objects |

**Labels are no ranges.** Of `(0, 10, 20)` people are counted who have exactly one of these; who has
a number between two is in none, and text such as "0-10" is refused where a column is of numbers.
`statistics.cdf` counts up to places, and a column that is cut into ranges has these for labels.

**Text is compared to the letter.** "A " and "a" are not "A": nothing is stripped, as which spaces
people's labels have is theirs to know. Clean the column before, or declare what is in it.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

# How the types of columns begin that hold nothing else; NumPy's, pandas' and Polars' names.
DECIMAL = "decimal"
OF_NUMBERS = "int", "uint", "float", "bool", DECIMAL
OF_TEXT = "str", "<u", "utf8", "categorical", "enum", "large_str"
_UNKNOWN = np.dtype(object)
_KINDS = dict.fromkeys("fiub", "numbers") | {"M": "moments", "m": "spans of time"}
_TIMES: dict[str, tuple[tuple[type, type], Any]] = {
    "M": ((np.datetime64, date), np.datetime64),
    "m": ((np.timedelta64, timedelta), np.timedelta64),
}


def refuse_missing(labels: Sequence[Any]) -> None:
    """Before anything is charged.

    Raises:
      ValueError: if a label is what a missing value is.
    """
    if any(map(_is_missing, labels)):
        raise ValueError(
            "categories must be labels, and what is missing has none: ask for it by "
            "statistics.count, of values that are missing, got None, NaN, NaT or NA among them"
        )


def labels_in(values: Any, labels: Sequence[Any]) -> list[Any]:
    """What each label is in this column.

    Raises:
      ValueError: if one is nothing there, or two are the same.
    """
    declared = _declared(values)
    own = _type_of(values, declared)
    found = [_as_held(own, declared, label) for label in labels]
    for label, each in zip(labels, found, strict=True):
        if each is None:
            raise ValueError(_refused(_kind_of(own, declared), label))
    if len(set(found)) < len(found):
        raise ValueError(
            "categories must be different in the column, whose type has the same for two of them"
        )
    return found


def _refused(kind: str, label: Any) -> str:
    """Why, for a column of this kind."""
    ranges = "; labels are no ranges, which statistics.cdf counts" if kind == "numbers" else ""
    return (
        f"categories must be what the column may hold: it is one of {kind}, which has no "
        f"{label!r}{ranges}"
    )


def held_in(values: Any) -> list[Any]:
    """What each person has, as labels are there."""
    if _type_of(values, _declared(values)).kind not in "Mm":
        return values.tolist() if hasattr(values, "tolist") else list(values)
    return np.asarray(values).view(np.int64).tolist()


def _declared(values: Any) -> Any:
    """A column's type; of pandas' categories theirs."""
    declared = getattr(values, "dtype", None)
    categories = getattr(declared, "categories", None)
    return getattr(categories, "dtype", declared) if hasattr(declared, "ordered") else declared


def _type_of(values: Any, declared: Any) -> np.dtype:
    """As NumPy's; that of objects, where nothing is known. No value is looked at."""
    name = str(declared).lower()
    if name.startswith(OF_TEXT):
        return np.dtype(str)
    if isinstance(declared, np.dtype):
        return declared
    if hasattr(declared, "numpy_dtype"):
        return declared.numpy_dtype
    if declared is None or hasattr(declared, "kind"):
        return _UNKNOWN
    return values[:0].to_numpy().dtype


def _kind_of(own: np.dtype, declared: Any) -> str:
    """What a refusal may say of a type: nothing of its length."""
    if str(declared).lower().startswith(DECIMAL):
        return "numbers"
    return _KINDS.get(own.kind, "text" if own.kind in "US" else "objects")


def _as_held(own: np.dtype, declared: Any, label: Any) -> Any:
    """A label as a column of the type has it, or None."""
    zone = getattr(declared, "tz", None) or getattr(declared, "time_zone", None)
    if str(declared).lower().startswith(DECIMAL):
        return Decimal(str(label)) if _is_number(label) else None
    match own.kind:
        case "f":
            return own.type(label).item() if _is_number(label) else None
        case "b" | "i" | "u":
            return label if _is_number(label) and _is_within(own, label) else None
        case "U":
            return label if isinstance(label, str) else None
        case "S":
            return label if isinstance(label, bytes) else None
        case "M" | "m":
            return None if zone else _moment(own, label)
    return None if zone else label


def _is_within(own: np.dtype, label: Any) -> bool:
    least, most = (0, 1) if own.kind == "b" else (np.iinfo(own).min, np.iinfo(own).max)
    return bool(least <= label <= most and label == int(label))


def _moment(own: np.dtype, label: Any) -> int | None:
    """In the column's own unit, if it is a whole number of them."""
    given: Any = getattr(label, "asm8", label)
    kinds, made = _TIMES[own.kind]
    if not isinstance(given, kinds) or getattr(given, "tzinfo", None) is not None:
        return None
    exact = made(given)
    held = exact.astype(own)
    return int(held.view(np.int64)) if held.astype(exact.dtype) == exact else None


def _is_number(label: Any) -> bool:
    return isinstance(label, Real | Decimal | np.bool_)


def _is_missing(label: Any) -> bool:
    named = type(label).__name__ in ("NAType", "NaTType")
    return named or label is None or (_is_number(label) and bool(label != label)) or _is_nat(label)


def _is_nat(label: Any) -> bool:
    return isinstance(label, np.datetime64 | np.timedelta64) and bool(np.isnat(label))
