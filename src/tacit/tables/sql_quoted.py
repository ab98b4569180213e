"""What stands in quotes beside text of a CSV or JSON file: a date, a word or a code, and no number.

In such a file text may be anything, and beside text in quotes it is compared letter by letter:
'5' comes after '10', and '40' is not '40.0'. An answer would not show it, so it is refused by what
is written alone, whatever the rows are, unless it is said that text is meant.

| SQL | of a column of text of such a file |
| --- | --- |
| `age > 40`, `age = 40` | the number |
| `ward = 'A'`, `zip = '01234'`, `zip IN ('01234', '10115')` | the text |
| `day >= '2026-01-31'` | the text, which is ordered as days of this form are |
| `age = '40'`, `age IN ('40', '50')` | refused: what is in quotes reads as numbers |
| `age > '40'`, `ward < 'B'`, `age > days` | refused: text is ordered otherwise than numbers |
| `CAST(zip AS VARCHAR) = '10115'`, `CAST(ward AS VARCHAR) < 'B'` | the text |
"""

import re
from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import Any

from sqlglot import exp

from tacit.tables.sql_names import written
from tacit.tables.typed_text import is_file_text

# Zip codes and the like: no number is written so.
_CODE = re.compile(r"0\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")


def refuse_quoted_numbers(nodes: Sequence[exp.Expr], read: Sequence[Any]) -> None:
    """Raises a ValueError if what is in quotes beside text of a file reads as numbers.

    Args:
      nodes: values that are put together.
      read: what each is, all of them text.
    """
    quoted = [each.unnest().this for each in nodes if _is_quoted(each)]
    cell = _first_of_a_file(nodes, read)
    if cell is None or not (quoted and all(map(_is_number, quoted))):
        return
    raise ValueError(
        f"{cell} is text of a file, which {quoted[0]!r} is compared with letter by letter: a "
        f"number is written without quotes, {quoted[0].strip()}, and where text is meant that is "
        f"CAST({cell} AS VARCHAR)"
    )


def refuse_order_of_text(nodes: Sequence[exp.Expr], read: Sequence[Any]) -> None:
    """Raises a ValueError if text of a file is put in order with anything but days.

    Args:
      nodes: values that are compared by their order.
      read: what each is, all of one kind.
    """
    cell = _first_of_a_file(nodes, read)
    others = [each for each, own in zip(nodes, read, strict=True) if not is_file_text(own)]
    if cell is None or (others and all(map(_is_day, others))):
        return
    raise ValueError(
        f"{cell} is text of a file, and text is ordered letter by letter, '10' before '9': a "
        "number is written without quotes, a date as '2026-01-31', TRY_CAST(x AS DOUBLE) is the "
        f"number of a text, and where the order of text is meant that is CAST({cell} AS VARCHAR)"
    )


def _first_of_a_file(nodes: Sequence[exp.Expr], read: Sequence[Any]) -> str | None:
    """The first that is text of a file, as it is written."""
    cells = (n.unnest() for n, own in zip(nodes, read, strict=True) if is_file_text(own))
    return next(map(written, cells), None)


def _is_quoted(node: exp.Expr) -> bool:
    plain = node.unnest()
    return isinstance(plain, exp.Literal) and plain.is_string


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text)) and not _CODE.match(text)
    except ValueError:
        return False


def _is_day(node: exp.Expr) -> bool:
    """Whether it is one, or a time of one, in quotes and as dates are ordered."""
    text = node.unnest().this if _is_quoted(node) else ""
    try:
        return _DAY.match(text) is not None and datetime.fromisoformat(text) is not None
    except ValueError:
        return False
