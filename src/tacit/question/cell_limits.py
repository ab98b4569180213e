"""How many cells a workload may be about, and how many of them can be written out."""

from typing import Any, Protocol

from tacit.argument import counted, got, is_whole

# Eigenvectors of more take minutes.
MOST_CELLS, MOST_PREFIX = 4096, 2**16


class OfCells(Protocol):
    """What is about so many cells."""

    @property
    def cells(self) -> int: ...


def whole_cells(cells: Any, most: int = MOST_CELLS) -> int:
    """How many cells a workload is about, if that is so many.

    Raises:
      ValueError: otherwise.
    """
    whole = counted(cells)
    if not (is_whole(whole) and 2 <= whole <= most):
        raise ValueError(f"a workload is about 2 to {most:,} cells, got {got(cells)}")
    return whole


def refuse_too_many(workload: OfCells) -> None:
    """Raises a ValueError for a workload with too many cells to be written out."""
    if not workload.cells <= MOST_CELLS:
        raise ValueError(
            f"a workload is written out for at most {MOST_CELLS:,} cells, and this one has "
            f"{workload.cells:,}: ask about coarser cells, or about one column at a time"
        )
