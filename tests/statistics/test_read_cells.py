"""Shares of people, read between the ends of cells."""

import numpy as np
import pytest

from tacit.statistics.read_cells import ends_of, places_of


def test_places_are_read_between_ends():
    """The middle of where nobody is; ends for what nobody and everybody is below."""
    below = np.array([0.0, 0.25, 0.25, 1.0])

    assert places_of(np.array([0.125, 0.25, 0.625]), below) * 3 == pytest.approx([0.5, 1.5, 2.5])
    assert places_of(np.array([0.0, 1.0]), below) * 3 == pytest.approx([0.0, 3.0])
    assert ends_of((10.0, 20.0), np.array([0.0, 0.3, 1.0])).tolist() == [10.0, 13.0, 20.0]
