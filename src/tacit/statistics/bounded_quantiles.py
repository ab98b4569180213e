"""Quantiles: the values below which given shares of the people lie.

**A curator** has them chosen by rank from even steps between the bounds (`server.by_rank`), so what
is known of their error is in ranks. With the stated confidence, of all quantiles at once, at most
`ranks` people too many are below each, or `ranks` too few not above it; a number counts as the
nearest step. (If they are drawn by halving and people come or go, that is so for at most twice as
many as declared.) How far off a quantile is as a *value* depends on the data, and is not released:
there is no interval. But some number at most half a `step` from it is so near in rank, of people's
own numbers as they came: so the step is printed beside the ranks.

Steps are decimal, at most a million of them (`decimal_steps`). So between 0 and 100, or 1 and 5,
whole numbers are steps, and a value so many people share that all beside it are farther off than
`ranks` comes out itself. Where no such steps fit both bounds, there are 2^20 even ones.

| who has no number | counts as |
| --- | --- |
| to a curator who promises, their number public | the middle of the bounds: ranks are of all |
| else | nobody: ranks are of those who have one |

**Who sees sums only** counts people in cells between the bounds (`statistics.tree`); quantiles are
read between the ends of cells, and what is known of their error is predicted, for numbers that lie
in many cells; how wide these are is printed.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.argument import keep_pythons
from tacit.contribution import Interval
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.question.order_statistics import Quantiles
from tacit.question.rows import OfRows
from tacit.server.rows import Whole
from tacit.statistics.answer import Answer, CallTerms, refuse_no_terms, released
from tacit.statistics.average import Average
from tacit.statistics.between import between, bounds_of, centred, numbers_between, shares_of
from tacit.statistics.decimal_steps import steps_of
from tacit.statistics.limits import Limits
from tacit.statistics.one_round import refuse_secret_devices
from tacit.statistics.read_cells import asked_cells, ends_of, places_of
from tacit.statistics.remarks import MISSING, at_bounds, few_steps
from tacit.statistics.tree import CountedCells, cells_for
from tacit.trust.central import Central
from tacit.trust.people import Curated, Trust, relation_of

# Of a number between -1 and 1, of their distance.
_FLOAT32 = 2.0**-24


@final
@dataclass(frozen=True)
class BoundedQuantiles:
    """Quantiles to be asked: their `plan`, and `ranks` or `rank_rmse`, are known before the data.

    Args:
      shares: from 0 to 1, rising; one half for the median.
      bounds: (lower, upper) of one person's number, public; a number beyond counts as the nearer.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      confidence: of all ranks together.

    Raises:
      ValueError: if an argument is not of its kind.
    """

    shares: tuple[float, ...]
    bounds: tuple[float, float]
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        object.__setattr__(self, "shares", Quantiles(self.shares).shares)
        object.__setattr__(self, "bounds", bounds_of(self.bounds))
        refuse_no_terms(self.trust, self.people, self.confidence)
        refuse_secret_devices(self.trust, "quantile")
        if not (self.ranks is None or self.ranks < math.inf):
            raise ValueError(
                f"confidence must leave ranks known, as 0.999999 does, got {self.confidence!r}"
            )

    @cached_property
    def counted(self) -> CountedCells | None:
        """What is counted where only sums are seen."""
        whole = isinstance(self.trust, Curated)
        return None if whole else cells_for(self.trust, self.people)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        if self.counted is not None:
            return self.counted.plan
        statistic = Quantiles(self.shares, steps_of(self.bounds).count)
        return self.trust.plan(OfRows(Interval(-1.0, 1.0), self.people, statistic))

    @property
    def ranks(self) -> float | None:
        """By how many people each is off at most, with the confidence; None of counted cells."""
        if self.counted is not None:
            return None
        if not isinstance(self.trust, Central):
            return 0.0
        server = cast(Whole, self.plan.server)
        return server.mechanism.ranks(self.confidence)

    @property
    def rank_rmse(self) -> float | None:
        """By how many people each is foreseen to be off (root mean square), of counted cells; None
        of a curator's."""
        if self.counted is None:
            return None
        return self.counted.rmse if self.counted.plan.private else 0.0

    @property
    def step(self) -> float:
        """How far apart the numbers are that people's are rounded to, or the ends of cells."""
        lower, upper = self.bounds
        if self.counted is not None:
            return (upper - lower) / self.counted.sizes[-1]
        return steps_of(self.bounds).step if self.plan.private else (upper - lower) * _FLOAT32

    def terms(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, " people"]:
        """Each person's number between -1 and 1: float32, of differences taken in float64."""
        return centred(numbers, self.bounds)

    def _counted(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, " some"]:
        """Without the missing ones, where how many there are is nobody's to know or no secret."""
        return numbers if self._filled else numbers[~np.isnan(numbers)]

    @property
    def _filled(self) -> bool:
        """Whether a curator takes the middle for what is missing."""
        return self.plan.private and relation_of(self.trust) is not Relation.ADD_REMOVE

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(f"{share:.15g}" for share in self.shares)

    @property
    def _words(self) -> str:
        shares = "median" if self.shares == (0.5,) else f"{', '.join(self._labels)} quantile"
        several = "s" if len(self.shares) > 1 else ""
        return f"the {shares}{several} of a number {between(self.bounds)}"

    def _numbers(self, places: Float[np.ndarray, " shares"]) -> Float[np.ndarray, " shares"]:
        """Of places from -1 to 1; without privacy they are on no step, and people's own but for
        what float32 rounds."""
        if self.plan.private:
            return steps_of(self.bounds).at(places)
        lower, upper = self.bounds
        return lower + (upper - lower) * (places + 1) / 2

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The quantiles of these people's numbers; arguments as for `mean`."""
        terms = CallTerms(name, ledger, seed, note, self._words)
        numbers = numbers_between(values, self.bounds)
        if self.counted is not None:
            return self._read(self.counted, numbers, terms)
        plan, shape = self.plan, (len(self.shares),)
        release = released(plan, Average(shape), self.terms(self._counted(numbers)), *terms)
        places = np.asarray(release.answer, np.float64)
        missing = [MISSING] if self._filled else []
        beside = (*at_bounds(self._labels, Limits(places, places), (-1.0, 1.0)), *missing)
        return self._answer(name, self._numbers(places), beside, release)

    def _read(
        self, counted: CountedCells, numbers: Float[np.ndarray, " people"], terms: CallTerms
    ) -> Answer:
        """Quantiles between the ends of the cells that people are counted in."""
        below, release = asked_cells(counted, shares_of(numbers, self.bounds), terms)
        places = places_of(np.array(self.shares) * below[-1], below)
        cell = 1 / counted.sizes[-1]
        beside = at_bounds(self._labels, Limits(places - cell, places + cell), (0.0, 1.0))
        return self._answer(terms.name, ends_of(self.bounds, places), beside, release)

    def _answer(
        self,
        name: str,
        found: Float[np.ndarray, " shares"],
        beside: tuple[str, ...],
        release: Release,
    ) -> Answer:
        sure = None if self.ranks is None else self.confidence
        known: Any = {"ranks": self.ranks, "rank_rmse": self.rank_rmse, "step": self.step}
        remarks = (*few_steps(self._labels, found, self.step), *beside)
        title = f"quantiles of {name}"
        return Answer(
            title, self._labels, found, None, sure, None, release, **known, remarks=remarks
        )
