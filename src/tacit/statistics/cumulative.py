"""How many people are at or below each of several places: one question, in every trust model.

People are counted in cells that end at the places (`statistics.ending_cells`), and in groups of
cells (`statistics.tree`), whose counts are made consistent. So all places are answered at once,
and nobody at a place is counted in part. Few places have a cell more than they are, and many have
cells on two or three levels: whichever is off least, at most, of whatever people there are.

| number | who is counted |
| --- | --- |
| missing (NaN) | nobody: shares are of those who have a number, in every trust model |
| all of them missing | nobody, and shares are of noise |
| beyond a bound | a person at the nearer one |

So a share is divided by how many have a number: by the sum of all counts where people come or go,
and where their number is public by that less a noisy count of those who have none (`tree`).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np

from tacit.argument import got, is_number, keep_pythons, listed
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.sums import refuse_nobody
from tacit.statistics.answer import Answer, CallTerms
from tacit.statistics.between import between, bounds_of, numbers_between, numbers_of
from tacit.statistics.ending_cells import EndingCells
from tacit.statistics.one_round import refuse_secret_devices
from tacit.statistics.read_cells import asked_cells
from tacit.statistics.tree import CountedCells, ending_for, refuse_no_cells
from tacit.trust.people import Trust, people_of, refuse_no_trust


@final
@dataclass(frozen=True)
class Cumulative:
    """The share of people at or below each of several places; `plan` and `rmse` before the data.

    Args:
      at: the places, rising, none beyond the bounds; fewer than 4,096, or 256 where devices send
        their cells as vectors.
      bounds: (lower, upper) of one person's number, public; a number beyond counts as the nearer.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.

    Raises:
      ValueError: if an argument is not of its kind.
    """

    at: tuple[float, ...]
    bounds: tuple[float, float]
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "people")
        object.__setattr__(self, "at", _places(self.at))
        object.__setattr__(self, "bounds", bounds_of(self.bounds))
        _refuse_beyond(self.at, self.bounds)
        refuse_no_trust(self.trust)
        refuse_nobody(self.people)
        refuse_secret_devices(self.trust, "distribution")
        refuse_no_cells(self.trust, len(self.at))

    @cached_property
    def counted(self) -> CountedCells:
        """What is asked."""
        return min(ending_for(self.trust, self.people, len(self.at)), key=self._share_rmse)

    @cached_property
    def cells(self) -> EndingCells:
        """Where people are counted."""
        return self._cells(self.counted)

    def _cells(self, counted: CountedCells) -> EndingCells:
        return EndingCells(self.at, self.bounds, counted.sizes[-1])

    def _share_rmse(self, counted: CountedCells) -> float:
        """Of these cells, as a share: root mean square over places."""
        return float(np.sqrt(np.mean(counted.share_rmse(self._cells(counted).ends) ** 2)))

    @property
    def plan(self) -> Plan:
        """What will be promised."""
        return self.counted.plan

    @property
    def rmse(self) -> float:
        """How many people the number up to a place is off by (root mean square over places).

        At most, to first order in noise, whoever they are: people on both sides of the places are
        off by about two thirds of it. Of reports it rests on what the plan predicts of each.
        """
        return self.people * self._share_rmse(self.counted) if self.plan.private else 0.0

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The shares at or below, of these people; arguments as for `mean`."""
        words = f"the shares up to {_many(self.at)} of a number {between(self.bounds)}"
        numbers = numbers_between(values, self.bounds)
        terms = CallTerms(name, ledger, seed, note, words)
        shares = self.cells.shares(numbers)
        upto, release = asked_cells(self.counted, shares, terms)
        found = upto[self.cells.ends] / (upto[-1] if upto[-1] > 0 else 1.0)
        labels = tuple(f"{place:.15g}" for place in self.at)
        title = f"share of {name} at or below"
        return Answer(title, labels, found, None, None, None, release, rank_rmse=self.rmse)


def cdf(
    values: Any,
    at: tuple[float, ...],
    *,
    bounds: tuple[float, float] | None = None,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The shares of people at or below these places: see `Cumulative`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      at: places between the bounds, rising, written down without looking at the data.
      bounds, trust, ledger, name, people, seed, note: as for `mean`; a missing number is left out,
        of whomever it is.

    Raises:
      ValueError: if an argument is not of its kind, or there are no bounds; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = Cumulative(at, bounds_of(bounds), trust, declared)
    return asked.of(values, ledger, name, seed=seed, note=note)


def _refuse_beyond(at: tuple[float, ...], bounds: tuple[float, float]) -> None:
    """Who is beyond a bound counts as at it, so nothing is known of shares further out."""
    lower, upper = bounds
    if not lower <= at[0] <= at[-1] <= upper:
        raise ValueError(f"at must lie between the bounds, {lower:g} and {upper:g}, got {at}")


def _many(at: tuple[float, ...]) -> str:
    return f"{at[0]:.15g}" if len(at) == 1 else f"{len(at):,} places"


def _places(at: Any) -> tuple[float, ...]:
    """Places as floats."""
    places = listed(at) or ()
    numbers = len(places) >= 1 and all(is_number(place) and place == place for place in places)
    if not (numbers and all(a < b for a, b in pairwise(places))):
        raise ValueError(f"at must be a tuple of numbers, rising, got {got(at)}")
    return tuple(map(float, places))
