"""The audit's quick version: every claim stands, every planted bug is caught."""

import jax
import pytest

from audits.catalogue import rows
from audits.row import Row, examine
from tacit.noise import keys

DRAWS = 100_000
ROWS = rows()


def key(index: int):
    return keys.jax_key(keys.derive(keys.from_seed(index), "server", 0))


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.cell}: {r.mechanism}" for r in ROWS])
def test_claims_stand_and_planted_bugs_are_caught(row: Row):
    """No draw refutes the claim, and the same draws refute every bug."""
    for_row, *for_bugs = jax.random.split(key(1), 1 + len(row.planted))

    assert not examine(row, (row.one, row.other), for_row, DRAWS).refuted
    assert row.planted
    for pair, k in zip(row.planted.values(), for_bugs, strict=True):
        assert examine(row, pair, k, DRAWS).refuted
