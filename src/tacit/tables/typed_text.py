"""Files of text: every cell is text, and is read as what it is asked for, by itself.

A CSV file has no types, and where they are guessed from its cells one person's cell decides how
everybody's are read: that days are written month first, that whole numbers are double precision,
that what stands in quotes is what it is without them. So nothing of how a file is read depends on
its rows. What stands between values its first line says, which has the names and is public; quotes
are double ones, doubled within; days are ISO's.

| a cell | is |
| --- | --- |
| nothing, or a word of `MISSING` | missing, in every column |
| asked for as a number, a day or a truth value | read as that; missing where it does not read so |
| asked for as anything else, a person's too | its text |

That a cell is missing so is told of no column: whether one reads is a person's secret. So of every
question that reads cells the answer says what becomes of those that do not (`unread`).

A truth value is a number as well, 0 or 1. What a column is asked for as is said by the question: by
bounds, by what is declared, by SQL beside it. An expression that computes says it by `try_cast`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.tables.language import ibis, operations
from tacit.tables.wide import whole

# What says that a value is missing.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "None", "none")
# Truth values as they are written, in large or small letters.
TRUE, FALSE = ("true", "yes"), ("false", "no")
# What may stand between values; of those that a first line has as often, the first.
BETWEEN = ",;\t|"
# What an answer says of such a file, whatever is in it.
_UNREAD = "text that reads as no number, day or truth value asked for"
_VIEW = "tacit_typed_text"
# What a table of a JSON file is called, of whose fields those of text are text.
FIELDS = "tacit_fields"
# What leaves text as it stands there.
_CHOOSING = "Field", "Coalesce", "NullIf", "IfElse", "SearchedCase", "SimpleCase"
_QUOTE = '"'
# What no line of text has.
_NEVER = "\x01"


def cells(engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    """The table in a file of text, of what is written.

    Args:
      engine: DuckDB's, of this file alone.
      pattern: by which the file is found.
      said: what a reader is told of any such file.
    """
    marks = {"delim": _between(engine, pattern, said), "quote": _QUOTE, "escape": _QUOTE}
    text = engine.read_csv(pattern, **said, **marks, all_varchar=True)
    # A line of other many values stops the engine: now, rather than at each question.
    counted = ", ".join(f"count({_in_quotes(name, _QUOTE)})" for name in text.columns)
    engine.con.execute(f"SELECT {counted} FROM {text.get_name()}").fetchone()
    return text


def typed_text(engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    """The same, whose columns `read_as` knows, with what says that it is missing missing."""
    text, missing = cells(engine, pattern, said), ", ".join(map(_in_quotes, MISSING))
    own = [_in_quotes(name, _QUOTE) for name in text.columns]
    read = ", ".join(
        f"CASE WHEN {each} NOT IN ({missing}) THEN {each} END AS {each}" for each in own
    )
    engine.con.execute(f"CREATE TEMP VIEW {_VIEW} AS SELECT {read} FROM {text.get_name()}")
    return engine.table(_VIEW)


def read_as(own: Any, kind: Any) -> Any:
    """A column of a file of text as what it is asked for as, cell by cell; any other as it is."""
    if not (own.type().is_string() and isinstance(own.op(), operations().Field) and _is_of(own)):
        return own
    match str(kind):
        case "int64":
            return whole(_number(own))
        case "float64":
            return _number(own)
        case "boolean":
            return _truth(own, (*TRUE, "1"), (*FALSE, "0"))
        case "date":
            return own.try_cast(kind)
    return own


def is_file_text(own: Any) -> bool:
    """Whether it is text as it stands in a CSV or JSON file, or chosen among such."""
    ops = operations()
    fields = own.op().find(ops.Field, filter=tuple(getattr(ops, each) for each in _CHOOSING))
    text = own.type().is_string()
    return text and any(_is_of(each.to_expr(), _VIEW, FIELDS) for each in fields)


def unread(asked: Any) -> str:
    """What is missing, in words, where a statement reads cells of such a file;
    nothing where it takes text as it is."""
    values = asked.op().find(operations().Value)
    return _UNREAD if _is_of(asked) and any(map(_reads, values)) else ""


def _reads(op: Any) -> bool:
    """Whether it makes another value than text, as `read_as` does."""
    ops = operations()
    if isinstance(op, ops.InValues):
        return any(isinstance(each, ops.Literal) and each.value == TRUE[0] for each in op.options)
    return isinstance(op, ops.TryCast)


def _number(own: Any) -> Any:
    truth = _truth(own, TRUE, FALSE).cast("float64")
    return ibis().coalesce(own.try_cast("float64"), truth)


def _truth(own: Any, true: Sequence[str], false: Sequence[str]) -> Any:
    word = own.lower()
    return ibis().cases((word.isin(true), True), (word.isin(false), False))


def _is_of(own: Any, *tables: str) -> bool:
    """Whether it is a column of a file of text, or of a table called so."""
    found = own.op().find(operations().DatabaseTable)
    return any(each.name in (tables or (_VIEW,)) for each in found)


def _between(engine: Any, pattern: str, said: Mapping[str, Any]) -> str:
    """What the first line has between its names."""
    alone = {**said, "header": False, "delim": _NEVER, "quote": "", "escape": ""}
    line = engine.read_csv(pattern, **alone, all_varchar=True).limit(1).execute().iat[0, 0]
    outside = "".join(line.split(_QUOTE)[::2])
    return max(BETWEEN, key=outside.count)


def _in_quotes(words: str, mark: str = "'") -> str:
    return f"{mark}{words.replace(mark, mark * 2)}{mark}"
