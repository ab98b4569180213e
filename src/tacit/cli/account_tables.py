"""The tables of the people's accounts and of what was asked of them, at 80 columns."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.accounting.upper import lower, upper, upper_delta
from tacit.cli import voice
from tacit.cli.tables import row_of, table_of, whole

# A plan's table waits for no database.
if TYPE_CHECKING:
    from tacit.ledger.ledger import Charge, Entry, Spent

NUMBERS = "ε left", "ε spent", "ε limit", "δ spent", "δ limit"
# Grants listed beside accounts, a choice: of earlier ones it is said how many there are, and where.
LATEST = 10
# What the accounts of several observers are, and are not.
BESIDE = (
    "each line counts what was made for one observer: the others see what was made for the public "
    "too, which the public's line alone counts"
)
# The name of a grant that nobody named, and how much of it tells it from its neighbours.
_DRAWN, _DIGITS = re.compile("[0-9a-f]{32}"), 8


def accounts(spent: Sequence[Spent]) -> None:
    """What is spent of every limit; a sum of releases without one is nobody's budget."""
    limited = [a for a in spent if math.isfinite(a.limit_epsilon)]
    if not limited:
        return
    table = table_of("spent, by account with a limit", ("kept from", "unit", "relation"), NUMBERS)
    for a in limited:
        row_of(table, a.observer, a.unit, a.relation.value, *_against(a, a.epsilon, a.delta))
    whole(table)
    of_several(limited)


def of_several(*populations: Sequence[Spent]) -> None:
    """What is not in one account, where some people have another observer's beside it."""
    if any(len({a.observer for a in spent}) > 1 for spent in populations):
        voice.note(BESIDE)


def balances(population: str, spent: Sequence[Spent]) -> None:
    """Every account of a population against its limit, and each part beneath its account.

    How charges are added up is said where any account does not just add them.
    """
    filters = [type(a.filter).__name__.lower() for a in spent]
    more = ("filter",) if {*filters} - {"basic"} else ()
    table = table_of(population, ("kept from", "unit or part", "relation", *more), NUMBERS)
    for a, filter in zip(spent, filters, strict=True):
        own = _against(a, a.epsilon, a.delta)
        row_of(table, a.observer, a.unit, a.relation.value, *[filter for _ in more], *own)
        for part, spent_of in a.parts.items():
            row_of(table, "", part, "", *["" for _ in more], *_against(a, *spent_of))
    whole(table)


def _against(account: Spent, epsilon: float, delta: float) -> tuple[str, ...]:
    """What is left, and both beside their limits, rounded alike: what is within a limit does not
    look above it."""
    left = replace(account, epsilon=epsilon).room
    epsilons = map(upper, (epsilon, account.limit_epsilon))
    return (lower(left), *epsilons, *map(upper_delta, (delta, account.limit_delta)))


def asked(entries: Sequence[Entry]) -> None:
    """What was asked of a population last, with what was noted and what the public is promised."""
    if not entries:
        return
    table = table_of("", ("opened", "asked"), ("public ε",))
    for entry in entries[-LATEST:]:
        public = map(upper, entry.epsilons("public"))
        row_of(table, entry.opened[:10], "\n".join(_said(entry)), "\n".join(public) or "-")
    whole(table)
    if len(entries) > LATEST:
        voice.note(f"{len(entries) - LATEST} earlier grants are in `tacit ledger history`")


def grants(population: str, entries: Sequence[Entry]) -> None:
    """Every grant of a population, oldest first, a row for each promise; which part it is of is
    said where any is of one."""
    charges = [each.charges for each in entries]
    more = ("part",) if any(c.part for own in charges for c in own) else ()
    whose = "opened (UTC)", "asked", "kept from", "unit", "relation", *more
    table = table_of(f"grants of {population}", whose, ("ε", "δ"))
    for entry in entries:
        state = "closed" if entry.closed else "open"
        start = f"{entry.opened[:10]}\n{entry.opened[11:19]}\n{state}"
        said = "\n".join([*_said(entry), f"grant {_name(entry.grant_id)}"])
        for index, c in enumerate(entry.charges or (None,)):
            first = (start, said) if index == 0 else ("", "")
            row_of(table, *first, *(_charge_cells(c, bool(more)) if c else ("nobody",)))
    whole(table)


def _said(entry: Entry) -> list[str]:
    """What was asked, and noted beside it."""
    return [entry.asked or "not said", *([f"note: {entry.note}"] if entry.note else [])]


def _name(grant_id: str) -> str:
    """As somebody chose it; of one that was drawn its first digits."""
    return f"{grant_id[:_DIGITS]}…" if _DRAWN.fullmatch(grant_id) else grant_id


def _charge_cells(c: Charge, parts: bool) -> tuple[str, ...]:
    g = c.guarantee
    whose = g.observer, g.unit, g.relation.value, *((c.part or "",) if parts else ())
    return *whose, upper(g.epsilon), upper_delta(g.delta)
