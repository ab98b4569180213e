"""Local reports by statistical queries alone: whatever is learnt locally is learnt by queries.

A person's report has the law R(x) of their record x, and a population's the mean p of these. To
draw from p without asking anybody for a report, with

    M = sum over reports z of max_x R(x)(z),    q(z) = max_x R(x)(z)/M,

draw z from q, ask for the mean of phi_z(x) = 2 R(x)(z)/(M q(z)) - 1, which is in [-1, 1], and
accept z with probability (answer + 1)/2; else begin again.

1. *Exact answers* accept z with probability p(z)/(M q(z)): what is accepted has the law p, and each
   try is accepted with probability 1/M, whatever the people are. A report takes M queries on
   average.
2. M is at most e^epsilon (its logarithm is R's maximal leakage), and below 2 for every report of
   two values: taking q = R(0), as is usual, needs e^epsilon.
3. *Answers within t*, cut to [-1, 1], change an acceptance's probability by t/2. So the accepted
   masses q(z) v(z) are off by t/2 in all, of a mass of 1/M, and the law is within M t/2 of p in
   total variation.
4. n reports of failure b in all take t = 2b/(n M), and M ln(n/b)/(1 - M t/2) tries for each but for
   as much again.

Reports may follow from earlier ones (each person reports once): the distances add up.

The query is normalised by M q(z) and not by nothing, as it is sometimes printed: the mean of
R(x)(z) itself is lost in any tolerance where there are many reports.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?",
    Theorem 5.5 (with e^epsilon for M, and a tolerance of b/(e^(2 epsilon) n)).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, is_whole, refuse_not_positive
from tacit.device.report_law import law_of
from tacit.plan import Device

# A query's value for each record; and what answers it.
Query = Float[np.ndarray, " records"]
Oracle = Callable[[Query], float]


@final
@dataclass(frozen=True, eq=False)
class ReportQueries:
    """A local report as queries.

    Args:
      law: R, the chance of each report, a row for each record.

    Raises:
      ValueError: if a row is no law, or a report has no chance at all.
    """

    law: Float[np.ndarray, "records reports"]

    def __post_init__(self):
        ones = np.abs(self.law.sum(axis=1) - 1) <= 1e-9
        if not (self.law.min() >= 0 and ones.all() and self.law.max(axis=0).min() > 0):
            raise ValueError(
                "a law must have a row of chances for each record, adding up to one, and a chance "
                "for each report"
            )

    @cached_property
    def mean_queries(self) -> float:
        """M: how many queries a report takes, on average."""
        return float(self.law.max(axis=0).sum())

    @cached_property
    def reference(self) -> Float[np.ndarray, " reports"]:
        """q: the law that reports are tried from."""
        return self.law.max(axis=0) / self.mean_queries

    def query(self, report: int) -> Query:
        """phi of a report: its value for each record."""
        return 2 * self.law[:, report] / self.law[:, report].max() - 1

    def accepted(self, answer: float) -> float:
        """The chance that a report is kept after this answer."""
        return min(max((answer + 1) / 2, 0.0), 1.0)

    def simulated(
        self, oracle: Oracle, numbers: np.random.Generator, most: int
    ) -> tuple[int | None, int]:
        """A report, None if none was accepted, and how many queries were asked.

        Args:
          oracle: answers a query.
          numbers: what is drawn from.
          most: how many tries there are.
        """
        for tries in range(1, most + 1):
            report = int(numbers.choice(len(self.reference), p=self.reference))
            if numbers.random() < self.accepted(oracle(self.query(report))):
                return report, tries
        return None, most

    def tolerance_for(self, people: int, failure: float) -> float:
        """t: with which so many people's reports are all right but for this chance."""
        _refuse_others(people, failure)
        return 2 * failure / (people * self.mean_queries)

    def tries_for(self, people: int, failure: float, tolerance: float) -> int:
        """How many tries a report needs, so that all of them are accepted but for this chance.

        Raises:
          ValueError: if an argument is not of its kind, or answers may be so wrong that none is.
        """
        _refuse_others(people, failure)
        refuse_not_positive("tolerance", tolerance)
        left = 1 - self.mean_queries * tolerance / 2
        if not left > 0:
            raise ValueError(
                f"tolerance must be below {2 / self.mean_queries:.3g}, got {got(tolerance)}"
            )
        return math.ceil(self.mean_queries * math.log(people / failure) / left)


def as_statistical_queries(device: Device) -> ReportQueries:
    """A device's report as queries: `plan.device` of a plan under `Local`.

    Records are its categories; of a number they are the points of its grid, and a number between
    two of these has a query's value between theirs, in proportion.

    Raises:
      ValueError: if its reports cannot be listed.
    """
    return ReportQueries(law_of(device))


def _refuse_others(people: int, failure: float) -> None:
    if not (is_whole(people) and people >= 1):
        raise ValueError(f"people must be a positive whole number, got {got(people)}")
    if not (is_number(failure) and 0 < failure < 1):
        raise ValueError(f"failure must lie between 0 and 1, got {got(failure)}")
