"""Features as codes: bins and categories as they are declared."""

import numpy as np

from tacit.estimators.declared import Box
from tacit.estimators.public_codes import BinCodes, CategoryCodes, coded_rows, codes_of
from tacit.estimators.public_tests import Declared

BOX = Box(np.array([0.0, 2.0, 0.0]), np.array([8.0, 4.0, 2.0]))


def test_codes_are_places_among_what_is_declared():
    """Of bins by thresholds, of categories from their lower bound, or of their names."""
    declared = Declared(1, None, {1: ["a", "b"]})
    bounded = Declared(3, {2: [1.0]}, [1])

    assert (BinCodes((4.0,)), CategoryCodes(0, 2), BinCodes((1.0,))) == codes_of(
        declared, BOX, None
    )
    assert CategoryCodes(2, 3) == codes_of(bounded, BOX, None)[1]
    assert BinCodes((2.0, 4.0, 6.0)) == codes_of(bounded, BOX, None)[0]


def test_what_was_never_declared_has_no_code():
    """A threshold belongs to the bin above it, and numbers far out to the outer ones."""
    codes = BinCodes((1.0, 2.0)), CategoryCodes(2, 3)
    rows = np.array([[-9.0, 2.0], [1.0, 4.0], [99.0, 5.0], [1.5, 2.5], [2.0, 1.0]])

    assert [[0, 0], [1, 2], [2, -1], [1, -1], [2, -1]] == coded_rows(codes, rows).tolist()
    assert (3, 3) == tuple(each.categories for each in codes)
