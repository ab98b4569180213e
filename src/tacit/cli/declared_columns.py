"""The declared columns of a file, of the types that are declared and not those values look like.

A CSV file has no types. Guessed from the values, those of a column of "F" alone would be truth
values, and a postcode a number; and that a column is refused would tell what people have.
"""

from pathlib import Path

import pandas as pd

from tacit.queries.domain import Domain
from tacit.tables.engine import quoting_nobody
from tacit.tables.files import is_text, rows_in


def declared_columns(file: Path, domain: Domain) -> pd.DataFrame:
    """The declared columns of the file.

    Raises:
      ValueError: if one is not there, or the file cannot be read.
    """
    rows = rows_in(file, guessed=False)
    missing = [each for each in domain.names if each not in rows.columns]
    if missing:
        raise ValueError(f"{file} has no column {missing[0]!r}, which is declared")
    table = quoting_nobody(rows.select(*domain.names).to_pandas)
    if not is_text(file):
        return table
    columns = {name: each.read(table[name].tolist()) for name, each in domain.attributes}
    return pd.DataFrame(columns, dtype=object)
