"""How many of independent tosses succeed: what `scipy.stats.binom` says, to the bit, in less time.

Importing `scipy.stats` takes longer than what a plan asks of it, and so does each call of its law
than the numbers in it. They are those of functions of `scipy.special`, whose
names are not promised to stay: where one is gone, the law itself answers.
"""

from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import special

from tacit.late import binom

Chances = Float[np.ndarray, "*counts"]
_QUICK = getattr(special, "_ufuncs", None)


def exactly(counts: Any, tosses: int, chance: float) -> Chances:
    """The chance of so many; of whole numbers, as all here."""
    return _read("pmf", counts, tosses, chance, (0, tosses), (0.0, 0.0))


def up_to(counts: Any, tosses: int, chance: float) -> Chances:
    """The chance of so many or fewer."""
    return _read("cdf", counts, tosses, chance, (0, tosses - 1), (0.0, 1.0))


def above(counts: Any, tosses: int, chance: float) -> Chances:
    """The chance of more."""
    return _read("sf", counts, tosses, chance, (0, tosses - 1), (1.0, 0.0))


def _read(
    name: str,
    counts: Any,
    tosses: int,
    chance: float,
    ends: tuple[int, int],
    beyond: tuple[float, float],
) -> Chances:
    """From one end to the other; `beyond` them a chance is known."""
    given, (low, high) = np.asarray(counts), ends
    inner = np.clip(given, low, max(low, high))
    law = getattr(_QUICK, f"_binom_{name}", None) or getattr(binom, name)
    found = np.clip(law(inner, tosses, chance), 0.0, 1.0)
    return np.where(given < low, beyond[0], np.where(given > high, beyond[1], found))
