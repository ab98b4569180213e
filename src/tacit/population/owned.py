"""Rows that remember whose they are, where a row is not one person: households, days, records.

Whoever takes plain rows promises something to one row each. Where a row is a day of a person, or
one of several records of theirs, that is no promise to a person; so such arrays carry a sentence
that says what a row is, and who promises something to persons refuses them by it. Whatever NumPy
makes of one array, by a slice, a reshape or arithmetic, carries it too.

It is a reminder and no lock: `np.asarray`, a DataFrame or two arrays put together are plain rows.
"""

from typing import Any, Self, final

import numpy as np

from tacit.population.owners import Group

SEVERAL = "several records of one person"


@final
class OwnedRows(np.ndarray):
    """An array whose rows are not one person each.

    Attributes:
      owned: what a row is, in words.
    """

    owned: str

    @classmethod
    def of(cls, rows: np.ndarray, owned: str) -> Self:
        """The same numbers, where they lie."""
        marked = np.asarray(rows).view(cls)
        marked.owned = owned
        return marked

    def __array_finalize__(self, obj: Any) -> None:
        self.owned = getattr(obj, "owned", "rows of many")

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """A number is no array of rows."""
        if return_scalar:
            return np.asarray(array)[()]
        return super().__array_wrap__(array, context, return_scalar)


def refuse_owned(**given: Any) -> None:
    """Raises a ValueError if one of these has rows that are not one person each."""
    for name, rows in given.items():
        owned = SEVERAL if isinstance(rows, Group) else getattr(rows, "owned", None)
        if isinstance(rows, OwnedRows | Group):
            raise ValueError(
                f"{name} has {owned}, and what is learnt of plain rows is promised to one row: "
                "take arrays(..., at_most=1) of persons, or a learner, whose plan says who is meant"
            )
