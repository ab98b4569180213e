"""A table's way to a grant: that of every population, with its own words for a limit.

Whoever asks a table for the first time has no ledger in hand, but the table, whose `budget` sets
the limit of its account: a refusal for want of one says that call beside the ledger's.

Rows are read only for what can be paid for: an engine that stops is not charged for, and nobody
shall ask it a thousand times what its account could never answer once.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tacit.accounting.relation import Relation
from tacit.argument import is_number
from tacit.ledger.accounts import Balance
from tacit.ledger.ledger import opened
from tacit.ledger.limits import NoLimit
from tacit.plan import Plan
from tacit.population import hosts
from tacit.population.charging import granted
from tacit.population.grant import Grant
from tacit.population.release import recorded
from tacit.population.staged import Staged

if TYPE_CHECKING:
    from tacit.tables.table import Table


def refuse_no_room(delta: Any) -> None:
    """Raises the ValueError of a limit that no question fits: samplers are exact but for a bit."""
    if is_number(delta) and delta == 0:
        raise ValueError(
            "delta must be above 0: a question of Central(1.0, 0) states one too, of about 1e-18, "
            "for what its sampler is off its law, and delta=1e-9 has room for it"
        )


def granted_of(
    table: "Table",
    plan: Plan,
    prepare: Callable[[], Staged],
    *,
    question: str,
    grant_id: str | None,
    seed: int | None,
    note: str | None,
    asked: str,
) -> Grant:
    """Charges a table's account for what is set up; arguments as of `population.charging.granted`.

    Args:
      question: a digest of what the engine is asked.

    Raises:
      NoLimit: if the account has no limit, with the call of the table that sets it.
    """

    def prepared() -> Staged:
        if hosts.first():
            book = opened(table.ledger)
            known, written = grant_id or book.grant_id, recorded(plan, private=seed is None)
            if known is None or not book.knows(known, table.name, written, question):
                book.refuse_overspending(table.name, [plan.charges()])
        return prepare()

    place, own = (table.name, prepared, table.ledger), {"grant_id": grant_id, "seed": seed}
    try:
        return granted(*place, part=None, checkpoint=None, asked=asked, note=note or "", **own)
    except NoLimit as error:
        calls = [f"{_budget(each)}, of the table, does the same" for each in error.missing]
        raise NoLimit(error.population, error.missing, calls) from None


def _budget(account: Balance) -> str:
    """The call of a table, here `visits`, that opens this account."""
    relation = Relation(account.key[2])
    other = "" if relation is Relation.ADD_REMOVE else f", relation=tacit.{relation}"
    return f"visits.budget(epsilon={account.epsilon}, delta={account.delta}{other})"
