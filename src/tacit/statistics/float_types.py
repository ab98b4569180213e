"""What a column's type of floats has between declared bounds, and in float64: by the type alone.

Of short floats there may be none between two bounds: float32 has none between 1e9 and 1e9 + 1, so
everybody would be at a bound, whatever they said before digits were lost. That is refused, as
nothing that is asked of such a column is about people. Of long floats some are beyond float64:
these are infinite there, and count as the nearer bound.
"""

from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Shaped

from tacit.population.columns import columns_in


def refuse_no_number(values: Any, lower: float, upper: float) -> None:
    """Before anything is charged, or read.

    Raises:
      ValueError: if a column's type is of short floats, with none between these bounds.
    """
    own = _own_type(values)
    if _is_short(own) and not _follows(own, lower) < upper:
        raise ValueError(
            f"bounds must have numbers of the column's type between them, which {own} has "
            f"none of between {lower:.12g} and {upper:.12g}: give it as float64, from before "
            "digits were lost"
        )


def refuse_no_numbers(rows: Any, lower: ArrayLike, upper: ArrayLike) -> None:
    """The same of a table, and of bounds of every column; errors as of one."""
    ends, named = (np.atleast_1d(lower), np.atleast_1d(upper)), columns_in(rows)
    each = [rows] * len(ends[0]) if named is None else [values for _, values in named]
    for values, *sides in zip(each, *ends, strict=False):
        refuse_no_number(values, *map(float, sides))


def as_doubles(numbers: Shaped[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """In float64; what that does not reach is infinite, and nobody is warned of one's number."""
    with np.errstate(over="ignore"):
        return numbers.astype(np.float64)


def _own_type(values: Any) -> Any:
    """NumPy's, by nobody's number: pandas says it, of others it is that of no value of theirs."""
    declared = getattr(values, "dtype", None)
    known = declared is not None or hasattr(values, "to_numpy")
    if not known or str(declared).lower() == "null":
        return None
    own: Any = getattr(declared, "numpy_dtype", declared)
    return own if isinstance(own, np.dtype) else np.asarray(values[:0]).dtype


def _is_short(own: Any) -> bool:
    return isinstance(own, np.dtype) and own.kind == "f" and own.itemsize < 8


def _follows(own: np.dtype, lower: float) -> float:
    """The type's number after the one that is nearest to it."""
    with np.errstate(over="ignore"):
        return float(np.nextafter(own.type(lower), own.type(np.inf)))
