"""Bounds for numbers that nobody could declare bounds of: found by doubling a first step.

Everything that clips wants bounds, and wide ones cost noise. Here all that is declared is a first
step, the least length that matters: a cent, a second. Bounds are zero or the step times a power of
two on either side, found by `widening`, and can be declared to whatever is asked next, `quantiles`
or `mean`: that is another release, with a promise of its own beside this one.

**Guarantee**: that of the question (`Above` of two positives, a number from -1 to 0), whatever the
data are.

**Error**: `outside` is predicted, and does not depend on the data: with the stated confidence, at
most so many people are beyond either bound, and each bound is at most the first place that nobody
is beyond. It grows with the logarithm of the number of places, and not with that of people. What is
computed between these bounds is of clipped numbers: a quantile at a bound is at most `outside`
people off beside its own error. So many may be beyond each of the two bounds: where these might be
all that are declared, nothing would be known of anybody inside, and the search is refused.

**Two positives are paid for**, one a side, though everybody is beyond places of one side only: both
sides are compared with one noisy threshold. It answers for a person who goes by being thought of as
one higher, and then a side that they are no part of, and that ended, was as much less likely to.

| numbers | bounds |
| --- | --- |
| none below zero | (0, upper), but for noise |
| all of them zero, or nobody has one | (0, step) |
| beyond 2^64 steps | the bound ends there, and more than `outside` may be beyond |
| a NaN | is outside of nothing |
| an infinity | is beyond every place |

References:
    Durfee 2023, "Unbounded differentially private quantile and maximum estimation".
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

from tacit.argument import keep_pythons, refuse_not_positive
from tacit.contribution import Grid
from tacit.ledger.ledger import LedgerOrPath
from tacit.page import folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.question.participation import Everyone
from tacit.question.sums import Above, Mean
from tacit.server.above import Alarm
from tacit.statistics.answer import refuse_no_terms, released
from tacit.statistics.between import numbers_of
from tacit.statistics.one_round import refuse_no_curator
from tacit.statistics.widening import DOUBLINGS, PLACES, Widening, placed, places
from tacit.trust.central import Central
from tacit.trust.people import Trust, people_of

# Its last doubling is a float.
_LARGEST = 9e288


@final
@dataclass(frozen=True, eq=False, repr=False)
class FoundBounds:
    """Bounds, to be declared elsewhere. All of it is public.

    Args:
      asked: what it is, in words.
      lower: zero, or below it.
      upper: above `lower`.
      outside: at most so many people are beyond either, with the confidence.
      confidence: of both.
      release: what was run: `plan`, `receipt()`.
    """

    asked: str
    lower: float
    upper: float
    outside: int
    confidence: float
    release: Release

    @property
    def bounds(self) -> tuple[float, float]:
        """Both, as they are declared."""
        return self.lower, self.upper

    @property
    def plan(self) -> Plan:
        """What was promised and predicted before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        sure = f"{100 * self.confidence:.6g}% sure that at most {self.outside:,} are beyond either"
        promises = promised(self.plan, self.release.private, met)
        return folded(f"{self.asked}: {self.lower:,.15g} to {self.upper:,.15g}\n{sure}; {promises}")


@final
@dataclass(frozen=True)
class BoundsSearch:
    """Bounds to be asked for: `plan` and `outside` are known before the data are.

    Args:
      step: the first bound that is tried, positive, public; the last is 2^64 times it.
      trust: `Central` or `NonPrivate`.
      people: about how many they are; exactly, where that is public.
      confidence: that at most `outside` people are beyond either bound.

    Raises:
      ValueError: if an argument is not of its kind, the trust model has no such plan, or all that
        are declared might be outside.
    """

    step: float
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "step", "people", "confidence")
        refuse_not_positive("step", self.step)
        if not float(self.step) <= _LARGEST:
            raise ValueError(f"step must be at most 9e+288, got {self.step:g}")
        refuse_no_curator(self.trust, "a search for bounds")
        refuse_no_terms(self.trust, self.people, self.confidence)
        if not 2 * self.outside < self.people:
            raise ValueError(
                f"a search for bounds with this promise must be of more than {2 * self.outside} "
                f"people, as {self.outside} may be beyond either bound: declare bounds, or more "
                f"epsilon, got people={self.people}"
            )

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self._allowed)

    @cached_property
    def _allowed(self) -> int:
        """So many may be outside that a side is sure to end where nobody is."""
        return self._margin(self._plan(0))

    @property
    def outside(self) -> int:
        """At most so many people are beyond either bound, with the confidence."""
        return self._allowed + self._margin(self.plan)

    def _plan(self, allowed: int) -> Plan:
        sums = Mean(Grid(-1, 0), Everyone(), 2 * PLACES, self.people)
        return self.trust.plan(Above(sums, -allowed / self.people, 2))

    def _margin(self, plan: Plan) -> int:
        """Of a noisy count of people, however many are asked for."""
        if not isinstance(self.trust, Central):
            return 0
        margin = cast(Alarm, plan.server).margin(1 - self.confidence)
        return math.ceil(margin * plan.sums.cohort)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> FoundBounds:
        """Bounds of these people's numbers, charged to them; arguments as for `mean`."""
        terms = placed(numbers_of(values), self.step)
        words = f"bounds on both sides, zero or {self.step:.15g} doubled up to {DOUBLINGS} times"
        release = released(self.plan, Widening(), terms, name, ledger, seed, note, words)
        tried, state = places(self.step), release.state
        lower, upper = -tried[int(state.lower)] + 0.0, tried[int(state.upper)]
        # A point is no interval.
        upper = max(upper, self.step) if lower == 0 else upper
        title = f"bounds of {name}"
        return FoundBounds(
            title, float(lower), float(upper), self.outside, self.confidence, release
        )


def find_bounds(
    values: Any,
    *,
    step: float,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> FoundBounds:
    """Bounds that hardly anybody's number is beyond: see `BoundsSearch`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing.
      step: the first bound that is tried, the least length that matters.
      trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = BoundsSearch(step, trust, declared, confidence)
    return asked.of(numbers, ledger, name, seed=seed, note=note)
