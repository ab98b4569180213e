"""The mean of one bounded number a person, of however many people there are.

A sum of noisy numbers over a *declared* number N of people is off by the factor n/N if there are n,
and no noise explains it: with N = 45,000 and n = 45,211 a mean of 40 comes out as 40.19. So where n
is a secret (add/remove), the sum and the count are asked for at once, and divided.

**What is asked.** Put each number into [0, 1] between its bounds: x = l + (u - l) p. A person gives
p to the upper end and 1 - p to the lower one. This pair has L1 norm one, whatever p is, so one
person more or less moves the two sums A and B by exactly 1 together, and both get noise for that
alone: A + B counts people, A/(A + B) is the mean. (A count and a centred sum, asked for apart with
half of a pure budget each, have twice the variance, at any mean; with the split that is best on
average over all means, 1.8 times.) A missing number gives nothing to either end, and is not
counted: the mean is that of the numbers that are there.

**Its error.** Let a and b be the noise, C = A + a + B + b what is released as the count, and
p = A/(A + B). Then, with no approximation at all (`fieller`),

    (A + a)/C - p = ((1 - p) a - p b)/C.                                                      (1)

1. The bias is gone: N is in (1) nowhere. It only fixes the grid of the sums.
2. With noise of deviation s on each sum and C near n, the root mean square of (1) is
   s sqrt((1-p)² + p²)/n: s/n at the ends, 0.71 of it in the middle. What is left out is of the
   relative size of C/n - 1, which is sqrt(2) s/n.

**Its interval** follows from (1) by `fieller`, with what |v a - w b| exceeds with chance 1 -
confidence at most (`server.reach`), whatever A, B and n are. Limits and estimate are released
numbers and public ones, so no privacy is spent on them.

**Where n is public** (replace-one, zero-out, local, shuffled, federated) only the sum of 2p - 1 is
asked, which is in [-1, 1], and divided by n. There a missing number counts as the middle of the
bounds. The error is the plan's, and the interval the estimate and what noise reaches on either
side.

Numbers are held in float32 and on the plan's grid: all limits are widened by 2^-20 of the bounds'
distance and two steps of the grid for that.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.argument import keep_pythons
from tacit.contribution import Interval, L1Ball
from tacit.facts import stated
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.server.reach import reach
from tacit.statistics.answer import Answer, refuse_no_terms, released
from tacit.statistics.average import Average
from tacit.statistics.between import (
    between,
    bounds_of,
    centred,
    numbers_between,
    numbers_of,
    shares_of,
)
from tacit.statistics.fieller import share_of
from tacit.statistics.limits import Limits
from tacit.statistics.one_round import one_round, refuse_secret_devices
from tacit.statistics.remarks import MISSING, at_bounds, fewer_numbers, more_numbers
from tacit.statistics.undeclared import refuse_no_bounds
from tacit.statistics.unlearnt import unlearnt
from tacit.trust.people import Trust, people_of, relation_of

# Of the bounds' distance: many times what float32 moves a number's place between them by.
_HELD = 2.0**-20


@final
@dataclass(frozen=True)
class BoundedMean:
    """A mean to be asked: its `plan` and `rmse` are known before the data are.

    Args:
      bounds: (lower, upper) of one person's number, public; a number beyond counts as the nearer.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.
      confidence: of the interval.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    bounds: tuple[float, float]
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        object.__setattr__(self, "bounds", bounds_of(self.bounds))
        refuse_no_terms(self.trust, self.people, self.confidence)
        refuse_secret_devices(self.trust, "mean")

    @property
    def counted(self) -> bool:
        """Whether the number of people is asked for."""
        return relation_of(self.trust) in (Relation.ADD_REMOVE, None)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        shape = L1Ball(2, 1.0) if self.counted else Interval(-1.0, 1.0)
        return one_round(self.trust, shape, self.people)

    @property
    def rmse(self) -> float:
        """The root mean squared error of the answer, for the mean where it is largest."""
        if self.counted:
            return self._width * self.plan.server.facts.stated_noise / self.people
        return self._width / 2 * math.sqrt(stated(self.plan.error))

    def terms(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, "people *shape"]:
        """What each person gives; in float64 until a term is made, so that no digits are lost."""
        if not self.counted:
            return centred(numbers, self.bounds)
        share = shares_of(numbers, self.bounds)
        return np.nan_to_num(np.stack([share, 1 - share], axis=1)).astype(np.float32)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The mean of these people's numbers, charged to them; arguments as for `mean`."""
        numbers = numbers_between(values, self.bounds)
        shape = self.plan.sums.contribution.shape
        words = f"the mean of a number {between(self.bounds)}"
        terms = name, ledger, seed, note, words
        release = released(self.plan, Average(shape), self.terms(numbers), *terms)
        return self.read(release, name)

    def read(self, release: Release, name: str) -> Answer:
        """What a release of this plan says; of its answer and the plan alone."""
        answer = np.asarray(release.answer, np.float64)
        share, limits, rmse = (
            self._of_both_sums(answer) if self.counted else self._of_one_sum(answer)
        )
        own = Limits(*map(self._number, limits))
        rows = self._other_rows(answer) if self.counted else (MISSING,)
        near = Limits(*limits), (0.0, 1.0)
        beside = (*at_bounds((), *near), *unlearnt(*near), *rows)
        title, number, rmse = f"mean of {name}", self._number(share), self._width * rmse
        known = self.confidence, rmse, release
        return Answer(title, (), number, own, *known, remarks=beside)

    def _other_rows(self, answer: Float[np.ndarray, " two"]) -> tuple[str, ...]:
        """What both sums, which count people together, say of the number declared."""
        known = self.people * answer, self.plan.server.facts.stated_noise, self.people
        return (*more_numbers(*known), *fewer_numbers(*known))

    def _of_both_sums(
        self, answer: Float[np.ndarray, " two"]
    ) -> tuple[float, tuple[float, float], float]:
        """The share, its limits and its root mean squared error, from both sums."""
        upper, count = self.people * answer[0], self.people * answer.sum()
        if not count > 0:
            return 0.5, (0.0, 1.0), 0.5
        share, low, high = share_of(upper, count, partial(reach, self.plan, 1 - self.confidence))
        noise = self.plan.server.facts.stated_noise * math.hypot(1 - share, share)
        return share, self._widened(low, high), noise / count

    def _of_one_sum(
        self, answer: Float[np.ndarray, ""]
    ) -> tuple[float, tuple[float, float], float]:
        middle = (float(answer) + 1) / 2
        share = min(max(middle, 0.0), 1.0)
        far = reach(self.plan, 1 - self.confidence) / self.people / 2
        low, high = middle - far, middle + far
        return share, self._widened(low, high), math.sqrt(stated(self.plan.error)) / 2

    def _widened(self, low: float, high: float) -> tuple[float, float]:
        more = _HELD + 2 * float(self.plan.server.grid)
        return max(min(low - more, 1.0), 0.0), min(max(high + more, 0.0), 1.0)

    def _number(self, share: float) -> float:
        return self.bounds[0] + self._width * share

    @property
    def _width(self) -> float:
        return self.bounds[1] - self.bounds[0]


def mean(
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
    """The mean of a number a person, with its interval: see `BoundedMean`.

    Args:
      values: an array, series or list with a number for each person; NaN where it is missing. It is
        left out where people come or go (add/remove), and counts as the middle of the bounds
        wherever the number of people is public: replace-one, zero-out, local, shuffled, federated.
      bounds: (lower, upper) of one person's number, chosen without looking at the data; where
        nobody can, those that `find_bounds` finds.
      trust: whom people trust, e.g. `tacit.Central(1.0, 0.0)`.
      ledger: the people's ledger, or its path.
      name: the name of their accounts.
      people: about how many they are; may be left out where that is public.
      confidence: of the interval.
      seed: for tests: the receipt then says that nothing is private.
      note: what the ledger keeps beside the question, for people to read.

    Raises:
      ValueError: if an argument is not of its kind, or there are no bounds; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    refuse_no_bounds(bounds, "mean(values", trust, name, people)
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = BoundedMean(bounds_of(bounds), trust, declared, confidence)
    return asked.of(values, ledger, name, seed=seed, note=note)
