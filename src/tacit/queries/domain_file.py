"""A domain as a JSON file: what a column may hold, for whoever has no Python.

    {"sex": ["F", "M", null], "age": {"ends": [0, 18, 65, 120], "whole": true}, "class": 16}

| a column is | and may hold |
| --- | --- |
| a list | these values |
| an object of "ends", and "whole" or not | numbers between the first and the last, in bins |
| a whole number n | the whole numbers from 0 to n - 1 |
"""

import json
from pathlib import Path
from typing import Any

from tacit.contribution.contrasts import MOST_CATEGORIES
from tacit.queries.attributes import Binned
from tacit.queries.domain import Domain


def read_domain(path: str | Path) -> Domain:
    """The domain that a file declares.

    Raises:
      ValueError: if it cannot be read, or a column is none of the above.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        declared = json.loads(text, object_pairs_hook=_once)
    except (OSError, ValueError, RecursionError):
        raise ValueError(
            f"{path} must be a JSON file of columns and their values, each named once"
        ) from None
    if not (isinstance(declared, dict) and declared):
        raise ValueError(f"{path} must hold an object of columns, got {json.dumps(declared)[:40]}")
    return Domain.of({name: _column(name, each) for name, each in declared.items()})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, none of whose names stands twice: JSON itself would take the last."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _column(name: str, declared: Any) -> Any:
    if isinstance(declared, int) and not isinstance(declared, bool):
        if not 1 <= declared <= MOST_CATEGORIES:
            raise ValueError(
                f"column {name!r} must be of 1 to {MOST_CATEGORIES:,} whole numbers, got {declared}"
            )
        return list(range(declared))
    if isinstance(declared, list):
        return declared
    return _bins(name, declared)


def _bins(name: str, declared: Any) -> Binned:
    known = isinstance(declared, dict) and set(declared) <= {"ends", "whole"}
    ends, whole = (declared.get("ends"), declared.get("whole", False)) if known else (None, False)
    if not (isinstance(ends, list) and isinstance(whole, bool)):
        raise ValueError(
            f'column {name!r} must be a list of values, a whole number, or {{"ends": [...], '
            f'"whole": true}}, got {json.dumps(declared)}'
        )
    return Binned(tuple(ends), whole)
