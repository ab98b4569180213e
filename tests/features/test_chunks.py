"""Rows through a function, some at a time: all of them, in order, each once."""

import numpy as np
import pytest

from tacit.features.chunks import in_chunks

ROWS = np.arange(14.0).reshape(7, 2)


@pytest.mark.parametrize("chunk", [1, 3, 7, 100])
def test_all_rows_go_through_in_order(chunk):
    """Never more than so many at a time, and the last as they are left."""
    seen = []

    def summed(some):
        seen.append(len(some))
        return some.sum(axis=1)

    np.testing.assert_array_equal(in_chunks(summed, ROWS, chunk), ROWS.sum(axis=1))
    assert sum(seen) == 7 and max(seen) == min(chunk, 7)


def test_no_row_is_refused():
    """There is no shape that nothing would have."""
    with pytest.raises(ValueError, match="rows must be one or more, got none"):
        in_chunks(np.asarray, ROWS[:0], 3)
