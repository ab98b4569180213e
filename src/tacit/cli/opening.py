"""The account of people about whom a file is asked: it is there, and has room, before anything is.

Where it is not, and nobody says a limit, the command that opens it is named, and no ledger is made.
"""

import math
import shlex
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal

from tacit.accounting.guarantee import PERSON
from tacit.accounting.upper import upper, upper_delta
from tacit.cli import room
from tacit.ledger.accounts import Balance, OverBudget, fitting, key_of
from tacit.ledger.ledger import Ledger, LedgerError
from tacit.plan import Plan

# Of an epsilon that is offered: digits, and how often it is halved in search of it.
_DIGITS, _HALVES = 3, 10
# No less is offered: nobody would see anything through its noise.
_LEAST = 0.001
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
# The plan of the same question at another epsilon.
Planned = Callable[[float], Plan]


def opened(
    name: str, planned: Planned, epsilon: float, where: str | None, limit: room.Limit
) -> None:
    """Sees to it that the account has room for a plan; nothing is written if it has not.

    Args:
      name: whose account.
      planned: the plan, of an epsilon.
      epsilon: the one that is asked for.
      where: the ledger, if one is named.
      limit: of an account that is not there yet, if one is said.

    Raises:
      ValueError: if no ledger is named.
      LedgerError: if the account is not there, and no limit is said.
      OverBudget: if it has too little room; it says which epsilon would fit, if one does.
    """
    if where is None:
        raise ValueError("--ledger is the people's ledger, e.g. --ledger people.db, got none")
    plan = planned(epsilon)
    with room.looked_at(where) as book:
        if limit is None:
            _refuse_no_limit(name, plan, book, where)
        try:
            room.refuse_unaffordable(book, name, [plan], limit)
        except OverBudget as much:
            left = [each.room for each in book.spent(name)] or [(limit or (math.inf, 0.0))[0]]
            tried = min(epsilon, *left)
            fits = _fitting(lambda less: _has_room(book, name, planned(less), limit), tried)
            raise OverBudget(f"{much}{_offer(fits)}", f"{much.in_shell}{_offer(fits)}") from None
    room.open_accounts(Ledger(where), name, [plan], limit)


def _has_room(book: Ledger, name: str, plan: Plan, limit: room.Limit) -> bool:
    try:
        room.refuse_unaffordable(book, name, [plan], limit)
    except OverBudget:
        return False
    return True


def _fitting(fits: Callable[[float], bool], left: float) -> float | None:
    """An epsilon of a few digits that fits: what is left, as an account by plain sums has it, or
    else the largest that is found below. What is offered was tried; None where none fits, since it
    is not epsilon that is too much."""
    least, most = 0.0, _rounded(left)
    if most and fits(most):
        return most
    for _ in range(_HALVES):
        middle = _rounded((least + most) / 2)
        if not least < middle < most:
            break
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least or None


def _rounded(epsilon: float) -> float:
    return float(_DOWN.create_decimal(Decimal(epsilon)))


def _offer(epsilon: float | None) -> str:
    return "" if (epsilon or 0.0) < _LEAST else f"; --epsilon {epsilon:g} would fit now"


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
