"""Whatever has a record of each person that is not in memory yet: a `tacit.Table`.

Which records there are follows from people's own rows, so how many people have one is no public
number: promises are under add/remove, and about how many they are is declared.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from tacit.accounting.relation import Relation
from tacit.queries.attributes import Cells
from tacit.trust.people import Trust, relation_of

if TYPE_CHECKING:
    from tacit.queries.domain import Domain


class RecordSource(ABC):
    """Reads one record of each person."""

    @abstractmethod
    def cells_in(self, domain: "Domain") -> Cells:
        """The cell of each person's record in each column of a domain; -1 for none.

        Raises:
          ValueError: if a column is missing, or of a type that has no declared value.
        """


def refuse_public_number(table: Any, trust: Trust) -> None:
    """Raises a ValueError if a promise says that how many have a record is no secret."""
    if isinstance(table, RecordSource) and relation_of(trust) not in (None, Relation.ADD_REMOVE):
        raise ValueError(
            "how many people have a record in a tacit.Table is secret: the promise has to be of "
            "tacit.Relation.ADD_REMOVE"
        )
