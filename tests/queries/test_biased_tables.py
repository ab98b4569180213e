"""Limits of biased tables are the release's, as far as counts can lie in them."""

import numpy as np

from tacit.queries.biased_tables import counted
from tacit.queries.marginal_table import MarginalTable


def test_limits_are_cut_at_zero():
    """Where both are below it, both are zero: no count is negative."""
    low, high = np.array([-3.0, 1.0, -9.0]), np.array([4.0, 6.0, -2.0])
    found = counted(MarginalTable((low + high) / 2, low, high), np.array([0.5, 3.0, 0.0]))

    assert [0.5, 3.0, 0.0] == found.estimates.tolist()
    assert [0.0, 1.0, 0.0] == found.low.tolist() and [4.0, 6.0, 0.0] == found.high.tolist()
