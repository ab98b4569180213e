"""Stretches are the days of a cap to the second, but where a test says what sending takes."""

import pytest

from tacit.live import own_ledger


@pytest.fixture(autouse=True)
def sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing counts longer for what a network may hold up."""
    monkeypatch.setattr(own_ledger, "SENT_WITHIN", 0.0)
