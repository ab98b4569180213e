"""Labels are of one kind and none is missing: else arrays would take them for something else."""

import math

import numpy as np
import pandas as pd
import pytest

from tacit.estimators.listed_labels import labels_in


@pytest.mark.parametrize(
    "classes",
    [[1, 0], (0, 1.5), {"b", "a"}, [True, False], np.array(["a", "b"], object), pd.Series([2, 3])],
    ids=["list", "tuple", "set", "truth values", "array", "series"],
)
def test_labels_of_one_kind_are_taken_as_they_are(classes):
    """From a list, a set or an array."""
    assert sorted(labels_in(classes)) == sorted(classes)


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([0, None], "got 0, None"),
        ([0.0, math.nan], "got 0.0, nan"),
        ([0, "1"], "got 0, '1'"),
        (np.array(["a", None], object), "got 'a', None"),
        ([0, pd.NA], "got 0, NAType"),
    ],
)
def test_labels_of_two_kinds_or_missing_are_refused(classes, said):
    """With what was given: they are declared, and about nobody."""
    with pytest.raises(ValueError, match="must be all text or all numbers, and none .* " + said):
        labels_in(classes)
