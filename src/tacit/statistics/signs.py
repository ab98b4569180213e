"""The mean of a normal law of known spread, found from one random bit a person: the local model.

Clipping a number and adding noise for the whole range costs an error in proportion to the range.
Here everybody says once, through randomised response, whether their number is above a public point;
people of earlier rounds say where that point should be (`sign_search`, where the error is derived).
The range costs a few rounds of many, and no more: each halves where the mean may be, and who is
asked then says little else. So of a wide range people are divided into more rounds. There are 32,
or twice as many as long as the error predicted is above 1.08 times the least of these reports, and
falls by a fiftieth at least; up to 256. Of 10,000 people at epsilon one that is 64 for a radius of
a hundred spreads: 1.05 times the least, where 32 rounds have 1.12 and 48 have 1.08.

**Guarantee**: that of the question, a category of two from everybody once (`Once`): epsilon-local
privacy of all that a person ever sends, whatever the data are.

**Error**: predicted by `rmse`, if numbers are normal of that spread about a mean within the
radius; it is the distance from the law's mean, not from these people's. Where it is no small part
of the spread, rare answers far away make the error larger than predicted: ask more people. If
numbers are not normal, the answer is as private; it is near their median where they are about as
spread as declared. Where they are spread much wider, or a tenth of people are far away, the search
takes few steps towards it, and may end anywhere between.

| people | answer |
| --- | --- |
| normal, their mean within the radius | within the predicted error of it (root mean square) |
| their mean beyond it | near the nearer end |
| a NaN, or a missing number | that person says that they are not above |
| an infinity | is above all points, or none |

References:
    Gaboardi, Rogers and Sheffet 2019, "Locally private mean estimation: Z-test and tight confidence
    intervals" (halving, then clipping).
    Joseph, Kulkarni, Mao and Wu 2019, "Locally private Gaussian estimation" (signs in two rounds).
    Kalinin and Steinberger 2025, "Efficient estimation of a Gaussian mean with local differential
    privacy" (one bit at a good point is best).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

from tacit.argument import counted, got, is_whole, keep_pythons, refuse_not_positive
from tacit.contribution import OneHot
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.participation import Once
from tacit.question.sums import Mean, refuse_nobody
from tacit.server.means import FrequencyMean
from tacit.statistics.answer import Answer, released
from tacit.statistics.between import in_units, numbers_of
from tacit.statistics.sign_search import SignRounds, SignSearch
from tacit.statistics.too_few import refuse_nothing_learnt
from tacit.trust.people import Reported, Trust, people_of, refuse_no_trust

# Where doubling begins, and where it ends at last: more rounds have fewer people each.
ROUNDS, MOST_ROUNDS = 32, 256
# Of the least error, what needs no more rounds; and of the error before, what more rounds are for.
_NEAR, _WORTH = 1.08, 0.98
# In units of the spread: points of the line are a quarter of one apart.
FARTHEST = 10_000.0


@final
@dataclass(frozen=True)
class MeanBySigns:
    """The mean of a normal law to be asked: `plan` and `rmse` are known before the data are.

    Args:
      radius: the mean is within it of zero; at most 10,000 spreads, public.
      spread: the standard deviation of people's numbers, public.
      trust: `Local` or `Shuffled`.
      people: how many they are, exactly: they are divided into rounds.
      rounds: how many; from 2 to 1,024, and at most as many as people; chosen if not given.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    radius: float
    spread: float
    trust: Trust
    people: int
    rounds: int | None = None

    def __post_init__(self):
        keep_pythons(self, "radius", "spread", "people")
        refuse_not_positive("radius", self.radius)
        refuse_not_positive("spread", self.spread)
        refuse_no_trust(self.trust)
        if not isinstance(self.trust, Reported):
            raise ValueError(
                "signs are what people report who trust nobody: trust must be Local(epsilon) or "
                "Shuffled(epsilon, delta); of a curator ask mean or GaussianMean, got "
                f"{got(self.trust)}"
            )
        refuse_nobody(self.people)
        if self.rounds is not None:
            object.__setattr__(self, "rounds", counted(self.rounds))
        self._refuse_too_far()

    def _refuse_too_far(self) -> None:
        """Of a search, more spreads or rounds than it is made for."""
        if not self.radius <= FARTHEST * self.spread:
            raise ValueError(
                f"radius must be at most 10,000 spreads of {self.spread:g}, got {got(self.radius)}"
            )
        rounds = ROUNDS if self.rounds is None else self.rounds
        if not (is_whole(rounds) and 2 <= rounds <= min(1_024, self.people)):
            raise ValueError(
                "rounds must be a whole number from 2 to 1,024, and at most the number of people, "
                f"got {got(rounds)}"
            )

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan_of(self.searched.rounds)

    @cached_property
    def searched(self) -> SignRounds:
        """The rounds, in units of the spread: those given, or as many as help."""
        found = self._rounds(self.rounds or ROUNDS)
        while self.rounds is None and found.rmse > _NEAR * found.least:
            more = 2 * found.rounds
            if more > min(MOST_ROUNDS, self.people):
                break
            tried = self._rounds(more)
            if not tried.rmse <= _WORTH * found.rmse:
                break
            found = tried
        return found

    def _rounds(self, rounds: int) -> SignRounds:
        plan = self._plan_of(rounds)
        server = cast(FrequencyMean, plan.server)
        chances = server.own, server.other
        return SignRounds(self.radius / self.spread, plan.sums.cohort, rounds, *chances)

    def _plan_of(self, rounds: int) -> Plan:
        return self.trust.plan(Mean(OneHot(2), Once(), rounds, self.people))

    @property
    def rmse(self) -> float:
        """The predicted distance from the law's mean (root mean square)."""
        return self.spread * self.searched.rmse

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The mean behind these people's numbers, charged to them; arguments as for `mean`."""
        refuse_nothing_learnt(self.trust, self.people, self.rmse, self.radius, "the mean")
        numbers = in_units(numbers_of(values), self.spread)
        words = f"the mean of a normal law within {self.radius:.15g}, by signs"
        learner = SignSearch.of(self.searched)
        release = released(self.plan, learner, numbers, name, ledger, seed, note, words)
        centre = float(release.state.centre) * self.spread
        return Answer(f"mean of {name}", (), centre, None, None, self.rmse, release)


def mean_by_signs(
    values: Any,
    *,
    radius: float,
    spread: float,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The mean of a normal law, each person's part of it one random bit: see `MeanBySigns`.

    Args:
      values: an array, series or list with a number for each person.
      radius: the mean is within it of zero, chosen without looking at the data.
      spread: the standard deviation of people's numbers, known beforehand.
      rounds: into how many people are divided; chosen if not given.
      trust, ledger, name, people, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    numbers = numbers_of(values)
    declared = people_of(people, trust, len(numbers))
    asked = MeanBySigns(radius, spread, trust, declared, rounds)
    return asked.of(numbers, ledger, name, seed=seed, note=note)
