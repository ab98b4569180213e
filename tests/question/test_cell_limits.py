"""Workloads are about so many cells, and say so."""

import pytest

from tacit.question.cell_limits import MOST_CELLS, MOST_PREFIX, refuse_too_many, whole_cells
from tacit.question.workloads import Prefix


@pytest.mark.parametrize(("most", "given"), [(MOST_CELLS, 4_097), (MOST_PREFIX, 65_537)])
def test_more_cells_than_the_most_are_refused(most, given):
    """And so many are not."""
    assert whole_cells(given - 1, most) == given - 1
    with pytest.raises(ValueError, match=f"2 to {most:,} cells, got {given}"):
        whole_cells(given, most)


def test_what_is_too_large_to_be_written_out_is_refused():
    """A matrix of as many rows as cells; as an argument it is a workload all the same."""
    refuse_too_many(Prefix(4_096))
    for write in (refuse_too_many, Prefix.basis):
        with pytest.raises(ValueError, match="at most 4,096 cells, and this one has 4,097: ask"):
            write(Prefix(4_097))
