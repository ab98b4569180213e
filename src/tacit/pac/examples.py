"""People's bits and labels, as a question of concepts takes them.

| a bit | counts as |
| --- | --- |
| True, 1, or above | 1 |
| False, below 1, NaN, or missing | 0 |

| a label | counts as |
| --- | --- |
| 0 or 1, True or False | itself |
| any other number, NaN, or missing | none: that person is not counted |

What is refused, text or dates, is refused by its column's type.
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.question.concepts import Concept
from tacit.statistics.between import columns_of, numbers_of

Rows = Float[np.ndarray, "people numbers"]


def rows_of(bits: Any, labels: Any, concept: Concept) -> tuple[tuple[str, ...], Rows]:
    """The bits' names, and each person's bits and label.

    Raises:
      ValueError: if columns are not as many as the concept's bits, or rows not as many as labels.
    """
    names, numbers = bits_of(bits, concept)
    own = numbers_of(labels)
    if len(own) != len(numbers):
        raise ValueError("there must be one label for each row of bits, got another number of them")
    return names, np.column_stack([numbers, own]).astype(np.float32)


def bits_of(bits: Any, concept: Concept) -> tuple[tuple[str, ...], Rows]:
    """The bits' names, and each person's bits."""
    names, numbers = columns_of(bits, concept.dim)
    return names, (numbers >= 1).astype(np.float32)
