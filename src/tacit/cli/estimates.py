"""Numbers of groups, as the command line shows them: tables at 80 columns (`lined`), or JSON."""

import math
from typing import Any

from tacit.cli import voice
from tacit.tables.answered import TableAnswer, numbers_of, values_of
from tacit.tables.lined import known, tables_in


def shown(answer: TableAnswer) -> None:
    """Every group's numbers; of a histogram, every kind has a line. Of no group, nothing."""
    for table, wide in tables_in(answer.frame, answer.keys):
        voice.OUT.print(table, width=max(voice.OUT.width, wide), crop=False)


def plain(answer: TableAnswer) -> list[dict[str, Any]]:
    """As JSON has them: null stands for a group without a key, and for what is not finite."""
    rows, values = answer.frame.to_dict("records"), values_of(answer.frame, answer.keys)
    return [
        {
            "group": {key: known(row[key]) for key in answer.keys},
            "values": {name: known(row[name]) for name in values.values()},
            "numbers": {
                name: {
                    part: _finite(row[name + end])
                    for part, end in (("estimate", ""), ("low", "_low"), ("high", "_high"))
                }
                for name in numbers_of(answer.frame)
            },
        }
        for row in rows
    ]


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
