"""Plans as plain values: what goes into ledgers, receipts and checkpoints.

Everything in a dataclass field of this library is public, so the plain form of an object is
its type's name and its fields, all the way down; nothing is chosen by hand and nothing secret
can slip in.
"""

import dataclasses
import enum
import importlib.metadata
import math
from typing import Any

import jax
import numpy as np

from tacit.accounting import event_json
from tacit.borrowed import DpEvent

VERSIONED = ("tacit", "jax", "numpy", "scipy", "dp-accounting")


def plain(value: Any) -> Any:
    """`value` as JSON can hold it.

    | value | becomes |
    | --- | --- |
    | dataclass | its fields, and its name under "type" |
    | privacy event | `event_json.to_json` |
    | a field marked `recorded=False` | nothing: a table that follows from the other fields |
    | infinite or NaN number | its name: JSON has none |
    | array | a list |
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case enum.Enum():
            return value.value
        case DpEvent():
            return event_json.to_json(value)
        case np.generic() | np.ndarray() | jax.Array():
            return plain(np.asarray(value).tolist())
        case list() | tuple():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"only public, plain values can be recorded, got {type(value).__name__}")
    kept = [f for f in dataclasses.fields(value) if f.metadata.get("recorded", True)]
    fields = {f.name: plain(getattr(value, f.name)) for f in kept}
    return {"type": type(value).__name__, **fields}


def versions() -> dict[str, str]:
    """The versions of everything a number in a receipt depends on."""
    return {name: importlib.metadata.version(name) for name in VERSIONED}
