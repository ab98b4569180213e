"""Types of a file of text: found in all of its lines, and each cell read by itself.

A CSV file has no types. An engine that guesses them from the first lines stops at a later cell that
is of another, so whether a question is answered would depend on one person's cell. Here a column
has a type if every cell of it reads as that, or says that it is missing; otherwise it is text.

| a cell of a column | is |
| --- | --- |
| that has a type | read by itself; one that does not read so is missing |
| of text | what is written; nothing at all is missing |
| of text, asked for as a number, a day or a truth value | read as that, or missing |

A column of text may be asked for so where half of its first cells read so. Then it is answered, and
answered alike, whether or not one odd cell has made it text. yes and no are text, because what is
declared of them is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

from tacit.tables.language import operations
from tacit.tables.wide import whole

# What says that a value is missing, where a column is not text.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "None", "none")
# How many cells tell what a column of text may be asked for as: as many as DuckDB looks at.
FIRST = 20_480
_VIEW = "tacit_typed_text"
_TEXT = "VARCHAR"
# What DuckDB calls a mark that it has not found, and days that are written by ISO 8601.
_NONE, _ISO = "(empty)", "%Y-%m-%d"
# What a column may be besides, where it is not what its first cells are.
_WIDER = {"BIGINT": ("DOUBLE",), "DATE": ("TIMESTAMP",)}
# What DuckDB would read as such, and cut off or translate.
_ALSO = {
    "BIGINT": r"regexp_full_match({cell}, '\s*[+-]?[0-9]+\s*') AND ",
    "DATE": "NOT contains({cell}, ':') AND ",
    "BOOLEAN": "lower({cell}) IN ('true', 'false') AND ",
}
# Not f, which beside m is no truth value.
_WORDS = "lower({cell}) IN ('true', 'false', 'yes', 'no')"
# What a column of text is read as where it is asked for as that, by what Ibis calls it.
_ASKED = {"float64": "DOUBLE", "date": "DATE", "boolean": "BOOLEAN"}


@final
@dataclass(frozen=True)
class WrittenColumn:
    """A column as it is written, in the words of the engine.

    Args:
      name: its own.
      form: how days or times of it are written; None for as ISO 8601 has them, or for neither.
    """

    name: str
    form: str | None = None

    @property
    def cell(self) -> str:
        """Its name, in quotes."""
        return _in_quotes(self.name, '"')

    def read_as(self, kind: str) -> str:
        """A cell, missing where it does not read so."""
        if self.form is not None and kind in ("DATE", "TIMESTAMP"):
            return f"CAST(TRY_STRPTIME({self.cell}, {_in_quotes(self.form)}) AS {kind})"
        return self.cell if kind == _TEXT else f"TRY_CAST({self.cell} AS {kind})"

    def always_reads_as(self, kind: str) -> str:
        """Whether every cell does that does not say that it is missing."""
        reads = f"{_ALSO.get(kind, '').format(cell=self.cell)}{self.read_as(kind)} IS NOT NULL"
        return f"coalesce(bool_and({self._is_missing} OR ({reads})), TRUE)"

    def often_reads_as(self, kind: str) -> str:
        """Whether half of these cells do."""
        known = f"NOT {self._is_missing}"
        words = f"{_WORDS.format(cell=self.cell)} AND " if kind == "BOOLEAN" else ""
        reads = f"{known} AND {words}{self.read_as(kind)} IS NOT NULL"
        return f"2 * count_if({reads}) >= count_if({known})"

    @property
    def _is_missing(self) -> str:
        return f"{self.cell} IN ({', '.join(map(_in_quotes, MISSING))})"


@final
@dataclass(frozen=True)
class Sniffed:
    """What DuckDB takes a file for, by its first lines.

    Args:
      marks: what stands between values, around one, and before a quote in one.
      kinds: the type of each column, by its name.
      forms: how days and times are written, by the type.
    """

    marks: Mapping[str, str]
    kinds: Mapping[str, str]
    forms: Mapping[str, str | None]

    @classmethod
    def of(cls, engine: Any, pattern: str, said: Mapping[str, Any]) -> Self:
        """Of this file. A later value may be in quotes where none of the first is, so quotes are
        quotes where that changes nothing of these."""
        first = cls._of(engine, pattern, said)
        if first.marks["quote"]:
            return first
        other = cls._of(engine, pattern, {**said, "quote": '"', "escape": '"'})
        return other if other.kinds == first.kinds else first

    @classmethod
    def _of(cls, engine: Any, pattern: str, said: Mapping[str, Any]) -> Self:
        told = {**said, "nullstr": list(MISSING)}
        named = "".join(f", {name} = ${name}" for name in told)
        own = {"pattern": pattern, **told}
        found = engine.con.execute(f"FROM sniff_csv($pattern{named})", own).fetchone()
        between, quote, escape = ("" if each == _NONE else each for each in found[:3])
        kinds = {each["name"]: each["type"] for each in found[7]}
        forms = {"DATE": None if found[8] == _ISO else found[8], "TIMESTAMP": found[9]}
        marks = {"delim": between, "quote": quote, "escape": escape or quote}
        return cls(marks, kinds, forms)

    def column(self, name: str) -> WrittenColumn:
        """The column of this name."""
        return WrittenColumn(name, self.forms.get(self.kind(name)))

    def kind(self, name: str) -> str:
        """Its type, as its first cells have it."""
        return self.kinds.get(name, _TEXT)


def typed_text(engine: Any, pattern: str, said: Mapping[str, Any]) -> Any:
    """The table in a file of text, whose columns have the types that all of their cells read as.

    Args:
      engine: DuckDB's, of this file alone.
      pattern: by which the file is found.
      said: what a reader is told of any such file.
    """
    sniffed = Sniffed.of(engine, pattern, said)
    text = engine.read_csv(pattern, **said, **sniffed.marks, all_varchar=True)
    columns, lines = [sniffed.column(name) for name in text.columns], text.get_name()
    kinds = _kinds(engine, lines, {each: sniffed.kind(each.name) for each in columns})
    read = ", ".join(f"{each.read_as(kind)} AS {each.cell}" for each, kind in kinds.items())
    engine.con.execute(f"CREATE TEMP VIEW {_VIEW} AS SELECT {read} FROM {lines}")
    _note(engine, lines, [each for each, kind in kinds.items() if kind == _TEXT])
    return engine.table(_VIEW)


def read_as(own: Any, kind: Any) -> Any:
    """A column of text of a file, as what it is asked for as, cell by cell, where it may be so; any
    other column as it is."""
    if not (own.type().is_string() and isinstance(own.op(), operations().Field)):
        return own
    noted = _noted(own)
    if str(kind) == "int64":
        return whole(own.try_cast("float64")) if "float64" in noted else own
    # Truth values are numbers, 0 and 1.
    ways = ("float64", "boolean") if str(kind) == "float64" else (str(kind),)
    read = next((each for each in ways if each in noted), None)
    return own if read is None else own.try_cast(read)


def _kinds(
    engine: Any, lines: str, guessed: Mapping[WrittenColumn, str]
) -> dict[WrittenColumn, str]:
    """The type that all cells of each column read as; text where there is none."""
    tried = {
        each: [kind, *_WIDER.get(kind, ())] if kind != _TEXT else []
        for each, kind in guessed.items()
    }
    tests = [each.always_reads_as(kind) for each, kinds in tried.items() for kind in kinds]
    found = iter(_row(engine, [*tests, "count(*)"], lines))
    held = {each: [kind for kind in kinds if next(found)] for each, kinds in tried.items()}
    return {each: (kinds or [_TEXT])[0] for each, kinds in held.items()}


def _note(engine: Any, lines: str, columns: Sequence[WrittenColumn]) -> None:
    """Writes down beside each column of text what it may be asked for as."""
    tests = [each.often_reads_as(kind) for each in columns for kind in _ASKED.values()]
    found = iter(_row(engine, [*tests, "count(*)"], f"(FROM {lines} LIMIT {FIRST})"))
    for each in columns:
        noted = _in_quotes(" ".join(kind for kind in _ASKED if next(found)))
        engine.con.execute(f"COMMENT ON COLUMN {_VIEW}.{each.cell} IS {noted}")


def _row(engine: Any, asked: Sequence[str], lines: str) -> Any:
    return engine.con.execute(f"SELECT {', '.join(asked)} FROM {lines}").fetchone()


def _noted(own: Any) -> Sequence[str]:
    """What is written down beside a column; nothing beside those of other tables."""
    tables = own.op().find(operations().DatabaseTable)
    views = [each for each in tables if each.name == _VIEW and own.get_name() in each.schema]
    if not views:
        return []
    asked = "SELECT comment FROM duckdb_columns() WHERE table_name = ? AND column_name = ?"
    found = views[0].source.con.execute(asked, [_VIEW, own.get_name()]).fetchone()
    return (found[0] or "").split()


def _in_quotes(words: str, mark: str = "'") -> str:
    return f"{mark}{words.replace(mark, mark * 2)}{mark}"
