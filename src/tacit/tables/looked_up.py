"""A key of many values, which an engine finds in a public table beside the rows.

Of a key's declared values an engine otherwise tries one after the other, in one long expression; a
table of them is joined at once, however many there are. Places are the same.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, final

import pandas as pd

from tacit.tables.keys import Key

if TYPE_CHECKING:
    from tacit.tables.table import Table


@final
@dataclass(frozen=True)
class LookedUp:
    """The places of a key's values, of rows that have them in a column.

    Args:
      key: a column and its values.
      column: of the places; missing where a row's value is none of them.
    """

    key: Key
    column: str

    @classmethod
    def beside(cls, table: "Table", key: Key) -> tuple["Table", Self]:
        """The table with such a column, by a name that none of its own has.

        Raises:
          ValueError: if there is no column of the key's name, or it holds values of another kind.
        """
        key.read(table.joined)
        name = f"place of {key.column}"
        while name in table.joined.columns:
            name += "'"
        places = [(each, i) for i, each in enumerate(key.values) if each is not None]
        public = pd.DataFrame(places, columns=[key.column, name])
        return table.join(public, on=key.column), cls(key, name)

    @property
    def labels(self) -> list[str]:
        return self.key.labels

    def place(self, rows: Any) -> Any:
        """The number of each row's value; missing where it is none of them."""
        return self.key.or_none(self.key.read(rows), rows[self.column])
