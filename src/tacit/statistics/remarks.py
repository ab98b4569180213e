"""What an answer says beside its numbers, where these may not be what was meant.

Bounds that miss everybody are still answered, by a number at a bound; labels that differ from
people's in a space count nobody. Both are plausible answers, so they are said to be suspicious. A
remark is made of what is released and of what was declared, and never of data: it spends nothing.

| said of | where |
| --- | --- |
| a bound | the limits of an estimate reach it, and not the other one too |
| both bounds | a mean's limits reach both (`unlearnt`) |
| categories | what is released leaves room for less than nine tenths of the declared people |
| rows | there are more, by a tenth, than people were declared, whatever noise did |
| numbers | there are fewer, by a tenth, whatever noise did |
| steps | an estimate is within ten of zero, so that rounding may be much of it |
| what is missing | it counts as a number, whatever is released |
| a mean in a ball | it came out far beyond it, or is foreseen to be off by its radius |
| deviations | one was found below half of the least that is declared, or above twice the most |
| counts | an estimate is beyond its own limits, as below zero |
| who says yes | the limits leave room for nobody |
| variances | one is below zero, or above what numbers between the bounds can have |
| a chosen law | whether any of the list fits is not asked |
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Float

from tacit.page import figures
from tacit.statistics.limits import Limits

MISSING = "a missing number counts as the middle of the bounds"
MISSING_ROW = "a row with a missing number counts as one in the middle of all bounds"
MISSING_ZERO = "a row with a missing number counts as zero"
NEAREST_OF_LIST = (
    "the nearest of these laws, as far as is said: whether any of them fits people was not asked"
)
_ONE_ROW = (
    "the promise is to whoever has one row, and is less to people with several; `tacit.Table` "
    "makes one of each person's"
)
MISSING_THERE = "a row with a missing number counts as the centre of each round's ball"

# What rounding makes of a variance, the largest possible being one.
_ROUNDED = 1e-6
# Declared people are about so many as there are.
_MOST = 0.9
_FEW_STEPS = 10
# How many times the predicted error noise seldom makes, and by which factor a deviation is beyond
# what is declared.
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


def few_steps(
    labels: Sequence[str], found: Float[np.ndarray, " labels"], step: float
) -> tuple[str, ...]:
    """Of estimates that are rounded by a good part of what they are.

    Args:
      labels: of the estimates; of a single one nothing is said of it.
      found: as released. Of zero nothing is known to be lost, unless whole numbers are no steps.
      step: how far apart the numbers are that people's are rounded to.
    """
    here = (np.abs(found) < _FEW_STEPS * step) & ((found != 0) | (step > 1))
    if not here.any():
        return ()
    return (
        f"{_named(labels, here)} within ten steps of zero, each {figures(step)} wide: rounding "
        "may be much of that, and nearer bounds have finer steps",
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


def more_rows(counts: Float[np.ndarray, " labels"], rmse: float, people: int) -> tuple[str, ...]:
    """Of counts that so few people cannot have, one row each.

    Args:
      counts: as released, each row in one of them at most.
      rmse: how far off each is foreseen to be (root mean square).
      people: about how many people were declared.
    """
    if not _are_more(counts, rmse, people):
        return ()
    rows = float(np.sum(counts))
    return (f"about {rows:,.0f} rows for {people:,} declared people: {_ONE_ROW}",)


def more_numbers(counts: Float[np.ndarray, " sums"], rmse: float, people: int) -> tuple[str, ...]:
    """The same of a mean, which is divided by these: how many they are is not what was asked."""
    if not _are_more(counts, rmse, people):
        return ()
    return (f"more rows than the {people:,} declared people: {_ONE_ROW}",)


def fewer_numbers(counts: Float[np.ndarray, " sums"], rmse: float, people: int) -> tuple[str, ...]:
    """Of a mean whose people cannot be so many as were declared, or have no number."""
    if not float(np.sum(counts)) + _moved(counts, rmse) < _MOST * people:
        return ()
    return (f"fewer numbers than the {people:,} declared people: the mean is of those there are",)


def _are_more(counts: Float[np.ndarray, " labels"], rmse: float, people: int) -> bool:
    return _MOST * (float(np.sum(counts)) - _moved(counts, rmse)) > people


def _moved(counts: Float[np.ndarray, " sums"], rmse: float) -> float:
    """How far noise moves the sum of all of these, hardly ever farther."""
    return _ERRORS * rmse * len(counts) ** 0.5


def beyond_limits(labels: Sequence[str], found: ArrayLike, limits: Limits) -> tuple[str, ...]:
    """Of counts that noise took beyond what there can be.

    Args:
      labels: of the counts; of a single one nothing is said of it.
      found: as released.
      limits: of these.
    """
    here = np.atleast_1d((found < np.asarray(limits.lower)) | (found > np.asarray(limits.upper)))
    if not here.any():
        return ()
    return (
        f"{_named(labels, here)} outside the interval, which ends where counts do: it is left as "
        "noise made it, so that sums and means of such counts are right on average",
    )


def said_by_none(limits: Limits) -> tuple[str, ...]:
    """Of a count of those who say yes that is not told from zero.

    The column's type is not asked: one missing number makes floats of whole ones.
    """
    if limits.lower > 0:
        return ()
    return (
        "not told from nobody: those are counted whose value equals True or 1; of other numbers "
        "count a comparison, as values > 0, or those that are there by values.notna()",
    )


def impossible(
    labels: Sequence[str],
    covariance: Float[np.ndarray, "columns columns"],
    most: Float[np.ndarray, " columns"],
) -> tuple[str, ...]:
    """Of a covariance that no numbers between the bounds have.

    Args:
      labels: of the columns.
      most: the largest variance of each.
    """
    own = covariance / np.sqrt(np.outer(most, most))
    here = np.abs(np.diag(own) - 0.5) > 0.5 + _ROUNDED
    if here.any():
        named = ", ".join(label for label, one in zip(labels, here, strict=True) if one)
        what = f"the variance of {named} came out below zero, or above what the bounds allow"
    elif np.linalg.eigvalsh(own)[0] < -_ROUNDED:
        what = "in some direction the variance came out below zero"
    else:
        return ()
    return (
        f"{what}: it is left as noise made it, which is nearly right on average; `possible()` is a "
        "covariance near it that people can have",
    )


def beyond_ball(found: Float[np.ndarray, " dim"], radius: float, rmse: float) -> tuple[str, ...]:
    """Of a mean that is declared to be in a ball about zero.

    Args:
      found: as it came out.
      rmse: how far off it is foreseen to be (root mean square).
    """
    if not rmse < radius:
        return (
            "the predicted error is no less than the radius, so that nothing is learnt: ask more "
            "people, or at a larger epsilon",
        )
    if not np.linalg.norm(found) > radius + _ERRORS * rmse:
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
