"""The most frequent categories of groups, with counts that hold for whichever are shown."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tacit
from tables.records import table
from tables.released import noisy
from tacit import tables
from tacit.tables.caps import Caps

GROUPS = 2000


def test_without_noise_they_are_those_of_the_rows(tmp_path):
    """In order; of equal counts the first declared; one that is none of them is not counted."""
    frame = pd.DataFrame(
        {"patient": range(9), "sex": ["m"] * 3 + ["f"] * 2 + ["x"] * 2 + [None, "?"]}
    )
    asked = tables.top("sex", categories=["x", "f", "m", None], k=3)
    found = table(frame, tmp_path).ask(s=asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert ["m", "x", "f"] == [found[f"s_{rank}"][0] for rank in (1, 2, 3)]
    assert [3, 2, 2, 1] == [found[name][0] for name in ("s_1_n", "s_2_n", "s_3_n", "s_rest")]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_counts_hold_together_for_whichever_are_shown(delta):
    """Of thirty categories that are nearly alike, in two thousand groups, by exact binomial limits;
    intervals that hold one by one would not."""
    asked = tables.top("sex", categories=list(range(30)), k=3)
    exact = np.repeat([50, 51], 15)
    released = noisy(asked.shape(Caps(1, 1, 1), 1), exact, tacit.Central(1.0, delta), GROUPS)
    found = asked.read(released)
    shown = [np.array(found[f"_{rank}"].values) for rank in (1, 2, 3)]
    held = np.ones(GROUPS, bool)
    for rank, own in enumerate(shown, start=1):
        count = found[f"_{rank}_n"]
        held &= (count.low <= exact[own]) & (exact[own] <= count.high)
    held &= found["_rest"].high >= 51

    assert binom.ppf(1e-6, GROUPS, 0.95) <= held.sum()
    one_by_one = released.cells.max(axis=1) - released.reach() <= exact[shown[0]]
    assert one_by_one.sum() < binom.ppf(1e-6, GROUPS, 0.95)


@pytest.mark.parametrize("own", [{"k": 0}, {"k": 3}, {"k": 1.5}, {"categories": ["f"], "k": 1}])
def test_what_is_no_choice_is_refused(own):
    """In one sentence."""
    with pytest.raises(ValueError, match="top needs"):
        tables.top("sex", **{"categories": ["f", "m"], **own})
