"""Quantiles and the median in one call each: what `BoundedQuantiles` asks."""

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.ledger.ledger import LedgerOrPath
from tacit.statistics.answer import Answer
from tacit.statistics.between import bounds_of, numbers_of
from tacit.statistics.bounded_quantiles import BoundedQuantiles
from tacit.statistics.undeclared import refuse_no_bounds
from tacit.trust.people import Trust, people_of


def quantiles(
    values: Any,
    shares: tuple[float, ...] = (0.25, 0.5, 0.75),
    *,
    bounds: tuple[float, float] | None = None,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The values below which these shares of the people lie: see `BoundedQuantiles`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      shares: from 0 to 1, rising; (0.5,) for the median.
      bounds: to be declared; where nobody can, those that `find_bounds` finds.
      trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind, or there are no bounds; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    refuse_no_bounds(bounds, f"quantiles(values, {shares!r}", trust, name, people)
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = BoundedQuantiles(shares, bounds_of(bounds), trust, declared, confidence)
    return asked.of(values, ledger, name, seed=seed, note=note)


def median(
    values: Any,
    *,
    bounds: tuple[float, float] | None = None,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The value that half of the people are below: `quantiles` of one share, as one number.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      bounds, trust, ledger, name, people, confidence, seed, note: as for `quantiles`.

    Raises:
      ValueError: if an argument is not of its kind, or there are no bounds; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    refuse_no_bounds(bounds, "median(values", trust, name, people)
    found = quantiles(
        values,
        (0.5,),
        bounds=bounds,
        trust=trust,
        ledger=ledger,
        name=name,
        people=people,
        confidence=confidence,
        seed=seed,
        note=note,
    )
    one = float(np.atleast_1d(found.estimate)[0])
    return replace(found, asked=f"median of {name}", labels=(), estimate=one)
