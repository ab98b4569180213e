"""The declared columns of a file, of the types that are declared and not those values look like.

A CSV file has no types. Guessed from the values, those of a column of "F" alone would be truth
values, and a postcode a number; and that a column is refused would tell what people have.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from tacit.queries.attributes import Listed
from tacit.queries.domain import Domain
from tacit.tables.engine import quoting_nobody
from tacit.tables.files import is_text, values_in


def declared_columns(file: Path, domain: Domain) -> pd.DataFrame:
    """The declared columns of the file.

    Raises:
      ValueError: if one is not there, or the file cannot be read.
    """
    rows = values_in(file)
    missing = [each for each in domain.names if each not in rows.columns]
    if missing:
        raise ValueError(f"{file} has no column {missing[0]!r}, which is declared")
    table = quoting_nobody(rows.select(*domain.names).to_pandas)
    if not is_text(file):
        return table
    columns = {name: each.read(table[name].tolist()) for name, each in domain.attributes}
    return pd.DataFrame(columns, dtype=object)


def told_apart(domain: Domain) -> list[str]:
    """A sentence for each column of numbers that others lie between: they may be meant as ends.

    It is of what is declared alone, whatever people have.
    """
    return [
        f"column {name!r} is declared as {len(each.declared)} numbers, and whoever has one between "
        'them has no part: for bins between them write {"ends": [...]}'
        for name, each in domain.attributes
        if isinstance(each, Listed) and _are_apart(each.declared)
    ]


def _are_apart(values: Sequence[Any]) -> bool:
    """Whether these are three numbers or more, rising, none of which is the next of another."""
    known = [each for each in values if each is not None]
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in known)
    return whole and len(known) >= 3 and all(high - low > 1 for low, high in pairwise(known))
