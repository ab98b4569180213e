"""What accounts allow: whose there can be, which a grant lacks, and whether all of it fits.

A limit stands before the first charge and is never changed, so nobody spends from an account that
its people did not open, and nobody finds room by asking again. No refusal depends on anybody's
data.
"""

import math
import warnings
from collections.abc import Mapping, Sequence

from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.argument import got, is_number, refuse_no_name
from tacit.ledger.accounts import (
    OBSERVERS,
    WHOLE,
    Balance,
    Key,
    LedgerError,
    RefusedGrant,
    fitting,
    key_of,
    opened_by,
)
from tacit.ledger.filters import Cost, Filter
from tacit.ledger.over_budget import OverBudget
from tacit.ledger.records import Charge


class NoDeltaWarning(UserWarning):
    """An account for a trusted server's releases that most of them never fit, however small."""


def warn_without_delta(population: str, opened: Balance) -> None:
    """Warns whoever opens such an account; one that only keeps local reports needs no delta.

    Reports are of people whose data are replaced, so under other relations no account is theirs.
    """
    _, _, relation = opened.key
    if opened.delta > 0 or Relation(relation) is Relation.REPLACE_ONE:
        return
    warnings.warn(
        f"{opened.name} in {population!r} has a delta of 0 for ever, and room only for what is "
        "exactly pure: most pure releases by a trusted server take a little delta for their "
        "samplers, and `limit_for` sets a limit that has it",
        NoDeltaWarning,
        stacklevel=3,
    )


def refuse_no_account(
    population: str, observer: str, relation: Relation, unit: str, filter: Filter
) -> None:
    """Raises the ValueError of an account that no grant could charge."""
    refuse_no_name("population", population)
    refuse_no_name("unit", unit)
    if observer not in OBSERVERS:
        *others, last = map(repr, OBSERVERS)
        raise ValueError(f"observer must be {', '.join(others)} or {last}, got {got(observer)}")
    refuse_no_relation(relation)
    if not isinstance(filter, Filter):
        raise ValueError(f"filter must be Basic() or Renyi(orders), got {got(filter)}")


def refuse_no_limit(epsilon: float, delta: float) -> None:
    """Raises the ValueError of numbers that limit nothing."""
    if not (is_number(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be positive, got {got(epsilon)}")
    if not (is_number(delta) and 0 <= delta <= 1):
        raise ValueError(f"delta must be in [0, 1], got {got(delta)}")


class AnotherLimit(LedgerError):
    """A limit or a filter that is set already, to something else.

    Args:
      said: what is set, what was asked, and what Python leaves out.
      in_shell: the same with what is typed in its place.
    """

    def __init__(self, said: str, in_shell: str | None = None) -> None:
        super().__init__(said)
        self.in_shell = said if in_shell is None else in_shell


def refuse_another_limit(population: str, held: Balance, new: Balance) -> None:
    """Raises the AnotherLimit of an account that has one already, where it is not this one."""
    if (held.epsilon, held.delta, held.filter) != (new.epsilon, new.delta, new.filter):
        set_already, asked = _told_apart(held, new)
        why = (
            f"{held.name} in {population!r} has a limit of {set_already}, and was to get one of "
            f"{asked}; a limit is what these people were promised, and stays: leave"
        )
        paid = (
            "out, and what is asked of these people is paid from what is left of the limit they "
            "have"
        )
        python, shell = "this call", "--limit, or this `tacit ledger create`,"
        raise AnotherLimit(f"{why} {python} {paid}", f"{why} {shell} {paid}")


def _told_apart(held: Balance, new: Balance) -> tuple[str, str]:
    """Two limits in words: in few digits, unless they look alike; with filters that differ."""
    both = [f"epsilon = {each.epsilon:.6g}, delta = {each.delta:.6g}" for each in (held, new)]
    differ = (held.epsilon, held.delta) != (new.epsilon, new.delta)
    if differ and both[0] == both[1]:
        both = [f"epsilon = {each.epsilon}, delta = {each.delta}" for each in (held, new)]
    if held.filter == new.filter:
        return both[0], both[1]
    names = [type(each.filter).__name__ for each in (held, new)]
    other = " of other orders" if names[0] == names[1] else ""
    return f"{both[0]} by the filter {names[0]}", f"{both[1]} by the filter {names[1]}{other}"


class NoLimit(RefusedGrant):
    """Accounts that nobody opened yet, and the calls that do.

    Args:
      population: whose.
      missing: these accounts, with limits that just fit.
      calls: that set them otherwise than the ledger's own, for who has another way.
    """

    def __init__(self, population: str, missing: Sequence[Balance], calls: Sequence[str] = ()):
        self.population, self.missing = population, missing
        opened = [*(opened_by(repr(population), account) for account in missing), *calls]
        super().__init__(
            f"{population!r} has no limit yet for what is asked of it, and nothing was charged; "
            f"these limits just fit, once, and no limit is raised later{_without(missing)}: leave "
            "room for all that will be asked; with ledger = tacit.Ledger(path):\n"
            + "\n".join(opened)
        )


def _without(missing: Sequence[Balance]) -> str:
    """What a limit without any delta never pays for."""
    if all(account.delta > 0 for account in missing):
        return ""
    return "; delta=0 never pays for what has one, as a curator's means and counts have"


def refuse_unlimited(held: Mapping[Key, Balance], population: str, asked: Sequence[Charge]) -> None:
    """Raises the `NoLimit` that says how to open every account that these charges lack."""
    without = [charge for charge in asked if key_of(charge) not in held]
    if without:
        raise NoLimit(population, fitting(without))


def charged(
    held: Mapping[Key, Balance],
    population: str,
    asked: Sequence[Charge],
    costs: Sequence[Cost],
    asking: str = "the grant asks",
) -> list[Balance]:
    """Every account that is touched, after it; refused unless all of it fits everywhere."""
    if not asked and any(math.isfinite(account.epsilon) for account in held.values()):
        # What promises nothing may reveal everything.
        raise OverBudget(
            f"the grant promises nothing, and {population} has accounts with limits: to compare "
            "without privacy, use another name or another ledger, without limits"
        )
    wanted: dict[Key, list[tuple[str, Cost]]] = {}
    for charge, cost in zip(asked, costs, strict=True):
        wanted.setdefault(key_of(charge), []).append((charge.part or WHOLE, cost))
    return [held[key].charged(more, population, asking) for key, more in wanted.items()]
