"""What a table is made of beside its rows: refused where it is none, before anything is asked.

`Table.where` and `Table.join` make conditions and public tables one by one; whoever gives them to a
table at once is told the same.
"""

from typing import Any

from tacit.argument import got, is_made
from tacit.ledger.ledger import refuse_no_ledger
from tacit.tables.public import PublicTable
from tacit.tables.rowwise import condition


def refuse_no_sources(ledger: Any, publics: Any) -> None:
    """Raises a ValueError unless these are people's ledger, or its path, and public tables."""
    refuse_no_ledger(ledger)
    own = isinstance(publics, tuple)
    wrong = [each for each in publics if not is_made(each, PublicTable)] if own else [publics]
    if wrong:
        raise ValueError(
            "publics must be a tuple of public tables, which table.join(rows, on=...) makes, got "
            f"{got(wrong[0])}"
        )


def refuse_no_conditions(rows: Any, conditions: Any) -> None:
    """Raises a ValueError unless these are conditions on one row, in a tuple.

    Args:
      rows: an Ibis table, with public columns.
      conditions: as a `Table` holds them.
    """
    if not isinstance(conditions, tuple):
        raise ValueError(
            "conditions must be a tuple of conditions on one row, such as (ibis._.days > 0,), got "
            f"{got(conditions)}"
        )
    for each in conditions:
        condition(rows, each)
