"""What is released prints itself: answers, limits, and promises."""

import numpy as np
import pytest

import tacit
from tacit.queries import LinearCounts
from tacit.question.workloads import Prefix


def test_it_prints_what_was_found_and_promised(tmp_path):
    """The first answers, how many more there are, and against whom what was met."""
    cells = np.random.default_rng(0).integers(0, 16, 2_000)
    asked = LinearCounts(Prefix(16), tacit.Central(1.0, 1e-6), 2_000)
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("shown", asked.plan)
    found = asked.of(cells, book, "shown")
    lines = repr(found).splitlines()

    assert len(lines) == 8 and "... and 10 more" == lines[6]
    assert lines[7].startswith("95% intervals; public meets epsilon 1, delta")
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

    assert frame["people"].tolist() == found.estimates.tolist()
    if found.interval is None:
        assert ["people"] == list(frame.columns)
    else:
        assert ["people", "low", "high"] == list(frame.columns)
        assert (frame["low"] < frame["people"]).all() and (frame["people"] < frame["high"]).all()
