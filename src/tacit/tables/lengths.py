"""How long a text an expression makes of a row, beside that row's own texts.

An engine keeps a text in memory, has none of more than so many bytes, and takes longer to look for
a long one. So whoever could make a long text of one person's row alone, would be told by an engine
that stops, or takes its time, whether that row is there. What may be long is the person's own
column; what is written out is short, and few texts are put together.
"""

from typing import Any

from tacit.tables.language import operations, values_of
from tacit.tables.stopping import NotOfOneRow

# Of one text: letters that are written out in it, and others that it consists of.
MOST_LETTERS, MOST_TEXTS = 1_000, 20


def refuse_long(op: Any) -> None:
    """Raises `NotOfOneRow` of an expression that makes a long text of a short one."""
    letters, texts = _made(op, {})
    if not (letters <= MOST_LETTERS and texts <= MOST_TEXTS):
        raise NotOfOneRow(
            f"a text is made of {MOST_TEXTS} others and {MOST_LETTERS:,} letters that are written "
            "out, at most: an engine may stop at one person's row for longer ones; make a column "
            "of the table first"
        )


def _made(op: Any, known: dict[Any, tuple[int, int]]) -> tuple[int, int]:
    """Of how many letters and texts one consists, at most, that is made on the way to it."""
    if op not in known:
        below = [_made(each, known) for each in values_of(op)]
        letters, texts = zip(*below, strict=True) if below else ((_written(op),), (1,))
        put = sum if isinstance(op, operations().StringConcat) else max
        known[op] = put(letters), put(texts)
    return known[op]


def _written(op: Any) -> int:
    text = isinstance(op, operations().Literal) and isinstance(op.value, str | bytes)
    return len(op.value) if text else 0
