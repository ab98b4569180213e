"""How an answer is paid for: out of which ledger, up to which limit, and by which name.

What is killed after its charge and before its answer has paid for noise that nobody saw. Under a
name (`--once`) it is made again, with the same noise, and nothing more is charged; its grant is
closed, and the noise forgotten, when the answer is printed and its files are written.
"""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, final

import typer

from tacit.argument import refuse_no_name
from tacit.cli import room
from tacit.cli.interruption import Stop
from tacit.cli.opening import Planned, history, opened
from tacit.ledger.ledger import Ledger, LedgerError, Unknown
from tacit.ledger.unnamed import closed_at_the_end
from tacit.trust.central import Central

OnceOption = Annotated[
    str | None, typer.Option(help="A name: cut off, the same command goes on, and pays once.")
]


@final
@dataclass(frozen=True)
class Payment:
    """Of one answer.

    Args:
      where: the ledger, if one is named.
      limit: of an account that is not there yet, if one is said.
      once: the answer's name, if it has one.
    """

    where: str | None
    limit: room.Limit
    once: str | None

    def begin(self, name: str, planned: Planned, trust: Central, stop: Stop) -> None:
        """Sees to it that these people's account has room, unless the answer is paid for.

        Raises:
          ValueError: if no ledger is named, or the answer by no name.
          LedgerError: if the account is not there, and no limit is said, or has another limit; or
            an answer of this name is finished, or other people's.
          OverBudget: if it has too little room.
          Interrupted: if a signal came.
        """
        if not self._is_paid(name):
            opened(name, planned, trust, self.where, self.limit)
        elif self.limit is not None:
            room.open_accounts(Ledger(str(self.where)), name, [planned(trust)], self.limit)
        stop.check()
        stop.left = f"stopped; what was charged is in `{history(name, self.where)}`"
        if self.once is not None:
            stop.left += ", and the same command goes on with it"

    @contextmanager
    def held(self) -> Iterator[Ledger]:
        """The ledger, for one answer; where that has a name, until it is out."""
        book = Ledger(str(self.where))
        if self.once is None:
            yield book
            return
        with closed_at_the_end(book.once(self.once)) as open_until_out:
            yield open_until_out

    def _is_paid(self, name: str) -> bool:
        if self.once is None:
            return False
        refuse_no_name("--once", self.once)
        return self.where is not None and _is_open(self.where, self.once, name)


def _is_open(where: str, once: str, name: str) -> bool:
    """Whether a grant of this name is there, and open, of these people."""
    with room.looked_at(where) as book:
        try:
            whose, _, is_open = book.left_of(once)
        except Unknown:
            return False
    if not is_open:
        raise LedgerError(
            f"--once {once!r} is finished and its noise forgotten, and nothing was charged; what "
            "is to be asked anew needs another name"
        )
    _refuse_others(once, whose, name)
    return True


def _refuse_others(once: str, whose: str, name: str) -> None:
    """Raises a LedgerError if an answer is of other people than are named."""
    if whose != name:
        raise LedgerError(
            f"grant {once!r} was opened with another population, {whose!r}, and nothing was "
            f"charged: say --name {shlex.quote(whose)} to go on with it, or another --once"
        )
