"""Quantiles: the values below which given shares of the people lie, from a curator.

Each is chosen by rank from a fine grid between the bounds (`mechanisms.rows.quantiles`), so what is
known of its error is in ranks: with the stated confidence, of all quantiles at once, the number of
people below each is off by at most `ranks` more than it is at the best point of the grid. Where
many people have the same number that best point may be off itself, by half of them. How far off a
quantile is as a *value* depends on the data, and is not released: there is no interval.

Where people come or go, one whose number is missing is not counted: they are left out, each by
themselves. Where how many they are is public, a missing number counts as the middle of the bounds.
Other trust models cannot answer: they see sums only.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.contribution import Interval
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question import rows
from tacit.server.rows import Whole
from tacit.statistics.answer import Answer, refuse_no_terms, released
from tacit.statistics.average import Average
from tacit.statistics.between import bounds_of, centred, numbers_of
from tacit.trust.central import Central
from tacit.trust.people import Trust, people_of, relation_of


@final
@dataclass(frozen=True)
class BoundedQuantiles:
    """Quantiles to be asked: their `plan` and `ranks` are known before the data are.

    Args:
      shares: from 0 to 1, rising; one half for the median.
      bounds: (lower, upper) of one person's number, public; a number beyond counts as the nearer.
      trust: `Central`, or `NonPrivate`.
      people: about how many they are; exactly, where that is public.
      confidence: of all ranks together.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model cannot answer.
    """

    shares: tuple[float, ...]
    bounds: tuple[float, float]
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        object.__setattr__(self, "shares", rows.Quantiles(self.shares).shares)
        object.__setattr__(self, "bounds", bounds_of(self.bounds))
        refuse_no_terms(self.trust, self.people, self.confidence)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        statistic = rows.Quantiles(self.shares)
        return self.trust.plan(rows.OfRows(Interval(-1.0, 1.0), self.people, statistic))

    @property
    def ranks(self) -> float:
        """By how many people each is off at most, with the confidence."""
        if not isinstance(self.trust, Central):
            return 0.0
        server = cast(Whole, self.plan.server)
        return server.mechanism.error(1, math.log(len(self.shares) / (1 - self.confidence)))

    def terms(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, " people"]:
        """Each person's number between -1 and 1, made in float64 so that no digits are lost."""
        return centred(numbers, self.bounds)

    def _counted(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, " some"]:
        """Without the missing ones, where how many there are is nobody's to know or no secret."""
        public = relation_of(self.trust) is not Relation.ADD_REMOVE
        return numbers if public and self.plan.private else numbers[~np.isnan(numbers)]

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str = "",
    ) -> Answer:
        """The quantiles of these people's numbers; arguments as for `mean`."""
        plan, shape = self.plan, (len(self.shares),)
        numbers = self._counted(numbers_of(values))
        release = released(plan, Average(shape), self.terms(numbers), name, ledger, seed, note)
        lower, upper = self.bounds
        place = (np.asarray(release.answer, np.float64) + 1) / 2
        return Answer(
            f"quantiles of {name}",
            tuple(f"{share:g}" for share in self.shares),
            lower + (upper - lower) * place,
            None,
            self.confidence,
            None,
            release,
            self.ranks,
        )


def quantiles(
    values: Any,
    shares: tuple[float, ...] = (0.25, 0.5, 0.75),
    *,
    bounds: tuple[float, float],
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str = "",
) -> Answer:
    """The values below which these shares of the people lie: see `BoundedQuantiles`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      shares: from 0 to 1, rising; (0.5,) for the median.
      bounds, trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = BoundedQuantiles(shares, bounds, trust, declared, confidence)
    return asked.of(numbers, ledger, name, seed=seed, note=note)
