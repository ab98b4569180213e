"""Histograms of a table: each row in one bin, or in none."""

import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables


def test_a_row_is_in_the_bin_that_begins_at_or_below_it(tmp_path):
    """The last edge is in the last bin; beyond the edges, missing and NaN are in none."""
    given = [0, 1.9, 2, 9.99, 10, 30, 30.1, -0.1, None, float("nan"), float("inf")]
    frame = pd.DataFrame({"patient": range(len(given)), "days": pd.array(given, "Float64")})
    ask = table(frame, tmp_path).ask(
        h=tables.histogram("days", bins=[0, 2, 10, 30]), rows_per_person=1
    )
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    assert [2, 2, 2] == [found[f"h[{label}]"] for label in ("0 to 2", "2 to 10", "10 to 30")]


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"bins": [0, 1]},
        {"bins": [0, 2, 1]},
        {"categories": ["a"]},
        {"bins": [0, 1, 2], "categories": ["a", "b"]},
    ],
)
def test_what_is_no_histogram_is_refused(own):
    """In one sentence."""
    with pytest.raises(ValueError, match=r"bins|categories"):
        tables.histogram("days", **own)
