"""What is released prints itself: answers, limits, and promises."""

import numpy as np
import pytest

import tacit
from tacit.queries import LinearCounts
from tacit.question.workloads import Prefix


def test_it_prints_what_was_found_and_promised(tmp_path):
    """Which queries, the first answers, how many more there are, the last, which of thresholds is
    of everybody, and what was met for whom."""
    cells = np.random.default_rng(0).integers(0, 16, 2_000)
    asked = LinearCounts(Prefix(16), tacit.Central(1.0, 1e-6), 2_000)
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("shown", asked.plan)
    found = asked.of(cells, book, "shown")
    lines = repr(found).splitlines()

    assert len(lines) == 9 and "people, by 16 queries" == lines[0]
    assert lines[1].startswith("  cells 0 to 0  ") and "... and 10 more" == lines[6]
    assert lines[7].startswith("  cells 0 to 15  ")
    assert len({line.index("(") for line in [*lines[1:6], lines[7]]}) == 1
    assert lines[8].startswith("95% intervals; public meets epsilon 1, delta")
    assert found.receipt()["plan"]["question"]["workload"] == {"type": "Prefix", "cells": 16}


@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-6), tacit.Shuffled(1.0, 1e-5)], ids=str)
def test_a_frame_has_a_row_for_each_query(trust, tmp_path):
    """With limits where there are some."""
    cells = np.random.default_rng(0).integers(0, 16, 2_000)
    asked = LinearCounts(Prefix(16), trust, 2_000)
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("shown", asked.plan)
    found = asked.of(cells, book, "shown")
    frame = found.frame()

    assert frame["query"].tolist() == [f"cells 0 to {last}" for last in range(16)]
    assert frame["people"].tolist() == found.estimates.tolist()
    if found.interval is None:
        assert ["query", "people"] == list(frame.columns)
    else:
        assert ["query", "people", "low", "high"] == list(frame.columns)
        assert (frame["low"] < frame["people"]).all() and (frame["people"] < frame["high"]).all()


@pytest.mark.parametrize("cells", [2, 5, 6, 7])
def test_no_query_is_printed_twice_or_left_out_in_silence(cells, tmp_path):
    """Up to six are shown; of more, five, how many more there are, and the last."""
    asked = LinearCounts(Prefix(cells), tacit.NonPrivate(), 9)
    lines = repr(asked.of(np.arange(9) % cells, tmp_path / "people.db", "shown")).splitlines()[1:-1]
    shown = [line.split("  ")[1] for line in lines if not line.startswith("...")]

    known = [f"cells 0 to {last}" for last in range(cells)]
    assert known[: min(cells - 1, 5)] + known[-1:] == shown
    assert (["... and 1 more"] if cells == 7 else []) == [x for x in lines if x.startswith("...")]
