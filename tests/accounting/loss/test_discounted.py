"""Discounted masses: SciPy's recursion to the bit, however long the row is."""

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.signal import lfilter

from tacit.accounting.loss import discounted as module
from tacit.accounting.loss.discounted import SHORT, discounted


@pytest.mark.parametrize("size", [0, 1, 2, 1000, SHORT, SHORT + 1])
@pytest.mark.parametrize("interval", [1e-5, 0.01, 3.0])
@pytest.mark.parametrize("at_hand", [{}, sys.modules], ids=["imported nowhere", "at hand"])
def test_a_row_is_the_recursions(monkeypatch, size, interval, at_hand):
    """Of masses as small as they come, whether or not SciPy's is at hand."""
    monkeypatch.setattr(module, "sys", SimpleNamespace(modules=at_hand))
    masses = np.exp(-np.random.default_rng(size).uniform(0, 740, size))
    theirs = lfilter([1.0], [1.0, -math.exp(-interval)], masses) if size else masses

    assert np.asarray(theirs).tolist() == discounted(masses, interval).tolist()


def test_each_is_discounted_once_a_step():
    found = discounted(np.array([1.0, 0.0, 2.0, 0.0]), math.log(2))

    assert [1.0, 0.5, 2.25, 1.125] == pytest.approx(found.tolist(), rel=1e-15)
