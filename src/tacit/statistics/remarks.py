"""What an answer says beside its numbers, where these may not be what was meant.

Bounds that miss everybody are still answered, by a number at a bound; labels that differ from
people's in a space count nobody. Both are plausible answers, so they are said to be suspicious. A
remark is made of what is released and of what was declared, and never of data: it spends nothing.

| said of | where |
| --- | --- |
| a bound | the limits of an estimate reach it, and not the other one too |
| categories | what is released leaves room for less than nine tenths of the declared people |
| what is missing | it counts as a number, whatever is released |
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Float

from tacit.statistics.limits import Limits

MISSING = "a missing number counts as the middle of the bounds"
MISSING_ROW = "a row with a missing number counts as one in the middle of all bounds"

# Declared people are about so many as there are.
_MOST = 0.9


def at_bounds(
    labels: Sequence[str], limits: Limits, bounds: tuple[ArrayLike, ArrayLike]
) -> tuple[str, ...]:
    """Of estimates that are not told from a bound, one line for each side.

    Args:
      labels: of the estimates; of a single one nothing is said of it.
      limits: between which each is.
      bounds: of all of them, or of each.
    """
    low = np.atleast_1d(limits.lower) <= np.asarray(bounds[0])
    high = np.atleast_1d(limits.upper) >= np.asarray(bounds[1])
    sides = {"lower": low & ~high, "upper": high & ~low}
    return tuple(
        f"{_named(labels, here)} not told from the {side} bound: whoever is beyond it counts as "
        "there, so the bounds may be wrong"
        for side, here in sides.items()
        if here.any()
    )


def in_none(
    counts: Float[np.ndarray, " labels"], upper: Float[np.ndarray, " labels"], people: int
) -> tuple[str, ...]:
    """Of categories that many declared people cannot be in.

    Args:
      counts: as released, of each.
      upper: limits of these.
      people: about how many were declared.
    """
    if not np.sum(upper) < _MOST * people:
        return ()
    others = min(people - float(np.sum(counts)), people)
    return (
        f"about {others:,.0f} of {people:,} declared people have none of these labels: text is "
        "compared with its spaces and capitals, numbers by equality (labels are no ranges)",
    )


def _named(labels: Sequence[str], here: np.ndarray) -> str:
    if len(labels) <= 1:
        return "the estimate is"
    named = [label for label, one in zip(labels, here, strict=True) if one]
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'}"
