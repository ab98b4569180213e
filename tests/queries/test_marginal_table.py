"""One table as a DataFrame, and which tables there are."""

import numpy as np
import pytest

from tacit.queries import Domain
from tacit.queries.marginal_table import MarginalTable, frame_of, places_of

DOMAIN = Domain.of({"sex": ["F", "M"], "ward": ["A", "B", "C"]})


def test_cells_are_rows_with_their_labels():
    """In the order of the domain's columns."""
    numbers = np.arange(6.0).reshape(2, 3)
    frame = frame_of(DOMAIN, (0, 1), MarginalTable(numbers, numbers - 1, numbers + 1))

    assert ["M", "A", 3.0, 2.0, 4.0] == frame.loc[3].tolist()


def test_only_tables_that_are_there_are_found():
    """By their columns in any order."""
    assert (0, 1) == places_of(DOMAIN, ("ward", "sex"), {(0, 1)})
    with pytest.raises(ValueError, match="has the columns ward together"):
        places_of(DOMAIN, ("ward",), {(0, 1)})
