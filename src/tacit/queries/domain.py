"""A domain: a table's declared columns, and what each may hold.

A record with a value that is not declared is in no table of the domain, and nobody is told: that
somebody's value is none of them is about people.

| declared | an age of 34.5 | of 34.0 | of 120 | of "34" |
| --- | --- | --- | --- | --- |
| `list(range(100))` | in no table | of the cell 34 | in no table | in no table |
| `Binned((0, 18, 65, 120))` | from 18 to 65 | from 18 to 65 | the last bin | from 18 to 65 |

So a column whose numbers may have fractions is declared in bins.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Int32

from tacit.argument import got, is_number
from tacit.contribution.contrasts import MOST_CATEGORIES
from tacit.queries.attributes import Attribute, Cells, Listed, is_missing
from tacit.queries.binned import Binned
from tacit.queries.record_source import RecordSource


@final
@dataclass(frozen=True, init=False)
class Domain:
    """Columns by name, and what each may hold.

    Args:
      attributes: a mapping of columns to a list of values, `Listed` or `Binned`; or such pairs.

    Raises:
      ValueError: if a column is declared as none of these.
    """

    attributes: tuple[tuple[str, Attribute], ...]

    def __init__(self, attributes: Mapping[str, Any] | tuple[tuple[str, Any], ...]):
        pairs = _pairs_of(attributes)
        known = tuple((name, attribute_of(name, each)) for name, each in pairs)
        object.__setattr__(self, "attributes", known)

    @classmethod
    def of(cls, declared: "Domain | Mapping[str, Any]") -> "Domain":
        """What is one already, or is made of a mapping.

        Raises:
          ValueError: if a column is declared as no values.
        """
        return declared if isinstance(declared, Domain) else cls(declared)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(each.labels) for _, each in self.attributes)

    def places(self, columns: Sequence[str]) -> tuple[int, ...]:
        """The numbers of these columns, rising.

        Raises:
          ValueError: if one is none of the domain's, or is named twice.
        """
        unknown = [each for each in columns if each not in self.names]
        wrong = unknown or [each for each in columns if list(columns).count(each) > 1]
        if wrong or not columns:
            found = f"{wrong[0]!r}{'' if unknown else ' twice'}" if wrong else "no column"
            raise ValueError(
                f"tables are of different columns of the domain, {', '.join(self.names)}, got "
                f"{found}"
            )
        return tuple(sorted(self.names.index(each) for each in columns))

    def cells(self, table: Any) -> Int32[np.ndarray, "records attributes"]:
        """The cells of each record of a DataFrame, a `tacit.Table`, or a mapping of columns.

        Raises:
          ValueError: if a column is missing, or of a type that has no declared value; or columns
            are not of one value for each record.
        """
        if isinstance(table, RecordSource):
            return table.cells_in(self)
        columns = [self._column(table, *each) for each in self.attributes]
        if len({column.shape for column in columns}) > 1:
            raise ValueError("columns must be of one value for each record, and these differ")
        return np.stack(columns, axis=1)

    def records(self, table: Any) -> int:
        """How many a table has; 0 of a `tacit.Table`, which says no such number.

        Raises:
          ValueError: if the first declared column is missing.
        """
        return 0 if isinstance(table, RecordSource) else len(_column_of(table, self.names[0]))

    def _column(self, table: Any, name: str, attribute: Attribute) -> Cells:
        column = _column_of(table, name)
        kind = str(getattr(column, "dtype", "")).lower()
        if not attribute.could_be(kind):
            raise ValueError(
                f"column {name!r} is of type {kind}, and other values are declared for it"
            )
        return attribute.cells(column)


def _pairs_of(declared: Any) -> tuple[tuple[Any, Any], ...]:
    """Columns and what is declared of them, in order.

    Raises:
      ValueError: if it is no mapping, and no pairs of which each is another column's.
    """
    pairs = tuple(declared.items()) if isinstance(declared, Mapping) else declared
    known = isinstance(pairs, tuple) and all(isinstance(p, tuple) and len(p) == 2 for p in pairs)
    if not (known and pairs):
        raise ValueError(
            'a domain is a mapping of columns to their values, e.g. {"sex": ["F", "M"], '
            f'"age": Binned((0, 18, 65, 120))}}, got {got(declared)}'
        )
    name, times = Counter(name for name, _ in pairs).most_common(1)[0]
    if times > 1:
        raise ValueError(f"a column of a domain is declared once, got {name!r} twice")
    return pairs


def _column_of(table: Any, name: str) -> Any:
    try:
        column = table[name]
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"the table has no column {name!r}, which is declared") from None
    listed = hasattr(column, "__len__") and not isinstance(column, str | bytes | Mapping)
    if not listed or getattr(column, "ndim", 1) != 1:
        raise ValueError(
            f"column {name!r} must be one value for each record, and be named so alone in the table"
        )
    return column


def attribute_of(name: Any, given: Any) -> Attribute:
    """What a column may hold, checked.

    Raises:
      ValueError: if it is no list of different values, and no rising numbers.
    """
    if not (isinstance(name, str) and name):
        raise ValueError(f"a column is named by text, got {got(name)}")
    _refuse_unwritable(f"the name of column {name!r}", name)
    if isinstance(given, Binned):
        return given
    _refuse_ends(name, given)
    return _listed(name, given)


def _listed(name: str, given: Any) -> Listed:
    declared: Any = given.declared if isinstance(given, Listed) else given
    plain = declared.tolist() if hasattr(declared, "tolist") else declared
    if not isinstance(plain, Sequence) or isinstance(plain, str | bytes):
        raise ValueError(
            f"column {name!r} must be declared as a list of values, or as Binned(ends), got "
            f"{got(given)}"
        )
    if not 1 <= len(plain) <= MOST_CATEGORIES:
        raise ValueError(
            f"column {name!r} must be declared as 1 to {MOST_CATEGORIES:,} values, got "
            f"{len(plain):,} of them"
        )
    values = [each.item() if isinstance(each, np.generic) else each for each in plain]
    _refuse_mixed(name, values)
    return Listed(tuple(values))


def _refuse_no_value(name: str, value: Any) -> None:
    """Raises a ValueError if this stands for no value elsewhere, or cannot be written."""
    if value is not None and is_missing(value):
        raise ValueError(
            f"a missing value of column {name!r} is declared as None: write None, got {value}"
        )
    _refuse_unwritable(f"a value of column {name!r}, {value!r},", value)


def _refuse_unwritable(what: str, text: Any) -> None:
    """Raises a ValueError if this is text that no file can hold: half of a character."""
    try:
        _ = text.encode() if isinstance(text, str) else b""
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} must be text that UTF-8 can write, and holds half a character"
        ) from None


def _refuse_mixed(name: str, values: Sequence[Any]) -> None:
    """Raises a ValueError unless these are of one kind, each once."""
    for each in values:
        _refuse_no_value(name, each)
    kinds = {type(each): None for each in values if each is not None}
    if not (kinds.keys() <= {str, int, bool} and len(kinds) <= 1):
        raise ValueError(
            f"the values of column {name!r} must be all text, all whole numbers or all truth values"
            f" (and None), got {' and '.join(kind.__name__ for kind in kinds)}"
        )
    commonest, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise ValueError(f"the values of column {name!r} must all differ, got {commonest!r} twice")


def _refuse_ends(name: str, given: Any) -> None:
    """Two numbers in parentheses are read as ends by whoever wrote them so, mostly."""
    if isinstance(given, tuple) and len(given) == 2 and all(map(is_number, given)):
        one, other = given
        raise ValueError(
            f"column {name!r} is declared as two numbers, ({one}, {other}): write [{one}, {other}] "
            f"if it holds these two alone, or Binned(({one}, {other})) if it holds what is between"
        )
