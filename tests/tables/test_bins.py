"""Histograms of a table: each row in one bin, or in none."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.keys import declared


def test_a_row_is_in_the_bin_that_begins_at_or_below_it(tmp_path):
    """The last edge is in the last bin; beyond the edges, missing and NaN are in none."""
    given = [0, 1.9, 2, 9.99, 10, 30, 30.1, -0.1, None, float("nan"), float("inf")]
    frame = pd.DataFrame({"patient": range(len(given)), "days": pd.array(given, "Float64")})
    ask = table(frame, tmp_path).ask(
        h=tables.histogram("days", bins=[0, 2, 10, 30]), rows_per_person=1
    )
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    assert [2, 2, 2] == [found[f"h[{label}]"] for label in ("0 to 2", "2 to 10", "10 to 30")]


def test_no_two_bins_have_one_name(tmp_path):
    """Edges are written to the last digit, so each bin that is paid for is answered."""
    edges = [1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3]
    frame = pd.DataFrame({"patient": range(6), "days": 1e6 + np.array([0, 0, 1, 1, 1, 2.5])})
    own = table(frame, tmp_path)
    labels = ["1000000 to 1000001", "1000001 to 1000002", "1000002 to 1000003"]
    whole = own.ask(h=tables.histogram("days", bins=edges), rows_per_person=1)
    found = whole.run(tacit.NonPrivate()).frame
    groups = own.by(days=tables.binned("days", edges)).ask(n=tables.count(), rows_per_person=1)
    by = groups.run(tacit.NonPrivate()).frame

    assert [2, 3, 1] == [found[f"h[{label}]"][0] for label in labels] == list(by.n)
    assert labels == list(by.days)
    fine = tables.histogram("days", bins=[0.1, 0.1 + 0.2, 0.5]).behind
    assert "[0.1 to 0.30000000000000004]" in fine


@pytest.mark.parametrize(
    "make",
    [
        lambda: tables.histogram("sex", categories=["None", None]),
        lambda: tables.histogram("days", bins=[2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]),
        lambda: declared("day", tables.binned("days", [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3])),
        lambda: tables.cdf("days", bins=[2**60, 2**60 + 1]),
    ],
    ids=["categories", "bins", "groups", "places"],
)
def test_kinds_that_would_have_one_name_are_refused(make):
    """Before they are asked about: an answer could not tell them apart."""
    with pytest.raises(ValueError, match=r"kinds of rows would be called '.*': declare one"):
        make()


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
