"""Devices that were asked and do not report: a declared rate, a public divisor, a least cohort.

Of every hundred devices that are asked some run out of battery or lose their network. Here each of
those whom another participation asks reports with chance 1 - rate, by a coin of its own that
depends on nobody's data. The mean is divided by the *declared* number, (1 - rate) times that of the
cohort asked, and never by a count of who reported: noise stays as it was planned, an answer for
which fewer report is nearer to zero, and one for which more do is further from it.

**Promise**: that of the participation without drop-outs, unchanged. Coins are the same for
neighbours, and given all coins what the public sees of a round is

| asked by | given the coins |
| --- | --- |
| `Everyone`, `Available`, `AtMost`, `Cyclic` | the planned release, or one without the person |
| `Poisson(q)` | the same, of a person who is drawn with chance q |
| `Fixed(m)` | the release of a uniform cohort of k <= m people: a thinner sample |

A mixture over coins of pairs that keep a curve keeps it too (the hockey-stick divergence is jointly
convex). Nothing is gained either: an observer may see who was asked. The promise needs coins that
do not follow data. A device that drops out because of what it holds is covered where a person may
be missing altogether (add/remove), and nothing is if *others'* data decide.

**A least cohort.** Sums that are added up under masks, so that nobody sees a single report, are
worth their name only with some others in them, and abort below a number. A round in which fewer
than `least` report is one in which nobody does: its answer is noise alone. Where a person may be
missing altogether that would be a leak, and not a small one: with them the round has `least`
reports, without them none. So with a `least` the relations are those under which everybody is
counted, replace-one and zero-out. Local promises are made report by report, and hold in any
company. `Shuffled` hides people among all who were asked, and takes no drop-outs.

References:
    Bonawitz et al. Practical secure aggregation for privacy-preserving machine learning. CCS 2017.
    Kairouz et al. Advances and open problems in federated learning. FnT ML 2021, section 4.2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_made, is_number, is_whole
from tacit.borrowed import DpEvent
from tacit.question.participation import Participation, Rows, Streams


@final
@dataclass(frozen=True)
class DropOuts:
    """Those whom `asked` asks, but for a share who do not report.

    Args:
      asked: who is asked when.
      rate: the chance that somebody who is asked does not report, declared; in (0, 1).
      least: with fewer reports a round has none; 0 for any number.

    Raises:
      ValueError: if a number is outside its range; while a question is made, if no cohort is as
        large as `least`.
    """

    asked: Participation
    rate: float
    least: int = 0

    def __post_init__(self):
        object.__setattr__(self, "least", counted(self.least))
        if not is_made(self.asked, Participation) or isinstance(self.asked, DropOuts):
            raise ValueError(
                "drop-outs are of another participation, Poisson(rate) for one, got "
                f"{got(self.asked)}"
            )
        if not (is_number(self.rate) and 0 < self.rate < 1):
            raise ValueError(
                "a rate of drop-outs must be a number strictly between 0 and 1, got "
                f"{got(self.rate)}"
            )
        if not (is_whole(self.least) and self.least >= 0):
            raise ValueError(f"least must be a whole number of people, got {got(self.least)}")

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Those of `asked`; with a `least`, those that leave the number of reports as it is."""
        proved = self.asked.relations
        if self.least == 0:
            return proved
        return tuple(own for own in proved if own is not Relation.ADD_REMOVE)

    def cohorts(self, streams: Streams, people: int, rounds: int, start: int) -> Iterator[Rows]:
        for t, rows in enumerate(self.asked.cohorts(streams, people, rounds, start), start):
            # Whoever is asked is drawn from streams below `rounds`.
            coins = streams(rounds + t).random(rows.size)
            reported = rows[coins >= self.rate]
            yield reported if reported.size >= self.least else rows[:0]

    def expected(self, people: int, rounds: int) -> float:
        return (1 - self.rate) * self.asked.expected(people, rounds)

    def capacity(self, people: int, rounds: int) -> int:
        most = self.asked.capacity(people, rounds)
        if not self.least <= most:
            raise ValueError(
                f"least must be at most the largest cohort that is asked, {most}, got {self.least}"
            )
        return most

    def times(self, rounds: int) -> int:
        return self.asked.times(rounds)

    def event(self, release: DpEvent, people: int, rounds: int) -> DpEvent:
        return self.asked.event(release, people, rounds)

    def overflow(self, people: int, rounds: int) -> float:
        return self.asked.overflow(people, rounds)


def whom_asks(participation: Any) -> Any:
    """Who decides whom to ask: what drop-outs are of, or the participation itself."""
    return participation.asked if isinstance(participation, DropOuts) else participation
