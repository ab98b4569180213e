"""A question in words: what is asked, of whom, how often, as a page or a ledger says it.

The words are for people to read; what a promise depends on is the question's own record. What is
asked each question says itself. A shape or participation of somebody's own is said by the name of
its type.
"""

from dataclasses import replace

from tacit.question.dropouts import DropOuts
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Fixed, Poisson
from tacit.question.sums import Mean, Question


def in_words(question: Question) -> str:
    """What is asked, in one line: the answer, one person's part of it, how many people and when.

    | question | in words |
    | --- | --- |
    | a mean, once | the mean of a number in [0, 1], of 10,000 people |
    | over rounds | the mean of one of 9 categories, of 50 people, in 3 rounds of everybody |
    """
    return said_of(question.words, question.sums)


def said_of(words: str, sums: Mean) -> str:
    """The same where whoever asks has other words for it, in the units of people's own numbers."""
    people = "1 person" if sums.people == 1 else f"{sums.people:,} people"
    return f"{words}, of {people}{_when(sums)}"


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
