"""A kind's own grid: fine beside the loss, and of bounded size, whatever the release."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.accounting.kind import MOST_BYTES, MOST_CELLS, MOST_WINDOW, NARROWEST, Kind
from tacit.accounting.pairs import laplace
from tacit.accounting.relation import Relation

LAPLACE = Kind(
    "a Laplace event",
    frozenset(Relation),
    laplace.spread,
    laplace.losses,
    laplace.renyi,
    laplace.pure_epsilon,
    laplace.pure_epsilon,
)


def of(spread: float, reach: float) -> float:
    """The finest grid of a release with this spread and reach."""
    return replace(LAPLACE, spread=lambda _: spread, reach=lambda _: reach).finest(None)


@pytest.mark.parametrize("spread", [1e-6, 0.3, 40.0])
def test_a_grid_is_fine_beside_the_spread(spread: float) -> None:
    """Sixty-four cells to a standard deviation, where the reach allows it."""
    assert of(spread, 100 * spread) * 64 == pytest.approx(spread, rel=1e-15)


@pytest.mark.parametrize("reach", [1e3, 1e9])
def test_a_rare_far_loss_makes_the_grid_coarse(reach: float) -> None:
    """Up to the reach there are half a million cells, however little the spread is."""
    assert of(1e-4, reach) * 2**19 == pytest.approx(reach, rel=1e-15)


def test_a_release_of_next_to_nothing_has_a_grid() -> None:
    """Where spread and reach underflow, an interval is left that a loss can be divided by."""
    assert of(0.0, 0.0) == of(1e-300, 1e-300) == NARROWEST > 0


def test_what_a_composition_may_hold_fits_half_a_small_machine() -> None:
    """The largest grid with both its signs, and the largest window, each take what is allowed."""
    assert MOST_CELLS * 832 <= MOST_BYTES and MOST_WINDOW * 80 <= MOST_BYTES <= 2**29
    assert MOST_WINDOW == 1 << int(np.log2(MOST_WINDOW))
