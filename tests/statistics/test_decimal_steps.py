"""Steps between bounds: decimal where both bounds are."""

from decimal import Decimal

import numpy as np
import pytest

from tacit.statistics.decimal_steps import steps_of


@pytest.mark.parametrize(
    "bounds, count, width",
    [
        ((0.0, 100.0), 10**6, "1E-4"),
        ((1.0, 5.0), 400_000, "0.00001"),
        ((16.0, 100.0), 840_000, "0.0001"),
        ((-0.5, 0.5), 10**6, "1E-6"),
        ((0.0, 1e9), 10**6, "1000"),
        ((0.0, 3e-7), 300_000, "1E-12"),
        ((0.0, 1 / 3), 2**20, None),
        ((1 / 3, 1 / 3 + 1), 2**20, None),
    ],
)
def test_steps_are_decimal_where_bounds_are(bounds, count, width):
    """As many as fit a million, so that whole numbers and cents are steps."""
    steps = steps_of(bounds)

    assert steps.count == count
    if width is not None:
        assert steps.width / steps.count == Decimal(width)
        assert steps.at(np.array([-1.0, 1.0])).tolist() == list(bounds)


def test_a_step_is_its_decimal_number():
    """Of a place that float32 has rounded."""
    places = np.float32(2 * np.array([0.36, 0.123, 0.99]) - 1).astype(np.float64)

    assert steps_of((0.0, 100.0)).at(places).tolist() == [36.0, 12.3, 99.0]
