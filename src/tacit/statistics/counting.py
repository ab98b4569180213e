"""How many people say yes, of however many there are.

A curator adds up ones; people who report for themselves report one of two categories, for which
limits are exact. What the limits rest on stands in `counts`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Int32

from tacit.argument import keep_pythons
from tacit.contribution import Grid, OneHot
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.statistics.answer import Answer, CallTerms, refuse_no_terms
from tacit.statistics.between import one_each
from tacit.statistics.counts import answered, rmse_of
from tacit.statistics.limits import Limits
from tacit.statistics.one_round import one_round, refuse_secret_devices
from tacit.statistics.remarks import beyond_limits, more_rows, said_by_none
from tacit.trust.people import Reported, Trust, people_of
from tacit.unquoted import unquoted


@final
@dataclass(frozen=True)
class Count:
    """How many people say yes; its `plan` and `rmse` are known before the data are.

    Args:
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      confidence: of the interval.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        refuse_no_terms(self.trust, self.people, self.confidence)
        refuse_secret_devices(self.trust, "count")

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        shape = OneHot(2) if isinstance(self.trust, Reported) else Grid(0, 1)
        return one_round(self.trust, shape, self.people)

    @property
    def rmse(self) -> float:
        """The root mean squared error, in people."""
        return rmse_of(self.plan)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """How many of these people say yes; arguments as for `mean`."""
        terms = CallTerms(name, ledger, seed, note, "the count of those who say yes")
        counts, low, high, release = answered(self.plan, yes_or_no(values), terms, self.confidence)
        found, limits = float(counts[-1]), Limits(float(low[-1]), float(high[-1]))
        title, known = f"count of {name}", (self.confidence, self.rmse, release)
        beside = (
            *beyond_limits((), found, limits),
            *more_rows(np.array([found]), self.rmse, self.people),
            *said_by_none(limits),
        )
        return Answer(title, (), found, limits, *known, remarks=beside)


def count(
    values: Any,
    *,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """How many people say yes, with an interval: see `Count`.

    Args:
      values: an array, series or list with True or False for each person, or with numbers, of
        which 1 is a yes; a missing one is none.
      trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    said = yes_or_no(values)
    asked = Count(trust, people_of(people, trust, len(said)), confidence)
    return asked.of(said, ledger, name, seed=seed, note=note)


def yes_or_no(values: Any) -> Int32[np.ndarray, " people"]:
    """One for each person who says yes, by True or 1; zero for all others.

    Raises:
      ValueError: if there is not one truth value or number for each person.
    """
    said = unquoted(lambda: one_each(values, "True or False"), ValueError, _how_else)
    return (said == 1).astype(np.int32)


def _how_else(error: Exception) -> str | None:
    """How text is counted, beside what is wrong with it; of other refusals nothing."""
    if "holds text" not in str(error):
        return None
    return f"{error}; of text count a comparison, e.g. values == 'yes', or ask for its histogram"
