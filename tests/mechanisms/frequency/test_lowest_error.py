"""The default oracle has the least exact error of all."""

import math

import pytest

from tacit.mechanisms.frequency.lowest_error import lowest_error, oracles
from tacit.mechanisms.frequency.projective_geometry import ProjectiveGeometry
from tacit.mechanisms.frequency.randomised_response import MOST_CATEGORIES, RandomisedResponse
from tacit.mechanisms.frequency.subset_selection import (
    LARGEST_PRIME,
    MOST_LISTED,
    AllSubsets,
    SubsetSelection,
)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, math.log(2), 1.0, math.log(6), 2.5, 4.0, 8.0, 40.0])
def test_nothing_is_lower(epsilon):
    """Over a grid of categories every oracle of the package has at least as much error."""
    for categories in (2, 3, 4, 10, 18, 19, 24, 40, 57, 100, 121, 1024, 20_000, LARGEST_PRIME):
        lowest = lowest_error(epsilon, categories).error(1)
        errors = [maker(epsilon, categories).error(1) for maker in oracles(categories)]
        assert lowest == min(errors)
        assert len(errors) == 8 if categories <= MOST_LISTED else 7


@pytest.mark.parametrize(
    "epsilon, categories, chosen",
    [
        (1.0, 2, RandomisedResponse),
        (1.0, 10, AllSubsets),
        (1.0, 1024, SubsetSelection),
        (math.log(6), 57, ProjectiveGeometry),
        (20.0, 1024, RandomisedResponse),
        (20.0, MOST_CATEGORIES, RandomisedResponse),
    ],
)
def test_which_it_is(epsilon, categories, chosen):
    """Each of four oracles is the choice somewhere, and ties go to randomised response."""
    assert type(lowest_error(epsilon, categories)) is chosen


@pytest.mark.parametrize("categories", [1, MOST_CATEGORIES + 1])
def test_refuses_numbers_of_categories(categories):
    """What no oracle takes is refused as the oracles do."""
    with pytest.raises(ValueError, match="categories must be between 2 and"):
        lowest_error(1.0, categories)
