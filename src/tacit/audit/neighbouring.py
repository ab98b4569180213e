"""Two neighbouring data sets that are as unlike as one person can make them: canaries, by default.

Everybody is at the lower end of what is declared, and one person, the canary, is far beyond the
upper end. A function that clips makes the upper end of it, the worst that a person can be; one that
forgot to is found out.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_number, is_whole, refuse_not_counted

# How far beyond its bounds a canary is, in widths of what lies between them.
BEYOND = 3.0

Rows = Float[np.ndarray, "people columns"]


class Neighbours(NamedTuple):
    """Two data sets that differ in one person.

    A data set is an array, or several in a tuple, each with an axis for people first.
    """

    one: Any
    other: Any


def neighbours(
    people: int,
    columns: int | None = None,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    relation: Relation = Relation.ADD_REMOVE,
    beyond: float = BEYOND,
) -> Neighbours:
    """People at the lower bound, beside whom there is a canary or not.

    Args:
      people: how many there are besides the canary, at least 1.
      columns: of each row; None for one number a person.
      bounds: between which a number is.
      relation: under replace-one the canary is as far below the bounds in the other data set;
        otherwise it is not there.
      beyond: how far outside the bounds the canary is, in their width; 0 for at its end.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    low, high = _between(bounds)
    for name, value in (("people", people), ("columns", 1 if columns is None else columns)):
        if not (is_whole(value) and value >= 1):
            raise ValueError(f"{name} must be a whole number from 1 on, got {got(value)}")
    if not (is_number(beyond) and beyond >= 0):
        raise ValueError(f"beyond must be at least zero, got {got(beyond)}")
    shape = () if columns is None else (counted(columns),)
    far = beyond * (high - low)
    others = np.full((counted(people), *shape), low)
    above, below = (np.full((1, *shape), each) for each in (high + far, low - far))
    other = [others, below] if relation is Relation.REPLACE_ONE else [others]
    return Neighbours(np.concatenate([others, above]), np.concatenate(other))


def canaries_apart(
    many: int, people: int, *, bounds: tuple[float, float] = (0.0, 1.0), beyond: float = BEYOND
) -> tuple[Rows, Rows]:
    """People at the lower bound, and canaries each of whom is beyond in a column of their own.

    Args:
      many: canaries, and columns.
      people: how many there are besides them.
      bounds: between which a number is.
      beyond: how far outside the bounds a canary is, in their width.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    refuse_not_counted("many", many)
    one, rows = neighbours(people, many, bounds=bounds, beyond=beyond)
    return rows, np.where(np.eye(counted(many)) > 0, one[-1], rows[0])


def _between(bounds: Any) -> tuple[float, float]:
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        low, high = np.nan, np.nan
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"bounds must be two finite numbers, rising, got {got(bounds)}")
    return low, high
