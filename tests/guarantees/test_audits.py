"""The audit's quick version: every claim of a mechanism stands, every planted bug is caught."""

import pytest

import quick_keys
from audits.catalogue import rows
from audits.row import Row, findings, stands

ROWS = [row for row in rows() if not row.cell.startswith("whole")]


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.cell}: {r.mechanism}" for r in ROWS])
def test_claims_stand_and_planted_bugs_are_caught(row: Row):
    """No draw refutes the claim, and as many refute every bug."""
    own, bugs = findings(row, quick_keys.key(1), row.quick)

    assert stands(own, bugs), (own, bugs)
