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

import numpy as np

from tacit.called_from import called_from
from tacit.estimators.declared import Box

# What a column has of squared distances, at most, as a part of the widest one's: with less it is
# warned of. A choice, not measured.
LEAST = 1e-3
# More columns are not named.
_NAMED = 5


def warn_of_uneven(estimator: Any, box: Box) -> None:
    """Warns where a column's declared bounds are so much narrower than another's."""
    sides = np.asarray(box.sides)
    narrow = np.flatnonzero(sides < math.sqrt(LEAST) * sides.max())
    if estimator.bounds is None or not len(narrow):
        return
    names, ratio = _names(estimator, len(sides)), sides.max() / sides.min()
    one = len(narrow) == 1
    warnings.warn(
        f"the bounds of {names[int(sides.argmax())]} are up to {ratio:,.0f} times as wide as those "
        f"of {_listed([names[i] for i in narrow])}, which {'has' if one else 'have'} next to no "
        "part in distances: unless that is meant, divide each column, and its bounds, by the width "
        "of its bounds before plan and fit",
        UserWarning,
        stacklevel=called_from(),
    )


def _names(estimator: Any, features: int) -> list[str]:
    """Of columns: as the rows have them, once they are read; or by their places."""
    named = getattr(estimator, "feature_names_in_", ())
    if len(named) == features:
        return [repr(str(each)) for each in named]
    return [f"column {i}" for i in range(features)]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {more:,} more" if more > 0 else shown
