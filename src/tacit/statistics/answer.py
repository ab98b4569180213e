"""What one call answers: an estimate, its interval, and what was promised for it.

An interval is about these people and these bounds: it says where the exact answer lies, that anyone
would get who might look at the data. How well these people stand for others is not in it.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Float, PyTree

from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.page import figures, folded
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.population.learner import Learner
from tacit.population.release import Release, met, promised
from tacit.question.sums import refuse_nobody
from tacit.question.words import said_of
from tacit.statistics.limits import Limits, refuse_no_confidence
from tacit.trust.people import refuse_no_trust


@final
@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """One released statistic. All of it is public.

    Args:
      asked: what it is, in words.
      labels: of several numbers, what each is of; none for one number.
      estimate: a number, or one for each label.
      interval: limits of it, or of each, that hold with probability `confidence` at least; None
        where the error alone is known, or of quantiles, in `ranks`.
      confidence: of one interval, or of all ranks together; None where there are neither.
      rmse: the root mean squared distance of each number from the exact one of these people, or
        from the distribution's mean where that is asked for (`GaussianMean`, `MeanBySigns`,
        `MeanByDirections`); None of quantiles.
      release: what was run: `plan`, `receipt()`.
      ranks: of quantiles, by how many people each is off at most.
      rank_rmse: of what is read from counted cells, by how many people each is expected to be off
        (root mean square).
      step: of quantiles, how far apart the numbers are that people's are rounded to, or the ends of
        the cells that people are counted in.
      remarks: what is to be known beside it, of what is released and declared (`remarks`).
    """

    asked: str
    labels: tuple[str, ...]
    estimate: float | Float[np.ndarray, " labels"]
    interval: Limits | None
    confidence: float | None
    rmse: float | None
    release: Release
    ranks: float | None = None
    rank_rmse: float | None = None
    step: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """What was promised and predicted before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        estimates = _aligned(self.estimate)
        if self.interval is not None:
            limits = zip(*map(_aligned, self.interval), strict=True)
            between = [f"   {low} to {high}" for low, high in limits]
        else:
            between = [""] * len(estimates)
        labels = self.labels or (self.asked,)
        left = max(map(len, labels))
        each = zip(labels, estimates, between, strict=True)
        lines = [f"{label:{left}}  {number}{limits}" for label, number, limits in each]
        title = [self.asked] if self.labels else []
        promises = promised(self.plan, self.release.private, met)
        below = folded(f"{self._known()}; {promises}", *self.remarks)
        return "\n".join([*title, *lines, below])

    def _known(self) -> str:
        """What the confidence is of; ranks are of people, who are as many as were declared."""
        if self.rank_rmse is not None:
            return self._predicted(self.rank_rmse)
        if self.confidence is None:
            return f"each expected to be off by {self.rmse:.3g} (root mean square)"
        sure = f"{100 * self.confidence:.6g}%"
        if self.ranks is None:
            return f"{sure} intervals"
        near = f"{sure} sure to be within {math.ceil(self.ranks):,} people of their ranks"
        return f"{near}, of {self.plan.sums.people:,} declared{self._rounded}"

    @property
    def _rounded(self) -> str:
        """What ranks are of: numbers nearer each other than a step are told apart by none."""
        if self.step is None:
            return ""
        if self.rank_rmse is None:
            return f", of numbers rounded to steps of {figures(self.step)}"
        return f", read within cells {figures(self.step)} wide"

    def _predicted(self, rank_rmse: float) -> str:
        """Of counted cells; quantiles are read within one, as if its people filled it evenly."""
        whose = "" if self.step is None else " for numbers that fill an eighth of the bounds evenly"
        people = float(f"{rank_rmse:.2g}")
        off = f"about {people:,.6g} people off in rank (root mean square, predicted{whose})"
        return f"{off}, of {self.plan.sums.people:,} declared{self._rounded}"


class CallTerms(NamedTuple):
    """What a call says of its release: of `released`, all but the question and the data."""

    name: str
    ledger: LedgerOrPath
    seed: int | None
    note: str | None
    asked: str


def released(
    plan: Plan,
    learner: Learner,
    data: PyTree,
    name: str,
    ledger: LedgerOrPath,
    seed: int | None,
    note: str | None,
    asked: str,
) -> Release:
    """Charges these people's accounts for `plan`, and runs it; the ledger keeps what is asked in
    these words, which know the bounds and units that the plan's own do not."""
    book, people = opened(ledger), Arrays(data, name)
    said: dict[str, Any] = {"note": note or "", "asked": said_of(asked, plan.sums)}
    with closed_if_cut_off(book) as (grant,):
        return people.grant(plan, learner, book, grant_id=grant, seed=seed, **said).run()


def refuse_no_terms(trust: Any, people: Any, confidence: Any) -> None:
    """Raises a ValueError unless these are a trust model, a number of people and a chance."""
    refuse_no_trust(trust)
    refuse_nobody(people)
    refuse_no_confidence(confidence)


def _aligned(numbers: float | Float[np.ndarray, " labels"]) -> list[str]:
    shown = [figures(each) for each in np.atleast_1d(numbers)]
    return [each.rjust(max(map(len, shown))) for each in shown]
