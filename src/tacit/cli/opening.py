"""The account of people about whom a file is asked: it is there, and has room, before anything is.

Where it is not, and nobody says a limit, the command that opens it is named, and no ledger is made.
"""

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from functools import cached_property
from typing import final

from tacit.accounting.decimals import exact
from tacit.accounting.guarantee import PERSON
from tacit.accounting.upper import upper, upper_delta
from tacit.cli import room
from tacit.ledger.accounts import Balance, fitting, key_of
from tacit.ledger.ledger import Ledger, LedgerError
from tacit.ledger.over_budget import OverBudget
from tacit.ledger.places import refuse_no_place
from tacit.plan import Plan
from tacit.trust.central import Central

# Of what is offered: digits, and how often an epsilon is halved in search of it.
_DIGITS, _HALVES = 3, 10
# No less is offered: nobody would see anything through its noise.
_LEAST = 0.001
# Of a delta that is left, what samplers leave a plan.
_SAMPLED = 0.99
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
# The plan of the same question under another trust.
Planned = Callable[[Central], Plan]


def opened(
    name: str, planned: Planned, trust: Central, where: str | None, limit: room.Limit
) -> None:
    """Sees to it that the account has room for a plan; nothing is written if it has not.

    Args:
      name: whose account.
      planned: the plan, under a trust.
      trust: the one that is asked for.
      where: the ledger, if one is named.
      limit: of an account that is not there yet, if one is said.

    Raises:
      ValueError: if no ledger is named.
      LedgerError: if the account is not there, and no limit is said; or no ledger can be there.
      OverBudget: if it has too little room; it says which epsilon would fit, or if none does at
        this delta, which delta, where there is one.
    """
    if where is None:
        raise ValueError("--ledger is the people's ledger, e.g. --ledger people.db, got none")
    if "://" not in where:
        refuse_no_place(where)
    plan = planned(trust)
    with room.looked_at(where) as book:
        if limit is None:
            _refuse_no_limit(name, plan, book, where)
        try:
            room.refuse_unaffordable(book, name, [plan], limit)
        except OverBudget as much:
            offer = _offer(_Room(book, name, planned, limit), trust)
            raise much.offering(offer) from None
    room.open_accounts(Ledger(where), name, [plan], limit)


@final
@dataclass(frozen=True)
class _Room:
    """What an account has left for a question.

    Args:
      book: its ledger.
      name: whose it is.
      planned: the question's plan, under a trust.
      limit: of the account, if it is not there yet.
    """

    book: Ledger
    name: str
    planned: Planned
    limit: room.Limit

    def has(self, trust: Central) -> bool:
        """Whether it fits. Of keys that nobody declared there is no plan without a delta."""
        try:
            room.refuse_unaffordable(self.book, self.name, [self.planned(trust)], self.limit)
        except (OverBudget, ValueError):
            return False
        return True

    @cached_property
    def left(self) -> tuple[float, float]:
        """The epsilon and the delta of the account that has least, as plain sums have them."""
        held = [(each.room, each.limit_delta - each.delta) for each in self.book.spent(self.name)]
        epsilons, deltas = zip(*(held or [self.limit or (math.inf, 0.0)]), strict=True)
        return min(epsilons), min(deltas)

    def fitting(self, trust: Central) -> float | None:
        """An epsilon of a few digits that fits at this delta: what is left, or else the largest
        that is found below. What is offered was tried; None where none is worth it."""
        least, most = 0.0, _rounded(min(trust.epsilon, self.left[0]))
        if most and self.has(replace(trust, epsilon=most)):
            return most if most >= _LEAST else None
        for _ in range(_HALVES):
            middle = _rounded((least + most) / 2)
            if not least < middle < most:
                break
            fits = self.has(replace(trust, epsilon=middle))
            least, most = (middle, most) if fits else (least, middle)
        return least if least >= _LEAST else None


def _offer(left: _Room, trust: Central) -> str:
    """What would fit, in words; nothing where nothing does."""
    epsilon = left.fitting(trust)
    if epsilon is not None:
        return f"; --epsilon {epsilon:g} would fit now"
    for less in (replace(trust, delta=each) for each in _deltas(left.left[1], trust.delta)):
        if left.has(less):
            return f"; --delta {less.delta:g} would fit now"
        epsilon = left.fitting(less)
        if epsilon is not None:
            return f"; --epsilon {epsilon:g} --delta {less.delta:g} would fit now"
    return ""


def _deltas(left: float, asked: float) -> list[float]:
    """Smaller ones than is asked for: what is left, a little less, as samplers take some, none."""
    tried = (_rounded(max(left, 0.0)), _rounded(max(_SAMPLED * left, 0.0)), 0.0)
    return [delta for delta in dict.fromkeys(tried) if delta < asked]


def _rounded(number: float) -> float:
    return float(_DOWN.create_decimal(exact(number)))


def _refuse_no_limit(name: str, plan: Plan, book: Ledger, where: str) -> None:
    """Raises the LedgerError that says how to open every account that is missing."""
    held = {(a.observer, a.unit, a.relation.value) for a in book.spent(name)}
    missing = [charge for charge in plan.charges() if key_of(charge) not in held]
    if missing:
        new = fitting(missing)
        calls = (_creation(where, name, account) for account in new)
        raise LedgerError(
            f"{name} has no limit yet in {where}, and nothing was charged; say one in the same "
            f"command, {_limit(new)} or more, or by itself; these numbers just fit: "
            f"{'; '.join(calls)}"
        )


def _limit(new: Sequence[Balance]) -> str:
    """The options with which all of these are opened."""
    epsilon, delta = max(each.epsilon for each in new), max(each.delta for each in new)
    most = "" if delta <= room.LIMIT_DELTA else f" --limit-delta {upper_delta(delta)}"
    return f"--limit {upper(epsilon)}{most}"


def _creation(where: str, name: str, account: Balance) -> str:
    observer, unit, relation = account.key
    words = ["tacit", "ledger", "create", where, "--population", name, "--relation", relation]
    words += ["--epsilon", upper(account.epsilon), "--delta", upper_delta(account.delta)]
    words += [] if observer == "public" else ["--observer", observer]
    return shlex.join([*words, *([] if unit == PERSON else ["--unit", unit])])


def history(name: str, where: str | None) -> str:
    """The command that says what was charged."""
    return shlex.join(["tacit", "ledger", "history", str(where), "--population", name])
