"""How many people make answers of a tolerance, under any trust model.

m queries with values in [-1, 1] are asked as `tacit.sq.QueryLearning` asks them, a round each; all
m answers are to be within t of the expectations, but for a chance of b. People are drawn
independently.

**A curator's** answer is off by the people's own sampling and by noise. Each has half of the
chance, for each query b/(2m), and with n people

    reach(b/(2m))/n + sqrt(2 ln(4m/b)/n) + step <= t,

where `reach` is what noise on a sum of everybody exceeds that rarely (`server.reach`), the root is
Hoeffding's, and terms are held in steps of the plan's grid.

**Reports** are split between the queries, n/m for each. Given a person a report is unbiased and of
variance v at most; drawn with its person it has variance v + 1 at most, for the two kinds of chance
are one. No report is larger than r, so none is farther than r + 1 from the expectation. By
Bernstein, but for a step

    n = m 2 (v + 1 + (r + 1) t/3) ln(2m/b) / t².

One random bit a person (Warner's, of a number rounded to a bit first) has 1/tanh²(epsilon/2) in
the place of v + 1 and no other term: 4.68 at epsilon 1, where the library's own number has 5.27.
That number is better for people who are given (4.27), and worse for people who are drawn.

**Devices and noise** (`Federated`): the chance is halved again, and reach covers both.

This is of queries that do not depend on answers, or of people who answer once. Where a curator's
queries follow from earlier answers of the same people, the answers are still near the people's own
means; that these are near the law's is not said here.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?",
    Section 5 (local learners and statistical queries).
"""

import math
from collections.abc import Callable
from typing import Any

from tacit.argument import got, is_number, is_whole
from tacit.contribution import Interval
from tacit.device.vectors import OnNumber
from tacit.plan import Plan
from tacit.question.sums import Mean
from tacit.server.means import PlainMean
from tacit.server.reach import reach
from tacit.sq.oracle import participation
from tacit.trust.people import Trust, refuse_no_trust

# More than there will ever be.
_MOST = 2**47


def people_for(trust: Trust, queries: int, tolerance: float, failure: float = 0.05) -> int:
    """How many people are enough; the least such number to one in a hundred.

    Args:
      trust: whom they trust.
      queries: m.
      tolerance: t, in (0, 2).
      failure: b, in (0, 1).

    Raises:
      ValueError: if an argument is not of its kind, or more people than 2^47 are needed.
    """
    refuse_no_trust(trust)
    _refuse_others(queries, tolerance, failure)
    return _least(lambda people: _off(_plan(trust, queries, people), failure) <= tolerance, queries)


def _refuse_others(queries: Any, tolerance: Any, failure: Any) -> None:
    if not (is_whole(queries) and 1 <= queries <= 2**20):
        raise ValueError(f"queries must be a whole number from 1 to 2^20, got {got(queries)}")
    for name, given, most in (("tolerance", tolerance, 2), ("failure", failure, 1)):
        if not (is_number(given) and 0 < given < most):
            raise ValueError(f"{name} must lie between 0 and {most}, got {got(given)}")


def _plan(trust: Trust, queries: int, people: int) -> Plan:
    return trust.plan(Mean(Interval(-1.0, 1.0), participation(trust), queries, people))


def _off(plan: Plan, failure: float) -> float:
    """How far an answer is off, at most, but for its share of the chance."""
    each, cohort = failure / plan.sums.rounds, plan.sums.cohort
    step = float(plan.server.grid)
    if isinstance(plan.server, PlainMean) and isinstance(plan.device, OnNumber):
        return _bernstein(plan.device, cohort, each) + step
    sampled = math.sqrt(2 * math.log(4 / each) / cohort)
    return reach(plan, each / 2) / cohort + sampled + step


def _bernstein(device: OnNumber, cohort: float, chance: float) -> float:
    """The root of the quadratic equation that Bernstein's inequality is for a tolerance."""
    facts = device.facts
    spread, far = facts.worst_error + 1, facts.report_set.bound + 1
    level = 2 * math.log(2 / chance) / cohort
    return far * level / 6 + math.sqrt((far * level / 6) ** 2 + spread * level)


def _least(enough: Callable[[int], bool], start: int) -> int:
    """By doubling, and then halving what is left to one in a hundred."""
    high = start
    while not enough(high):
        if not high < _MOST:
            raise ValueError("more than 2^47 people are needed: ask fewer queries, or less of them")
        high *= 2
    low = high // 2
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if middle >= start and enough(middle) else (middle, high)
    return high
