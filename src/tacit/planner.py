"""The planner: how many people, what epsilon, what error, each from the other two.

A plan states its error exactly, so all three questions are one question. Which error is public
arithmetic; how many people reach it, or which epsilon, is the same arithmetic searched. The
search never trusts a formula for the error: what it returns has been planned and reaches the
target, and the number before it has been planned and misses.

**What error means here.** The expected squared L2 distance between one answer and the mean of
its own cohort, at the worst data the contribution admits. For a number that is a variance; for a
vector it is the sum over all coordinates. How well a cohort stands for anybody outside it (the
sampling error of the data) is not in it, and no privacy makes it smaller.

Errors fall as people or epsilon grow, up to the 0.05% within which noise is calibrated. So close
to the answer a larger number may miss by that much; the number returned does not.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol, final

from tacit.argument import refuse_not_positive
from tacit.facts import stated
from tacit.page import and_squared
from tacit.plan import Plan
from tacit.question.sums import Mean

# Where a search for people ends, a choice; questions may be of more (`question.sums`).
MOST_PEOPLE = 10**9
# An epsilon has three significant digits; number k counts them from 1.00, nine hundred a decade.
_DIGITS = 900
_TWOFOLD = math.log(2)
_EPSILONS = (-3 * _DIGITS, 2 * _DIGITS)


class OutOfReach(ValueError):
    """No number in the planner's range reaches the error asked for."""


class Trust(Protocol):
    """A trust model with its budget."""

    def plan(self, question: Mean) -> Plan:
        """The plan that answers `question`."""
        ...


@final
@dataclass(frozen=True)
class Family:
    """A question of any number of people, under a trust model of any epsilon.

    Args:
      question: the question for a number of people; the rest of it is fixed.
      trust: the trust model for an epsilon. Which of a model's budgets that is, it decides: the
        public one of `Federated`, say, at a fixed local one.
    """

    question: Callable[[int], Mean]
    trust: Callable[[float], Trust]

    def plan(self, people: int, epsilon: float) -> Plan:
        """The one plan of the family with these two numbers.

        Raises:
          ValueError: `people` is not a whole number from 1 to 1e9, or there is no such plan.
        """
        if not (1 <= people <= MOST_PEOPLE and people == int(people)):
            raise ValueError(
                f"people must be a whole number from 1 to {MOST_PEOPLE:,}, got {people}"
            )
        return _plan(self, int(people), epsilon)


def error(question: Mean, trust: Trust) -> float:
    """The mean squared error of one answer to `question`, exactly as its plan states it.

    Raises:
      ValueError: there is no such plan, or its error depends on the data.
    """
    return stated(trust.plan(question).error)


def people_for(target: float, family: Family, epsilon: float) -> int:
    """The fewest people of whom one answer's mean squared error is at most `target`.

    **Guarantee**: the plan of the result reaches the target; that of one person less, if there is
    one, does not.

    Raises:
      OutOfReach: a billion people do not reach it.
      ValueError: `target` is not positive and finite, or there is no plan with this epsilon.
    """
    refuse_not_positive("a mean squared error", target)

    def reached(people: int) -> float:
        return stated(family.plan(people, epsilon).error)

    numbers = _Numbers(1, MOST_PEOPLE, 1000, math.log, lambda log: round(math.exp(log)))
    found = _search(numbers, reached, target)
    if found is None:
        best = f"{MOST_PEOPLE:,} people it is {and_squared(reached(MOST_PEOPLE))}"
        raise OutOfReach(
            f"no number of people reaches an error of {and_squared(target)}: of {best}"
        )
    return found


def epsilon_for(target: float, family: Family, people: int) -> float:
    """The smallest epsilon for which one answer's mean squared error is at most `target`.

    **Guarantee**: the plan of the result reaches the target; that of the next smaller number of
    three significant digits does not, or the result is 0.001, the smallest looked at.

    Raises:
      OutOfReach: an epsilon of 100, which promises nothing worth having, does not reach it.
      ValueError: `target` is not positive and finite, or there is no plan for so many people.
    """
    refuse_not_positive("a mean squared error", target)

    def reached(number: int) -> float:
        return stated(family.plan(people, _epsilon(number)).error)

    numbers = _Numbers(*_EPSILONS, 0, lambda number: math.log(_epsilon(number)), _nearest)
    found = _search(numbers, reached, target)
    if found is None:
        best = f"epsilon {_epsilon(_EPSILONS[1]):g} it is {and_squared(reached(_EPSILONS[1]))}"
        raise OutOfReach(f"no epsilon reaches an error of {and_squared(target)}: at {best}")
    return _epsilon(found)


@dataclass(frozen=True)
class _Numbers:
    """Numbers `first` to `last`, where to start, the log of what each counts, and the way back."""

    first: int
    last: int
    start: int
    log: Callable[[int], float]
    at: Callable[[float], int]

    def between(self, low: int, high: int, share: float) -> int:
        """The number at this share of the way, in logarithms, and strictly between the two."""
        log = self.log(low) + share * (self.log(high) - self.log(low))
        return min(max(self.at(log), low + 1), high - 1)

    def beyond(self, number: int, log_ratio: float) -> int:
        """The number that counts this much more (or less), within the range."""
        log = self.log(number) + log_ratio
        if log >= self.log(self.last):
            return self.last
        return self.at(max(log, self.log(self.first)))


def _search(numbers: _Numbers, stated: Callable[[int], float], target: float) -> int | None:
    """The number that reaches the target and whose predecessor misses it; None if none does.

    A number without a plan misses: a cohort may need more people, a report a larger share. If
    that is so of the last number too, its refusal is the answer.
    """

    @cache
    def excess(number: int) -> float:
        try:
            found = stated(number)
        except ValueError:
            if number == numbers.last:
                raise
            return math.inf
        return math.log(found) - math.log(target) if found > 0 else -math.inf

    bracket = _bracket(numbers, excess)
    return bracket and _close(numbers, excess, *bracket)


def _bracket(numbers: _Numbers, excess: Callable[[int], float]) -> tuple[int, int] | None:
    """A number that misses and a larger one that reaches; the first may have none before it.

    Errors mostly fall at least in proportion, so one stride as long as the excess is enough.
    """
    here = numbers.start
    while excess(here) > 0:
        if here == numbers.last:
            return None
        low, here = here, numbers.beyond(here, max(excess(here), _TWOFOLD))
        if excess(here) <= 0:
            return low, here
    while here > numbers.first:
        high, here = here, numbers.beyond(here, min(excess(here), -_TWOFOLD))
        if excess(here) > 0:
            return here, high
    return numbers.first - 1, numbers.first


def _close(numbers: _Numbers, excess: Callable[[int], float], low: int, high: int) -> int:
    """The same for two neighbours: false position in logarithms, with every third step a bisection.

    An end that stays twice running counts half as much, which draws it in (Illinois).
    """
    above, below = excess(low), -excess(high)
    step, missed = 0, None
    while high - low > 1:
        step += 1
        share = above / (above + below) if step % 3 and math.isfinite(above + below) else 0.5
        middle = numbers.between(low, high, share)
        before, missed = missed, excess(middle) > 0
        stays = 0.5 if missed is before else 1.0
        if missed:
            low, above, below = middle, excess(middle), stays * below
        else:
            high, above, below = middle, stays * above, -excess(middle)
    return high


@lru_cache(maxsize=4096)
def _plan(family: Family, people: int, epsilon: float) -> Plan:
    return family.trust(epsilon).plan(family.question(people))


def _epsilon(number: int) -> float:
    decade, digits = divmod(number, _DIGITS)
    return float(f"{100 + digits}e{decade - 2}")


def _nearest(log: float) -> int:
    decade = math.floor(log / math.log(10))
    return round(_DIGITS * decade + 100 * math.expm1(log - decade * math.log(10)))
