"""All rows through a function of several, some at a time: what is made meanwhile has a bound.

Features of one image are many times as large as the image, and what leads to them larger still, so
memory and caches hold those of few.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Array, Shaped


def in_chunks(
    function: Callable[[Any], Shaped[Array | np.ndarray, "some ..."]],
    rows: Shaped[Array | np.ndarray, "rows ..."],
    chunk: int,
) -> Shaped[np.ndarray, "rows ..."]:
    """What a function of several rows makes of all of them, `chunk` rows at a time.

    The last of them are as many as are left.

    Raises:
      ValueError: if there is no row.
    """
    if not len(rows) >= 1:
        raise ValueError("rows must be one or more, got none")
    starts = range(0, len(rows), chunk)
    return np.concatenate([np.asarray(function(rows[start : start + chunk])) for start in starts])
