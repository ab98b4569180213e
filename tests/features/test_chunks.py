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


def test_whoever_waits_is_asked_before_each_few():
    """What is raised then ends it: nothing more is made."""
    made, asked = [], []

    def summed(some):
        made.append(some)
        return some.sum(axis=1)

    def heard():
        asked.append(len(made))
        if len(asked) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_chunks(summed, ROWS, 2, heard)
    assert asked == [0, 1, 2] and len(made) == 2


def test_no_row_is_refused():
    """There is no shape that nothing would have."""
    with pytest.raises(ValueError, match="rows must be one or more, got none"):
        in_chunks(np.asarray, ROWS[:0], 3)
