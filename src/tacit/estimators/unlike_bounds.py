"""A warning of bounds so unlike that distances are of the wide columns alone.

k-means has no units: a column counts by the squares of its numbers, whatever they are of. Years in
bounds of 40 beside euros in bounds of 80,000 move no distance, and clusters are of euros. Whoever
fits scikit-learn's scales columns first, by what is in them; here that would be an answer about
people that nobody paid for, and bounds, which are public, say it before anybody is asked.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from tacit.called_from import called_from

# What a column has of squared distances, at most, as a part of the widest one's: with less it is
# warned of. A choice, not measured.
LEAST = 1e-3
# More columns are not named, and no larger ratio is said: what next to nothing is divided by it
# tells nobody more, and may be beyond floats.
_NAMED, _TIMES = 5, 1e6


def warn_of_unlike_bounds(sides: Sequence[float], names: Sequence[Any] = ()) -> None:
    """Warns where a column's declared bounds are so much narrower than another's.

    Args:
      sides: of the box, in any unit.
      names: of its columns; where there are none, these are told by their places.
    """
    widest = max(sides)
    narrow = [i for i, each in enumerate(sides) if each < math.sqrt(LEAST) * widest]
    if not narrow:
        return
    called = [_called(i, names) for i in range(len(sides))]
    warnings.warn(
        f"the bounds of {called[sides.index(widest)]} are up to {_times(widest, min(sides))} times "
        f"as wide as those of {_listed([called[i] for i in narrow])}, which "
        f"{'has' if len(narrow) == 1 else 'have'} next to no part in distances: unless that is "
        "meant, divide each column, and its bounds, by the width of its bounds before plan and fit",
        UserWarning,
        stacklevel=called_from(),
    )


def _times(widest: float, narrowest: float) -> str:
    if widest > _TIMES * narrowest:
        return f"more than {_TIMES:,.0f}"
    return f"{widest / narrowest:,.0f}"


def _called(place: int, names: Sequence[Any]) -> str:
    return repr(str(names[place])) if len(names) else f"column {place}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {more:,} more" if more > 0 else shown
