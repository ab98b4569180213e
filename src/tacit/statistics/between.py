"""Numbers between declared bounds: what is taken for them, and where each lies.

A question of bounded numbers asks each person for a place between the bounds, made in float64, so
that bounds far from zero cost no digits. What is declared is public and refused where it is given;
of the numbers nothing is quoted.
"""

import math
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from tacit.argument import got, is_number, is_whole
from tacit.population.arrays import Arrays
from tacit.population.columns import column

Columns = Float[np.ndarray, " columns"]


def shares_of(
    numbers: Float[np.ndarray, " people"], bounds: tuple[float, float]
) -> Float[np.ndarray, " people"]:
    """How far each number is between its bounds, from zero to one; NaN stays."""
    lower, upper = bounds
    return (np.clip(numbers, lower, upper) - lower) / (upper - lower)


def centred(
    numbers: Float[np.ndarray, " people"], bounds: tuple[float, float]
) -> Float[np.ndarray, " people"]:
    """The same from minus one to one; a NaN is in the middle."""
    return np.nan_to_num(2 * shares_of(numbers, bounds) - 1).astype(np.float32)


def columns_of(
    rows: Any, columns: int
) -> tuple[tuple[str, ...], Float[np.ndarray, "people columns"]]:
    """Labels and numbers of a table that has so many columns.

    Raises:
      ValueError: if it has not, or is none.
    """
    labels, numbers = table_of(rows)
    if len(labels) != columns:
        raise ValueError(f"rows must have {columns} columns, as was declared, got {len(labels)}")
    return labels, numbers


def dim_of(dim: Any) -> int:
    """How many numbers a person has.

    Raises:
      ValueError: if it is no whole number of at least one.
    """
    if not (is_whole(dim) and dim >= 1):
        raise ValueError(f"dim must be a whole number of at least 1, got {got(dim)}")
    return int(dim)


def in_units(
    numbers: Float[np.ndarray, "*shape"], unit: float | Columns
) -> Float[np.ndarray, "*shape"]:
    """In float32, in one unit or one for each column; what that does not reach is infinite, and
    nobody is warned of one's number."""
    with np.errstate(over="ignore"):
        return (numbers / unit).astype(np.float32)


def numbers_of(values: Any) -> Float[np.ndarray, " people"]:
    """One number for each person.

    Raises:
      ValueError: if there are several, or none that are numbers.
    """
    return one_each(values, "one number").astype(np.float64)


def one_each(values: Any, what: str) -> Shaped[np.ndarray, " people"]:
    """The numbers or truth values of one column, by person.

    Raises:
      ValueError: if they are of several columns, or none.
    """
    if isinstance(values, Arrays):
        raise ValueError(
            f"values must hold {what} for each person, got a population: give a column of it, and "
            "of people with several records one value each, such as their sum"
        )
    if hasattr(values, "columns"):
        raise ValueError(f"values must hold {what} for each person, got a table: give one column")
    numbers = column(values, "the array")
    if numbers.ndim != 1:
        raise ValueError(
            f"values must hold {what} for each person, got an array of {numbers.ndim} axes"
        )
    return numbers


def bounds_of(bounds: Any) -> tuple[float, float]:
    """Bounds as floats.

    Raises:
      ValueError: if they are none.
    """
    listed = isinstance(bounds, tuple | list)
    pair = listed and len(bounds) == 2 and all(map(is_number, bounds))
    if not (pair and 0 < float(bounds[1]) - float(bounds[0]) < math.inf):
        said = f"({', '.join(map(got, bounds))})" if listed else got(bounds)
        raise ValueError(f"bounds must be two finite numbers, lower < upper, got {said}")
    return float(bounds[0]), float(bounds[1])


def bounds_each(bounds: Any, columns: int) -> tuple[Columns, Columns]:
    """Bounds of every column, from one number for all or one for each.

    Raises:
      ValueError: if they are neither.
    """
    try:
        lower, upper = (np.asarray(side, np.float64) for side in bounds)
        pair = tuple(np.broadcast_to(side, (columns,)).copy() for side in (lower, upper))
    except (TypeError, ValueError):
        pair = (np.full(columns, np.nan),) * 2
    with np.errstate(over="ignore", invalid="ignore"):
        width = pair[1] - pair[0]
    if not np.all((width > 0) & (width < math.inf)):
        raise ValueError(
            f"bounds must be (lower, upper), each one number or {columns} finite ones, every "
            "lower one below its upper one"
        )
    return pair[0], pair[1]


def table_of(rows: Any) -> tuple[tuple[str, ...], Float[np.ndarray, "people columns"]]:
    """Labels and numbers of a table, with a row for each person; that nobody is there is a secret.

    What is missing is NaN, in a column of any type that knows of missing numbers.

    Raises:
      ValueError: if it is none of numbers.
    """
    named = getattr(rows, "columns", None)
    numbers = column(rows, "the table") if named is None else _side_by_side(rows)
    if not (numbers.ndim == 2 and numbers.shape[1]):
        axes = numbers.ndim
        raise ValueError(
            "rows must be a table of at least one column, with a row for each person, got "
            + (f"an array of {axes} axes" if axes != 2 else "one without columns")
        )
    labels = range(numbers.shape[1]) if named is None else named
    return tuple(map(str, labels)), numbers.astype(np.float64)


def _side_by_side(frame: Any) -> Shaped[np.ndarray, "people columns"]:
    # Of pandas two columns may have one name.
    own = frame.items() if hasattr(frame, "items") else zip(frame.columns, frame, strict=True)
    each = [column(values, f"column {name!r}") for name, values in own]
    return np.stack(each, axis=1) if each else np.empty((len(frame), 0))
