"""Features as bits: tests of a number, every one of which is declared.

| a feature | its tests |
| --- | --- |
| of numbers | is it at least c, for so many c, evenly spaced between its bounds |
| with thresholds of its own | is it at least c, for each of these |
| categorical: whole numbers from its lower to its upper bound | is it v, for each of them |
| categorical, with the names of codes 0, 1, and so on | the same, said by name |

Of two categories one test is enough. Where a threshold is, and which category there is, nobody is
asked: read off the data, both would tell about people. A category that was never declared passes no
test.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar, cast, final

import numpy as np
from jaxtyping import Bool, Float

from tacit.argument import got, is_number, is_whole, listed
from tacit.estimators.declared import Box

Read = TypeVar("Read")
# A feature by its place, or by its name in a table that has some.
Feature = int | str
Thresholds = Mapping[Feature, Sequence[float]] | None
# Which features are categories, or what their codes stand for.
Categorical = Sequence[Feature] | Mapping[Feature, Sequence[str]] | None
MOST_VALUES = 4096


@final
@dataclass(frozen=True)
class AtLeast:
    """Whether a feature is this number or above."""

    feature: int
    value: float

    def bits(self, rows: Float[np.ndarray, "people features"]) -> Bool[np.ndarray, " people"]:
        return rows[:, self.feature] >= self.value

    def named(self, names: Sequence[str]) -> str:
        # A rule says what `predict` does, to nine digits.
        return f"{names[self.feature]} >= {self.value:.9g}"


@final
@dataclass(frozen=True)
class IsCategory:
    """Whether a feature is this number, which may have a name."""

    feature: int
    value: int
    name: str | None = None

    def bits(self, rows: Float[np.ndarray, "people features"]) -> Bool[np.ndarray, " people"]:
        return rows[:, self.feature] == self.value

    def named(self, names: Sequence[str]) -> str:
        return f"{names[self.feature]} is {self.value if self.name is None else self.name}"


PublicTest = AtLeast | IsCategory
# By place, thresholds that were given.
Edges = Mapping[int, Sequence[float]]
# By place, each code and its name; none where they have no names.
Codes = Mapping[int, Sequence[tuple[int, str | None]]]


@final
@dataclass(frozen=True)
class Declared:
    """What is declared about features beside their bounds.

    Args:
      cuts: how many thresholds a feature of numbers has where none are given.
      thresholds: those of some features.
      categorical: which features are categories; or for each of them the names of its codes.

    Raises:
      ValueError: if an argument is not of its kind.
    """

    cuts: Any
    thresholds: Any
    categorical: Any

    def __post_init__(self):
        if not (is_whole(self.cuts) and self.cuts >= 1):
            raise ValueError(f"cuts must be a positive whole number, got {got(self.cuts)}")
        if not (self.thresholds is None or isinstance(self.thresholds, Mapping)):
            raise ValueError(
                "thresholds must be a dictionary of features, e.g. thresholds={0: [20, 40]}, got "
                f"{got(self.thresholds)}"
            )

    def tests(self, box: Box, names: Sequence[str] | None) -> tuple[PublicTest, ...]:
        """All tests of features with these bounds, and names where they have some."""
        given, kinds = self.read(len(box.lower), names)
        each = (self._of(box, given, kinds, feature) for feature in range(len(box.lower)))
        return tuple(test for tests in each for test in tests)

    def read(self, features: int, names: Sequence[str] | None) -> tuple[Edges, Codes]:
        """By place: the thresholds that are given, and which features are categories.

        Raises:
          ValueError: if there is no such feature, or one is declared as both.
        """
        given = by_place(self.thresholds or {}, features, names, _increasing)
        kinds = coded(self.categorical, features, names)
        if kinds.keys() & given.keys():
            raise ValueError("a feature must have thresholds or be categorical, got both")
        return given, kinds

    def edges(self, box: Box, given: Edges, feature: int) -> Sequence[float]:
        """The thresholds of a feature of numbers: its own, or evenly between its bounds."""
        if feature in given:
            return given[feature]
        lower, upper = float(box.lower[feature]), float(box.upper[feature])
        return [float(each) for each in np.linspace(lower, upper, self.cuts + 2)[1:-1]]

    def _of(self, box: Box, given: Edges, kinds: Codes, feature: int) -> Iterator[PublicTest]:
        if feature in kinds:
            called = kinds[feature] or [(value, None) for value in values_of(box, feature)]
            two = len(called) == 2
            yield from (IsCategory(feature, *each) for each in called[two:])
        else:
            yield from (AtLeast(feature, value) for value in self.edges(box, given, feature))


def values_of(box: Box, feature: int) -> range:
    """The whole numbers between a feature's bounds.

    Raises:
      ValueError: if there are none, or more than 4,096.
    """
    lower, upper = np.ceil(box.lower[feature]), np.floor(box.upper[feature])
    if not 0 <= upper - lower < MOST_VALUES:
        raise ValueError(
            "a categorical feature's bounds must have from 1 to 4,096 whole numbers between them: "
            "its codes"
        )
    return range(int(lower), int(upper) + 1)


def coded(declared: Any, features: int, names: Sequence[str] | None) -> Codes:
    """The categorical features by place, and of those whose codes have names, these.

    Raises:
      ValueError: if they are declared otherwise, or there is no such feature.
    """
    if isinstance(declared, Mapping):
        return by_place(declared, features, names, _named)
    found = [] if declared is None else listed(declared)
    if found is None:
        raise ValueError(
            "categorical_features must be a list of features, or a dictionary of their "
            f"categories' names, got {got(declared)}"
        )
    return {place_of(feature, features, names): () for feature in found}


def _named(names: Any) -> tuple[tuple[int, str], ...]:
    found = listed(names) or []
    if not (0 < len(set(found)) == len(found) and all(isinstance(each, str) for each in found)):
        raise ValueError(f"categories' names must be different texts, got {got(names)}")
    return tuple(enumerate(found))


def by_place(
    declared: Mapping[Feature, Any],
    features: int,
    names: Sequence[str] | None,
    read: Callable[[Any], Read],
) -> dict[int, Read]:
    """What is declared of each feature, read, by its place.

    Raises:
      ValueError: if there is no such feature, or one is named twice.
    """
    places = [place_of(feature, features, names) for feature in declared]
    if len(set(places)) < len(places):
        raise ValueError("a feature must be declared once, got one by its place and by its name")
    return dict(zip(places, map(read, declared.values()), strict=True))


def place_of(feature: Any, features: int, names: Sequence[str] | None) -> int:
    """The place of a feature.

    Raises:
      ValueError: if it is none of so many.
    """
    if isinstance(feature, str) and names is not None and feature in names:
        return list(names).index(feature)
    if is_whole(feature) and 0 <= cast(int, feature) < features:
        return int(feature)
    named = "as columns have no names" if names is None else "or a column's name"
    raise ValueError(
        f"a feature must be a whole number from 0 to {features - 1}, {named}, got {got(feature)}"
    )


def _increasing(values: Any) -> Sequence[float]:
    found = listed(values) or []
    finite = bool(found) and all(is_number(each) and math.isfinite(each) for each in found)
    if not (finite and all(low < high for low, high in pairwise(found))):
        raise ValueError(f"thresholds must be finite and increasing, got {got(values)}")
    return [float(each) for each in found]
