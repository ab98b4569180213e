"""What a chosen rule is about: its tests as bits, and by which names they are said."""

from types import SimpleNamespace

import numpy as np

from tacit.estimators.chosen_rules import bits_of, names_of
from tacit.estimators.public_tests import AtLeast, IsCategory


def test_bits_are_the_tests_in_their_order():
    """One column each."""
    tests, rows = (AtLeast(0, 2.0), IsCategory(1, 3)), np.array([[2.0, 1.0], [1.0, 3.0]])

    assert [[1, 0], [0, 1]] == bits_of(tests, rows).tolist()


def test_features_have_names_where_rows_had():
    """As scikit-learn keeps them."""
    assert names_of(SimpleNamespace()) is None
    assert ["a"] == names_of(SimpleNamespace(feature_names_in_=["a"]))
