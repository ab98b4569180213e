"""How many people are in each of several declared categories.

Which categories there are is public, and written down without looking at the data: a label that
only one person has would show that person in the list. What is not declared is in none of them, nor
is what is missing. What a label is in a column of a type `labels` says.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, final

import numpy as np
from jaxtyping import Int32

from tacit.argument import got, keep_pythons
from tacit.contribution import OneHot
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.owned import refuse_owned
from tacit.statistics.answer import Answer, CallTerms, refuse_no_terms
from tacit.statistics.counts import answered, rmse_of
from tacit.statistics.labels import held_in, labels_in, refuse_missing
from tacit.statistics.limits import Limits
from tacit.statistics.one_round import one_round
from tacit.statistics.remarks import beyond_limits, in_none, more_rows
from tacit.trust.people import Reported, Trust, people_of


@final
@dataclass(frozen=True)
class Histogram:
    """How many people are in each category; `plan` and `rmse` are known before the data are.

    Args:
      categories: the labels there may be, at least two, public; other labels, and missing ones, are
        in none of them.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      confidence: of each interval; for all at once, divide what is missing to one by their number.

    Raises:
      ValueError: if an argument is not of its kind.
    """

    categories: Sequence[Any]
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        object.__setattr__(self, "categories", _labels(self.categories))
        refuse_no_terms(self.trust, self.people, self.confidence)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        more = 1 if isinstance(self.trust, Reported) else 0
        return one_round(self.trust, OneHot(len(self.categories) + more), self.people)

    @property
    def rmse(self) -> float:
        """The root mean squared error of one count, in people."""
        return rmse_of(self.plan)

    def numbers(self, values: Any) -> Int32[np.ndarray, " people"]:
        """Each person's category by its number; the number after the last for none."""
        values = _one_each(values)
        places = {label: place for place, label in enumerate(labels_in(values, self.categories))}
        try:
            found = [places.get(each, len(places)) for each in held_in(values)]
        except TypeError:
            raise ValueError("values must hold one label for each person") from None
        return np.array(found, np.int32)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """How many of these people are in each category; arguments as for `mean`."""
        kept = slice(len(self.categories))
        words = f"the histogram of {kept.stop:,} categories"
        terms = CallTerms(name, ledger, seed, note, words)
        found = answered(self.plan, self.numbers(values), terms, self.confidence)
        counts, low, high = (side[kept] for side in found[:3])
        labels, limits = tuple(map(str, self.categories)), Limits(low, high)
        others = in_none(counts, high, self.people), more_rows(counts, self.rmse, self.people)
        beside = (*beyond_limits(labels, counts, limits), *chain(*others))
        title, known = f"histogram of {name}", (self.confidence, self.rmse, found[3])
        return Answer(title, labels, counts, limits, *known, remarks=beside)


def histogram(
    values: Any,
    *,
    categories: Sequence[Any],
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """How many people are in each category, with intervals: see `Histogram`.

    Args:
      values: an array, series, list or iterator with one label for each person, text or numbers.
      categories: the labels there may be, written down without looking at the data.
      trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    values = _one_each(values)
    asked = Histogram(categories, trust, people_of(people, trust, len(values)), confidence)
    return asked.of(values, ledger, name, seed=seed, note=note)


def _labels(categories: Any) -> tuple[Any, ...]:
    # NumPy's moments would be numbers of nanoseconds.
    times = getattr(getattr(categories, "dtype", None), "kind", None) in ("M", "m")
    listed = hasattr(categories, "tolist") and not times
    plain = categories.tolist() if listed else list(categories) if times else categories
    if not (isinstance(plain, tuple | list) and len(plain) >= 2 and _are_different(plain)):
        raise ValueError(
            "categories must be at least two different labels in a tuple, a list or an array, e.g. "
            f"('yes', 'no'), got {list(plain) if isinstance(plain, tuple | list) else got(plain)}; "
            "of one label ask statistics.count"
        )
    refuse_missing(plain)
    return tuple(plain)


def _are_different(labels: Sequence[Any]) -> bool:
    try:
        return len(set(labels)) == len(labels)
    except TypeError:
        return False


def _one_each(values: Any) -> Any:
    """A series, array or list of labels, one a person; what comes one by one is there once."""
    refuse_owned(values=values)
    if isinstance(values, Iterator):
        return list(values)
    # A set has each label once, and not each person.
    no_column = isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__")
    if no_column or getattr(values, "ndim", 1) != 1 or hasattr(values, "columns"):
        raise ValueError(
            "values must hold one label for each person, in an array, a series or a list, got "
            f"{type(values).__name__}"
        )
    return values
