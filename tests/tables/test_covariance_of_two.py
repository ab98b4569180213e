"""The covariance of two columns, by itself."""

from typing import Any

import numpy as np
import pytest

import tacit
from tables.released import noisy
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.covariance_of_two import CovarianceOfTwo
from tacit.tables.covariances import covariance

ASKED = CovarianceOfTwo(Between("days", 0, 30), Between("age", 0, 120))


def sums(rows: int) -> tuple[np.ndarray, float]:
    """Of made-up levels, and the covariance of their numbers."""
    rng = np.random.default_rng(2)
    days = rng.integers(0, 31, rows)
    age = np.clip(2 * days + rng.integers(0, 40, rows), 0, 120)
    most = [each.levels(512) for each in (ASKED.one, ASKED.other)]
    levels = {"level0": days * most[0] // 30, "level1": age * most[1] // 120}
    cells = np.array([cell.sum() for cell in ASKED.cells(levels, None)])
    return cells, float(np.cov(days, age, ddof=0)[0, 1])


def test_it_is_that_of_the_matrix_for_a_third_of_its_charge():
    """A row gives to one pair's cells; to those of three in a matrix."""
    own: Any = ASKED.shape(Caps(2, 1, 2), 3)
    matrix: Any = covariance({"one": (0, 30), "other": (0, 120)}).shape(Caps(2, 1, 2), 3)

    assert own.answer_shape == (12,) and matrix.answer_shape == (30,)
    assert 0.3 < own.total / matrix.total < 0.4


def test_what_a_row_gives_adds_up_to_what_is_charged():
    """Whatever its numbers are, and to no cell more than it may: at the ends, all to one."""
    shape: Any = ASKED.shape(Caps(1, 1, 1), 1)
    first, second = (each.levels(512) for each in (ASKED.one, ASKED.other))
    corners = np.array([(a, b) for a in (0, 7, first) for b in (0, 9, second)]).T
    cells = np.array(ASKED.cells(dict(zip(("level0", "level1"), corners, strict=True)), None))

    assert (cells.sum(axis=0) == shape.total).all() and cells.min() == 0
    assert cells.max() == shape.most == shape.total


def test_an_interval_holds_and_the_estimate_is_near():
    """Of many releases; noise three times as large is more than it allows for."""
    cells, true = sums(800)
    shape = ASKED.shape(Caps(1, 1, 1), 1)
    held = []
    for larger in (1.0, 3.0):
        found = ASKED.read(noisy(shape, cells, tacit.Central(1.0, 1e-6), 250, larger))[""]
        held.append(np.mean((found.low <= true) & (true <= found.high)))
        assert np.median(found.estimate) == pytest.approx(true, rel=0.1)

    assert held[0] > 0.92 > 0.85 > held[1]
