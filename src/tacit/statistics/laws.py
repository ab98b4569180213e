"""Laws that people's data may follow, written down before the data are seen: hypotheses.

What is compared are the shares of people that a law gives to finitely many public cells: to each
category, or to each piece of the line between two ends. So a distance between laws is what these
cells can tell, which is never more than their distance in total variation. If the cells lose no
more than x of the distance of any two of these laws, what is promised of the chosen law's distance
from people's holds with x more of the distance itself.

Without `ends` of one's own, those of a law of numbers are its quantiles, evenly many of each law,
and 2,048 of all together: a piece has little of any law, and two densities that cross within one
differ there by little. A law of whole numbers has all of its share at single points, and beside it
whole numbers are as far from every density as can be: if one is among the laws, `ends` at the whole
numbers make a cell of each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, cast, final

import numpy as np
from jaxtyping import Float, Int32

from tacit.argument import got
from tacit.question.laws import NearestLaw
from tacit.statistics.between import numbers_of
from tacit.statistics.categories import Histogram
from tacit.trust.nonprivate import NonPrivate

# Of all laws' cells, which every pair of laws has a set of; and of one law.
MOST_ENDS, MOST_QUANTILES = 2_048, 512
# Shares that a cdf of floats may fall by, or be beyond 0 and 1.
_FLOAT = 1e-9


class NumberLaw(Protocol):
    """A distribution of numbers: `scipy.stats.norm(30, 12)`, or one's own."""

    def cdf(self, numbers: Any, /) -> Any:
        """The share of people at each of these numbers, or below."""
        ...


@final
@dataclass(frozen=True)
class LawsOfNumbers:
    """Hypotheses about one number a person.

    | number | counts as |
    | --- | --- |
    | an end of two cells | in the lower one, as a `cdf` counts |
    | infinite | in the first or last cell |
    | NaN, or missing | in none: that person is not counted |

    Args:
      laws: by their labels, from 2 to 256; of `scipy.stats`, or with a `cdf` like theirs.
      ends: of the cells, rising; quantiles of the laws where none are given, for which each needs a
        `ppf`. Public, as the laws are.

    Raises:
      ValueError: if one is no law, or ends do not rise.
    """

    laws: Mapping[str, NumberLaw]
    ends: Sequence[float] | None = field(default=None, repr=False)

    def __post_init__(self):
        _refuse_no_laws(self.laws, "cdf")
        ends = _quantiles(self.laws) if self.ends is None else self.ends
        object.__setattr__(self, "ends", _rising(ends))
        _ = self.asked

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.laws))

    @cached_property
    def asked(self) -> NearestLaw:
        """The question that they are."""
        return NearestLaw(np.stack([_masses(*law, self.ends) for law in self.laws.items()]))

    def cells(self, values: Any) -> Int32[np.ndarray, " people"]:
        """Each person's cell by its number, -1 for none."""
        numbers = numbers_of(values)
        found = np.searchsorted(np.asarray(self.ends), numbers, side="left")
        return np.where(np.isnan(numbers), -1, found).astype(np.int32)


@final
@dataclass(frozen=True)
class LawsOfCategories:
    """Hypotheses about one category a person; whoever is in none of them is not counted.

    Args:
      laws: by their labels, from 2 to 256; of each the shares of people in all categories, in their
        order. They sum to one.
      categories: the labels there may be, as of a `histogram`.

    Raises:
      ValueError: if one is no law of these categories.
    """

    laws: Mapping[str, Sequence[float] | Float[np.ndarray, " categories"]]
    categories: Sequence[Any]

    def __post_init__(self):
        _refuse_no_laws(self.laws, "__len__")
        object.__setattr__(self, "categories", self._listed.categories)
        for label, law in self.laws.items():
            if len(law) != len(self.categories):
                raise ValueError(
                    f"law {label!r} must have a share for each of {len(self.categories)} "
                    f"categories, got {len(law)}"
                )
        _ = self.asked

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.laws))

    @cached_property
    def asked(self) -> NearestLaw:
        """The question that they are."""
        return NearestLaw(cast(Any, list(self.laws.values())))

    def cells(self, values: Any) -> Int32[np.ndarray, " people"]:
        """Each person's category by its number; one past the last for none."""
        return self._listed.numbers(values)

    @property
    def _listed(self) -> Histogram:
        return Histogram(self.categories, NonPrivate(), 1)


def refuse_no_laws(hypotheses: Any) -> None:
    """Raises a ValueError unless these are laws of either kind."""
    if not isinstance(hypotheses, LawsOfNumbers | LawsOfCategories):
        raise ValueError(
            "hypotheses must be LawsOfNumbers(laws) or LawsOfCategories(laws, categories), got "
            f"{got(hypotheses)}"
        )


def _refuse_no_laws(laws: Any, method: str) -> None:
    if not (isinstance(laws, Mapping) and len(laws) >= 2):
        raise ValueError(
            "laws must be at least two by their labels, {'young': ..., 'old': ...}, got "
            + (f"{len(laws)}" if isinstance(laws, Mapping) else got(laws))
        )
    for label, law in laws.items():
        if isinstance(law, type | str | Mapping) or not hasattr(law, method):
            wanted = (
                "have a cdf, as scipy.stats.norm(0, 1) has" if method == "cdf" else "list shares"
            )
            raise ValueError(f"law {label!r} must {wanted}, got {got(law)}")


def _quantiles(laws: Mapping[str, Any]) -> Float[np.ndarray, " ends"]:
    """Evenly many of each law, all different."""
    many = max(1, min(MOST_QUANTILES, MOST_ENDS // len(laws)))
    shares = np.arange(1, many + 1) / (many + 1)
    for label, law in laws.items():
        if not hasattr(law, "ppf"):
            raise ValueError(f"law {label!r} must have a ppf, or ends be given, got neither")
    found = np.concatenate([np.asarray(law.ppf(shares), np.float64) for law in laws.values()])
    return np.unique(found[np.isfinite(found)])


def _rising(ends: Any) -> tuple[float, ...]:
    try:
        found = np.asarray(ends, np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not (found.ndim == 1 and found.size and np.all(np.isfinite(found))):
        raise ValueError(f"ends must be finite numbers, at least one, got {got(ends)}")
    if not np.all(np.diff(found) > 0):
        raise ValueError("ends must rise, each above the one before")
    return tuple(found.tolist())


def _masses(label: str, law: NumberLaw, ends: Any) -> Float[np.ndarray, " cells"]:
    below = np.asarray(law.cdf(np.asarray(ends)), np.float64)
    rises = below.shape == (len(ends),) and np.all(np.diff(below) >= -_FLOAT)
    if not (rises and below[0] >= -_FLOAT and below[-1] <= 1 + _FLOAT):
        raise ValueError(f"law {label!r} must have a cdf that rises from 0 to 1, got another")
    inside = np.maximum.accumulate(np.clip(below, 0.0, 1.0))
    return np.diff(inside, prepend=0.0, append=1.0)
