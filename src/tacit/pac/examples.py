"""People's bits, or points, and labels, as a question of concepts takes them.

| a bit | counts as |
| --- | --- |
| True, 1, or above | 1 |
| False, below 1, NaN, or missing | 0 |

| a point on a line of n | counts as |
| --- | --- |
| from 0 to n - 1 | its whole part |
| below 0, or above n - 1 | 0, or n - 1 |
| NaN, or missing | none: that person is not counted |

| a label | counts as |
| --- | --- |
| 0 or 1, True or False; of a class of k labels, from 0 to k - 1 | itself |
| any other number, NaN, or missing | none: that person is not counted |

What is refused, text or dates, is refused by its column's type (`population.columns`): make bits of
it beforehand, `frame["age"] > 40` or `pandas.get_dummies(frame["ward"])`, or points,
`np.digitize(ages, range(18, 90))`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.question.concepts import Concept, labels_of
from tacit.question.line_concepts import AlongLine
from tacit.statistics.between import columns_of, numbers_of

Rows = Float[np.ndarray, "people numbers"]
# No label is below zero: mechanisms count nobody with one that is.
NOBODYS = -1.0


def rows_of(bits: Any, labels: Any, concept: Concept) -> tuple[tuple[str, ...], Rows]:
    """The columns' names, and each person's bits, or point, and label.

    Raises:
      ValueError: if columns are not as many as the concept's bits, or rows not as many as labels.
    """
    names, numbers = read(bits, concept)
    given = numbers_of(labels)
    own = np.where(np.isin(given, np.arange(labels_of(concept))), given, NOBODYS)
    if len(own) != len(numbers):
        raise ValueError("there must be one label for each row of bits, got another number of them")
    return names, np.column_stack([numbers, own]).astype(np.float32)


def named(bits: Any, names: Sequence[str]) -> Any:
    """The same table with its columns in this order; what has no names is as it is.

    Raises:
      ValueError: if a column is not there.
    """
    own = getattr(bits, "columns", None)
    if own is None:
        return bits
    found = {str(column): column for column in own}
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"rows must have the columns {', '.join(names)}: {missing[0]!r} is missing"
        )
    return bits[[found[name] for name in names]]


def read(bits: Any, concept: Concept) -> tuple[tuple[str, ...], Rows]:
    """The columns' names, and each person's bits, or point."""
    if isinstance(concept, AlongLine):
        return _points_of(bits, concept.points)
    names, numbers = columns_of(bits, concept.dim)
    return names, (numbers >= 1).astype(np.float32)


def _points_of(given: Any, points: int) -> tuple[tuple[str, ...], Rows]:
    """One column, or the numbers alone."""
    table = given if hasattr(given, "columns") else np.reshape(numbers_of(given), (-1, 1))
    names, numbers = columns_of(table, 1)
    own = np.clip(np.floor(numbers), 0, points - 1)
    return names, np.where(np.isnan(own), NOBODYS, own).astype(np.float32)
