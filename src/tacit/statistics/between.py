"""Numbers between declared bounds: what is taken for them, and where each lies.

A question of bounded numbers asks each person for a place between the bounds, made in float64, so
that bounds far from zero cost no digits. What is declared is public and refused where it is given;
of the numbers nothing is quoted.
"""

import math
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from tacit.argument import got, is_number, is_whole, listed, single
from tacit.population.arrays import Arrays
from tacit.population.columns import column, columns_in
from tacit.population.owned import refuse_owned
from tacit.statistics.float_types import as_doubles, refuse_no_number
from tacit.statistics.refused_bounds import got_bounds

Columns = Float[np.ndarray, " columns"]
# Columns whose bounds are all written down for people to read.
_NAMED = 12


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


def dim_of(dim: Any, name: str = "dim") -> int:
    """How many numbers a person has.

    Raises:
      ValueError: if it is no whole number of at least one.
    """
    if not (is_whole(dim) and dim >= 1):
        raise ValueError(f"{name} must be a whole number of at least 1, got {got(dim)}")
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
    return as_doubles(one_each(values, "one number"))


def numbers_between(values: Any, bounds: tuple[float, float]) -> Float[np.ndarray, " people"]:
    """The same, of a column that has numbers between these bounds.

    Raises:
      ValueError: if there are several, or none that are numbers; or its type has none there.
    """
    refuse_no_number(values, *bounds)
    return numbers_of(values)


def one_each(values: Any, what: str) -> Shaped[np.ndarray, " people"]:
    """The numbers or truth values of one column, by person.

    Raises:
      ValueError: if they are of several columns, or none, or are not one person each.
    """
    refuse_owned(values=values)
    if isinstance(values, Arrays):
        raise ValueError(
            f"values must hold {what} for each person, got a population: give a column of it, and "
            "of people with several records one value each, such as their sum"
        )
    if hasattr(type(values), "columns"):
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
    ends = listed(bounds) or []
    pair = len(ends) == 2 and all(map(is_number, ends))
    if not (pair and 0 < float(ends[1]) - float(ends[0]) < math.inf):
        said = f"({', '.join(map(got, ends))})" if ends else got(bounds)
        raise ValueError(f"bounds must be two finite numbers, lower < upper, got {said}")
    return float(ends[0]), float(ends[1])


def between(bounds: tuple[float, float]) -> str:
    """Bounds in words."""
    return "between {:.15g} and {:.15g}".format(*bounds)


def between_each(lower: Columns, upper: Columns) -> str:
    """Bounds of columns in words: of all, or of each; of many the widest."""
    ends = list(zip(lower.tolist(), upper.tolist(), strict=True))
    if len(set(ends)) == 1:
        return between(ends[0])
    if len(ends) > _NAMED:
        return f"each {between((lower.min(), upper.max()))} at most"
    *others, last = ("[{:.15g}, {:.15g}]".format(*each) for each in ends)
    return f"in {', '.join(others)} and {last}"


def bounds_each(bounds: Any, columns: int, name: str = "bounds") -> tuple[Columns, Columns]:
    """Bounds of every column.

    | what is given | what it says |
    | --- | --- |
    | two numbers | lower and upper of all columns |
    | `([0, 10], [50, 100])`, a tuple of lists or arrays | all lower ones, then all upper ones |
    | `[(0, 50), (10, 100)]`, a list of tuples, as SciPy has it | a pair for each column |
    | a number and a list | one side is the same for all columns |
    | other sequences of sequences | what their lengths say; of two columns nothing: refused |

    Raises:
      ValueError: if they are none of these.
    """
    ends = listed(bounds) or []
    turned = _in_pairs(bounds, ends, columns, name)
    given = [[*end] for end in zip(*map(_each, ends), strict=True)] if turned else ends
    sides = [_side(each, columns) for each in given]
    if not (len(sides) == 2 and are_bounds(*sides)):
        raise ValueError(
            f"{name} must be (lower, upper), each one number or {columns} finite ones in a tuple, "
            "list or array, or a list with a pair for each column, every lower one below its "
            f"upper one, got {got_bounds(bounds, sides, columns, name)}"
        )
    return sides[0], sides[1]


def are_bounds(lower: Columns, upper: Columns) -> bool:
    """Whether each one is below the other, by a number."""
    with np.errstate(over="ignore", invalid="ignore"):
        width = upper - lower
    return bool(np.all((width > 0) & (width < math.inf)))


def _in_pairs(bounds: Any, ends: list[Any], columns: int, name: str) -> bool:
    """Whether there is a pair for each column; a ValueError where that may be meant or not."""
    if not (len(ends) == columns and all(len(_each(end)) == 2 for end in ends)):
        return False
    tuples = [isinstance(end, tuple) for end in ends]
    if columns != 2 or (isinstance(bounds, list) and all(tuples)):
        return True
    if isinstance(bounds, tuple) and not any(tuples):
        return False
    (a, b), (c, d) = ([got(one) for one in np.asarray(end).tolist()] for end in ends)
    raise ValueError(
        f"{name} of two columns may be read in two ways here: write ([{a}, {b}], [{c}, {d}]), a "
        f"tuple of lists, for lower ones and upper ones, or [({a}, {b}), ({c}, {d})], a list of "
        "tuples, for a pair for each column"
    )


def _each(end: Any) -> list[Any]:
    return listed(end) or []


def _side(given: Any, columns: int) -> Columns:
    """One number for all columns or one for each; NaN of anything else."""
    alone = single(given)
    each = [alone] * columns if is_number(alone) else listed(given) or ()
    known = len(each) == columns and all(map(is_number, each))
    return np.array(each, np.float64) if known else np.full(columns, np.nan)


def refuse_no_square(name: str, size: float) -> None:
    """Before anything is charged: variances are in its square, and noise many times that or less.

    Raises:
      ValueError: if it has none, or one that noise would take beyond the range of floats.
    """
    if not 1e-150 <= size <= 1e150:
        raise ValueError(
            f"the square of {name} must be a number, from 1e-300 to 1e300, got that of {size:g}"
        )


def table_of(rows: Any) -> tuple[tuple[str, ...], Float[np.ndarray, "people columns"]]:
    """Labels and numbers of a table, with a row for each person; that nobody is there is a secret.

    What is missing is NaN, in a column of any type that knows of missing numbers.

    Raises:
      ValueError: if it is none of numbers, or has rows that are not one person each.
    """
    refuse_owned(rows=rows)
    named = columns_in(rows)
    numbers = column(rows, "the table") if named is None else _side_by_side(named, len(rows))
    if not (numbers.ndim == 2 and numbers.shape[1]):
        axes = numbers.ndim
        raise ValueError(
            "rows must be a table of at least one column, with a row for each person, got "
            + (f"an array of {axes} axes" if axes != 2 else "one without columns")
        )
    labels = range(numbers.shape[1]) if named is None else [name for name, _ in named]
    return tuple(map(str, labels)), as_doubles(numbers)


def _side_by_side(named: list[tuple[Any, Any]], people: int) -> Shaped[np.ndarray, "rows columns"]:
    each = [column(values, f"column {name!r}") for name, values in named]
    return np.stack(each, axis=1) if each else np.empty((people, 0))
