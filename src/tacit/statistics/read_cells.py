"""What counted cells say: the share of people below each cell's end, and where a share is reached.

A place is read between the ends of cells, as if a cell's people filled it evenly. So many people as
are asked for may be below a whole range, where nobody is or counts are made equal: its middle is
taken then, as either end would be as likely to be far from where they are.
"""

import numpy as np
from jaxtyping import Float

from tacit.population.release import Release
from tacit.statistics.answer import CallTerms, released
from tacit.statistics.tree import CountedCells

Ends = Float[np.ndarray, " ends"]


def asked_cells(
    counted: CountedCells,
    shares: Float[np.ndarray, " people"],
    terms: CallTerms,
) -> tuple[Ends, Release]:
    """The shares of people in cells up to each end, and the release.

    Args:
      counted: what is asked.
      shares: where each person is, from zero to one over all cells.
      terms: of the release.
    """
    release = released(counted.plan, counted.learner, counted.terms(shares, terms.seed), *terms)
    return counted.below(np.asarray(release.answer, np.float64)), release


def places_of(shares: Float[np.ndarray, " shares"], below: Ends) -> Float[np.ndarray, " shares"]:
    """Where so many people are below, from 0 to 1: the middle, where that is a range."""
    first = np.searchsorted(below, shares, "left")
    last = np.searchsorted(below, shares, "right")
    found = []
    for share, one, other in zip(shares, first, last, strict=True):
        if one < other:
            found.append((one + other - 1) / 2)
        else:
            high = min(max(one, 1), len(below) - 1)
            rise = below[high] - below[high - 1]
            part = (share - below[high - 1]) / rise if rise > 0 else 0.5
            found.append(high - 1 + min(max(part, 0.0), 1.0))
    return np.array(found) / (len(below) - 1)


def ends_of(
    bounds: tuple[float, float], places: Float[np.ndarray, " shares"]
) -> Float[np.ndarray, " shares"]:
    """Places from 0 to 1 as numbers between the bounds."""
    lower, upper = bounds
    return np.clip(lower + (upper - lower) * places, lower, upper)
