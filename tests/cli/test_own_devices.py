"""Devices of one's own, before any of them is begun."""

from pathlib import Path

import numpy as np
import pytest

from tacit.cli.own_devices import FEWEST, MOST_DEVICES, _parts, begun, held_out
from tacit.cli.own_functions import MOST
from tacit.data import digits


@pytest.mark.parametrize("count", [8, 9, 1437])
def test_every_digit_is_somebodys(count: int) -> None:
    """Each image lies on one device, and nobody has one that is held out."""
    parts = _parts(count)
    assert len(parts) == count and {len(images) for images, _ in parts} <= {
        1437 // count,
        -(-1437 // count),
    }
    labels = np.concatenate([labels for _, labels in parts])
    whole = digits.load(20)
    np.testing.assert_array_equal(np.bincount(labels), np.bincount(whole.train_labels))
    assert len(held_out()[1]) == 360


@pytest.mark.parametrize("count", [0, 7, 1438])
def test_too_few_or_too_many_are_refused(tmp_path: Path, count: int) -> None:
    """Before anything is written."""
    with (
        pytest.raises(ValueError, match="--devices must be 8 to 1437: each has 1 to 200 digits"),
        begun(tmp_path / "out", count, "epsilon 50 a week", lambda: None),
    ):
        pass
    assert not (tmp_path / "out").exists()


def test_the_range_is_that_of_the_digits() -> None:
    """One each at most, and few enough for one device at least."""
    images = len(digits.load(20).train_labels)
    assert (FEWEST, MOST_DEVICES) == (-(-images // MOST), images)
