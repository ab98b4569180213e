"""Distributions of groups at public places."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import tacit
from tables.records import table
from tables.released import counted, noisy
from tacit import tables
from tacit.tables.bins import written
from tacit.tables.caps import Caps

GROUPS = 2000


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("places", [4, 30])
def test_intervals_hold_as_often_as_they_say(places, delta):
    """At every place, of two thousand groups, by exact binomial limits; where noise is half as
    large again as was said, not at all of them. Estimates rise from 0 to 1."""
    made = tables.cdf("days", bins=list(range(places)))
    cells = np.repeat(np.arange(places + 1), 40)
    exact, shape = counted(made.laid, cells), made.shape(Caps(1, 1, 1), 1)
    enough = binom.ppf(1e-6, GROUPS, 0.95)
    for larger in (1.0, 1.6):
        found = made.read(noisy(shape, exact, tacit.Central(1.0, delta), GROUPS, larger))
        true = (np.arange(places) + 1) / (places + 1)
        each = zip(true, found.values(), strict=True)
        held = np.array([((own.low <= p) & (p <= own.high)).sum() for p, own in each])
        assert (held >= enough).all() if larger == 1 else (held < enough).any()
        shares = np.array([own.estimate for own in found.values()])
        assert (np.diff(shares, axis=0) >= 0).all() and 0 <= shares.min() <= shares.max() <= 1


def test_without_noise_they_are_those_of_the_rows(tmp_path):
    """At a place or below it; beyond all places too, and missing ones not."""
    given = [0.0, 1, 2, 2, 5, 9, np.inf, -np.inf, np.nan, None]
    frame = pd.DataFrame({"patient": range(len(given)), "days": given})
    ask = table(frame, tmp_path).ask(c=tables.cdf("days", bins=[0, 2, 8.5]), rows_per_person=1)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    for name, share in (("c[0]", 2 / 8), ("c[2]", 5 / 8), ("c[8.5]", 6 / 8)):
        for end in ("", "_low", "_high"):
            assert share == pytest.approx(found[name + end])


def test_a_row_at_a_place_is_up_to_it_whatever_its_digits(tmp_path):
    """Rows on random doubles: none is missed for how an engine reads the place's digits."""
    places = np.sort(
        np.random.default_rng(7).uniform(0, 1, 100) * 10.0 ** np.repeat([-3, 0, 3, 6, 9], 20)
    )
    frame = pd.DataFrame({"patient": range(100), "days": places})
    ask = table(frame, tmp_path).ask(c=tables.cdf("days", bins=list(places)), rows_per_person=1)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    shares = [found[f"c[{written(place)}]"] for place in places]
    assert (np.arange(100) + 1) / 100 == pytest.approx(np.array(shares), abs=1e-9)


def test_places_that_are_near_have_names_of_their_own(tmp_path):
    """All digits are written where a few would merge two."""
    frame = pd.DataFrame({"patient": [0, 1], "days": [1.0, 3.0]})
    ask = table(frame, tmp_path).ask(c=tables.cdf("days", bins=[1, 1 + 1e-12]), rows_per_person=1)

    assert {"c[1]", "c[1.000000000001]"} <= set(ask.run(tacit.NonPrivate()).frame.columns)


def test_of_no_rows_nothing_is_known(tmp_path):
    """One half, and from nobody to all."""
    frame = pd.DataFrame({"patient": ["a"], "days": [None]}).astype({"days": "float64"})
    ask = table(frame, tmp_path).ask(c=tables.cdf("days", bins=[1]), rows_per_person=1)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    assert [0.5, 0.0, 1.0] == [found[name] for name in ("c[1]", "c[1]_low", "c[1]_high")]


@pytest.mark.parametrize(
    "bins", [[], [1, 1], [2, 1], [math.nan], [1, math.nan], ["a"], "12", 3, list(range(1025))]
)
def test_places_that_are_none_are_refused(bins):
    """In one sentence."""
    with pytest.raises(ValueError, match="rising numbers"):
        tables.cdf("days", bins=bins)
