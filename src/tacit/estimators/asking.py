"""What every estimator is told about its people, beside their bounds and labels.

`plan` and `fit` look at it first, and alike: what a fit would be refused for is refused before one,
while nobody's rows are at hand.
"""

from typing import Protocol

from tacit.argument import refuse_no_name, refuse_no_seed
from tacit.estimators.trusts import declared_trust
from tacit.ledger.ledger import LedgerOrPath, refuse_no_ledger
from tacit.ledger.records import refuse_no_line
from tacit.trust.people import Trust


class Asking(Protocol):
    """An estimator, as far as whom it asks."""

    trust: Trust | None
    ledger: LedgerOrPath | None
    population: str
    note: str | None
    seed: int | None


def asked_under(asking: Asking, allowed: tuple[type, ...]) -> Trust:
    """The trust that was declared; no ledger is opened.

    Args:
      asking: the estimator.
      allowed: the trust models that its method knows.

    Raises:
      ValueError: if it is none of these, or the ledger, the population's name, the note or the seed
        is none.
    """
    refuse_no_name("population", asking.population)
    if asking.ledger is not None:
        refuse_no_ledger(asking.ledger)
    if asking.note is not None:
        refuse_no_line("note", asking.note)
    if asking.seed is not None:
        refuse_no_seed(asking.seed)
    return declared_trust(asking.trust, allowed)


def charged_to(asking: Asking) -> str | None:
    """The name of the accounts that a fit charges: without a ledger there are none."""
    return None if asking.ledger is None else asking.population
