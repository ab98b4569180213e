"""The mean of normal vectors of known spread, found from one random direction a person.

Clipping vectors to a ball that holds everybody costs a local report's noise for that ball, however
far it is from anybody. Here each person reports one direction, once: people of earlier rounds on
which side of a public point each of their numbers is, which brings the point near the mean, and
people of later rounds where they lie from there (`direction_search`, where the error is derived).
How many rounds people are divided into, and how many of them are coarse, is chosen before anything
is spent: those of the least predicted error.

**Guarantee**: that of the question, a direction of everybody once (`Once`), under any trust model
that has such a plan: under `Local` epsilon-local privacy of all that a person ever sends, whatever
the data are.

**Error**: predicted by `rmse`, if people are normal with that spread, each number independent of
the others, about a mean within the radius; it is the distance from the law's mean, not from these
people's. Where numbers hang together, whiten first.

| people | answer |
| --- | --- |
| normal, their mean within the radius | within the predicted error of it (root mean square) |
| their mean beyond it | a point within it: no error is promised |
| not normal | as private; near where their directions cancel, if that is near enough to be found |
| a NaN or an infinity in a row | that person reports a direction that cancels over rounds |
| few for the noise | the predicted error is that of knowing nothing but the radius |

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning" (PrivUnit).
    Joseph, Kulkarni, Mao and Wu 2019, "Locally private Gaussian estimation" (a rough place first,
    and then a finer question from there).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, keep_pythons, refuse_not_positive
from tacit.contribution import Sphere
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.participation import Once
from tacit.question.sums import Mean, refuse_nobody
from tacit.statistics.answer import Answer, released
from tacit.statistics.between import columns_of, dim_of, in_units, table_of
from tacit.statistics.direction_search import DirectionRounds, DirectionSearch
from tacit.statistics.one_round import refuse_secret_number
from tacit.statistics.too_few import refuse_nothing_learnt
from tacit.trust.people import Trust, people_of

# Into how many rounds people are divided, and how many of them are coarse at most.
ROUNDS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
MOST_COARSE = 24
# In units of the spread.
FARTHEST = 1_000.0
LEAST_DIM = 3


@final
@dataclass(frozen=True)
class MeanByDirections:
    """The mean of normal vectors to be asked: `plan` and `rmse` are known before the data are.

    Args:
      dim: how many numbers a person has, from 3 on.
      radius: each number of the mean is within it of zero; at most 1,000 spreads, public.
      spread: the standard deviation of people's numbers, public: one for all, or one for each.
      trust: any that can ask each person once; a curator's promise is of replacing one person.
      people: how many they are, exactly: they are divided into rounds; at least two.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    dim: int
    radius: float
    spread: float | tuple[float, ...]
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "dim", "radius", "people")
        object.__setattr__(self, "dim", dim_of(self.dim))
        if not self.dim >= LEAST_DIM:
            raise ValueError(
                "a direction is of at least three numbers: of one or two ask mean_by_signs of "
                f"each, got dim={self.dim}"
            )
        self._refuse_too_far()
        refuse_secret_number(self.trust, "a mean by directions")
        refuse_nobody(self.people)
        if not self.people >= min(ROUNDS):
            raise ValueError(f"people must be at least two, one a round, got {got(self.people)}")

    def _refuse_too_far(self) -> None:
        """Of a search, more spreads than it is made for."""
        refuse_not_positive("radius", self.radius)
        object.__setattr__(self, "spread", _spread(self.spread, self.dim))
        if not self.radius <= FARTHEST * self.spreads.min():
            raise ValueError(
                f"radius must be at most 1,000 spreads of {self.spreads.min():g}, got "
                f"{got(self.radius)}"
            )

    @property
    def spreads(self) -> Float[np.ndarray, " dim"]:
        """Of each number."""
        return np.broadcast_to(np.asarray(self.spread, np.float64), (self.dim,))

    @cached_property
    def searched(self) -> DirectionRounds:
        """The rounds of the least predicted error, in units of the spread."""
        rounds = [each for each in ROUNDS if each <= self.people]
        tried = (self._rounds(each, coarse) for each in rounds for coarse in range(each))
        kept = (each for each in tried if each.coarse <= MOST_COARSE)
        return min(kept, key=lambda each: each.rmse)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self.searched.coarse + self.searched.fine)

    @property
    def rmse(self) -> float:
        """The predicted distance from the law's mean (root mean square)."""
        return self.searched.rmse * math.sqrt(np.mean(self.spreads**2))

    def learner(self) -> DirectionSearch:
        """Who asks, of people's numbers over their spreads."""
        return DirectionSearch.of(self.searched, self.radius / self.spreads)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The mean behind these people's rows, charged to them; arguments as for `mean`."""
        refuse_nothing_learnt(self.trust, self.people, self.rmse, self.radius, "the mean")
        labels, numbers = columns_of(values, self.dim)
        rows = in_units(numbers, self.spreads)
        law = f"a normal law in {self.dim:,} dimensions, within {self.radius:.15g}"
        asked = f"the mean of {law}, by directions"
        release = released(self.plan, self.learner(), rows, name, ledger, seed, note, asked)
        centre = np.asarray(release.state.centre, np.float64) * self.spreads
        each = self.rmse / math.sqrt(self.dim)
        return Answer(f"mean of {name}", labels, centre, None, None, each, release)

    def _plan(self, rounds: int) -> Plan:
        return self.trust.plan(Mean(Sphere(self.dim), Once(), rounds, self.people))

    def _rounds(self, rounds: int, coarse: int) -> DirectionRounds:
        """So many, of which so many are coarse."""
        known, cohort = self._known, self.people / rounds
        error = known.device.facts.answer_error(cohort, known.server.facts, cohort)
        far = float(np.max(self.radius / self.spreads))
        return DirectionRounds(self.dim, far, coarse, rounds - coarse, error + 1 / cohort)

    @cached_property
    def _known(self) -> Plan:
        """Of any number of rounds: each person is in one, whatever their number."""
        plan = self._plan(min(ROUNDS))
        if plan.error is None:
            raise ValueError(
                "a mean by directions is predicted before it is asked, and a projection's error "
                "is of the data: leave the radius of Federated infinite"
            )
        return plan


def mean_by_directions(
    values: Any,
    *,
    radius: float,
    spread: float | Sequence[float],
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Answer:
    """The mean of normal vectors, each person's part of it one direction: see `MeanByDirections`.

    Args:
      values: a table with a row for each person.
      radius: each number of the mean is within it of zero, chosen without looking at the data.
      spread: the standard deviation of people's numbers, known beforehand; one, or one a column.
      trust, ledger, name, people, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    labels, rows = table_of(values)
    declared = people_of(people, trust, len(rows))
    asked = MeanByDirections(len(labels), radius, cast(Any, spread), trust, declared)
    return asked.of(values, ledger, name, seed=seed, note=note)


def _spread(spread: Any, dim: int) -> float | tuple[float, ...]:
    """One positive number, or one for each of so many."""
    if is_number(spread):
        refuse_not_positive("spread", spread)
        return float(spread)
    listed = isinstance(spread, tuple | list | np.ndarray) and np.shape(spread) == (dim,)
    if not (listed and all(is_number(each) and 0 < each < math.inf for each in spread)):
        raise ValueError(
            f"spread must be a positive number, or one for each of {dim} columns, got {got(spread)}"
        )
    return tuple(map(float, spread))
