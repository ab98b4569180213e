"""What a fitted line says beside its weights, where these may not be what was meant.

As of statistics (`tacit.statistics.remarks`): made of what is released and declared, never of data,
so it spends nothing. It is kept as `remarks_`, and warned of once the fit has all that it learnt,
so that whoever makes errors of warnings keeps what was paid for.

| said of | where |
| --- | --- |
| `people` | a quarter or more is foreseen to be lost, of so few |
| `target_bounds` | the prediction in the middle of the features' bounds is about one of them |
| second moments: means | one of a feature or of the target is not told from a bound |
| second moments: people | there are more than declared, by a tenth, whatever noise did |

**What is not said.** Where `bounds` miss everybody, all rows are one point to the fit, and the
directions in which it has no spread are left to noise: a line of these is like any other. Only
second moments tell. `outside` counts people for whoever holds them.
"""

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from jaxtyping import Float

from tacit.called_from import called_from
from tacit.estimators.declared import RADIUS, REACH
from tacit.estimators.words_of_lines import SaidLine
from tacit.statistics.limits import Limits
from tacit.statistics.remarks import at_bounds, more_rows

Fit = TypeVar("Fit", bound=Callable[..., Any])

# From where on much is lost; what a prediction is from a bound, beside noise; what is nearer to
# the middle is at none, whatever noise is foreseen: choices.
_LARGE, _NEAR, _FAR = 0.25, 0.15, 0.5
# How many deviations noise seldom makes.
_SURE = 2.0


def remarked(fit: Fit) -> Fit:
    """`fit`, which warns at last of what it kept as `remarks_`."""

    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = fit(self, *args, **kwargs)
        for remark in self.remarks_:
            warnings.warn(remark, UserWarning, stacklevel=called_from())
        return made

    return cast(Fit, whole)


def few_people(asked: SaidLine, people: int) -> tuple[str, ...]:
    """Of people who are few for what is promised them.

    Args:
      asked: what is.
      people: as declared.
    """
    lost = asked.settings.lost
    if lost is None or not (asked.plan.private and lost >= _LARGE):
        return ()
    return (
        f"{lost:.2g} of what a line can tell is foreseen to be lost by noise and by few people, "
        f"{people:,} as declared: ask more, or at a larger epsilon, or look at people=",
    )


def at_target_bound(middle: float, lost: float | None) -> tuple[str, ...]:
    """Of a line by which somebody in the middle of the features' bounds is at a target's bound.

    Args:
      middle: the prediction there, of targets in [-1, 1].
      lost: as of `settings_`; lines of one flat target are off there by about the root of it.
    """
    if not abs(middle) >= max(1 - _NEAR - _SURE * math.sqrt(lost or 0.0), _FAR):
        return ()
    side = "upper" if middle > 0 else "lower"
    return (
        f"the prediction in the middle of the bounds is not told from the {side} one of "
        "target_bounds: whoever's target is beyond it counts as there, so target_bounds may be "
        "wrong",
    )


def of_moments(
    matrix: Float[np.ndarray, "size size"], noise: float, people: int, names: Sequence[Any]
) -> tuple[str, ...]:
    """Of second moments of features in the ball, a constant and a target.

    Args:
      matrix: as released, divided by the declared people and by units (`tacit.estimators.moments`).
      noise: its deviation on the diagonal.
      people: as declared.
      names: of the features; where there are none, these are told by their places.
    """
    # Of z = (x / REACH, target): what is beside the constant, in units of x and of the target.
    units = np.array([*np.full(len(matrix) - 1, REACH**2), REACH])
    sums, off = matrix[-2] * units, noise * REACH**2
    rows = float(sums[-2])
    if not rows > _SURE * off:
        return ()
    means = np.delete(sums, -2) / rows
    away = _SURE * np.hypot(noise * np.delete(units, -2) / math.sqrt(2), means * off) / rows
    labels = [f"the mean of {each}" for each in (*_called(names, len(means) - 1), "the target")]
    ends = np.array([*np.full(len(means) - 1, RADIUS / math.sqrt(len(means) - 1)), 1.0])
    near = at_bounds(labels, Limits(means - away, means + away), (-ends, ends))
    return near + more_rows(np.array([people * rows]), people * off, people)


def _called(names: Sequence[Any], columns: int) -> list[str]:
    return [repr(str(each)) for each in names] or [f"column {i}" for i in range(columns)]
