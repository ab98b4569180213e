"""Choices come after those they depend on, and pieces are all points in order."""

import numpy as np
import pytest

from tacit.mechanisms.rows.halving import halvings_of, pieces_of


@pytest.mark.parametrize("many", [1, 2, 3, 7, 12])
def test_every_share_is_chosen_once_between_two_that_are_known(many):
    """Those beside its part: chosen before, or an end."""
    shares = tuple((place + 1) / (many + 1) for place in range(many))
    known = {-1: 0.0, many: 1.0}
    for each in halvings_of(shares):
        assert (known[each.first - 1], known[each.past]) == (each.low, each.high)
        assert 0 < each.share(shares) < 1
        known[each.middle] = shares[each.middle]

    assert len(known) == many + 2


@pytest.mark.parametrize("part", [[], [2], [9], [4, 4, 4], [2, 2, 5, 9]])
def test_pieces_are_all_points(part):
    """Each point from 2 to 9 once, with the numbers of people below it and not above it."""
    pieces, people = pieces_of(np.array(part, np.int64), 2, 9), np.array(part)
    found = {
        int(start) + step: (int(under), int(up_to))
        for start, length, under, up_to in zip(*pieces, strict=True)
        for step in range(length)
    }

    assert sum(pieces.lengths) == len(found) == 8
    assert found == {y: (np.sum(people < y), np.sum(people <= y)) for y in range(2, 10)}
