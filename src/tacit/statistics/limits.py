"""A lower and an upper limit, of one number or of several."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Limits(NamedTuple):
    """Between which a number lies with a stated confidence; arrays for several numbers."""

    lower: float | Float[np.ndarray, " numbers"]
    upper: float | Float[np.ndarray, " numbers"]
