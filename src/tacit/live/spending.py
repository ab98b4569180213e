"""What counts in a stretch of time, and whether a cap has room for more: exactly, and soon.

Floats' sums lose a little of each, so what runs spend is added as whole numbers over powers of two.
That takes a while where there are many. Bounds take less. What is found of n floats that are none
below zero, added in any order, is off their exact sum by a part of about n 2^-53: 1 + n 2^-52 times
as much is no less, and 1 - n 2^-52 times as much no more. All reports are no less than all runs,
which each count once however many of their reports do, and those without a delta no more: each is a
run of its own (`Cost`). What has room under the one has room, and what has none under the other has
none; only in between, near the cap, is every report looked at.
"""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, Self

import sqlalchemy as sql

from tacit.accounting.reserve import reserve_for
from tacit.live.cap import Cap
from tacit.live.charge import Cost, OverCap, beyond
from tacit.live.kept_reports import MOST_ROUNDS, REPORTS

_column = REPORTS.c
_COSTS = _column.epsilon, _column.distance, _column.delta
# Beside the roundings of a sum: those of a database that compensates for them.
_MORE = 8
Exact = Fraction | float


class Spending(NamedTuple):
    """What reports spend together; an infinity where that is not known.

    Args:
      epsilon: of their laws.
      distance: how far their samplers are from these.
      delta: of their runs.
    """

    epsilon: Exact = Fraction()
    distance: Exact = Fraction()
    delta: Exact = Fraction()

    @classmethod
    def of(cls, cost: Cost, many: int) -> Self:
        """So many that cost alike."""
        return cls(*(many * Fraction(each) for each in cost.spent))

    def with_more(self, other: "Spending") -> "Spending":
        """Both."""
        return Spending(*(own + more for own, more in zip(self, other, strict=True)))


def refuse_more(
    connection: sql.Connection, cap: Cap, since: float, more: Spending, run: bytes | None = None
) -> None:
    """Raises an OverCap if there is no room for it beside all that was spent after that time.

    Of a run what was spent before is in `more`, and counts no second time.
    """
    if _has_room(cap, most_since(connection, since).with_more(more)):
        return
    if not (
        _has_room(cap, least_since(connection, since).with_more(more))
        and _has_room(cap, spent_since(connection, since, run).with_more(more))
    ):
        raise beyond(cap)


def refuse_rounds(connection: sql.Connection, cap: Cap, since: float, more: int) -> None:
    """Raises an OverCap if there are too many with those that were answered, or sent again, after
    that time."""
    counted = sql.select(sql.func.count()).select_from(REPORTS).where(_column.seconds > since)
    if not connection.execute(counted).scalar_one() + more <= MOST_ROUNDS:
        most = f"{MOST_ROUNDS:,} rounds in any {cap.days:g} days"
        raise OverCap(f"this device answers at most {most}")


def delta_of(cap: Cap, spent: Spending) -> Exact:
    """With what their samplers' distances take of it."""
    return spent.delta + Fraction(reserve_for(cap.epsilon, float(spent.distance)))


def spent_since(connection: sql.Connection, since: float, but: bytes | None = None) -> Spending:
    """What all runs but one spend of which a report was handed over after that time."""
    # All reports of a run cost alike.
    asked = sql.select(_column.run, *_COSTS).where(_column.seconds > since)
    runs = {run: own for run, *own in connection.execute(asked)}
    runs.pop(but, None)
    return Spending(*map(exact_sum, zip(*runs.values(), strict=True)))


def most_since(connection: sql.Connection, since: float) -> Spending:
    """At least as much, and hardly more where each run has one report."""
    many, found = _added(connection, _column.seconds > since)
    # Of what is beyond floats nothing is known.
    known = (Fraction(each) if math.isfinite(each) else each for each in found)
    return Spending(*(each * (1 + _off(many)) for each in known))


def least_since(connection: sql.Connection, since: float) -> Spending:
    """At most as much, and hardly less where no report is of a run with others."""
    many, found = _added(connection, (_column.seconds > since) & (_column.delta == 0))
    known = (Fraction(each) if math.isfinite(each) else Fraction() for each in found)
    return Spending(*(each * (1 - _off(many)) for each in known))


def exact_sum(values: Iterable[float]) -> Fraction:
    """Of floats: equal ones are counted, and those over one power of two are added at once."""
    whole: Counter[int] = Counter()
    for value, many in Counter(values).items():
        above, below = value.as_integer_ratio()
        whole[below] += many * above
    return sum((Fraction(above, below) for below, above in whole.items()), Fraction())


def _has_room(cap: Cap, spent: Spending) -> bool:
    room = Fraction(cap.epsilon), Fraction(cap.delta)
    return spent.epsilon <= room[0] and delta_of(cap, spent) <= room[1]


def _added(
    connection: sql.Connection, which: sql.ColumnElement[bool]
) -> tuple[int, tuple[float, ...]]:
    """How many these are, and their costs as a database adds floats."""
    sums = sql.select(sql.func.count(), *map(sql.func.sum, _COSTS)).where(which)
    many, *found = connection.execute(sums).one()
    # What a database makes of an infinity may be no number, and of none is no zero.
    nothing = math.inf if many else 0.0
    return many, tuple(nothing if each is None else each for each in found)


def _off(many: int) -> Fraction:
    """How far so many floats, as they are added, are off their sum at most, as a part of it."""
    return Fraction(many + _MORE, 2**52)
