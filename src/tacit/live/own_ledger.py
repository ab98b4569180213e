"""A device's own ledger: what it has sent, to whom, and what is left of its cap.

One row for each round. The row is on the disk, with the key that the report is drawn from, before
anything is computed; so a device that dies in between draws the very same report when it is asked
again, and one that has answered sends what it sent. The key is erased as it is kept. **No round has
two reports**, whoever asks: of two processes that draw one the first to keep it is heard. Of a
report under masks the round's public keys are kept, and its key is in memory alone.

**A report counts when it is handed over to be sent**: from its charge on, and anew from when it is
kept, or handed over again within its stretch. One whose stretch is over is not handed over any
more, and not drawn either. A network may hold a report up for `link.SENT_WITHIN` seconds, ten
minutes: it counts so much longer than the cap's days, and what leaves in these has room under it.

A stretch of time is by the device's own clock, which may be wrong, or set back. Time here never
runs backwards: it is the latest of the clock and of all that was written. A clock that is an hour
off forgets what was spent an hour early or late. One that runs ahead by a stretch or more forgets
at once all that was spent before, and what it then writes counts until a stretch after that time.
One that is before 2020, as that of a machine which has just begun and knows no time, or beyond the
year 10,000, or tells no number, is refused.

A report is kept as long as its run may ask for it again, and what a server can write to the disk
has limits that no cap sets (`kept_reports`). A report that is not kept is not drawn again either.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import final

import sqlalchemy as sql

from tacit.argument import got, is_number
from tacit.live.cap import Cap
from tacit.live.charge import Cost, OverCap, Ready
from tacit.live.kept_reports import (
    REPORTS,
    drop_old,
    dropped,
    rewrite,
    row_of,
    write,
)
from tacit.live.link import SENT_WITHIN
from tacit.live.opened import opened
from tacit.live.spending import Spending, delta_of, refuse_more, refuse_rounds, spent_since
from tacit.noise import keys

# 24 hours, whatever the calendar does.
_SECONDS_OF_A_DAY = 86_400.0
# 2020, and the year 10,000. Far beyond it floats are further apart than a stretch is long: nothing
# would count, and that it did not would be for good.
_BEGINNING, _END_OF_TIME = 1_577_836_800.0, 253_402_300_800.0
_GONE = "this round was answered, and its report is no longer kept"
_column = REPORTS.c
# As long as a line may be, of a report that is none.
_TRIED = {"sender": "", "asked": "", "agreed": "-" * 1024}


@final
class OwnLedger:
    """The ledger of one device, in a file of its own.

    Args:
      path: of the file; made where there is none.
      cap: on everything that is sent.
      clock: seconds, as `time.time` has them.

    Raises:
      ValueError: if the cap is none.
      LedgerError: if the file is there and empty (`opened`), or cannot be used.
    """

    def __init__(self, path: str | Path, cap: Cap, clock: Callable[[], float] = time.time) -> None:
        if not isinstance(cap, Cap):
            raise ValueError(
                f'cap must be a Cap, as Cap.read("epsilon 50 a week") makes one, got {got(cap)}'
            )
        self.cap, self._clock = cap, clock
        self._database = opened(path)

    def charge(self, number: bytes, asked: str, cost: Cost, sender: str, agreed: str) -> Ready:
        """Charges one report, once: on the disk before this returns.

        Args:
          number: of the round.
          asked: a digest of everything that is asked in it.
          cost: what it spends.
          sender: who asks.
          agreed: in words, what is computed.

        Raises:
          OverCap: if it would exceed the cap; its run has all its rounds, or cost something else
            before; the round was answered with something else asked, its report is no longer kept,
            or its stretch is over; the stretch has as many rounds as a ledger keeps; or the clock
            tells no time.
          LedgerError: if the file cannot be written.
        """
        with self._database.writing() as connection:
            known, now = row_of(connection, number), self._now(connection)
            if known is not None:
                return self._again(connection, known, asked, now)
            run, key = _run_of(number, cost), keys.fresh()
            self._refuse_beyond(connection, now, run, cost)
            own = {"number": number, "asked": asked, "sender": sender, "agreed": agreed}
            write(connection, cost, run, **own, seconds=now, key=key)
        return Ready(key, None)

    def refuse_no_room(self, cost: Cost, rounds: int) -> None:
        """Charges nothing: a report in each of so many rounds might be asked for.

        Raises:
          OverCap: if they would exceed the cap now, or are more than a stretch still has; or the
            clock tells no time.
          LedgerError: if a line cannot be written. One is tried and undone, so a disk is asked for
            no more than that: one that has hardly more room is not found out.
        """
        # A promise of a whole run is spent once.
        own = Spending.of(cost, rounds if cost.run is None else 1)
        number = keys.fresh()
        with self._database.trying() as connection:
            now = self._now(connection)
            refuse_more(connection, self.cap, self._since(now), own)
            refuse_rounds(connection, self.cap, self._since(now), rounds)
            write(connection, cost, number, **_TRIED, number=number, seconds=now)

    def answered(self, number: bytes) -> bool:
        """Whether a report of this round is kept; asking counts for nothing.

        Raises:
          LedgerError: if the file cannot be read.
        """
        with self._database.reading() as connection:
            known = row_of(connection, number)
        return known is not None and known.report is not None

    def renew(self, number: bytes) -> None:
        """The report of this round counts from now on: something more of it is about to be sent.

        Raises:
          OverCap: if its stretch is over, or there is none; or the clock tells no time.
          LedgerError: if the file cannot be written.
        """
        with self._database.writing() as connection:
            now = self._now(connection)
            rewrite(connection, self._going_on(connection, number, now), seconds=now)

    def keep(self, number: bytes, report: bytes) -> bytes:
        """The report of this round that is kept: this one, if there was none; and its key is gone.

        It counts from now on. Reports that nobody can ask for again are dropped.

        Raises:
          OverCap: as `renew`; or if it is no longer kept.
          LedgerError: if the file cannot be written.
        """
        with self._database.writing() as connection:
            now = self._now(connection)
            known = self._going_on(connection, number, now)
            if dropped(known):
                raise OverCap(_GONE)
            kept = report if known.report is None else known.report
            rewrite(connection, known, key=None, report=kept, seconds=now)
            drop_old(connection, known.sender, self._since(now))
        return kept

    def spent(self) -> tuple[float, float]:
        """Epsilon and delta of the stretch that ends now.

        Raises:
          OverCap: if the clock tells no time.
          LedgerError: if the file cannot be read.
        """
        with self._database.reading() as connection:
            spent = spent_since(connection, self._since(self._now(connection)))
        return float(spent.epsilon), float(delta_of(self.cap, spent))

    def lines(self) -> list[str]:
        """What was agreed to, a line each, in that order, with when it was last handed over.

        Raises:
          LedgerError: if the file cannot be read.
        """
        asked = sql.select(_column.agreed, _column.sender, _column.seconds)
        with self._database.reading() as connection:
            rows = connection.execute(asked.order_by(_column.position)).all()
        return [f"{_day(row.seconds)} {row.sender}: {row.agreed}" for row in rows]

    def _now(self, connection: sql.Connection) -> float:
        last = connection.execute(sql.select(sql.func.max(_column.seconds))).scalar()
        now = self._clock()
        latest = max(now, last or now) if is_number(now) else now
        if not (is_number(now) and _BEGINNING <= now <= latest < _END_OF_TIME):
            said = f"got {got(now)} as its seconds"
            raise OverCap(f"this device's clock must be between 2020 and the year 10,000, {said}")
        return float(latest)

    def _since(self, now: float) -> float:
        """Where the stretch that ends now begins."""
        return now - self.cap.days * _SECONDS_OF_A_DAY - SENT_WITHIN

    def _refuse_beyond(
        self, connection: sql.Connection, now: float, run: bytes, cost: Cost
    ) -> None:
        since = self._since(now)
        refuse_more(connection, self.cap, since, Spending.of(cost, 1), run)
        spent = sql.select(_column.epsilon, _column.distance, _column.delta)
        before = connection.execute(spent.where(_column.run == run)).all()
        if set(map(tuple, before)) - {cost.spent}:
            raise OverCap("this run was another one before")
        if not len(before) < cost.times:
            raise OverCap("this run has had all the rounds that its plan has for this device")
        refuse_rounds(connection, self.cap, since, 1)

    def _again(self, connection: sql.Connection, known: sql.Row, asked: str, now: float) -> Ready:
        if known.asked != asked:
            raise OverCap("this round was answered, and something else was asked in it")
        if known.seconds <= self._since(now) or dropped(known):
            raise OverCap(_GONE)
        rewrite(connection, known, seconds=now)
        return Ready(known.key, known.report)

    def _going_on(self, connection: sql.Connection, number: bytes, now: float) -> sql.Row:
        """The row of a round that counts still, so that what it spends has room now."""
        known = row_of(connection, number)
        if known is None:
            raise OverCap("this round was never begun, or was begun too long ago")
        if known.seconds <= self._since(now):
            raise OverCap("this round was begun too long ago")
        return known


def _run_of(number: bytes, cost: Cost) -> bytes:
    """A report of no run is a run of its own, whose name no server can choose."""
    return hashlib.sha256(b"tacit report" + number).digest() if cost.run is None else cost.run


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))
