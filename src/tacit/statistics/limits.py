"""A lower and an upper limit, of one number or of several."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number


class Limits(NamedTuple):
    """Between which a number lies with a stated confidence; arrays for several numbers."""

    lower: float | Float[np.ndarray, " numbers"]
    upper: float | Float[np.ndarray, " numbers"]


def refuse_no_confidence(confidence: Any) -> None:
    """Raises a ValueError if limits cannot hold with such a probability."""
    if not (is_number(confidence) and 0 < confidence < 1):
        raise ValueError(f"confidence must be above 0 and below 1, got {got(confidence)}")
