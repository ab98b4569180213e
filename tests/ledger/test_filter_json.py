"""Filters are kept as JSON, and come back as they were."""

import json

import pytest

from tacit.ledger.filter_json import from_json, to_json
from tacit.ledger.filters import Basic, Filter, Renyi


@pytest.mark.parametrize("chosen", [Basic(), Renyi((1.5, 2.0), 0.2)])
def test_filters_are_written_and_read(chosen: Filter) -> None:
    """What comes back is equal; anything else is refused."""
    assert from_json(json.loads(json.dumps(to_json(chosen)))) == chosen
    with pytest.raises(ValueError, match="must be basic or renyi"):
        from_json({"filter": "other"})
