"""A question in words: what is asked, of whom, how often, as a page or a ledger says it.

The words are for people to read; what a promise depends on is the question's own record. A shape,
statistic or participation of somebody's own is said by the name of its type.
"""

from dataclasses import replace
from typing import Any

from tacit.contribution.words import in_words as shape_in_words
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.composed_workloads import WithNone
from tacit.question.concepts import Concept, about
from tacit.question.databases import NearDatabase, TaughtShares
from tacit.question.dropouts import DropOuts
from tacit.question.keyed import Keyed
from tacit.question.laws import NearestLaw
from tacit.question.linear import Linear
from tacit.question.linear_models import LastIterate, Minimiser
from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Fixed, Poisson
from tacit.question.rows import LeadingDirection, OfRows
from tacit.question.sums import Above, Mean, Question, Running, Select
from tacit.question.uneven import Uneven

_MEANS = {
    Mean: "the mean",
    Select: "the largest mean",
    Running: "running sums of means",
    Keyed: "keys that nobody declared, and for each of them sums",
}
_STATISTICS = {LeadingDirection: "the direction of most"}


def in_words(question: Question) -> str:
    """What is asked, in one line: the answer, one person's part of it, how many people and when.

    | question | in words |
    | --- | --- |
    | a mean, once | the mean of a number in [0, 1], of 10,000 people |
    | over rounds | the mean of one of 9 categories, of 50 people, in 3 rounds of everybody |
    """
    sums = question.sums
    people = "1 person" if sums.people == 1 else f"{sums.people:,} people"
    return f"{_answer(question)}, of {people}{_when(sums)}"


def _answer(question: Question) -> str:
    """The answer and one person's part of it alone, where nobody says how many people there are."""
    if isinstance(question, OfRows) and isinstance(question.statistic, Concept):
        concept = question.statistic
        return f"the {type(concept).__name__} of {about(concept)} that labels most people right"
    return f"{_what(question)} of {shape_in_words(question.sums.contribution)}"


def answers_together(question: Question) -> int | None:
    """How many answers a plan's error is of together; None where it is of one."""
    return question.workload.queries if isinstance(question, Linear) else None


def _what(question: Question) -> str:
    match question:
        case Above(threshold=threshold, positives=positives):
            return f"up to {positives:,} times that a mean reaches {threshold:g}, the mean"
        case Linear(workload=workload):
            asked = workload.workload if isinstance(workload, WithNone) else workload
            return f"{workload.queries:,} linear queries ({type(asked).__name__})"
        case Uneven(shares=shares):
            return f"means of shares {', '.join(f'{share:.3g}' for share in shares)}"
        case OfRows(statistic=NearDatabase(rows=rows)):
            return f"the nearest database of {rows:,} rows"
        case OfRows(statistic=TaughtShares(rounds=rounds)):
            return f"shares taught in {rounds:,} rounds"
        case OfRows(statistic=statistic):
            return _statistic(statistic)
    return _MEANS.get(type(question), f"a {type(question).__name__}")


def _statistic(statistic: Any) -> str:
    match statistic:
        case Quantile(share=share) | SmoothQuantile(share=share) | ProposedQuantile(share=share):
            return "the median" if share == 0.5 else f"the {share:g} quantile"
        case Quantiles():
            return _quantiles(statistic)
        case TrimmedMean(trim=trim):
            return f"the mean without {trim:g} at either end"
        case BlockMeans(blocks=blocks) | BlockMedians(blocks=blocks):
            kind = "means" if isinstance(statistic, BlockMeans) else "medians"
            return f"{kind} over {blocks:,} blocks of a function"
        case NearestLaw(units=units):
            return f"the nearest of {len(units):,} laws"
        case Minimiser(loss=loss) | LastIterate(loss=loss):
            return f"a linear model of least {type(loss).__name__} loss"
    return _STATISTICS.get(type(statistic), f"a {type(statistic).__name__}")


def _quantiles(statistic: Quantiles) -> str:
    shares = ", ".join(f"{share:g}" for share in statistic.shares)
    return f"the {shares} quantiles, to the nearest of {statistic.cells:,} steps,"


def _when(sums: Mean) -> str:
    if sums.rounds == 1 and sums.times == 1 and sums.cohort == sums.people:
        return ""
    rounds = "in 1 round" if sums.rounds == 1 else f"in {sums.rounds:,} rounds"
    return f", {rounds} {_who(sums)}"


def _who(sums: Mean) -> str:
    match sums.participation:
        case DropOuts(asked=asked, rate=rate):
            return f"{_who(replace(sums, participation=asked))}, {rate:g} of whom drop out"
        case Everyone():
            return "of everybody"
        case Poisson(rate=rate):
            return f"of each with chance {rate:g}"
        case Fixed(size=size):
            return f"of {size:,} drawn anew"
        case AtMost(limit=limit) | Cyclic(passes=limit):
            return "with each person in one" if limit == 1 else f"with each person in {limit:,}"
        case Available(turnout=turnout):
            return f"of whoever turns up, each with chance {turnout:g}"
    return f"of {type(sums.participation).__name__}"
