"""All rows through a function of several, some at a time: what is made meanwhile has a bound.

Features of one image are many times as large as the image, and what leads to them larger still, so
memory and caches hold those of few. Between them, whoever waits may end it all.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Array, Shaped

# Asked now and then by what takes long; raises where that is to end.
Heard = Callable[[], object]


def in_chunks(
    function: Callable[[Any], Shaped[Array | np.ndarray, "some ..."]],
    rows: Shaped[Array | np.ndarray, "rows ..."],
    chunk: int,
    heard: Heard = lambda: None,
) -> Shaped[np.ndarray, "rows ..."]:
    """What a function of several rows makes of all of them, `chunk` rows at a time.

    The last of them are as many as are left. `heard` is asked before each few; what it raises ends
    all.

    Raises:
      ValueError: if there is no row.
    """
    if not len(rows) >= 1:
        raise ValueError("rows must be one or more, got none")

    def made(start: int) -> np.ndarray:
        heard()
        return np.asarray(function(rows[start : start + chunk]))

    return np.concatenate([made(start) for start in range(0, len(rows), chunk)])
