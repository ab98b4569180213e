"""What a person's reports of several rounds tell together, and the same by statistical queries.

A **protocol** asks a person for T reports. The law R_t of the next one may depend on what they have
said so far: on everything said, if that is public. What a person has said, z = (z_1, ..., z_t), is
a **state**. Write L(x)(z) for the product of R_s(x)(z_s) over s <= t, the law of z for record x.

**Privacy is the transcript's.**

1. L(x)(z)/L(x')(z) is a product of T ratios, each at most e^(epsilon_t) with epsilon_t the largest
   of R_t's over all states that can be reached.
2. So the transcript has epsilon_1 + ... + epsilon_T, whoever chooses the next law by it; `epsilon`
   is exact, by all transcripts, and at most that sum.
3. **Where a state that can be reached has a report that only some records can make, there is no
   bound, and the protocol is refused**: that its rounds are private on the way that is thought of
   is not enough.

**By queries.** Let h(x) = prod over s of R_s(x)(z_s)/max R_s(z_s), from e^-(epsilon_1 + ...) to 1.
Given z the next report has the law E[h R_t]/E[h] over the population. With M and q of R_t
(`simulated_reports`) draw y from q, ask for the means of h and of h R_t(y)/(M q(y)), and keep y
with the second over the first: y then has that law, each try kept with probability 1/M. So a round
takes M queries and one, on average (that of h is asked once), and the first round M alone.

**Answers within t** move shares by t/2.

4. With b = E[h], at least e^-(epsilon_1 + ...), the chance to keep y is (a + d)/(b + e) for a/b,
   |d| and |e| at most t/2 and a/b at most one: off by t/(b - t/2) at most.
5. So the law of that report is within M t/(b - t/2) in total variation, and of the first within
   M t/2; over the rounds these add up (`distance`).

References:
    Joseph, Mao, Neel and Roth 2019, "The role of interactivity in local differential privacy".
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?".
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_whole, refuse_not_positive
from tacit.sq.simulated_reports import Oracle, ReportQueries

# What a person has said, by the numbers of their reports; and the next report's law after it.
State = tuple[int, ...]
Law = Float[np.ndarray, "records reports"]
# All are listed, for `epsilon`.
MOST_TRANSCRIPTS = 2**20
# More than a product of one factor more, a ratio and a logarithm may be rounded by.
_ROUNDING = 2.0**-51
# Products that are smaller have lost digits, or are none; and what a sum of logarithms, each above
# -745, is rounded by for each.
_SMALLEST, _OF_LOGS = 1e-290, 2.0**-40


@final
@dataclass(frozen=True, eq=False)
class LocalTranscript:
    """A person's reports of several rounds.

    Args:
      rounds: T.
      next_law: of what was said, the law of the next report: a row for each record.

    Raises:
      ValueError: if a law is none, records are not the same in all rounds, there are more than
        2^20 transcripts, or a state that can be reached has a report that some record cannot make.
    """

    rounds: int
    next_law: Callable[[State], Law]

    def __post_init__(self):
        if not (is_whole(self.rounds) and self.rounds >= 1):
            raise ValueError(f"rounds must be a positive whole number, got {got(self.rounds)}")
        _ = self.law

    @cached_property
    def law(self) -> dict[State, Float[np.ndarray, " records"]]:
        """L: of every transcript, its chance for each record."""
        found = {(): np.ones(len(self._checked(())))}
        for _ in range(self.rounds):
            # Counted before they are made.
            if sum(np.shape(self.next_law(said))[-1] for said in found) > MOST_TRANSCRIPTS:
                raise ValueError("there may be at most 2^20 transcripts")
            found = {
                (*said, report): chance * own
                for said, chance in found.items()
                for report, own in self._each(said, chance)
            }
        return found

    @cached_property
    def epsilon(self) -> float:
        """Of the whole transcript: the largest log-ratio of two records' chances, rounded up."""
        if min(own.min() for own in self.law.values()) < _SMALLEST:
            return self._of_logs()
        most = max(math.log(own.max() / own.min()) for own in self.law.values())
        return most + (self.rounds + 2) * _ROUNDING

    def _of_logs(self) -> float:
        """The same of sums of logarithms: a product of such small chances is no float."""
        most = 0.0
        for said in self.law:
            laws = [np.log(self._checked(said[:t])[:, own]) for t, own in enumerate(said)]
            total = np.sum(laws, axis=0)
            most = max(most, float(total.max() - total.min()))
        return most + (self.rounds + 2) * _OF_LOGS

    @cached_property
    def round_epsilons(self) -> tuple[float, ...]:
        """epsilon_t: the largest of each round's laws. Their sum is at least `epsilon`."""
        return tuple(max(map(epsilon_of, laws)) for laws in self._laws)

    @cached_property
    def mean_queries(self) -> float:
        """How many queries a person's reports take, at most: M for the first, M + 1 for others."""
        each = [max(ReportQueries(law).mean_queries for law in laws) for laws in self._laws]
        return math.fsum(each) + self.rounds - 1

    def distance(self, tolerance: float) -> float:
        """How far, in total variation, answers within t move a transcript's law, at most.

        Raises:
          ValueError: if the tolerance is not positive.
        """
        refuse_not_positive("tolerance", tolerance)
        total, past = 0.0, 0.0
        for place, laws in enumerate(self._laws):
            most = max(ReportQueries(law).mean_queries for law in laws)
            left = math.exp(-past) - tolerance / 2 if place else 2.0
            total += most * tolerance / left if left > 0 else 1.0
            past += self.round_epsilons[place]
        return min(total, 1.0)

    def simulated(
        self, oracle: Oracle, numbers: np.random.Generator, most: int
    ) -> tuple[State | None, int]:
        """A transcript, None if a report was never kept, and how many queries were asked.

        Args:
          oracle: answers a query.
          numbers: what is drawn from.
          most: how many tries there are for a report.
        """
        said, asked, past = (), 0, np.ones(len(self.next_law(())))
        for _ in range(self.rounds):
            view = ReportQueries(self.next_law(said))
            base = _share(oracle(2 * past - 1)) if said else 1.0
            report, tries = view.simulated(_after(oracle, past, base), numbers, most)
            asked += tries + bool(said)
            if report is None:
                return None, asked
            past = past * (view.query(report) + 1) / 2
            said = (*said, report)
        return said, asked

    @property
    def _laws(self) -> list[list[Law]]:
        """Of each round, that of every state that can be reached."""
        reached: list[set[State]] = [{said[:t] for said in self.law} for t in range(self.rounds)]
        return [[self.next_law(said) for said in states] for states in reached]

    def _each(
        self, said: State, chance: Float[np.ndarray, " records"]
    ) -> Iterator[tuple[int, Float[np.ndarray, " records"]]]:
        law = self._checked(said)
        if len(law) != len(chance):
            raise ValueError(
                f"laws must have the same records in all rounds, got {len(law)} of {len(chance)}"
            )
        yield from enumerate(law.T)

    def _checked(self, said: State) -> Law:
        law = np.asarray(self.next_law(said), np.float64)
        ReportQueries(law)
        if not epsilon_of(law) < math.inf:
            raise ValueError(
                f"after the reports {said} one is possible for some records only: the transcript "
                "has no epsilon"
            )
        return law


def epsilon_of(law: Law) -> float:
    """The largest log-ratio of two records' chances of one report; infinite where one is zero."""
    if not law.min() > 0:
        return math.inf
    return float(np.log(law.max(axis=0) / law.min(axis=0)).max())


def _after(oracle: Oracle, past: Float[np.ndarray, " records"], base: float) -> Oracle:
    """Answers a query of the next report about those who have said so much.

    As shares, h times the query's, over that of h.
    """
    return lambda query: 2 * _share(oracle(past * (query + 1) - 1)) / max(base, 1e-300) - 1


def _share(answer: float) -> float:
    """An answer in [-1, 1] as one in [0, 1]."""
    return min(max((answer + 1) / 2, 0.0), 1.0)
