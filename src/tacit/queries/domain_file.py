"""A domain as a JSON file: what a column may hold, for whoever has no Python.

    {"sex": ["F", "M", null], "age": {"ends": [0, 18, 65, 120], "whole": true}, "class": 16}

| a column is | and may hold |
| --- | --- |
| a list | these values |
| an object of "ends" | numbers between the first and the last, in bins |
| the same with "whole": true | whole numbers are made up |
| the same with "missing": true | no number either: one cell more, the last |
| a whole number n | the whole numbers from 0 to n - 1 |
"""

import json
from pathlib import Path
from typing import Any

from tacit.contribution.contrasts import MOST_CATEGORIES
from tacit.queries.binned import Binned
from tacit.queries.domain import Domain


def read_domain(path: str | Path) -> Domain:
    """The domain that a file declares.

    Raises:
      ValueError: if it cannot be read, or a column is none of the above.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        declared = json.loads(text, object_pairs_hook=_once)
    except FileNotFoundError:
        raise ValueError(
            f"there is no file {path}, which is to say what columns may hold"
        ) from None
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
    given = declared if isinstance(declared, dict) else {}
    ends, flags = given.get("ends"), {key: own for key, own in given.items() if key != "ends"}
    known = flags.keys() <= {"whole", "missing"} and all(
        isinstance(own, bool) for own in flags.values()
    )
    if not (isinstance(ends, list) and known):
        raise ValueError(
            f'column {name!r} must be a list of values, a whole number, or {{"ends": [...], '
            f'"whole": true, "missing": true}}, got {json.dumps(declared)}'
        )
    try:
        return Binned(tuple(ends), **flags)
    except ValueError as error:
        raise ValueError(f"column {name!r}: {error}") from None
