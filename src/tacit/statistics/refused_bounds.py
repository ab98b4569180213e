"""What was wrong with bounds of columns, in the end of the sentence that refuses them.

Bounds are public, and so are columns' places: both are said.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, listed

_Side = Float[np.ndarray, " columns"]


def got_bounds(bounds: Any, sides: Sequence[_Side], columns: int, name: str) -> str:
    """What was given in place of a lower and an upper one of each column.

    Args:
      bounds: as given.
      sides: each read as one side, of which NaN was none.
      columns: how many there are.
      name: of the argument.
    """
    if isinstance(bounds, Mapping):
        return f"{got(bounds)}: of pairs by column write [{name}[each] for each in X.columns]"
    if len(sides) == 2 and not np.isnan(sides).any():
        return _first_turned(*sides)
    return _how_many(listed(bounds) or [], columns) or got(bounds)


def _first_turned(lower: _Side, upper: _Side) -> str:
    """The first column whose bounds are none."""
    with np.errstate(over="ignore", invalid="ignore"):
        place = int(np.argmin((upper - lower > 0) & (upper - lower < np.inf)))
    return f"({lower[place]:g}, {upper[place]:g}) for column {place}, counted from 0"


def _how_many(ends: Sequence[Any], columns: int) -> str:
    """Of numbers alone: so many pairs, or so many on each side."""
    each = [[one] if is_number(one) else listed(one) or [""] for one in ends]
    if not (each and all(is_number(one) for own in each for one in own)):
        return ""
    if len(each) != 2 or all(isinstance(end, tuple) and len(end) == 2 for end in ends):
        kind = "pair" if all(len(own) == 2 for own in each) else "part"
        return f"{_many(len(each), kind)} for {_many(columns, 'column')}"
    return f"{len(each[0])} lower and {len(each[1])} upper for {_many(columns, 'column')}"


def _many(number: int, kind: str) -> str:
    return f"{number} {kind}{'s' * (number != 1)}"
