"""Chances of so many successes: those of SciPy's law, to the bit."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from tacit.accounting.loss import successes

BOTH = [
    (successes.exactly, binom.pmf),
    (successes.up_to, binom.cdf),
    (successes.above, binom.sf),
]


def places(tosses: int, chance: float) -> np.ndarray:
    """All around the middle, and at and beyond both ends."""
    middle, spread = int(tosses * chance), int(np.sqrt(tosses * chance)) + 1
    far = np.arange(middle - 9 * spread, middle + 9 * spread, max(1, spread // 4))
    return np.unique(np.concatenate([[-1, 0, 1, tosses - 1, tosses, tosses + 1], far]))


@pytest.mark.parametrize("own, law", BOTH)
@pytest.mark.parametrize("tosses", [0, 1, 2, 40, 1437, 10**6, 10**9])
def test_they_are_those_of_the_law(own, law, tosses):
    """Of one number and of many, beyond the last too."""
    for chance in (0.0, 1e-9, 3e-4, 0.02, 0.5, 0.97, 1.0):
        counts = places(tosses, chance)
        assert own(counts, tosses, chance).tolist() == law(counts, tosses, chance).tolist()
        assert own(int(counts[2]), tosses, chance) == law(int(counts[2]), tosses, chance)


@pytest.mark.parametrize("own, law", BOTH)
@pytest.mark.parametrize("quick", [SimpleNamespace(), None], ids=["a name", "all of them"])
def test_where_a_name_is_gone_the_law_answers(monkeypatch, own, law, quick):
    """To the bit, and without a word."""
    monkeypatch.setattr(successes, "_QUICK", quick)

    assert own(np.arange(-1, 5), 3, 0.3).tolist() == law(np.arange(-1, 5), 3, 0.3).tolist()


def test_they_wait_for_no_laws():
    """What SciPy has of all others is not imported."""
    code = """import sys
from tacit.accounting.loss import successes
successes.exactly(1, 2, 0.5), successes.up_to(1, 2, 0.5), successes.above(1, 2, 0.5)
print("scipy.stats" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False\n" == done.stdout
