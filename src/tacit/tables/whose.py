"""Whose a row is: the unit that is kept secret, told by one column, or by several together.

Two rows are one unit's exactly if they agree in every column that tells it. Several columns are
told apart as one text, in which each part follows its own length, so that no two units share one:
"1|2" of "3" is another than "1" of "2|3". A row that lacks any of them is nobody's.

| a column holds | a unit is told by |
| --- | --- |
| text | its bytes, whatever the column's collation |
| a whole number, a UUID | itself |
| a date | its year, month and day, whatever the engine writes dates like |
| a date that is infinite | nobody: it has no year, and PostgreSQL would stop at it |
| a whole number that is computed | itself up to 2^53; beyond, the row is nobody's |
| numbers in double precision | those that are whole up to 2^53; of others the row is nobody's |
| a time, other fractions | refused: two that differ in the last digit would be two units |

Double precision is what a DataFrame has for whole numbers where one row lacks its own.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any, Self, final

from tacit.accounting.guarantee import PERSON
from tacit.argument import got, refuse_no_name
from tacit.tables.bytewise import bytewise
from tacit.tables.files import no_column
from tacit.tables.language import ibis, is_said
from tacit.tables.rowwise import Said, typed, value
from tacit.tables.tried import tried

_ASKED = 'person is the column that says whose each row is, "patient", or several that do together'
_ALONE = (
    "where each row is another person, number the rows: frame.assign(person=range(len(frame))), "
    'and person="person"'
)


@final
@dataclass(frozen=True)
class Whose:
    """What tells units apart, and what one of them is called.

    Args:
      columns: names of columns, or expressions of one row, at least one.
      unit: its word in every promise, account and receipt.
      called: one unit, as a page of the plan says it.
    """

    columns: tuple[Said, ...]
    unit: str
    called: str

    @classmethod
    def told(cls, person: Any, unit: str | None) -> Self:
        """From what was stated.

        | person | the unit's word, where none is stated |
        | --- | --- |
        | one column | person |
        | several columns | their names, joined: patient-day |
        | expressions among several | has to be stated |

        Raises:
          ValueError: if a column or the unit is no name, or the unit has to be stated.
        """
        several = isinstance(person, tuple | list)
        columns = tuple(person) if several else (person,)
        for each in columns or (None,):
            if not is_said(each):
                raise ValueError(f"{_ASKED}, got {got(person)}; {_ALONE}")
        names = [each for each in columns if isinstance(each, str)]
        if unit is None and len(names) < len(columns):
            raise ValueError('say what an expression tells apart, e.g. unit="patient-day"')
        joined = "-".join(names)
        word = (PERSON if len(columns) == 1 else joined) if unit is None else unit
        refuse_no_name("unit", word)
        return cls(columns, word, joined if unit is None else word)

    def of(self, rows: Any) -> Any:
        """Of each row, in a column; missing where it is nobody's.

        Raises:
          ValueError: if there is no such column, or it is of a type that tells nobody apart.
        """
        for each in self.columns:
            if isinstance(each, str) and each not in rows.columns:
                raise ValueError(f"{no_column(each)}; {_ASKED}; {_ALONE}")
        parts = [_told_by(value(rows, each)) for each in self.columns]
        if len(parts) == 1:
            return tried(rows, bytewise(parts[0]))
        texts = [each.cast("string") for each in parts]
        whole = texts[0].length().cast("string") + ":" + texts[0]
        nobody = parts[0].isnull()
        for part, text in zip(parts[1:], texts[1:], strict=True):
            whole = whole + text.length().cast("string") + ":" + text
            nobody = nobody | part.isnull()
        return tried(rows, bytewise(ibis().ifelse(nobody, None, whole)))


def _told_by(told: Any) -> Any:
    own = typed(told, "string")
    kind = own.type()
    if kind.is_date():
        day = _of_a_year(own)
        return (day.year().cast("int64") * 16 + day.month()) * 32 + day.day()
    if not (kind.is_string() or kind.is_integer() or kind.is_uuid()):
        raise ValueError(
            f"a person is told by text, a whole number or a date, and column {own.get_name()!r} is "
            f"of type {kind}"
        )
    return own


def _of_a_year(day: Any) -> Any:
    """The same date, missing where it has no year."""
    if day.get_backend().name != "postgres":
        return day

    @ibis().udf.scalar.builtin
    def isfinite(day: date) -> bool: ...

    return ibis().ifelse(isfinite(day), day, None)
