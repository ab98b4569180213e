"""Means, totals and shares of groups, read from noisy sums."""

import numpy as np
import pytest
from scipy.stats import binom

import tacit
from tables.released import noisy
from tacit import tables
from tacit.tables.caps import Caps

GROUPS = 400
DAYS = np.tile(np.arange(31), 6)
ASKED = {
    "mean": (tables.mean("days", 0, 30), DAYS.mean()),
    "total": (tables.total("days", 0, 30), DAYS.sum()),
    "share": (tables.share("long"), (DAYS > 20).mean()),
    "count": (tables.count(), len(DAYS)),
}


@pytest.mark.parametrize(
    "name, delta", [*((name, 1e-6) for name in ASKED), ("mean", 0.0), ("total", 0.0)]
)
def test_intervals_of_sums_hold_as_often_as_they_say(name, delta):
    """By exact binomial limits, and not much more often; of noise half as large again, not."""
    asked, true = ASKED[name]
    # A row gives whole levels, of which these bounds have a whole number a day.
    each = asked.ends.levels // 30 if hasattr(asked, "ends") else 1
    row = {"level": DAYS * each, "holds": (DAYS > 20).astype(int)}
    exact = np.array([np.sum(cell * np.ones(len(DAYS))) for cell in asked.cells(row, None)])
    enough, many = binom.ppf(1e-6, GROUPS, 0.95), binom.ppf(1 - 1e-6, GROUPS, 0.972)
    for larger in (1.0, 1.5):
        released = noisy(
            asked.shape(Caps(1, 1, 1), 1), exact, tacit.Central(1.0, delta), GROUPS, larger
        )
        own = asked.read(released)[""]
        held = ((own.low <= true) & (true <= own.high)).sum()
        assert (held >= enough) is np.bool_(larger == 1.0)
        assert held <= many
