"""How many people are below each of several places: one question of a sum, in every trust model.

People are counted in cells between the bounds (`statistics.tree`), so all places are answered at
once, and any others could be; between the ends of a cell its people are spread evenly. A number
that is missing counts as the middle of the bounds.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.question.sums import refuse_nobody
from tacit.statistics.answer import Answer, released
from tacit.statistics.between import bounds_of, numbers_of, shares_of
from tacit.statistics.one_round import refuse_secret_devices
from tacit.statistics.tree import CountedCells, cells_for
from tacit.trust.people import Trust, people_of, refuse_no_trust

Ends = Float[np.ndarray, " ends"]


@final
@dataclass(frozen=True)
class Cumulative:
    """The share of people below each of several places; `plan` and `error` before the data.

    Args:
      at: the places, rising.
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
        object.__setattr__(self, "at", _places(self.at))
        object.__setattr__(self, "bounds", bounds_of(self.bounds))
        refuse_no_trust(self.trust)
        refuse_nobody(self.people)
        refuse_secret_devices(self.trust, "distribution")

    @cached_property
    def counted(self) -> CountedCells:
        return cells_for(self.trust, self.people)

    @property
    def plan(self) -> Plan:
        """What will be promised."""
        return self.counted.plan

    @property
    def error(self) -> float:
        """How many people the number below a place is off by (root mean square), on average."""
        return self.counted.error

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The shares below, of these people; arguments as for `mean`."""
        words = "shares below {} places between {:g} and {:g}".format(len(self.at), *self.bounds)
        terms = name, ledger, seed, note, words
        below, error, release = asked_cells(self.counted, numbers_of(values), self.bounds, terms)
        cells = shares_of(np.array(self.at), self.bounds) * (len(below) - 1)
        whole = below[-1] if below[-1] > 0 else 1.0
        found = np.interp(cells, np.arange(len(below)), below) / whole
        labels = tuple(f"{place:g}" for place in self.at)
        return Answer(
            f"share of {name} below", labels, found, None, None, None, release, rank_error=error
        )


def asked_cells(
    counted: CountedCells,
    numbers: Float[np.ndarray, " people"],
    bounds: tuple[float, float],
    terms: tuple[str, LedgerOrPath, int | None, str | None, str],
) -> tuple[Ends, float, Release]:
    """The shares below the ends of cells, how many people they are off by, and the release."""
    places = np.nan_to_num(shares_of(numbers, bounds), nan=0.5)
    release = released(counted.plan, counted.learner, counted.terms(places, terms[2]), *terms)
    below = counted.below(np.asarray(release.answer, np.float64))
    return below, counted.error if counted.plan.private else 0.0, release


def places_of(shares: Float[np.ndarray, " shares"], below: Ends) -> Float[np.ndarray, " shares"]:
    """Where so many people are below, from 0 to 1: the middle, where that is a range."""
    first = np.searchsorted(below, shares, "left")
    last = np.searchsorted(below, shares, "right")
    found = []
    for share, one, other in zip(shares, first, last, strict=True):
        if one < other:
            found.append((one + other - 1) / 2)
        else:
            high = min(max(one, 1), len(below) - 1)
            rise = below[high] - below[high - 1]
            part = (share - below[high - 1]) / rise if rise > 0 else 0.5
            found.append(high - 1 + min(max(part, 0.0), 1.0))
    return np.array(found) / (len(below) - 1)


def ends_of(
    bounds: tuple[float, float], places: Float[np.ndarray, " shares"]
) -> Float[np.ndarray, " shares"]:
    """Places from 0 to 1 as numbers between the bounds."""
    lower, upper = bounds
    return np.clip(lower + (upper - lower) * places, lower, upper)


def cdf(
    values: Any,
    at: tuple[float, ...],
    *,
    bounds: tuple[float, float],
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The shares of people below these places: see `Cumulative`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      at: places between the bounds, rising, written down without looking at the data.
      bounds, trust, ledger, name, people, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    numbers = numbers_of(values)
    asked = Cumulative(at, bounds, trust, people_of(people, trust, len(numbers)))
    return asked.of(numbers, ledger, name, seed=seed, note=note)


def _places(at: Any) -> tuple[float, ...]:
    """Places as floats."""
    several = isinstance(at, tuple | list) and len(at) >= 1 and all(map(is_number, at))
    if not (several and all(a < b for a, b in pairwise(at))):
        raise ValueError(f"at must be a tuple of numbers, rising, got {got(at)}")
    return tuple(map(float, cast(tuple, at)))
