"""The account of people about whom a file is asked: it is there, and has room, before anything is.

Where it is not, and nobody says a limit, the command that opens it is named, and no ledger is made.
"""

import shlex

from tacit.accounting.guarantee import PERSON
from tacit.accounting.upper import upper, upper_delta
from tacit.cli import room
from tacit.ledger.accounts import Balance, fitting, key_of
from tacit.ledger.ledger import Ledger, LedgerError
from tacit.plan import Plan


def opened(name: str, plan: Plan, where: str | None, limit: room.Limit) -> None:
    """Sees to it that the account has room for a plan; nothing is written if it has not.

    Args:
      name: whose account.
      where: the ledger, if one is named.
      limit: of an account that is not there yet, if one is said.

    Raises:
      ValueError: if no ledger is named.
      LedgerError: if the account is not there, and no limit is said.
      OverBudget: if it has too little room.
    """
    if where is None:
        raise ValueError("--ledger is the people's ledger, e.g. --ledger people.db, got none")
    with room.looked_at(where) as book:
        if limit is None:
            _refuse_no_limit(name, plan, book, where)
        room.refuse_unaffordable(book, name, [plan], limit)
    room.open_accounts(Ledger(where), name, [plan], limit)


def _refuse_no_limit(name: str, plan: Plan, book: Ledger, where: str) -> None:
    """Raises the LedgerError that says how to open every account that is missing."""
    held = {(a.observer, a.unit, a.relation.value) for a in book.spent(name)}
    missing = [charge for charge in plan.charges() if key_of(charge) not in held]
    if missing:
        calls = (_creation(where, name, account) for account in fitting(missing))
        raise LedgerError(
            f"{name} has no limit yet in {where}, and nothing was charged; these numbers "
            f"just fit: {'; '.join(calls)}"
        )


def _creation(where: str, name: str, account: Balance) -> str:
    observer, unit, relation = account.key
    words = ["tacit", "ledger", "create", where, "--population", name, "--relation", relation]
    words += ["--epsilon", upper(account.epsilon), "--delta", upper_delta(account.delta)]
    words += [] if observer == "public" else ["--observer", observer]
    return shlex.join([*words, *([] if unit == PERSON else ["--unit", unit])])


def history(name: str, where: str | None) -> str:
    """The command that says what was charged."""
    return shlex.join(["tacit", "ledger", "history", str(where), "--population", name])
