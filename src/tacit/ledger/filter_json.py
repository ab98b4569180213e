"""Filters as plain JSON data, as a ledger keeps them beside each account."""

from collections.abc import Mapping
from typing import Any

from tacit.ledger.filters import Basic, Filter, Renyi


def to_json(chosen: Filter) -> dict[str, Any]:
    """A filter as plain JSON data."""
    match chosen:
        case Basic():
            return {"filter": "basic"}
        case Renyi():
            return {"filter": "renyi", "orders": list(chosen.orders), "aside": chosen.aside}


def from_json(data: Mapping[str, Any]) -> Filter:
    """The filter that `to_json` wrote.

    Raises:
      ValueError: it wrote no such thing.
    """
    match data:
        case {"filter": "basic"}:
            return Basic()
        case {"filter": "renyi", "orders": list(orders), "aside": float(aside)}:
            return Renyi(tuple(map(float, orders)), aside)
    raise ValueError(f"a filter must be basic or renyi, got {data}")
