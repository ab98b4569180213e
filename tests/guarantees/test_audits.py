"""The audit's quick version: every claim of a mechanism stands, every planted bug is caught."""

import pytest

import quick_keys
from audits.catalogue import rows, whole_paths
from audits.row import Row, findings, stands

ROWS = [row for row in rows() if not row.cell.startswith("whole")]


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.cell}: {r.mechanism}" for r in ROWS])
def test_claims_stand_and_planted_bugs_are_caught(row: Row):
    """No draw refutes the claim, and as many refute every bug."""
    own, bugs = findings(row, quick_keys.key(1), row.quick)

    assert stands(own, bugs), (own, bugs)


def test_whole_paths_are_all_found():
    """What is played in `test_audited_runs` is every row of the cell."""
    assert [row for row in rows() if row.cell == "whole path"] == whole_paths()
