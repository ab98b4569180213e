"""What an answer says beside its numbers, where these may not be what was meant.

Bounds that miss everybody are still answered, by a number at a bound; labels that differ from
people's in a space count nobody. Both are plausible answers, so they are said to be suspicious. A
remark is made of what is released and of what was declared, and never of data: it spends nothing.

| said of | where |
| --- | --- |
| a bound | the limits of an estimate reach it, and not the other one too |
| categories | what is released leaves room for less than nine tenths of the declared people |
| what is missing | it counts as a number, whatever is released |
| a mean in a ball | it came out far beyond it, or is foreseen to be off by its radius |
| deviations | one was found below half of the least that is declared, or above twice the most |
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Float

from tacit.statistics.limits import Limits

MISSING = "a missing number counts as the middle of the bounds"
MISSING_ROW = "a row with a missing number counts as one in the middle of all bounds"
MISSING_ZERO = "a row with a missing number counts as zero"
MISSING_THERE = "a row with a missing number counts as the centre of each round's ball"

# Declared people are about so many as there are.
_MOST = 0.9
# How many predicted errors noise seldom brings a mean beyond its ball, and a deviation by which
# factor beyond what is declared.
_ERRORS, _TIMES = 3.0, 2.0


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


def beyond_ball(found: Float[np.ndarray, " dim"], radius: float, error: float) -> tuple[str, ...]:
    """Of a mean that is declared to be in a ball about zero.

    Args:
      found: as it came out.
      error: how far off it is foreseen to be.
    """
    if not error < radius:
        return (
            "the predicted error is no less than the radius, so that nothing is learnt: ask more "
            "people, or at a larger epsilon",
        )
    if not np.linalg.norm(found) > radius + _ERRORS * error:
        return ()
    return (
        "the estimate came out beyond the radius, and is moved to the nearest point within it: the "
        "radius or the spread may be wrong",
    )


def beyond_range(
    covariance: Float[np.ndarray, "dim dim"], deviations: tuple[float, float]
) -> tuple[str, ...]:
    """Of a covariance whose deviations, in all directions, are declared to be between these."""
    squares = np.linalg.eigvalsh(covariance)
    sides = {
        "below half of the least": _TIMES**2 * squares[0] < deviations[0] ** 2,
        "above twice the most": squares[-1] > (_TIMES * deviations[1]) ** 2,
    }
    return tuple(
        f"a deviation was found {side} that is declared: what is declared may be wrong"
        for side, here in sides.items()
        if here
    )


def _named(labels: Sequence[str], here: np.ndarray) -> str:
    if len(labels) <= 1:
        return "the estimate is"
    named = [label for label, one in zip(labels, here, strict=True) if one]
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'}"
