"""Features as codes of categories, by what is declared: 0, 1, and so on, or -1 for none of them.

A category's code is its place among those declared, and a number's is the bin that it is in: below
the first threshold, from one to the next, from the last on. Thresholds are those of
`estimators.public_tests`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Float32

from tacit.estimators.declared import Box
from tacit.estimators.public_tests import Declared, values_of


@final
@dataclass(frozen=True)
class BinCodes:
    """Which bin a number is in; infinities are in the outer ones.

    Args:
      edges: increasing, at least one.
    """

    edges: tuple[float, ...]

    @property
    def categories(self) -> int:
        return len(self.edges) + 1

    def of(self, values: Float[np.ndarray, " people"]) -> Float32[np.ndarray, " people"]:
        return np.searchsorted(self.edges, values, side="right").astype(np.float32)


@final
@dataclass(frozen=True)
class CategoryCodes:
    """A category's place among whole numbers from `first` on; -1 for any other number."""

    first: int
    categories: int

    def of(self, values: Float[np.ndarray, " people"]) -> Float32[np.ndarray, " people"]:
        places = np.asarray(values, np.float64) - self.first
        known = (places == np.floor(places)) & (places >= 0) & (places < self.categories)
        return np.where(known, places, -1).astype(np.float32)


PublicCodes = BinCodes | CategoryCodes


def codes_of(declared: Declared, box: Box, names: Sequence[str] | None) -> tuple[PublicCodes, ...]:
    """How each feature becomes a code; errors as `Declared.read` and `values_of`."""
    given, kinds = declared.read(len(box.lower), names)

    def of(feature: int) -> PublicCodes:
        if feature not in kinds:
            return BinCodes(tuple(declared.edges(box, given, feature)))
        if kinds[feature]:
            return CategoryCodes(0, len(kinds[feature]))
        values = values_of(box, feature)
        return CategoryCodes(values.start, len(values))

    return tuple(of(feature) for feature in range(len(box.lower)))


def coded_rows(
    codes: Sequence[PublicCodes], rows: Float[np.ndarray, "people features"]
) -> Float32[np.ndarray, "people features"]:
    """Every feature's code of every row."""
    return np.column_stack([each.of(rows[:, place]) for place, each in enumerate(codes)])
