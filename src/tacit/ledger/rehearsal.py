"""What a grant would be charged, found by asking for it: nothing is charged, and nothing runs.

Plans are made where releases are, inside a fit or a training, out of public numbers that only that
place puts together. A rehearsal stands where the ledger does. Whatever reaches it has passed every
check that comes before a charge, and is stopped there; so what is foreseen is what would be
charged, because the same lines find it.
"""

from collections.abc import Callable, Sequence
from typing import NoReturn, Self, cast, final

from tacit.ledger.ledger import Ledger, Unknown
from tacit.ledger.records import Charge


def rehearsed(ask: Callable[[Ledger], object]) -> tuple[Charge, ...]:
    """The charges of the first grant that `ask` asks of the ledger it is given.

    Raises:
      ValueError: it asks for none.
    """
    try:
        ask(cast(Ledger, _Rehearsal()))
    except _Asked as asked:
        return asked.charges
    raise ValueError("nothing was asked of the ledger, so what it will be charged is not known")


class _Asked(BaseException):
    """Ends a rehearsal; no error, so that nobody on the way takes it for one."""

    def __init__(self, charges: Sequence[Charge]) -> None:
        super().__init__()
        self.charges = tuple(charges)


@final
class _Rehearsal:
    """Of a ledger, what a release calls."""

    grant_id = None
    ended = ()

    def held_open(self, grant_id: str) -> Self:
        """Itself, for it closes nothing."""
        del grant_id
        return self

    def left_of(self, grant_id: str) -> NoReturn:
        """Nothing."""
        raise Unknown(grant_id)

    def charge(
        self,
        grant_id: str,
        population: str,
        charges: Sequence[Charge],
        *rest: object,
        **said: object,
    ) -> NoReturn:
        del grant_id, population, rest, said
        raise _Asked(charges)

    def close(self, grant_id: str, *rest: object) -> None:
        """Nothing was opened."""
        del grant_id, rest
